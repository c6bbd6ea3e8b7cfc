//! `send` and `keys`: what arrives in the program, and what is said where it cannot.

use crate::world::World;
use std::io::Write as _;
use std::process::{Output, Stdio};

/// `send NAME ARGS… -` with this standard input.
fn send_input(world: &World, args: &[&str], input: &[u8]) -> Output {
    let mut command = world.wigwag(args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn the_words_are_joined_by_spaces_and_enter_follows() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    let said = world.ok(&[
        "send",
        "x",
        "--enter",
        "echo",
        "one  two",
        "three",
        "=$((1+1))=",
    ]);
    assert!(said.starts_with("x: sent"), "{said}");
    world.until_shown("x", "one two three =2=");
    world.ok(&["send", "x", "--enter", "--", "-n"]);
    world.until_shown("x", "-n");
}

#[test]
fn enter_alone_needs_no_text() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "read -r x; echo got-$x-; sleep 1000",
    ]);
    world.ok(&["send", "x", "word"]);
    world.ok(&["send", "x", "--enter"]);
    world.until_shown("x", "got-word-");
    world.fails(&["send", "x"], 2);
}

#[test]
fn a_long_standard_input_arrives_whole_and_in_order() {
    let world = World::new();
    let script = world.file(
        "read",
        "stty raw -echo; echo ready; head -c 600000 >got; echo done\r; sleep 1000",
    );
    world.ok(&["new", "x", "-d", "--", "sh", script.to_str().unwrap()]);
    world.until_shown("x", "ready");
    let text: String =
        (0..200_000).map(|n| ["é", "a"][n % 2]).collect::<String>() + &"z".repeat(300_000);
    let output = send_input(&world, &["send", "x", "-"], text.as_bytes());
    assert!(output.status.success(), "{output:?}");
    world.until_shown("x", "done");
    assert_eq!(
        std::fs::read_to_string(world.path().join("got")).unwrap(),
        text
    );
}

#[test]
fn a_program_that_does_not_read_is_an_error_that_says_how_much_was_taken() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "stty raw -echo; echo ready; exec sleep 1000",
    ]);
    world.until_shown("x", "ready");
    let output = send_input(&world, &["send", "x", "-"], &vec![b'x'; 3_000_000]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("bytes were taken"), "{message}");
}

#[test]
fn standard_input_that_is_no_text_is_refused() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "cat"]);
    let output = send_input(&world, &["send", "x", "-"], b"abc\xff");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("byte 3"));
}

#[test]
fn a_paste_is_bracketed_where_the_program_asked_for_it_and_cannot_be_escaped() {
    let world = World::new();
    let script = "stty raw -echo; printf '\\033[?2004hready'; exec cat -v";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    world.until_shown("x", "ready");
    world.ok(&["send", "x", "--paste", "in\u{1b}[201~out"]);
    let shown = world.until_shown("x", "out^[[201~");
    assert!(shown.contains("^[[200~in"), "{shown}");
    assert_eq!(shown.matches("^[[201~").count(), 1, "{shown}");
}

#[test]
fn waiting_for_a_line_that_starts_nothing_that_is_seen_ends() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    world.until("x", |status| status["state"] == "idle");
    for line in ["", "true", "# only words"] {
        let said = world.ok(&["send", "x", "--enter", "--wait", "--", line]);
        assert!(
            ["prompt", "finished"].contains(&said.trim()),
            "{line:?}: {said}"
        );
    }
}

#[test]
fn waiting_for_a_command_that_reports_its_end_waits_for_the_command_too() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    world.until("x", |status| status["state"] == "idle");
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    for code in [2, 0, 3] {
        let line = format!("{wigwag} report -- sh -c 'exit {code}'");
        let said = world.ok(&["send", "x", "--enter", "--wait", "--", &line]);
        let word = if code == 0 { "finished" } else { "failed" };
        assert_eq!(said.trim(), word, "{code}");
        world.until("x", |status| {
            status["state"] == word && status["command"].is_null()
        });
    }
}

#[test]
fn waiting_after_a_sending_counts_only_what_comes_of_it() {
    let world = World::new();
    // Waiting already; works on for a while when told, and waits again.
    let script = r"while printf '\033]7501;state=blocked\033\\'; read -r x; do
printf '\033]7501;state=working\033\\'; sleep 0.2; echo did-$x; done";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    world.until("x", |status| status["state"] == "waiting");
    assert_eq!(
        world.ok(&["send", "x", "--enter", "--wait", "it"]),
        "waiting\n"
    );
    assert!(world.ok(&["capture", "x"]).contains("did-it"));
    let word = world.ok(&["send", "x", "--enter", "--wait", "--json", "more"]);
    let word: serde_json::Value = serde_json::from_str(&word).unwrap();
    assert_eq!(
        (&word["until"], &word["name"]),
        (&"waiting".into(), &"x".into())
    );
    world.fails(
        &["send", "x", "--wait", "--timeout", "200ms", "unfinished"],
        4,
    );
}

#[test]
fn the_exit_that_a_sending_causes_ends_its_wait() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "read -r code; exit $code",
    ]);
    assert_eq!(
        world.ok(&["send", "x", "--enter", "--wait", "7"]),
        "failed\n"
    );
    let message = world.fails(&["send", "x", "more"], 5);
    assert!(message.contains("wigwag restart x"), "{message}");
}

#[test]
fn keys_are_named_and_an_unknown_one_is_said_with_those_that_exist() {
    let world = World::new();
    let script = "stty raw -echo; echo ready; exec cat -v";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    world.until_shown("x", "ready");
    world.ok(&["keys", "x", "C-c", "Up", "é", "M-x", "F5", "Enter"]);
    world.until_shown("x", "^C^[[AM-CM-)^[x^[[15~^M");
    let message = world.fails(&["keys", "x", "Enter", "Retrun\u{7}"], 2);
    assert!(
        message.contains("Retrun") && message.contains("Enter") && message.contains("PageUp"),
        "{message}"
    );
    assert!(!message.contains('\u{7}'));
    world.fails(&["keys", "x"], 2);
}
