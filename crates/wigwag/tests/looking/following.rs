//! `capture` and `events`: what is there, and following what comes.

use crate::world::World;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

#[test]
fn the_screen_the_history_and_a_few_lines_are_captured() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "seq 1 100; exec sleep 1000",
    ]);
    world.until_shown("x", "100");
    assert!(!world.ok(&["capture", "x"]).lines().any(|line| line == "1"));
    let all = world.ok(&["c", "x", "--scrollback"]);
    let numbers: Vec<String> = (1..=100).map(|n| n.to_string()).collect();
    assert_eq!(all.lines().collect::<Vec<_>>(), numbers);
    assert_eq!(world.ok(&["capture", "x", "--lines", "2"]), "99\n100\n");
    let json = world.ok(&["capture", "x", "--lines", "1", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["text"], "100");
}

#[test]
fn colours_are_captured_where_they_are_asked_for() {
    let world = World::new();
    let script = r"printf '\033[31mred\033[0m plain'; exec sleep 1000";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    assert_eq!(world.until_shown("x", "plain"), "red plain\n");
    let coloured = world.ok(&["capture", "x", "--ansi"]);
    assert!(coloured.contains("31mred\u{1b}[0m plain"), "{coloured:?}");
}

#[test]
fn the_last_words_of_a_program_are_captured_after_its_exit() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "seq 1 50; echo last words; exit 3",
    ]);
    world.ok(&["wait", "x", "--until", "exit"]);
    assert!(world.ok(&["capture", "x"]).ends_with("last words\n"));
    assert!(
        world
            .ok(&["capture", "x", "--follow"])
            .ends_with("last words\n")
    );
}

/// Detaches all clients.
fn detach(world: &World, name: &str) {
    let socket = world.path().join("run/wigwag/daemon.sock");
    let mut daemon = std::os::unix::net::UnixStream::connect(socket).unwrap();
    let request = format!(
        "POST /v1/terminals/{name}/detach HTTP/1.1\r\nhost: wigwag\r\nconnection: close\r\n\r\n"
    );
    daemon.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    daemon.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn following_prints_every_line_once_and_ends_with_the_program() {
    let world = World::new();
    let script = "echo before; read -r x; seq 1 100000; printf 'half\\rwhole'; exit 0";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    world.until_shown("x", "before");
    let mut follower = world
        .wigwag(&["capture", "x", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    // It stands at the stream from here on.
    assert_eq!(lines.next().unwrap().unwrap(), "before");
    // A detach is meant for people.
    detach(&world, "x");
    world.send("x", "");
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    // After the detach the screen stands there once more.
    let numbers: Vec<u32> = rest.iter().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(numbers, (1..=100_000).collect::<Vec<_>>());
    assert_eq!(rest.last().unwrap(), "whole");
    assert!(follower.wait().unwrap().success());
}

#[test]
fn following_counts_as_nobody() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    let mut follower = world
        .wigwag(&["capture", "x", "--follow", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    world.send("x", "echo shown-$((1+1))");
    let lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut lines = lines.map(|line| serde_json::from_str::<serde_json::Value>(&line.unwrap()));
    assert!(lines.any(|line| line.unwrap()["line"] == "shown-2"));
    assert_eq!(world.show("x")["clients"], 0);
    follower.kill().unwrap();
    follower.wait().unwrap();
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "while :; do echo y; sleep 0.01; done",
    ]);
    let mut follower = world
        .wigwag(&["capture", "x", "--follow"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(follower.stdout.take());
    let output = follower.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    assert!(!output.status.success());
}

#[test]
fn events_go_on_after_a_killed_daemon_without_gap_or_repetition() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    world.until("x", |status| status["lifecycle"]["state"] == "running");
    let mut follower = world
        .wigwag(&["events", "--since", "0", "--follow", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut last = 0;
    let mut titles = lines.filter_map(|line| {
        let event: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let seq = event["seq"].as_u64().unwrap();
        assert!(seq > last, "in order, none twice");
        last = seq;
        let is_title = event["event"] == "title";
        is_title.then(|| {
            event["status"]["title"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
    });
    for round in 0..3 {
        let title = format!("title-{round}");
        world.send("x", &format!("printf '\\033]2;{title}\\033\\\\'"));
        assert!(titles.any(|told| told == title));
        world.kill_daemon();
    }
    follower.kill().unwrap();
    follower.wait().unwrap();
}
