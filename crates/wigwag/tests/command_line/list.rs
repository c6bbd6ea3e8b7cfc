//! `list`: rows, counts, watching.

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
fn an_empty_list_says_what_to_type() {
    let world = World::new();
    assert!(world.ok(&["list"]).contains("wigwag new"));
    assert!(world.ok(&[]).contains("wigwag new"));
    assert_eq!(world.ok(&["list", "--json"]).trim(), "[]");
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
    assert_eq!(world.ok(&["ls", "--by", "name"]).lines().count(), 3);
}

#[test]
fn by_name_and_by_age_are_other_orders() {
    let world = World::new();
    for name in ["c", "a", "b"] {
        world.ok(&["new", name, "-d", "--", "sleep", "1000"]);
    }
    let names = |by: &str| -> Vec<String> {
        let list = world.ok(&["list", "--by", by, "--json"]);
        let list: Vec<serde_json::Value> = serde_json::from_str(&list).unwrap();
        let name = |status: &serde_json::Value| status["name"].as_str().unwrap().to_owned();
        list.iter().map(name).collect()
    };
    assert_eq!(names("name"), ["a", "b", "c"]);
    assert_eq!(names("age"), ["b", "a", "c"]);
}

#[test]
fn no_count_is_printed_where_nobody_is_needed() {
    let world = World::new();
    world.ok(&["new", "runs", "-d", "--", "sleep", "1000"]);
    assert_eq!(world.ok(&["list", "--count"]), "");
}

#[test]
fn without_utf_8_everything_is_ascii() {
    let world = World::new();
    three(&world);
    for args in [
        &["list"][..],
        &["list", "--count"],
        &["show", "asks"],
        &["events"],
    ] {
        let output = world.wigwag(args).env("LANG", "C").output().unwrap();
        assert!(
            output.status.success() && output.stdout.is_ascii(),
            "{output:?}"
        );
    }
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
fn a_list_in_a_window_is_cut_to_its_width_and_a_piped_one_is_not() {
    let world = World::new();
    let long = "x".repeat(30);
    let name = "n".repeat(32);
    world.ok(&[
        "new",
        &name,
        "-d",
        "--",
        "sh",
        "-c",
        "exec sleep 1000",
        &long,
    ]);
    let mut window = Window::open(&world, 40, 5, &["list"]);
    window.wait();
    window.until("a cut line", |shown| {
        shown.contains("…") && shown.contains("80×24")
    });
    assert_eq!(
        window.shown().text().lines().count(),
        1,
        "one line, not wrapped"
    );
    assert!(world.ok(&["list"]).contains(&long));
}

#[test]
fn watching_shows_each_change_and_leaves_the_window_clean() {
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
    window.until_text("and 3 more");
}
