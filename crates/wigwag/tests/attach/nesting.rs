//! Attaching from within a terminal.

use crate::window::Window;
use crate::world::World;

/// A terminal with a shell in which `wigwag` can be run.
fn shell(world: &World, name: &str) -> Window {
    let window = Window::open(world, 80, 24, &["new", name, "--", "sh"]);
    window.type_text("echo ready-$((1+1))\r");
    window.until_text("ready-2");
    window
}

fn type_wigwag(window: &Window, args: &str) {
    window.type_text(&format!("{} {args}\r", env!("CARGO_BIN_EXE_wigwag")));
}

#[test]
fn a_terminal_cannot_be_attached_inside_itself() {
    let world = World::new();
    let window = shell(&world, "x");
    type_wigwag(&window, "attach x; echo code-$?");
    window.until("refused", |shown| {
        shown.contains("cannot be attached inside itself") && shown.contains("code-5")
    });
    type_wigwag(&window, "attach x --nest; echo again-$?");
    window.until_text("again-5");
}

#[test]
fn attach_inside_a_terminal_switches_its_client() {
    let world = World::new();
    world.ok(&[
        "new",
        "other",
        "-d",
        "--",
        "sh",
        "-c",
        "echo this is other; exec cat",
    ]);
    let window = shell(&world, "x");
    type_wigwag(&window, "attach other");
    window.until_text("this is other");
    world.until("x", |status| status["clients"] == 0);
    world.until("other", |status| status["clients"] == 1);
    window.type_text("\x1cp");
    window.until_text("[switched to other]");
}

#[test]
fn nesting_says_its_level_and_the_carrying_terminal_says_what_it_shows() {
    let world = World::new();
    world.ok(&[
        "new",
        "other",
        "-d",
        "--",
        "sh",
        "-c",
        "echo this is other; read -r end; printf '\\007'; exec cat",
    ]);
    let window = shell(&world, "x");
    type_wigwag(&window, "attach other --nest");
    window.until_text("this is other");
    let status = world.until("x", |status| status["title"] == "attached to other");
    assert!(status["attention"].is_null(), "{status}");
    assert!(
        window.shown().history().contains("level 2"),
        "{}",
        window.shown().history()
    );
    world.ok(&["detach", "other"]);
    window.until_text("[detached from other]");
    world.until("x", |status| status["title"] != "attached to other");
}

#[test]
fn a_terminal_cannot_be_attached_inside_one_that_it_carries() {
    let world = World::new();
    world.ok(&["new", "inner", "-d", "--", "sh"]);
    let window = shell(&world, "x");
    type_wigwag(&window, "attach inner --nest");
    world.until("inner", |status| status["clients"] == 1);
    world.send(
        "inner",
        &format!(
            "{} attach x --nest; echo code-$?",
            env!("CARGO_BIN_EXE_wigwag")
        ),
    );
    world.until_shown("inner", "code-5");
}
