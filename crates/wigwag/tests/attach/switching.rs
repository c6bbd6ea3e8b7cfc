//! From one terminal to another: the prefix key, the picker, `next`, `-`, `detach`.

use crate::window::Window;
use crate::world::World;

/// A terminal that shows its name.
fn start(world: &World, name: &str) {
    world.ok(&[
        "new",
        name,
        "-d",
        "--",
        "sh",
        "-c",
        "echo this-is-$0; exec cat",
        name,
    ]);
    world.until_shown(name, &format!("this-is-{name}"));
}

#[test]
fn the_picker_chooses_by_typing_and_follows_events() {
    let world = World::new();
    start(&world, "alpha");
    start(&world, "beta");
    let window = Window::open(&world, 80, 24, &["attach"]);
    window.until("both", |shown| {
        shown.contains("alpha") && shown.contains("beta")
    });
    start(&world, "gamma");
    window.until_text("gamma");
    window.type_text("bet");
    window.until("the filter", |shown| !shown.contains("alpha"));
    window.type_text("\r");
    window.until_text("this-is-beta");
    window.type_text("\x1cd");
    window.until_text("[detached from beta]");
}

#[test]
fn a_completed_prefix_is_said_with_the_name_it_means() {
    let world = World::new();
    start(&world, "alpha");
    let window = Window::open(&world, 80, 24, &["attach", "al"]);
    window.until_text("this-is-alpha");
    let all = window.shown().history();
    assert!(all.contains("wigwag: al means alpha"), "{all}");
}

#[test]
fn the_picker_leaves_the_window_as_it_was() {
    let world = World::new();
    start(&world, "alpha");
    let mut window = Window::open(&world, 80, 24, &["attach"]);
    window.until("the list", |shown| {
        shown.contains("alpha") && shown.modes().alternate_screen
    });
    window.type_text("\x1b");
    assert!(window.wait().success());
    assert_eq!(window.shown().modes(), screen::Modes::default());
}

#[test]
fn help_and_picker_over_a_terminal_leave_it_as_it_was() {
    let world = World::new();
    let window = Window::open(&world, 80, 24, &["new", "x", "--", "sh"]);
    window.type_text("printf '\\033[?2004hmark-%s\\n' here\r");
    window.until_text("mark-here");
    for (key, over) in [("?", "the most urgent unread"), ("w", "Attach to")] {
        window.type_text(&format!("\x1c{key}"));
        window.until_text(over);
        window.type_text("\x1b");
        window.until("the terminal", |shown| {
            shown.contains("mark-here") && !shown.contains(over) && shown.modes().bracketed_paste
        });
    }
    window.type_text("echo typed-$((1+1))\r");
    window.until_text("typed-2");
}

#[test]
fn the_previous_terminal_is_one_key_or_a_dash_away() {
    let world = World::new();
    start(&world, "alpha");
    start(&world, "beta");
    let first = Window::open(&world, 80, 24, &["attach", "alpha"]);
    first.until_text("this-is-alpha");
    first.type_text("\x1cd");
    first.until_text("[detached from alpha]");
    let window = Window::open(&world, 80, 24, &["attach", "beta"]);
    window.until_text("this-is-beta");
    window.type_text("\x1cp");
    window.until_text("this-is-alpha");
    window.type_text("\x1cp");
    window.until_text("this-is-beta");
    window.type_text("\x1cd");
    window.until_text("[detached from beta]");
    let again = Window::open(&world, 80, 24, &["attach", "-"]);
    again.until_text("this-is-beta");
}

#[test]
fn next_is_the_most_urgent_unread_terminal() {
    let world = World::new();
    start(&world, "alpha");
    assert_eq!(world.ok(&["next"]), "Nothing is unread\n");
    start(&world, "beta");
    world.ok(&["send", "beta", "--enter", "\u{7}"]);
    world.until("beta", |status| status["attention"]["unread"] == true);
    let window = Window::open(&world, 80, 24, &["attach", "alpha"]);
    window.until_text("this-is-alpha");
    window.type_text("\x1cn");
    window.until_text("this-is-beta");
    world.until("beta", |status| status["attention"]["unread"] == false);
}

#[test]
fn detach_sends_others_away_or_everybody() {
    let world = World::new();
    start(&world, "x");
    let mut first = Window::open(&world, 80, 24, &["attach", "x"]);
    world.until("x", |status| status["clients"] == 1);
    let mut second = Window::open(&world, 80, 24, &["attach", "x"]);
    world.until("x", |status| status["clients"] == 2);
    assert_eq!(
        world.ok(&["detach", "x", "--others"]),
        "x: detached 1 client\n"
    );
    assert!(first.wait().success());
    world.until("x", |status| status["clients"] == 1);
    world.ok(&["detach", "x"]);
    assert!(second.wait().success());
}

#[test]
fn an_unknown_name_is_asked_about() {
    let world = World::new();
    let mut refused = Window::open(&world, 80, 24, &["attach", "no-one"]);
    refused.until_text("Create it?");
    refused.type_text("\r");
    assert_eq!(refused.wait().code(), Some(5));
    assert!(world.list().is_empty());
    let window = Window::open(&world, 80, 24, &["attach", "someone"]);
    window.until_text("Create it?");
    window.type_text("y\r");
    world.until("someone", |status| status["clients"] == 1);
    world.fails(&["attach", "no-one"], 5);
}

#[test]
fn keys_typed_at_once_with_a_command_are_for_what_it_leads_to() {
    let world = World::new();
    start(&world, "alpha");
    start(&world, "beta");
    let window = Window::open(&world, 80, 24, &["attach", "alpha"]);
    window.until_text("this-is-alpha");
    window.type_text("\x1cwbeta\rafter-the-picker\r");
    window.until_text("this-is-beta");
    window.until_text("after-the-picker");
    window.type_text("\x1cpback-again\r");
    window.until_text("this-is-alpha");
    window.until_text("back-again");
}
