//! What is told, with real programs: once, and not what was nothing.

use crate::world::World;
use client::AckBody;

fn world() -> World {
    let world = World::new();
    // A command of a second is long here; the rules for 30 s are status's own tests.
    world.record("long_command = '1s'");
    world
}

#[test]
fn a_long_program_that_ended_well_is_told_once() {
    let world = world();
    world.ok(&["new", "job", "-d", "--", "sleep", "1.5"]);
    let told = world.until_told("the end", |told| !told.is_empty());
    assert_eq!(
        (&told[0]["title"], &told[0]["body"]),
        (&"job: finished".into(), &"sleep 1.5".into())
    );
    assert_eq!(world.raised(), ["job: finished"]);
}

#[test]
fn a_short_program_that_ended_well_is_not_told() {
    let world = world();
    world.ok(&["new", "job", "-d", "--", "true"]);
    world.until("job", |status| status["lifecycle"]["state"] == "exited");
    assert_eq!(world.raised(), Vec::<String>::new());
}

#[test]
fn a_crash_is_told_once_with_its_signal() {
    let world = world();
    world.ok(&["new", "app", "-d", "--", "sh", "-c", "kill -SEGV $$"]);
    world.until_told("the crash", |told| !told.is_empty());
    assert_eq!(world.raised(), ["app: failed (signal SEGV)"]);
}

#[test]
fn children_that_finish_while_the_root_works_are_silent() {
    let world = world();
    let script = "printf '\\033]7501;state=working\\033\\\\'; for n in 1 2 3 4 5 6 7 8; do \
                  printf '\\033]7501;state=done:id=task%s\\033\\\\' $n; done; exec cat";
    world.ok(&["new", "pi", "-d", "--", "sh", "-c", script]);
    let status = world.until("pi", |status| {
        status["reports"]
            .as_array()
            .is_some_and(|all| all.len() == 9)
    });
    assert_eq!(status["state"], "working");
    assert_eq!(world.raised(), Vec::<String>::new());
}

#[test]
fn blocked_for_a_moment_was_nothing() {
    let world = world();
    let script = "printf '\\033]7501;state=blocked\\033\\\\'; sleep 0.3; \
                  printf '\\033]7501;state=working\\033\\\\'; exec cat";
    world.ok(&["new", "pi", "-d", "--", "sh", "-c", script]);
    world.until("pi", |status| status["state"] == "working");
    assert_eq!(world.raised(), Vec::<String>::new());
}

#[test]
fn ten_terminals_that_ask_at_once_are_folded() {
    let world = world();
    let go = world.path().join("go");
    let script = format!(
        "while [ ! -e {} ]; do sleep 0.05; done; exit 3",
        go.display()
    );
    for n in 0..10 {
        world.ok(&["new", &format!("t{n}"), "-d", "--", "sh", "-c", &script]);
    }
    std::fs::write(&go, "").unwrap();
    let told = world.until_told("all ten", |told| {
        told.last()
            .is_some_and(|told| told["title"] == "10 terminals need you")
    });
    let raised = told.iter().filter(|told| told["action"] == "raise");
    assert_eq!(raised.count(), 1, "{told:#?}");
    assert_eq!(told[0]["terminal"], serde_json::Value::Null);
    world.ok(&["ack", "--all"]);
    world.until_told("it is gone with the last", |told| {
        told.last().is_some_and(|told| told["action"] == "withdraw")
    });
}

#[test]
fn two_clients_see_one_bell_and_one_answer_to_it_also_after_a_restart() {
    let world = world();
    let script = "printf '\\a'; read go; printf '\\a'; exec cat";
    world.ok(&["new", "log", "-d", "--", "sh", "-c", script]);
    let rung = |status: &serde_json::Value, seq: u64| {
        status["attention"]["seq"] == seq && status["attention"]["unread"] == true
    };
    let first = world.until("log", |status| status["attention"]["unread"] == true);
    let seq = first["attention"]["seq"].as_u64().unwrap();
    let (one, other) = (world.client(), world.client());
    let unread =
        |client: &client::Client| client.list().unwrap()[0].attention.as_ref().unwrap().unread;
    assert!(unread(&one) && unread(&other));
    world.until_told("the bell", |told| told.len() == 1);
    // One views it: both show it read.
    world.ok(&["ack", "log"]);
    assert!(!unread(&one) && !unread(&other));
    world.until_told("it is withdrawn", |told| told.len() == 2);
    world.kill_daemon();
    assert_eq!(world.show("log")["attention"]["unread"], false);
    assert_eq!(world.raised(), ["log: needs attention"]);
    // An older answer after a new bell clears nothing.
    world.send("log", "go");
    let second = world.until("log", |status| rung(status, seq + 1));
    let old = AckBody {
        seq: Some(seq),
        ..AckBody::default()
    };
    world.client().ack("log", &old).unwrap();
    assert_eq!(world.show("log")["attention"], second["attention"]);
}

#[test]
fn brought_back_is_told_again_at_its_time() {
    let world = world();
    world.ok(&[
        "new",
        "log",
        "-d",
        "--",
        "sh",
        "-c",
        "printf '\\a'; exec cat",
    ]);
    world.until_told("the bell", |told| told.len() == 1);
    world.ok(&["ack", "log", "--remind", "1s"]);
    let told = world.until_told("it comes back", |told| told.len() == 3);
    let actions: Vec<&str> = told
        .iter()
        .map(|told| told["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["raise", "withdraw", "raise"]);
    world.ok(&["ack", "log"]);
    world.ok(&["ack", "log", "--undo"]);
    world.until("log", |status| status["attention"]["unread"] == true);
}

#[test]
fn a_program_that_rings_in_a_loop_is_told_once() {
    let world = world();
    let script = "for n in 1 2 3 4 5 6 7 8 9; do printf '\\a'; sleep 0.2; done; exec cat";
    world.ok(&["new", "log", "-d", "--", "sh", "-c", script]);
    world.until_told("the bell", |told| !told.is_empty());
    world.until("log", |status| {
        status["attention"]["seq"].as_u64() > Some(1)
    });
    assert_eq!(world.raised(), ["log: needs attention"]);
}
