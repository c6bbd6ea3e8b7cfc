//! `show`: everything that is known, for people and as JSON; and which terminal is meant.

use crate::world::World;

#[test]
fn everything_is_shown_with_its_source_and_age() {
    let world = World::new();
    let script = r"printf '\033]2;PR #123\033\\\033]9;4;1;42\033\\'
printf '\033]7501;state=working:app=pi\033\\\033]7501;id=task/3:state=blocked:kind=permission:msg=QXBwbHk/\033\\'
exec sleep 1000";
    world.ok(&["new", "agent", "-d", "--", "sh", "-c", script]);
    world.until("agent", |status| status["state"] == "waiting");
    let shown = world.ok(&["show", "agent"]);
    for part in [
        "agent — PR #123 · waiting for approval",
        "PR #123",
        "42%",
        "working (pi, ",
        "└ task/3 blocked (permission): Apply? (pi, ",
        "waiting: Apply? (unread, ",
        "80×24",
        "sleep 1000",
        "run/wigwag/terminals/",
        "state/wigwag/terminals/",
    ] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'));
    assert_eq!(
        world.ok(&["s", "agent"]).lines().count(),
        shown.lines().count()
    );
}

#[test]
fn a_terminal_is_found_by_name_id_prefix_and_from_within() {
    let world = World::new();
    world.ok(&["new", "alpha", "-d", "--", "sh"]);
    world.ok(&["new", "alpine", "-d", "--", "sleep", "1000"]);
    let id = world.show("alpha")["id"].as_str().unwrap().to_owned();
    for word in ["alpha", "alph", &id, &id[..7]] {
        assert_eq!(world.show(word)["id"], id.as_str(), "{word}");
    }
    let message = world.fails(&["show", "al"], 5);
    assert!(
        message.contains("alpha") && message.contains("alpine"),
        "{message}"
    );
    assert!(world.fails(&["show", "beta"], 5).contains("wigwag list"));
    // `.` is the terminal it runs in, and nothing else.
    assert!(world.fails(&["show", "."], 5).contains("does not run in"));
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    world.send("alpha", &format!("{wigwag} show . --json >here"));
    world.send("alpha", "echo written-$((1+1))");
    world.until_shown("alpha", "written-2");
    let here = std::fs::read_to_string(world.path().join("here")).unwrap();
    let here: serde_json::Value = serde_json::from_str(&here).unwrap();
    assert_eq!(here["id"], id.as_str());
}

#[test]
fn commands_that_change_something_take_no_prefix() {
    let world = World::new();
    world.ok(&["new", "alpha", "-d", "--", "cat"]);
    world.fails(&["send", "alph", "x"], 5);
    world.fails(&["keys", "alph", "Enter"], 5);
    world.ok(&["send", "alpha", "x"]);
    world.ok(&["keys", "alpha", "Enter"]);
}

#[test]
fn a_lost_terminal_is_shown_as_what_is_left_of_it() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    world.until("x", |status| status["lifecycle"]["state"] == "running");
    for pid in world.processes("wigwag-holder") {
        crate::world::kill(pid);
    }
    world.until("x", |status| status["lifecycle"]["state"] == "lost");
    assert!(world.ok(&["show", "x"]).contains("lost"));
    assert!(
        world
            .fails(&["send", "x", "y"], 5)
            .contains("wigwag restart x")
    );
    assert!(
        world
            .fails(&["capture", "x"], 5)
            .contains("wigwag restart x")
    );
    world.fails(&["capture", "x", "--follow"], 5);
    assert_eq!(world.ok(&["wait", "x"]), "exit\n");
    world.fails(&["wait", "x", "--until", "output:y"], 1);
}

#[test]
fn errors_are_json_where_json_was_asked_for() {
    let world = World::new();
    let message = world.fails(&["show", "nobody", "--json"], 5);
    let error: serde_json::Value = serde_json::from_str(&message).unwrap();
    assert_eq!(error["error"]["code"], "not_found");
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains("nobody")
    );
    assert!(error["error"]["hint"].is_string());
    let message = world.fails(&["show", "--json"], 2);
    let error: serde_json::Value = serde_json::from_str(&message).unwrap();
    assert_eq!(error["error"]["code"], "usage");
}
