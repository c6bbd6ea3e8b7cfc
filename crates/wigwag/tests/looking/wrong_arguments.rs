//! Arguments that make no sense: exit code 2 and a reason, and nothing is done.

use crate::world::World;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

#[test]
fn wrong_flags_and_missing_arguments_are_wrong_usage() {
    let world = World::new();
    for args in [
        &["list", "--by", "size"][..],
        &["list", "--bogus"],
        &["list", "extra"],
        &["show"],
        &["show", "a", "b"],
        &["send"],
        &["keys", "x"],
        &["capture"],
        &["capture", "x", "--lines", "-1"],
        &["capture", "x", "--lines", "many"],
        &["wait"],
        &["wait", "x", "--timeout", "-1s"],
        &["wait", "x", "--until", ""],
        &["events", "--since", "yesterday"],
        &["no-such-command"],
    ] {
        let message = world.fails(args, 2);
        assert!(!message.is_empty(), "{args:?}");
    }
    assert!(
        world.processes("wigwag").is_empty(),
        "no daemon is started for it"
    );
}

#[test]
fn arguments_that_are_no_text_are_refused() {
    let world = World::new();
    for command in ["show", "capture", "wait", "send"] {
        let mut wigwag = world.wigwag(&[command]);
        wigwag.arg(OsStr::from_bytes(b"x\xff")).arg("text");
        let output = wigwag.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}

#[test]
fn terminals_elsewhere_are_refused_with_a_reason() {
    let world = World::new();
    for name in ["box/x", "main:1.2", "%3"] {
        let message = world.fails(&["show", name], 5);
        assert!(message.contains("another machine or in tmux"), "{message}");
    }
}
