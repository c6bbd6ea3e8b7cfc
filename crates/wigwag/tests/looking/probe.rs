//! `probe`: what a terminal answers, and that it gets its settings back.

use crate::window::Window;
use crate::world::World;

#[test]
fn the_answers_of_a_terminal_are_shown() {
    let world = World::new();
    let mut window = Window::open(&world, 100, 40, &["probe"]);
    assert!(window.wait().success());
    window.until_text("attributes (DA1)");
    let text = window.shown().text();
    assert!(!text.contains("time limit"), "{text}");
    assert!(
        text.contains("bracketed paste (2004)      supported (reset)"),
        "{text}"
    );
    assert!(
        text.contains("program status (OSC 7501)   no answer"),
        "{text}"
    );
}

#[test]
fn the_terminal_that_wigwag_is_understands_program_status() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--size", "120x40", "--", "sh"]);
    world.send(
        "x",
        &format!(
            "{} probe --json >answers; echo asked-$((6*7))",
            env!("CARGO_BIN_EXE_wigwag")
        ),
    );
    let screen = world.until_shown("x", "asked-42");
    let answers = std::fs::read(world.path().join("answers")).unwrap();
    let answers: serde_json::Value = serde_json::from_slice(&answers).unwrap();
    assert_eq!(answers["complete"], true, "{answers:#}");
    assert!(
        answers["program_status"]
            .as_str()
            .unwrap()
            .starts_with("states=idle")
    );
    assert!(
        answers["version"]
            .as_str()
            .unwrap()
            .to_lowercase()
            .contains("wigwag")
    );
    // No answer was left to be typed into the shell.
    assert!(
        !screen.contains("7501") && !screen.contains("^["),
        "{screen}"
    );
}

#[test]
fn a_silent_terminal_costs_only_the_time_limit_and_gets_its_settings_back() {
    let world = World::new();
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    // `script` is a terminal that answers nothing.
    let inner = format!("stty -a >before; {wigwag} probe --timeout 100ms; stty -a >after");
    let mut command = world.command("script");
    let output = command
        .args(["-qec", &inner, "/dev/null"])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("time limit of 0.1 s"), "{text}");
    let read = |name: &str| std::fs::read_to_string(world.path().join(name)).unwrap();
    assert_eq!(read("before"), read("after"));
}

#[test]
fn without_a_terminal_there_is_nobody_to_ask() {
    let world = World::new();
    let mut command = world.command("setsid");
    let output = command
        .args(["-w", env!("CARGO_BIN_EXE_wigwag"), "probe"])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
}
