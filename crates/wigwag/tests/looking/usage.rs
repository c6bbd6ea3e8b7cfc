//! Wrong usage, unreachable daemons, and errors as JSON: exit codes and words that help.

use crate::world::World;
use serde_json::Value;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

#[test]
fn wrong_usage_is_2_and_unknown_terminals_are_5() {
    let world = World::new();
    for args in [
        &["list", "--bogus"][..],
        &["nonsense"],
        &["show"],
        &["wait", "x", "--timeout", "soon"],
        &["wait", "x", "--until", "output:("],
        &["progress", "101"],
        &["report", "excited"],
        &["report", "done", "--id", "a//b"],
        &["report", "working", "--progress", "101"],
        &["ack"],
        &["restart"],
    ] {
        let message = world.fails(args, 2);
        assert!(
            !message.is_empty() && !message.contains("panicked"),
            "{args:?}: {message}"
        );
    }
    for args in [
        &["show", "nobody"][..],
        &["capture", "nobody"],
        &["wait", "nobody"],
        &["send", "nobody", "x"],
        &["keys", "nobody", "Enter"],
        &["ack", "nobody"],
        &["clear", "nobody"],
        &["mute", "nobody"],
        &["rename", "nobody", "other"],
        &["kill", "nobody"],
        &["restart", "nobody"],
        &["remove", "nobody"],
        &["show", "box/name"],
        &["show", "%3"],
        &["show", "main:1.2"],
    ] {
        let message = world.fails(args, 5);
        assert!(message.contains("wigwag list"), "{args:?}: {message}");
    }
}

#[test]
fn help_is_there_for_every_command_and_for_itself() {
    let world = World::new();
    let all = world.ok(&["--help"]);
    assert_eq!(world.ok(&["help"]), all);
    for command in ["list", "new", "help"] {
        let says = world.ok(&[command, "--help"]);
        assert!(says.contains(&format!("Usage: wigwag {command}")), "{says}");
        assert_eq!(world.ok(&["help", command]), says);
    }
    assert_eq!(world.ok(&["help", "ls"]), world.ok(&["list", "--help"]));
    let nested = world.ok(&["help", "daemon", "run"]);
    assert_eq!(nested, world.ok(&["daemon", "run", "--help"]));
    let message = world.fails(&["help", "nonsense"], 2);
    assert!(message.contains("wigwag help"), "{message}");
}

#[test]
fn errors_are_json_where_json_is_asked_for() {
    let world = World::new();
    for (args, code, word) in [
        (&["show", "nobody", "--json"][..], 5, "not_found"),
        (&["list", "--bogus", "--json"], 2, "usage"),
        (&["show", "box/name", "--json"], 5, "refused"),
    ] {
        let error: Value = serde_json::from_str(&world.fails(args, code)).unwrap();
        assert_eq!(error["error"]["code"], word, "{args:?}");
        assert!(error["error"]["message"].is_string(), "{args:?}");
        assert!(error["error"]["hint"].is_string(), "{args:?}");
    }
}

#[test]
fn arguments_that_are_not_utf_8_are_wrong_usage() {
    let world = World::new();
    let mut command = world.wigwag(&["show"]);
    let output = command
        .arg(OsStr::from_bytes(b"\xff\xfe"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn names_with_control_characters_never_reach_the_screen() {
    let world = World::new();
    for name in ["a\u{1b}[2Jb", "a\u{202e}b", "a\nb"] {
        for args in [
            &["show", name][..],
            &["kill", name],
            &["new", name, "-d", "--", "true"],
        ] {
            let output = world.run(args);
            assert!(
                matches!(output.status.code(), Some(2 | 5)),
                "{args:?}: {output:?}"
            );
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(
                !message.contains(['\u{1b}', '\u{202e}']),
                "{args:?}: {message:?}"
            );
        }
    }
}

#[test]
fn help_is_no_error_and_names_every_command() {
    let world = World::new();
    let help = world.ok(&["help"]);
    for command in [
        "new",
        "attach",
        "next",
        "detach",
        "list",
        "show",
        "send",
        "keys",
        "capture",
        "wait",
        "events",
        "ack",
        "clear",
        "mute",
        "rename",
        "kill",
        "restart",
        "remove",
        "prune",
        "report",
        "progress",
        "bell",
        "decode",
        "probe",
        "daemon",
        "doctor",
        "completions",
        "version",
    ] {
        assert!(
            help.lines().any(|line| line.trim().starts_with(command)),
            "{command}"
        );
    }
    assert!(world.ok(&["wait", "--help"]).contains("settled"));
}

#[test]
fn the_version_is_said_by_a_flag_too() {
    let world = World::new();
    for flag in ["--version", "-V"] {
        let expected = concat!("wigwag ", env!("CARGO_PKG_VERSION"), "\n");
        assert_eq!(world.ok(&[flag]), expected);
    }
}

#[test]
fn what_cannot_be_attached_to_here_is_not_marked_as_seen() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "echo last words; exit 3",
    ]);
    world.until("x", |status| status["lifecycle"]["code"] == 3);
    for args in [&["next"][..], &["next", "--json"], &["attach", "x"]] {
        let output = world.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?} {output:?}");
        assert!(output.stdout.is_empty(), "{args:?} {output:?}");
        assert_eq!(world.show("x")["attention"]["unread"], true, "{args:?}");
    }
}

#[test]
fn where_no_daemon_can_be_reached_the_exit_code_is_3() {
    let world = World::new();
    // A runtime directory that nobody may use.
    let place = world.path().join("run/wigwag");
    std::os::unix::fs::symlink("/nowhere", &place).unwrap();
    let message = world.fails(&["list"], 3);
    assert!(message.contains("wigwag"), "{message}");
}
