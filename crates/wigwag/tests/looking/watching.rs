//! `list`: its columns and counts; and watching, also when the daemon is killed.

use crate::window::Window;
use crate::world::World;

/// A terminal that waits for a person, one that failed, one that runs.
fn three(world: &World) {
    let ask = r"printf '\033]7501;state=blocked:kind=question\033\\'; exec sleep 1000";
    world.ok(&["new", "asks", "-d", "--", "sh", "-c", ask]);
    world.ok(&["new", "fails", "-d", "--", "sh", "-c", "exit 3"]);
    world.ok(&["new", "runs", "-d", "--", "sleep", "1000"]);
    world.until("asks", |status| status["state"] == "waiting");
    world.until("fails", |status| status["state"] == "failed");
    world.until("runs", |status| status["state"] == "running");
}

#[test]
fn the_most_urgent_comes_first_and_columns_are_aligned() {
    let world = World::new();
    three(&world);
    let list = world.ok(&["list"]);
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 3, "{list}");
    assert!(
        lines[0].starts_with("▲ asks — ") && lines[0].contains("waiting for an answer"),
        "{list}"
    );
    assert!(lines[1].starts_with("✗ fails — "), "{list}");
    assert!(lines[2].starts_with("› runs — "), "{list}");
    let size = |line: &str| line.chars().position(|c| c == '×').unwrap();
    assert!(
        lines.iter().all(|line| size(line) == size(lines[0])),
        "{list}"
    );
    assert!(!list.contains('\u{1b}'), "a pipe gets no colour");
    assert_eq!(world.ok(&[]), world.ok(&["l"]));
    assert_eq!(world.ok(&["list", "--count"]), "▲1 ✗1\n");
}

#[test]
fn no_count_is_printed_where_nobody_is_needed() {
    let world = World::new();
    world.ok(&["new", "runs", "-d", "--", "sleep", "1000"]);
    assert_eq!(world.ok(&["list", "--count"]), "");
}

#[test]
fn colours_obey_no_color_and_clicolor_force() {
    let world = World::new();
    three(&world);
    let coloured = |variable: &str| {
        let output = world.wigwag(&["list"]).env(variable, "1").output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(coloured("CLICOLOR_FORCE"));
    assert!(!coloured("NO_COLOR"));
}

#[test]
fn watching_goes_on_when_the_daemon_is_killed() {
    let world = World::new();
    let mut window = Window::open(&world, 60, 10, &["list", "--watch"]);
    window.until_text("wigwag new");
    world.ok(&["new", "first", "-d", "--", "sh"]);
    window.until_text("first — sh");
    world.send("first", r"printf '\033]7501;state=blocked\033\\'");
    window.until_text("▲ first — sh · waiting");
    world.ok(&["new", "second", "-d", "--", "sleep", "1000"]);
    window.until_text("second — sleep");
    assert!(window.shown().modes().alternate_screen);
    world.kill_daemon();
    world.ok(&["new", "third", "-d", "--", "sleep", "1000"]);
    window.until_text("third — sleep");
    window.type_text("\u{3}");
    assert_eq!(window.wait().code(), Some(130));
    window.until("the window is as it was", |shown| {
        !shown.modes().alternate_screen && shown.text().is_empty()
    });
}

#[test]
fn a_watched_list_longer_than_the_window_says_how_many_are_hidden() {
    let world = World::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        world.ok(&["new", name, "-d", "--", "sleep", "1000"]);
    }
    let window = Window::open(&world, 60, 5, &["list", "--watch"]);
    window.until_text("and 4 more");
}
