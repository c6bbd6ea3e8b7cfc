//! `wait`: several terminals, patterns, limits, ends.

use crate::window::Window;
use crate::world::World;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn wait(world: &World, args: &[&str]) -> Child {
    let mut command = world.wigwag(args);
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn word(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_person_is_told_more_than_the_word_and_a_script_only_that() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "exit 3"]);
    let output = world.run(&["wait", "x", "--until", "exit"]);
    assert_eq!(output.stdout, b"exit\n");
    assert!(output.stderr.is_empty(), "{output:?}");
    let window = Window::open(&world, 80, 10, &["wait", "x", "--until", "exit"]);
    window.until_text("x: exited with code 3 at 20");
    assert!(window.shown().text().starts_with("exit\n"));
}

#[test]
fn what_is_already_so_ends_it_at_once() {
    let world = World::new();
    let script = r"echo here; printf '\033]7501;state=blocked\033\\'; exec sleep 1000";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    world.until("x", |status| status["state"] == "waiting");
    assert_eq!(world.ok(&["wait", "x"]), "waiting\n");
    assert_eq!(world.ok(&["w", "x", "--until", "blocked"]), "waiting\n");
    assert_eq!(
        world.ok(&["wait", "x", "--until", "idle,waiting"]),
        "waiting\n"
    );
    assert_eq!(
        world.ok(&["wait", "x", "--until", "output:^here$"]),
        "output\n"
    );
    let json = world.ok(&["wait", "x", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["until"], &json["name"]),
        (&"waiting".into(), &"x".into())
    );
}

#[test]
fn all_of_several_are_waited_for_unless_any_is_enough() {
    let world = World::new();
    for name in ["a", "b"] {
        world.ok(&["new", name, "-d", "--", "sh", "-c", "read -r x; exit 0"]);
    }
    let any = wait(&world, &["wait", "a", "b", "--any", "--until", "exit"]);
    let all = wait(&world, &["wait", "a", "b", "--until", "exit"]);
    world.send("b", "");
    assert_eq!(word(any), "b exit\n");
    world.fails(
        &["wait", "a", "b", "--until", "exit", "--timeout", "100ms"],
        4,
    );
    world.send("a", "");
    assert_eq!(word(all), "a exit\nb exit\n");
}

#[test]
fn one_that_ends_first_fails_it_only_where_nobody_else_can_come() {
    let world = World::new();
    world.ok(&["new", "over", "-d", "--", "true"]);
    world.ok(&["wait", "over", "--until", "exited"]);
    let ask = r"read -r x; printf '\033]7501;state=blocked\033\\'; exec sleep 1000";
    world.ok(&["new", "asks", "-d", "--", "sh", "-c", ask]);
    world.fails(&["wait", "over", "asks", "--until", "waiting"], 1);
    world.fails(&["wait", "over", "--until", "prompt"], 1);
    world.fails(&["wait", "over", "--until", "lost"], 1);
    world.fails(&["wait", "over", "--until", "output:never"], 1);
    let any = wait(
        &world,
        &["wait", "over", "asks", "--any", "--until", "waiting"],
    );
    world.send("asks", "");
    assert_eq!(word(any), "asks waiting\n");
}

#[test]
fn the_last_words_of_a_program_are_looked_at_before_its_exit() {
    let world = World::new();
    for at in 0..5 {
        let name = format!("x{at}");
        world.ok(&[
            "new",
            &name,
            "-d",
            "--",
            "sh",
            "-c",
            "read -r x; seq 1 5000; echo NEEDLE; seq 1 500",
        ]);
        let waiting = wait(&world, &["wait", &name, "--until", "output:NEEDLE"]);
        world.send(&name, "");
        assert_eq!(word(waiting), "output\n");
    }
}

#[test]
fn a_limit_holds_in_a_flood() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "yes"]);
    let start = Instant::now();
    world.fails(
        &["wait", "x", "--until", "output:never", "--timeout", "300ms"],
        4,
    );
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn time_that_ran_out_is_said_with_how_it_is() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let message = world.fails(&["wait", "x", "--timeout", "50ms"], 4);
    assert!(message.contains("x is running"), "{message}");
    let message = world.fails(&["wait", "x", "--timeout", "50ms", "--json"], 4);
    let error: serde_json::Value = serde_json::from_str(&message).unwrap();
    assert_eq!(error["error"]["code"], "timeout");
    world.fails(&["wait", "x", "--timeout", "soon"], 2);
    world.fails(&["wait", "x", "--until", "output:("], 2);
}

#[test]
fn a_wait_goes_on_when_the_daemon_is_killed() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "read -r x; exit 0"]);
    let daemon = world.daemon_pid();
    let waiting = wait(&world, &["wait", "x", "--until", "exit"]);
    crate::world::kill(daemon);
    world.send("x", "");
    assert_eq!(word(waiting), "exit\n");
}

#[test]
fn a_removed_terminal_has_ended() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let exit = wait(&world, &["wait", "x", "--until", "exit"]);
    let idle = wait(&world, &["wait", "x", "--until", "idle"]);
    world.ok(&["remove", "x", "--force"]);
    // Either may begin when it is gone already.
    let output = exit.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 5)), "{output:?}");
    let output = idle.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(1 | 5)), "{output:?}");
}
