//! Focus events of the terminal as a whole (mode 1004).

use crate::window::Window;
use crate::world::World;

/// Shows what it reads. Focus events read `^[[I` and `^[[O`.
const SHOW_INPUT: &str = "stty raw -echo
printf 'ready\\r\\n\\033[?1004h'
exec cat -v
";

/// The focus events the program got so far.
fn focus(world: &World) -> Vec<char> {
    let captured = world.ok(&["capture", "x"]);
    let (_, read) = captured.split_once("ready").unwrap();
    let read: String = read.split_whitespace().collect();
    read.split("^[[")
        .skip(1)
        .map(|event| event.chars().next().unwrap())
        .collect()
}

#[test]
fn focus_out_comes_when_the_client_is_killed_and_nothing_false_ever() {
    let world = World::new();
    let script = world.file("show-input", SHOW_INPUT);
    let window = Window::open(
        &world,
        80,
        24,
        &["new", "x", "--", "sh", script.to_str().unwrap()],
    );
    world.until_shown("x", "^[[I");
    window.kill();
    world.until_shown("x", "^[[O");
    let seen = focus(&world);
    assert_eq!(seen.last(), Some(&'O'));
    assert!(
        seen.windows(2).all(|pair| pair[0] != pair[1]),
        "each event is a change: {seen:?}"
    );

    // The next one who comes brings the focus again, and takes it along when he detaches.
    let mut window = Window::open(&world, 80, 24, &["attach", "x"]);
    world.ok(&[
        "wait",
        "x",
        "--until",
        r"output:\^\[\[I\^\[\[O\^\[\[I|\^\[\[O\^\[\[I\^\[\[O\^\[\[I",
        "--timeout",
        "60s",
    ]);
    window.type_text("\x1cd");
    window.wait();
    world.until("x", |status| status["clients"] == 0);
    let pattern = format!(r"output:{}", r"\^\[\[I\^\[\[O\^\[\[I\^\[\[O");
    world.ok(&["wait", "x", "--until", &pattern, "--timeout", "60s"]);
    let after = focus(&world);
    assert_eq!(after.len(), seen.len() + 2, "{after:?}");
}

#[test]
fn a_second_window_does_not_bring_a_second_focus_in() {
    let world = World::new();
    let script = world.file("show-input", SHOW_INPUT);
    let first = Window::open(
        &world,
        80,
        24,
        &["new", "x", "--", "sh", script.to_str().unwrap()],
    );
    world.until_shown("x", "^[[I");
    let second = Window::open(&world, 80, 24, &["attach", "x"]);
    world.until("x", |status| status["clients"] == 2);
    second.kill();
    world.until("x", |status| status["clients"] == 1);
    // The first still has it.
    assert_eq!(focus(&world).last(), Some(&'I'));
    first.kill();
    world.until_shown("x", "^[[O");
    let seen = focus(&world);
    assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "{seen:?}");
}

#[test]
fn a_window_that_loses_its_focus_takes_it_from_the_program() {
    let world = World::new();
    let script = world.file("show-input", SHOW_INPUT);
    let window = Window::open(
        &world,
        80,
        24,
        &["new", "x", "--", "sh", script.to_str().unwrap()],
    );
    world.until_shown("x", "^[[I");
    assert!(
        window.shown().modes().focus_events,
        "the client asks its window for focus events"
    );
    window.type_text("\x1b[O");
    world.until_shown("x", "^[[O");
    window.type_text("\x1b[I");
    world.ok(&[
        "wait",
        "x",
        "--until",
        r"output:\^\[\[O\^\[\[I",
        "--timeout",
        "60s",
    ]);
    let seen = focus(&world);
    assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "{seen:?}");
}
