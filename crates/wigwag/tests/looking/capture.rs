//! `capture`: the screen, the history, and what follows.

use crate::world::World;
use std::io::Read as _;
use std::process::Stdio;

#[test]
fn the_screen_is_text_and_history_and_colours_are_asked_for() {
    let world = World::new();
    let script = "seq 100; printf '\\033[31mred\\033[0m\\n'; sleep 1000";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    world.until_shown("x", "red");
    let text = world.ok(&["capture", "x"]);
    assert!(
        !text.contains("\n5\n") && text.contains("100\nred"),
        "{text}"
    );
    assert!(
        world
            .ok(&["capture", "x", "--scrollback"])
            .starts_with("1\n2\n")
    );
    assert_eq!(world.ok(&["capture", "x", "--lines", "2"]), "100\nred\n");
    assert!(world.ok(&["capture", "x", "--ansi"]).contains("\x1b["));
    let json: serde_json::Value =
        serde_json::from_str(&world.ok(&["capture", "x", "--json"])).unwrap();
    assert!(json["text"].as_str().unwrap().ends_with("red"), "{json}");
}

#[test]
fn following_goes_on_until_the_program_ends() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "echo first; read -r end; echo last",
    ]);
    world.until_shown("x", "first");
    let mut child = world
        .wigwag(&["capture", "x", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut text = [0; 6];
    stdout.read_exact(&mut text).unwrap();
    assert_eq!(&text, b"first\n");
    world.send("x", "");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("last"), "{rest:?}");
    assert!(child.wait().unwrap().success());
}
