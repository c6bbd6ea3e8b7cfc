//! Waiting for something, with a limit.

use crate::world::World;
use std::process::{Child, Stdio};

/// Starts waiting in the background; its exit code and the word it printed come later.
fn wait(world: &World, args: &[&str]) -> Child {
    let mut all = vec!["wait", "x"];
    all.extend(args);
    let mut command = world.wigwag(&all);
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn word(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn every_condition_that_does_not_come_true_ends_with_4() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    for condition in [
        "exit",
        "settled",
        "waiting",
        "failed",
        "finished",
        "attention",
        "working",
        "idle",
        "prompt",
        "command",
        "blocked",
        "done",
        "error",
        "waiting,exit",
        "output:never printed",
    ] {
        // Some of these may be true of a program that runs; none is of `sleep`.
        world.fails(
            &["wait", "x", "--until", condition, "--timeout", "200ms"],
            4,
        );
    }
    world.fails(&["wait", "x", "--until", "exit", "--timeout", "1s"], 4);
    world.fails(&["wait", "x", "--timeout", "200ms"], 4);
}

#[test]
fn the_word_that_ended_the_wait_is_printed() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    let waiting = wait(&world, &["--until", "waiting,exit", "--timeout", "60s"]);
    world.send("x", r"printf '\033]7501;state=blocked\033\\'");
    assert_eq!(word(waiting), "waiting");
    let output = wait(
        &world,
        &["--until", r"output:answer=\d+", "--timeout", "60s"],
    );
    world.send("x", "echo answer=$((6*7))");
    assert!(word(output).starts_with("output"));
    let exit = wait(&world, &["--until", "exit", "--timeout", "60s"]);
    world.send("x", "exit 0");
    assert_eq!(word(exit), "exit");
}

#[test]
fn a_terminal_that_ends_before_the_condition_is_a_failure_at_once() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "read -r end"]);
    let waiting = wait(&world, &["--until", "waiting", "--timeout", "60s"]);
    world.send("x", "");
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn waiting_for_an_unknown_word_is_wrong_usage_and_for_nobody_is_refused() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let message = world.fails(&["wait", "x", "--until", "tomorrow"], 2);
    assert!(message.contains("tomorrow"), "{message}");
    world.fails(&["wait", "nobody", "--until", "exit"], 5);
}
