//! `show`: everything that is known, for people and for scripts.

use crate::world::World;

#[test]
fn every_key_of_the_interface_is_always_present() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let status = world.show("x");
    for key in [
        "id",
        "name",
        "host",
        "source",
        "lifecycle",
        "title",
        "title_source",
        "label",
        "state",
        "progress",
        "command",
        "last_command",
        "reports",
        "attention",
        "cwd",
        "size",
        "clients",
        "created_at",
        "muted",
        "tmux",
    ] {
        assert!(status.get(key).is_some(), "{key} in {status:#}");
    }
    for key in ["state", "code", "signal", "at"] {
        assert!(status["lifecycle"].get(key).is_some(), "lifecycle.{key}");
    }
    assert_eq!(world.list()[0], status);
}

#[test]
fn records_are_a_tree_with_who_said_what_and_when() {
    let world = World::new();
    let script = world.file(
        "reports",
        r"printf '\033]7501;state=working:app=pi\033\\'
printf '\033]7501;state=blocked:id=task:kind=permission:msg=QXBwbHk/\033\\'
printf '\033]7501;state=done:id=task/one\033\\'
sleep 1000",
    );
    world.ok(&["new", "x", "-d", "--", "dash", script.to_str().unwrap()]);
    world.until("x", |status| {
        status["reports"]
            .as_array()
            .is_some_and(|all| all.len() == 3)
    });
    let text = world.ok(&["show", "x"]);
    for part in [
        "waiting for approval",
        "working (pi, ",
        "blocked (permission): Apply?",
        "one done",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let column = |part: &str| {
        let line = text.lines().find(|line| line.contains(part)).unwrap();
        line.chars().count() - line.split_once(part).unwrap().1.chars().count()
    };
    assert!(column("task blocked") > column("working (pi"), "{text}");
}

#[test]
fn processes_places_and_the_end_are_named() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let text = world.ok(&["show", "x"]);
    let place = world.path().display().to_string();
    for part in [
        "sleep 1000 (foreground)",
        "80×24",
        &place,
        "state file",
        &world.show("x")["id"].to_string().replace('"', ""),
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    world.ok(&["new", "y", "-d", "--", "sh", "-c", "kill -KILL $$"]);
    world.until("y", |status| status["lifecycle"]["state"] == "exited");
    let text = world.ok(&["show", "y"]);
    assert!(text.contains("exited by signal KILL"), "{text}");
    assert!(text.contains("unread"), "{text}");
}

#[test]
fn a_unique_beginning_is_enough_to_look_and_never_to_change() {
    let world = World::new();
    world.ok(&["new", "build-one", "-d", "--", "sleep", "1000"]);
    world.ok(&["new", "build-two", "-d", "--", "sleep", "1000"]);
    assert_eq!(world.show("build-o")["name"], "build-one");
    world.ok(&["capture", "build-o"]);
    let id = world.show("build-one")["id"].as_str().unwrap().to_owned();
    world.fails(&["show", &id[..4]], 5);
    let message = world.fails(&["show", "build"], 5);
    assert!(
        message.contains("build-one") && message.contains("build-two"),
        "{message}"
    );
    world.fails(&["rename", "build-o", "other"], 5);
    world.fails(&["kill", "build-o"], 5);
    world.fails(&["send", "build-o", "text"], 5);
    assert_eq!(world.list().len(), 2);
}

#[test]
fn a_point_is_the_terminal_that_the_command_runs_in() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    world.send(
        "x",
        &format!("{} show . --json >shown", env!("CARGO_BIN_EXE_wigwag")),
    );
    world.send("x", "echo written-$((6*7))");
    world.until_shown("x", "written-42");
    let shown = std::fs::read(world.path().join("shown")).unwrap();
    let status: serde_json::Value = serde_json::from_slice(&shown).unwrap();
    assert_eq!(status["name"], "x");
    let message = world.fails(&["show", "."], 5);
    assert!(message.contains("does not run in"), "{message}");
    // Inside tmux the variable is the tmux server's.
    let id = world.show("x")["id"].as_str().unwrap().to_owned();
    let mut command = world.wigwag(&["show", "."]);
    let output = command
        .env("WIGWAG_TERMINAL", id)
        .env("TMUX", "/tmp/t,1,0")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
}
