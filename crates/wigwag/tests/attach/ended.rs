//! Terminals whose program has ended, attached to.

use crate::window::Window;
use crate::world::World;

fn exited(world: &World) {
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "echo run >>count; echo last words; exit 3",
    ]);
    world.until("x", |status| status["lifecycle"]["state"] == "exited");
}

fn asked(world: &World) -> Window {
    let window = Window::open(world, 80, 24, &["attach", "x"]);
    window.until("its end", |shown| {
        shown.contains("last words")
            && shown.contains("[x exited: code 3]")
            && shown.contains("[r]un")
    });
    window
}

#[test]
fn its_end_is_shown_and_seen() {
    let world = World::new();
    exited(&world);
    let mut window = asked(&world);
    window.type_text("\r");
    assert!(window.wait().success());
    let status = world.until("x", |status| status["attention"]["unread"] == false);
    assert_eq!(status["lifecycle"]["code"], 3);
}

#[test]
fn it_can_be_run_again() {
    let world = World::new();
    exited(&world);
    let mut window = asked(&world);
    window.type_text("r");
    window.wait();
    let count = std::fs::read_to_string(world.path().join("count")).unwrap();
    assert_eq!(count, "run\nrun\n");
}

#[test]
fn it_can_be_removed() {
    let world = World::new();
    exited(&world);
    let mut window = asked(&world);
    window.type_text("x");
    window.until_text("[x was removed]");
    assert!(window.wait().success());
    assert!(world.list().is_empty());
}

#[test]
fn a_program_that_ends_at_once_is_shown_and_gone() {
    let world = World::new();
    let mut window = Window::open(&world, 80, 24, &["new", "x", "--", "echo", "quick words"]);
    assert!(window.wait().success());
    window.until("the end", |shown| {
        shown.contains("quick words") && shown.contains("[x exited: code 0]")
    });
    world.ok(&["list"]);
    while !world.list().is_empty() {
        // The holder was asked; it answers nobody who has left.
        std::thread::yield_now();
    }
}
