//! `list`: what people see, what scripts read, and `--watch`.

use crate::window::Window;
use crate::world::World;
use std::process::Stdio;
use unicode_width::UnicodeWidthStr as _;

fn sleeper(world: &World, name: &str) {
    world.ok(&["new", name, "-d", "--", "sleep", "1000"]);
}

#[test]
fn an_empty_list_says_what_to_type() {
    let world = World::new();
    assert!(world.ok(&["list"]).contains("wigwag new"));
    assert_eq!(world.ok(&["list", "--json"]), "[]\n");
    assert_eq!(world.ok(&["list", "--count"]).trim(), "");
}

#[test]
fn without_a_command_the_list_is_printed() {
    let world = World::new();
    sleeper(&world, "x");
    let alone = world.ok(&[]);
    assert!(alone.contains("x — sleep 1000"), "{alone}");
    assert!(alone.contains("80×24"), "{alone}");
}

#[test]
fn both_names_do_the_same() {
    let world = World::new();
    sleeper(&world, "x");
    let output = world
        .command(env!("CARGO_BIN_EXE_ww"))
        .arg("ls")
        .output()
        .unwrap();
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("x — sleep 1000")
    );
}

#[test]
fn the_most_urgent_comes_first_unless_another_order_is_asked_for() {
    let world = World::new();
    sleeper(&world, "a");
    world.ok(&["new", "b", "-d", "--", "sh", "-c", "exit 3"]);
    world.until("b", |status| status["lifecycle"]["state"] == "exited");
    let names = |args: &[&str]| -> Vec<String> {
        let lines = world.ok(args);
        lines
            .lines()
            .map(|line| line.split_whitespace().nth(1).unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&["list"]), ["b", "a"]);
    assert_eq!(names(&["list", "--by", "name"]), ["a", "b"]);
    assert_eq!(world.ok(&["list", "--count"]).trim(), "✗1");
}

#[test]
fn a_pipe_gets_no_colour_and_another_locale_gets_ascii() {
    let world = World::new();
    world.ok(&["new", "b", "-d", "--", "sh", "-c", "exit 3"]);
    world.until("b", |status| status["lifecycle"]["state"] == "exited");
    assert!(!world.ok(&["list"]).contains('\x1b'));
    let coloured = world
        .wigwag(&["list"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(
        String::from_utf8(coloured.stdout)
            .unwrap()
            .contains("\x1b[31m")
    );
    let mut command = world.wigwag(&["list"]);
    let plain = command
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(!String::from_utf8(plain.stdout).unwrap().contains('\x1b'));
    let ascii = world.wigwag(&["list"]).env("LANG", "C").output().unwrap();
    assert!(ascii.stdout.is_ascii());
    assert!(ascii.stdout.starts_with(b"x b - sh -c"), "{ascii:?}");
}

#[test]
fn a_line_fits_the_window() {
    let world = World::new();
    let long = "x".repeat(200);
    world.ok(&["new", "a", "-d", "--", "sh", "-c", "sleep 1000", &long]);
    let mut window = Window::open(&world, 50, 10, &["list"]);
    assert!(window.wait().success());
    window.until_text("80×24");
    let text = window.shown().text();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.lines().all(|line| line.width() <= 50), "{text}");
    assert!(text.contains('…'), "{text}");
}

#[test]
fn elsewhere_nothing_is_cut_and_the_message_is_whole() {
    let world = World::new();
    let long = "x".repeat(200);
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    let script = format!("{wigwag} report blocked --msg \"{long}?\"; exec sleep 1000");
    world.ok(&["new", "a", "-d", "--", "sh", "-c", &script]);
    world.until("a", |status| status["state"] == "waiting");
    let list = world.ok(&["list"]);
    assert!(list.contains(&format!(" · waiting: {long}?  ")), "{list}");
    assert!(!list.contains('…'), "{list}");
}

#[test]
fn a_person_gets_headings_and_a_script_a_line_a_terminal() {
    let world = World::new();
    sleeper(&world, "x");
    let window = Window::open(&world, 80, 10, &["list"]);
    window.until_text("80×24");
    let shown = window.shown().text();
    assert!(shown.starts_with("  terminal  "), "{shown}");
    assert_eq!(world.ok(&["list"]).lines().count(), 1);
}

#[test]
fn a_reader_that_leaves_ends_the_command_quietly() {
    let world = World::new();
    sleeper(&world, "x");
    let mut child = world
        .wigwag(&["list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn watching_shows_what_happens_and_leaves_the_window_clean() {
    let world = World::new();
    let mut window = Window::open(&world, 80, 10, &["list", "--watch"]);
    window.until_text("wigwag new");
    assert!(window.shown().modes().alternate_screen);
    sleeper(&world, "x");
    window.until_text("x — sleep 1000");
    world.ok(&["rename", "x", "other"]);
    window.until_text("other — sleep 1000");
    world.ok(&["remove", "other", "--force"]);
    window.until("the list is empty again", |shown| !shown.contains("sleep"));
    window.type_text("\x03");
    assert_eq!(window.wait().code(), Some(130));
    window.until("the window is as before", |shown| {
        !shown.modes().alternate_screen
    });
    assert_eq!(window.shown().text(), "");
}

#[test]
fn watching_into_a_pipe_writes_the_list_after_each_change() {
    use std::io::BufRead as _;
    let world = World::new();
    let mut child = world
        .wigwag(&["list", "--watch", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "[]");
    sleeper(&world, "x");
    let line = lines.next().unwrap().unwrap();
    let list: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(list[0]["name"], "x");
    child.kill().unwrap();
    child.wait().unwrap();
}
