//! `ack`, `clear`, `mute`, `rename`: what a person says about a terminal.

use crate::world::World;
use serde_json::Value;

/// A terminal that asks for attention.
fn ringing(name: &str) -> World {
    let world = World::new();
    ring(&world, name);
    world
}

fn ring(world: &World, name: &str) {
    world.ok(&[
        "new",
        name,
        "-d",
        "--",
        "sh",
        "-c",
        "printf '\\a'; exec cat",
    ]);
    world.until(name, |status| status["attention"]["unread"] == true);
}

fn json(world: &World, args: &[&str]) -> Value {
    serde_json::from_str(&world.ok(args)).unwrap()
}

#[test]
fn ack_marks_read_and_undo_brings_it_back_under_a_new_number() {
    let world = ringing("x");
    let first = world.show("x")["attention"]["seq"].as_u64().unwrap();
    let said = world.ok(&["ack", "x"]);
    assert!(said.starts_with("x: read"), "{said}");
    assert_eq!(world.show("x")["attention"]["unread"], false);
    assert_eq!(world.show("x")["state"], "running");
    world.ok(&["ack", "x", "--undo"]);
    let again = world.show("x");
    assert_eq!(again["attention"]["unread"], true);
    assert!(again["attention"]["seq"].as_u64().unwrap() > first);
}

#[test]
fn ack_remind_comes_back_by_itself() {
    let world = ringing("x");
    let first = world.show("x")["attention"]["seq"].as_u64().unwrap();
    world.ok(&["ack", "x", "--remind", "300ms"]);
    world.until("x", |status| {
        status["attention"]["unread"] == true && status["attention"]["seq"].as_u64() > Some(first)
    });
}

#[test]
fn where_nothing_is_unread_ack_says_so() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "cat"]);
    assert!(world.ok(&["ack", "x"]).contains("nothing"));
    let message = world.fails(&["ack", "x", "--undo"], 5);
    assert!(message.contains("nothing to bring back"), "{message}");
}

#[test]
fn ack_all_marks_all_and_says_which() {
    let world = ringing("x");
    ring(&world, "y");
    world.ok(&["new", "quiet", "-d", "--", "cat"]);
    let said = world.ok(&["ack", "--all"]);
    assert!(said.contains('x') && said.contains('y'), "{said}");
    assert!(!said.contains("quiet"), "{said}");
    for name in ["x", "y"] {
        assert_eq!(world.show(name)["attention"]["unread"], false, "{name}");
    }
    let nothing = json(&world, &["ack", "--all", "--json"]);
    assert_eq!(nothing["terminals"], serde_json::json!([]));
}

#[test]
fn clear_drops_what_finished_and_keeps_what_works() {
    let world = World::new();
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    let script = format!(
        "{wigwag} report working --id w; {wigwag} report done --id d; \
         {wigwag} report error --id e; exec cat"
    );
    world.ok(&["new", "x", "-d", "--", "sh", "-c", &script]);
    world.until("x", |status| {
        status["reports"]
            .as_array()
            .is_some_and(|reports| reports.len() == 3)
    });
    let ids = |status: &Value| -> Vec<String> {
        let reports = status["reports"].as_array().unwrap();
        let ids = reports.iter().map(|report| report["id"].as_str().unwrap());
        ids.map(str::to_owned).collect()
    };
    assert!(
        world
            .ok(&["clear", "x", "--id", "w"])
            .contains("nothing to clear")
    );
    assert!(
        world
            .ok(&["clear", "x", "--id", "e"])
            .contains("cleared 1 report")
    );
    assert_eq!(ids(&world.show("x")), ["d", "w"]);
    world.ok(&["clear", "x"]);
    assert_eq!(ids(&world.show("x")), ["w"]);
    assert!(world.ok(&["clear", "x"]).contains("nothing to clear"));
    // What it asked for is gone.
    let message = world.fails(&["ack", "x", "--undo"], 5);
    assert!(message.contains("nothing to bring back"), "{message}");
    let said = json(&world, &["ack", "--all", "--undo", "--json"]);
    assert_eq!(said["terminals"], serde_json::json!([]));
}

#[test]
fn mute_lasts_until_off_or_for_a_time() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "cat"]);
    world.ok(&["mute", "x"]);
    assert_eq!(world.show("x")["muted"], true);
    world.ok(&["mute", "x", "--off"]);
    assert_eq!(world.show("x")["muted"], false);
    world.ok(&["mute", "x", "--for", "300ms"]);
    world.until("x", |status| status["muted"] == false);
}

#[test]
fn rename_gives_another_name_and_refuses_a_taken_one() {
    let world = World::new();
    world.ok(&["new", "Old", "-d", "--", "cat"]);
    world.ok(&["new", "y", "-d", "--", "cat"]);
    let said = json(&world, &["rename", "Old", "z", "--json"]);
    assert_eq!(said["id"], world.show("z")["id"]);
    // No id begins with a capital.
    world.fails(&["show", "Old"], 5);
    let error = world.fails(&["rename", "z", "y", "--json"], 5);
    let error: Value = serde_json::from_str(&error).unwrap();
    assert_eq!(error["error"]["code"], "taken");
    assert_eq!(world.show("z")["name"], "z");
    world.fails(&["rename", "z", "not a name"], 2);
}

#[test]
fn a_lost_terminal_can_be_renamed_and_runs_again_under_its_new_name() {
    let world = World::new();
    world.ok(&["new", "Old", "-d", "--", "cat"]);
    world.ok(&["new", "y", "-d", "--", "cat"]);
    world.reboot();
    let before = world.show("Old");
    let error = world.fails(&["rename", "Old", "y"], 5);
    assert!(error.contains("taken"), "{error}");
    world.ok(&["rename", "Old", "z"]);
    let lost = world.show("z");
    assert_eq!(lost["id"], before["id"]);
    assert_eq!(lost["label"], "z — cat · lost");
    world.fails(&["show", "Old"], 5);
    // Another daemon finds it by its file.
    world.kill_daemon();
    assert_eq!(world.show("z")["lifecycle"]["state"], "lost");
    world.ok(&["restart", "z"]);
    let again = world.show("z");
    assert_eq!(again["id"], before["id"]);
    assert_eq!(again["lifecycle"]["state"], "running");
    world.ok(&["new", "Old", "-d", "--", "cat"]);
}

#[test]
fn what_changes_something_takes_whole_names_only() {
    let world = World::new();
    world.ok(&["new", "agent", "-d", "--", "cat"]);
    world.ok(&["show", "age"]);
    for args in [
        &["ack", "age"][..],
        &["clear", "age"],
        &["mute", "age"],
        &["rename", "age", "other"],
        &["kill", "age"],
        &["restart", "age"],
        &["remove", "age", "--force"],
    ] {
        let message = world.fails(args, 5);
        assert!(message.contains("no terminal age"), "{args:?}: {message}");
    }
    assert_eq!(world.show("agent")["lifecycle"]["state"], "running");
    assert_eq!(world.show("agent")["muted"], false);
}
