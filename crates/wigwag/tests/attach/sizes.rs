//! Windows of different sizes.

use crate::window::Window;
use crate::world::World;

#[test]
fn a_client_that_only_looks_sees_the_terminal_cropped() {
    let world = World::new();
    let owner = Window::open(&world, 80, 24, &["new", "x", "--", "sh"]);
    owner.type_text("echo mark-$((1+1))\r");
    owner.until_text("mark-2");
    let looking = Window::open(&world, 60, 20, &["attach", "x", "--view"]);
    looking.until("the fitted terminal", |shown| {
        shown.contains("mark-2") && shown.contains("x 80x24") && shown.modes().alternate_screen
    });
    looking.type_text("echo typed\r");
    owner.type_text("echo own-$((1+1))\r");
    looking.until_text("own-2");
    assert!(!owner.shown().contains("typed"));
    let status = world.show("x");
    assert_eq!(status["size"]["cols"], 80);
    // It leaves without a trace.
    looking.type_text("\x1cd");
    looking.until("the ordinary screen", |shown| {
        !shown.modes().alternate_screen
    });
}

#[test]
fn the_window_with_the_focus_has_the_size() {
    let world = World::new();
    let first = Window::open(&world, 80, 24, &["new", "x", "--", "sh"]);
    first.type_text("echo mark-$((1+1))\r");
    first.until_text("mark-2");
    let second = Window::open(&world, 100, 30, &["attach", "x"]);
    second.until_text("mark-2");
    world.until("x", |status| status["size"]["cols"] == 100);
    first.until("fitted", |shown| {
        shown.contains("x 100x30") && shown.modes().alternate_screen
    });
    first.type_text("\x1b[I");
    world.until("x", |status| status["size"]["cols"] == 80);
    first.until("raw again", |shown| {
        shown.contains("mark-2") && !shown.contains("100x30") && !shown.modes().alternate_screen
    });
    second.until("fitted", |shown| shown.contains("x 80x24"));
    first.type_text("echo typed-$((1+1))\r");
    second.until_text("typed-2");
}

#[test]
fn nobody_is_said_to_have_the_size_once_its_owner_has_left() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--size", "90x20", "--", "cat"]);
    let looking = Window::open(&world, 60, 20, &["attach", "x", "--view"]);
    looking.until("nobody has it", |shown| {
        shown.contains("x 90x20, view only")
    });
    let mut owner = Window::open(&world, 80, 24, &["attach", "x"]);
    looking.until("the owner is there", |shown| {
        shown.contains("x 80x24, another client has the size")
    });
    owner.type_text("\x1cd");
    assert!(owner.wait().success());
    looking.until("the owner has left", |shown| {
        shown.contains("x 80x24, view only")
    });
}

#[test]
fn a_resized_window_resizes_the_terminal() {
    let world = World::new();
    let window = Window::open(&world, 80, 24, &["new", "x", "--", "sh"]);
    window.type_text("echo mark-$((1+1))\r");
    window.until_text("mark-2");
    window.resize(100, 30);
    let status = world.until("x", |status| status["size"]["cols"] == 100);
    assert_eq!(status["size"]["rows"], 30);
    window.type_text("stty size\r");
    window.until_text("30 100");
}

#[test]
fn the_smallest_and_the_largest_windows_work() {
    for (cols, rows) in [(1, 1), (2, 3), (1000, 500)] {
        let world = World::new();
        let mut window = Window::open(&world, cols, rows, &["new", "x", "--", "sh"]);
        let status = world.until("x", |status| status["clients"] == 1);
        assert_eq!(status["size"]["cols"], cols, "{status}");
        window.type_text("\x1cd");
        assert!(window.wait().success());
    }
}

#[test]
fn the_view_key_only_looks_until_it_is_pressed_again() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--size", "80x24", "--", "cat"]);
    let window = Window::open(&world, 80, 24, &["attach", "x", "--view"]);
    window.until("the client has the window", |shown| {
        shown.modes().focus_events
    });
    window.type_text("not this\r\x1cv");
    window.type_text("but this\r");
    window.until_text("but this");
    window.type_text("\x1cv");
    window.until("it is said", |shown| shown.title().contains("view only"));
    window.type_text("nor this\r\x1cvand this\r");
    window.until_text("and this");
    let captured = world.until_shown("x", "and this");
    assert!(
        !captured.contains("not") && !captured.contains("nor"),
        "{captured}"
    );
}
