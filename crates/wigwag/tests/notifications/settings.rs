//! Settings by command, and what they change at once.

use crate::world::World;
use serde_json::Value;

fn file(world: &World) -> String {
    std::fs::read_to_string(world.path().join("config/wigwag/config.toml")).unwrap()
}

#[test]
fn a_setting_is_written_into_the_file_of_the_person_and_taken_out_again() {
    let world = World::new();
    world.configure("# mine\n[notify]\nlong_command = \"10s\" # short\n");
    assert_eq!(
        world.ok(&["notify", "set", "long_command", "1m"]),
        "long_command: 60s\n"
    );
    assert_eq!(
        file(&world),
        "# mine\n[notify]\nlong_command = \"1m\" # short\n"
    );
    assert_eq!(
        world.ok(&["notify", "set", "kinds", "waiting", "failed"]),
        "kinds: waiting failed\n"
    );
    assert_eq!(world.ok(&["notify", "set", "text", "off"]), "text: false\n");
    assert!(
        world
            .ok(&["notify", "unset", "long_command"])
            .starts_with("long_command: 30s")
    );
    assert_eq!(
        file(&world),
        "# mine\n[notify]\nkinds = [\"waiting\", \"failed\"]\ntext = false\n"
    );
    let list = world.ok(&["notify", "list"]);
    assert!(list.contains("kinds            waiting failed"), "{list}");
    let doctor = String::from_utf8(world.run(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("text = false"), "{doctor}");
}

#[test]
fn a_wrong_setting_changes_nothing_and_says_what_would_be_right() {
    let world = World::new();
    world.configure("[notify]\n");
    for (args, code, says) in [
        (&["notify", "set", "long_command", "soon"][..], 2, "long"),
        (&["notify", "set", "kinds", "everything"], 2, "everything"),
        (&["notify", "set", "nonsense", "1"], 2, "notify.nonsense"),
        (&["notify", "set", "text", "maybe"], 2, "true or false"),
        (
            &["notify", "set", "command.run", "sh"],
            5,
            "config.toml alone",
        ),
        (&["notify", "test", "pigeon"], 5, "no channel pigeon"),
    ] {
        let said = world.fails(args, code);
        assert!(said.contains(says) || says == "long", "{args:?}: {said}");
    }
    assert_eq!(file(&world), "[notify]\n");
}

#[test]
fn the_master_switch_withdraws_what_stands() {
    let world = World::new();
    world.record("");
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    world.until_told("one", |told| told.len() == 1);
    assert_eq!(world.ok(&["notify", "off"]), "Notifications are off\n");
    let told = world.until_told("it is withdrawn", |told| told.len() == 2);
    assert_eq!(told[1]["action"], "withdraw");
    assert!(
        world
            .ok(&["notify", "list"])
            .starts_with("Notifications are off")
    );
    assert_eq!(world.ok(&["notify", "on"]), "Notifications are on\n");
}

#[test]
fn a_muted_terminal_is_not_told_of_until_it_is_unmuted() {
    let world = World::new();
    world.record("");
    world.ok(&["new", "pi", "-d", "--", "cat"]);
    world.ok(&["mute", "pi", "--for", "1h"]);
    world.report("pi", &["blocked", "--msg", "Apply?"]);
    assert_eq!(world.raised(), Vec::<String>::new());
    assert_eq!(world.show("pi")["muted"], true);
    assert_eq!(world.ok(&["unmute", "pi"]), "pi: notifications again\n");
    world.until_told("what waits is told now", |told| {
        told.iter()
            .any(|told| told["title"] == "pi: needs attention" || told["kind"] == "waiting")
    });
}

#[test]
fn without_text_a_notification_has_state_words_only() {
    let world = World::new();
    world.record("text = false");
    world.ok(&["new", "pi", "-d", "--", "cat"]);
    world.report(
        "pi",
        &["blocked", "--kind", "permission", "--msg", "Delete secret?"],
    );
    let told = world.until_told("one", |told| !told.is_empty());
    assert_eq!(told[0]["title"], "pi: waiting for approval");
    assert_eq!(told[0]["body"], Value::Null);
}

#[test]
fn a_channel_that_is_not_set_up_says_what_to_do() {
    let world = World::new();
    let list = world.ok(&["notify"]);
    assert!(
        list.contains("`wigwag notify set ntfy.topic TOPIC`"),
        "{list}"
    );
    assert!(list.contains("[notify.command] in config.toml"), "{list}");
    let said = world.fails(&["notify", "test", "nothing"], 5);
    assert!(said.contains("window, desktop, ntfy, command"), "{said}");
}
