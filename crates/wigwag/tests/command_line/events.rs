//! `events`: the journal, past and coming.

use crate::world::World;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

#[test]
fn the_journal_is_printed_for_people_and_as_json_lines() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "exit 3"]);
    world.until("x", |status| status["lifecycle"]["state"] == "exited");
    let json = world.ok(&["events", "--json"]);
    let events: Vec<serde_json::Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut last = 0;
    for event in &events {
        let seq = event["seq"].as_u64().unwrap();
        assert!(seq > last, "{json}");
        last = seq;
        assert!(event["at"].is_string() && event["terminal"].is_string());
        assert_eq!(event["status"]["name"], "x");
    }
    let text = world.ok(&["events"]);
    assert_eq!(text.lines().count(), events.len());
    assert!(text.contains("x  lifecycle  exited with code 3"), "{text}");
    assert_eq!(world.ok(&["events", "--since", &last.to_string()]), "");
    let one_less = (last - 1).to_string();
    assert_eq!(
        world.ok(&["events", "--since", &one_less]).lines().count(),
        1
    );
}

#[test]
fn following_goes_on_after_a_killed_daemon_without_gap_or_repetition() {
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
