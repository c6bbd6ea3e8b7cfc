//! A program that prints a lot into a window that does not read.

use crate::window::Window;
use crate::world::World;
use rustix::process::Signal;
use std::time::{Duration, Instant};

const LAST: &str = "1000000";

/// Prints a million numbers when told, and writes down how many milliseconds that took.
const COUNT: &str = "echo ready; read -r go
before=$(date +%s%N); seq 1 1000000; after=$(date +%s%N)
echo $(( (after - before) / 1000000 )) >took
echo counted; read -r more; read -r end
";

fn took(world: &World) -> Duration {
    let text = std::fs::read_to_string(world.path().join("took")).unwrap();
    Duration::from_millis(text.trim().parse().unwrap())
}

#[test]
fn a_stopped_client_does_not_slow_the_program_and_catches_up() {
    let world = World::new();
    let script = world.file("count", COUNT);
    let script = script.to_str().unwrap();

    // Without anybody looking.
    world.ok(&["new", "alone", "-d", "--", "sh", script]);
    world.until_shown("alone", "ready");
    world.send("alone", "");
    world.until_shown("alone", "counted");
    let alone = took(&world);

    let window = Window::open(&world, 80, 24, &["new", "watched", "--", "sh", script]);
    window.until_text("ready");
    window.signal(Signal::STOP);
    let start = Instant::now();
    world.send("watched", "");
    world.until_shown("watched", "counted");
    let watched = took(&world);
    assert!(start.elapsed() >= watched);
    // Other tests use the machine, too; a program that waits for a stopped client waits for ever.
    let limit = alone * 4 + Duration::from_secs(2);
    assert!(
        watched < limit,
        "{watched:?} with a stopped client, {alone:?} without one"
    );

    assert!(!window.shown().contains(LAST), "it was stopped");
    window.signal(Signal::CONT);
    window.until("the client catches up", |shown| {
        shown.contains(LAST) && shown.contains("counted")
    });
    window.type_text("typed after\r");
    world.until_shown("watched", "typed after");
}

#[test]
fn two_windows_do_not_wait_for_each_other() {
    let world = World::new();
    let script = world.file("count", COUNT);
    let stopped = Window::open(
        &world,
        80,
        24,
        &["new", "shared", "--", "sh", script.to_str().unwrap()],
    );
    stopped.until_text("ready");
    let mut reading = Window::open(&world, 80, 24, &["attach", "shared"]);
    reading.until_text("ready");
    stopped.signal(Signal::STOP);
    reading.type_text("\r");
    reading.until("the other window sees the end", |shown| {
        shown.contains(LAST) && shown.contains("counted")
    });
    stopped.signal(Signal::CONT);
    stopped.until("the stopped one as well", |shown| shown.contains("counted"));
    reading.type_text("\r\r");
    reading.wait();
}
