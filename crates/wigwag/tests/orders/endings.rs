//! `kill`, `restart`, `remove`, `prune`: how terminals end, and come back.

use crate::world::World;
use serde_json::Value;

fn state(world: &World, name: &str) -> Value {
    world.show(name)["lifecycle"]["state"].clone()
}

fn names(world: &World) -> Vec<String> {
    let list = world.list();
    let mut names: Vec<String> = list
        .iter()
        .map(|status| status["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// A program that ignores HUP and TERM, and says when it does.
const STUBBORN: &str = "trap '' HUP TERM; echo deaf; while :; do sleep 1000; done";

#[test]
fn kill_hangs_up_and_says_how_it_ended() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let said = world.ok(&["kill", "x"]);
    assert!(
        said.contains("sent HUP") && said.contains("signal HUP"),
        "{said}"
    );
    let ended = world.show("x");
    assert_eq!(ended["lifecycle"]["signal"], "HUP");
    assert_eq!(
        (&ended["state"], &ended["attention"]),
        (&"exited".into(), &Value::Null),
        "it was ordered"
    );
    let message = world.fails(&["kill", "x"], 5);
    assert!(message.contains("does not run"), "{message}");
}

#[test]
fn kill_says_what_survives_and_force_ends_it() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", STUBBORN]);
    world.until_shown("x", "deaf");
    let message = world.fails(&["kill", "x"], 1);
    assert!(
        message.contains("still runs") && message.contains("sh -c"),
        "{message}"
    );
    assert!(message.contains("--force"), "{message}");
    assert_eq!(state(&world, "x"), "running");
    world.ok(&["kill", "x", "--force"]);
    assert_eq!(world.show("x")["lifecycle"]["signal"], "KILL");
}

#[test]
fn kill_names_what_lives_on_after_the_program_and_ends_that_too() {
    let world = World::new();
    // What was ignored at its start, a program goes on ignoring.
    let script = "trap '' HUP; sleep 4242 & trap - HUP; echo started; exec sleep 1000";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    world.until_shown("x", "started");
    let said = world.ok(&["kill", "x"]);
    assert!(said.contains("exited by signal HUP"), "{said}");
    assert!(said.contains("sleep 4242"), "{said}");
    let said = world.ok(&["kill", "x", "--force"]);
    assert!(!said.contains("sleep 4242"), "{said}");
    assert!(world.processes("sleep").is_empty());
}

#[test]
fn another_signal_is_sent_and_nothing_is_waited_for() {
    let world = World::new();
    let script = "trap 'echo got usr1' USR1; echo ready; while :; do sleep 0.1; done";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    world.until_shown("x", "ready");
    let said = world.ok(&["kill", "x", "--signal", "sigusr1"]);
    assert!(said.contains("sent USR1"), "{said}");
    world.until_shown("x", "got usr1");
    assert_eq!(state(&world, "x"), "running");
    let message = world.fails(&["kill", "x", "--signal", "NONSENSE"], 2);
    assert!(message.contains("NONSENSE"), "{message}");
}

#[test]
fn restart_runs_the_same_command_in_the_same_place_again() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "pwd >>ran; exit 3"]);
    let before = world.until("x", |status| status["lifecycle"]["state"] == "exited");
    let said = world.ok(&["restart", "x"]);
    assert!(said.starts_with("x: restarted"), "{said}");
    world.ok(&["wait", "x", "--until", "exit", "--timeout", "60s"]);
    assert_eq!(world.show("x")["id"], before["id"]);
    let ran = std::fs::read_to_string(world.path().join("ran")).unwrap();
    let lines: Vec<_> = ran.lines().collect();
    assert_eq!(lines.len(), 2, "{ran}");
    assert_eq!(lines[0], lines[1]);
}

#[test]
fn a_restart_that_is_killed_half_way_forgets_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "exit 3"]);
    world.until("x", |status| status["lifecycle"]["state"] == "exited");
    // In the place of the new holder, once the old one is gone.
    let killer = world.path().join("killer");
    std::fs::write(&killer, "#!/bin/sh\nkill -KILL $PPID\n").unwrap();
    std::fs::set_permissions(&killer, std::fs::Permissions::from_mode(0o700)).unwrap();
    let killed = world
        .wigwag(&["restart", "x"])
        .env("WIGWAG_HOLDER", &killer)
        .output()
        .unwrap();
    assert_eq!(killed.status.code(), None, "it was killed");
    world.until("x", |status| status["lifecycle"]["code"] == 3);
    let said = world.ok(&["restart", "x"]);
    assert!(said.starts_with("x: restarted"), "{said}");
}

