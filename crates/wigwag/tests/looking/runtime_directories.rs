//! One user, one state directory, several runtime directories: a second login, cron, a shell with an
//! empty `XDG_RUNTIME_DIR`.

use crate::world::World;
use serde_json::Value;
use std::process::Command;

/// The same user with another runtime directory.
fn elsewhere(world: &World, args: &[&str]) -> Command {
    let other = world.path().join("other-run");
    std::fs::create_dir_all(&other).unwrap();
    let mut command = world.wigwag(args);
    command.env("XDG_RUNTIME_DIR", other);
    command
}

fn ok(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn names(list: &str) -> Vec<(String, String)> {
    let list: Vec<Value> = serde_json::from_str(list).unwrap();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    list.iter()
        .map(|one| (word(&one["name"]), word(&one["lifecycle"]["state"])))
        .collect()
}

#[test]
fn terminals_are_found_from_any_runtime_directory_by_one_daemon() {
    let world = World::new();
    world.ok(&["new", "a", "-d", "--", "sleep", "1000"]);
    let daemon = {
        world.list();
        world.daemon_pid()
    };
    let running = |name: &str| (name.to_owned(), "running".to_owned());
    let list = ok(elsewhere(&world, &["list", "--json"]));
    assert_eq!(names(&list), [running("a")]);
    assert_eq!(world.daemon_pid(), daemon, "no second daemon");
    ok(elsewhere(
        &world,
        &["new", "b", "-d", "--", "sleep", "1000"],
    ));
    for list in [
        world.ok(&["list", "--json"]),
        ok(elsewhere(&world, &["list", "--json"])),
    ] {
        assert_eq!(names(&list), [running("a"), running("b")]);
    }
    let taken = elsewhere(&world, &["new", "a", "-d"]).output().unwrap();
    assert_eq!(taken.status.code(), Some(5), "{taken:?}");
    let restart = elsewhere(&world, &["restart", "a"]).output().unwrap();
    assert_eq!(restart.status.code(), Some(5), "{restart:?}");
    world.ok(&["send", "b", "x"]);
}

#[test]
fn a_daemon_started_elsewhere_finds_what_runs_and_calls_nothing_lost() {
    let world = World::new();
    world.ok(&["new", "a", "-d", "--", "sleep", "1000"]);
    world.list();
    world.kill_daemon();
    let list = ok(elsewhere(&world, &["list", "--json"]));
    assert_eq!(names(&list), [("a".to_owned(), "running".to_owned())]);
    let daemon = world.daemon_pid();
    // It hears of a terminal in its neighbour's directory, and serves there, too.
    world.ok(&["new", "b", "-d", "--", "sleep", "1000"]);
    world.until("b", |status| status["lifecycle"]["state"] == "running");
    assert_eq!(world.daemon_pid(), daemon);
    let events = world.ok(&["events", "--json"]);
    let lost = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["status"]["lifecycle"]["state"] == "lost"
    };
    assert!(!events.lines().any(lost), "{events}");
}
