//! `daemon start`, `stop`, `status`, `logs`, and `version`: terminals are never touched by it.

use crate::world::World;
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

fn json(world: &World, args: &[&str]) -> Value {
    serde_json::from_str(&world.ok(args)).unwrap()
}

#[test]
fn terminals_go_on_while_the_daemon_stops_and_starts() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "cat"]);
    let first = json(&world, &["daemon", "start", "--json"])["pid"].clone();
    assert_eq!(first, world.daemon_pid());
    let stopped = json(&world, &["daemon", "stop", "--json"]);
    assert_eq!(stopped["stopped"], first);
    assert_eq!(world.processes("wigwag-holder").len(), 1);
    assert_eq!(
        json(&world, &["daemon", "status", "--json"])["running"],
        false
    );
    assert!(world.ok(&["daemon", "stop"]).contains("No daemon runs"));

    let second = json(&world, &["daemon", "start", "--json"])["pid"].clone();
    assert_ne!(first, second);
    let status = json(&world, &["daemon", "status", "--json"]);
    assert_eq!((&status["pid"], &status["terminals"]), (&second, &1.into()));
    assert_eq!(world.show("x")["lifecycle"]["state"], "running");
}

#[test]
fn starting_a_daemon_that_runs_says_so() {
    let world = World::new();
    assert!(world.ok(&["daemon", "start"]).contains("was started"));
    assert!(world.ok(&["daemon", "start"]).contains("already"));
    assert!(world.ok(&["daemon", "status"]).contains("runs"));
    world.daemon_pid();
}

#[test]
fn the_log_can_be_followed() {
    let world = World::new();
    let message = world.fails(&["daemon", "logs"], 1);
    assert!(message.contains("no log"), "{message}");
    world.ok(&["daemon", "start"]);
    assert!(world.ok(&["daemon", "logs"]).contains("serving at"));
    let mut following = world
        .wigwag(&["daemon", "logs", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("serving at"));
    world.ok(&["daemon", "stop"]);
    let told =
        crate::within_limit(move || lines.any(|line| line.unwrap().contains("terminals go on")));
    assert!(told);
    following.kill().unwrap();
    following.wait().unwrap();
}

#[test]
fn version_counts_the_holders_also_where_one_is_stopped() {
    let world = World::new();
    let alone = json(&world, &["version", "--json"]);
    assert_eq!(alone["client"], env!("CARGO_PKG_VERSION"));
    assert_eq!(alone["daemon"], Value::Null);
    for name in ["a", "b"] {
        world.ok(&["new", name, "-d", "--", "cat"]);
    }
    world.ok(&["daemon", "start"]);
    let versions = json(&world, &["version", "--json"]);
    assert_eq!(versions["daemon"], env!("CARGO_PKG_VERSION"));
    let counted = |versions: &Value| -> Vec<u64> {
        let holders = versions["holders"].as_object().unwrap();
        holders
            .values()
            .map(|count| count.as_u64().unwrap())
            .collect()
    };
    assert_eq!(counted(&versions), [2]);
    let holder = world.processes("wigwag-holder")[0];
    let pid = rustix::process::Pid::from_raw(holder).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    assert_eq!(counted(&json(&world, &["version", "--json"])), [1]);
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
}