#[test]
fn a_running_terminal_is_neither_restarted_nor_removed() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let message = world.fails(&["restart", "x"], 5);
    assert!(message.contains("kill"), "{message}");
    let message = world.fails(&["remove", "x"], 5);
    assert!(message.contains("--force"), "{message}");
    assert_eq!(state(&world, "x"), "running");
}

#[test]
fn remove_forgets_an_ended_one_and_with_force_a_running_one() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "exit 3"]);
    world.ok(&["new", "y", "-d", "--", "sleep", "1000"]);
    world.until("x", |status| status["lifecycle"]["state"] == "exited");
    world.ok(&["remove", "x"]);
    assert_eq!(names(&world), ["y"]);
    world.ok(&["remove", "y", "--force"]);
    assert!(world.processes("wigwag-holder").is_empty());
    assert!(names(&world).is_empty());
    assert!(world.processes("sleep").is_empty());
    world.fails(&["remove", "y"], 5);
}

#[test]
fn prune_forgets_what_exited_and_says_how_many_and_which() {
    let world = World::new();
    for name in ["a", "b"] {
        world.ok(&["new", name, "-d", "--", "sh", "-c", "exit 3"]);
        world.until(name, |status| status["lifecycle"]["state"] == "exited");
    }
    world.ok(&["new", "c", "-d", "--", "cat"]);
    let said = world.ok(&["prune"]);
    assert!(said.contains("Kept 2 terminals"), "{said}");
    assert_eq!(names(&world), ["a", "b", "c"], "nobody has seen them fail");
    world.ok(&["ack", "a"]);
    let said: Value = serde_json::from_str(&world.ok(&["prune", "--json"])).unwrap();
    assert_eq!(said["terminals"].as_array().unwrap().len(), 1);
    assert_eq!(said["unread"].as_array().unwrap().len(), 1);
    world.ok(&["new", "a", "-d", "--", "sh", "-c", "exit 3"]);
    world.until("a", |status| status["lifecycle"]["state"] == "exited");
    let said = world.ok(&["prune", "--all"]);
    assert!(said.contains("2 terminals"), "{said}");
    assert!(said.contains("a, b") || said.contains("b, a"), "{said}");
    assert_eq!(names(&world), ["c"]);
    assert!(world.ok(&["prune"]).contains("Nothing"));
}

#[test]
fn what_was_lost_starts_only_when_it_is_asked_for() {
    let world = World::new();
    for name in ["a", "b"] {
        world.ok(&["new", name, "-d", "--", "cat"]);
    }
    world.reboot();
    let output = world.run(&["restart", "--lost"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains('a') && said.contains('b'), "{said}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("--yes"));
    let listed: Value = serde_json::from_str(&world.ok(&["restart", "--lost", "--json"])).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert!(
        world.processes("wigwag-holder").is_empty(),
        "nothing unasked"
    );
    // What is lost is kept: `prune` is for what exited.
    let said = world.ok(&["prune"]);
    assert!(said.contains("2 lost") && said.contains("--lost"), "{said}");
    assert_eq!(names(&world), ["a", "b"]);
    world.ok(&["restart", "--lost", "--yes"]);
    for name in ["a", "b"] {
        assert_eq!(state(&world, name), "running", "{name}");
    }
    assert!(world.ok(&["restart", "--lost"]).contains("Nothing"));
}

#[test]
fn a_removal_that_leaves_the_state_file_is_an_error_and_can_be_repeated() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "exit 3"]);
    let status = world.until("x", |status| status["lifecycle"]["state"] == "exited");
    let id = status["id"].as_str().unwrap();
    let file = world
        .path()
        .join(format!("state/wigwag/terminals/{id}.json"));
    // What not even root can remove as a file.
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let message = world.fails(&["remove", "x"], 1);
    assert!(message.contains("cannot be forgotten"), "{message}");
    assert!(message.contains(file.to_str().unwrap()), "{message}");
    std::fs::remove_dir(&file).unwrap();
    assert!(world.list().is_empty());
}
