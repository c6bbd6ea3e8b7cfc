//! The client killed, the daemon killed with -9, and back from a window of another size: the same
//! screen, history, modes and title; typing goes on.

use crate::window::Window;
use crate::world::World;

/// The lines of a screen that have text, without what only the old size explains.
fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect()
}

/// Kills the client of the terminal and the daemon, and checks that the holder's screen stayed.
fn lose_everything(world: &World, name: &str, window: Window) {
    let before = world.ok(&["capture", name, "--scrollback", "--ansi"]);
    window.kill();
    world.kill_daemon();
    let after = world.ok(&["capture", name, "--scrollback", "--ansi"]);
    assert_eq!(before, after, "the screen and the history of {name}");
    world.until(name, |status| status["clients"] == 0);
}

#[test]
fn vim_is_as_it_was_after_client_and_daemon_were_killed() {
    let world = World::new();
    let text: String = (1..=60)
        .map(|number| format!("line {number} of the file\n"))
        .collect();
    let file = world.file("notes.txt", text);
    let file = file.to_str().unwrap();
    let title = "set title titlestring=MY-NOTES mouse=a";
    let window = Window::open(
        &world,
        80,
        24,
        &[
            "new", "edit", "--", "vim", "-u", "NONE", "-N", "-n", "-i", "NONE", "-c", title, file,
        ],
    );
    window.until_text("line 1 of the file");
    window.type_text("20Gzt");
    window.until_text("line 42 of the file");
    window.type_text("oadded before");
    window.until_text("added before");
    let status = world.until("edit", |status| status["title"] == "MY-NOTES");
    assert_eq!(status["title_source"], "application");
    lose_everything(&world, "edit", window);
    let status = world.show("edit");
    assert_eq!(status["title"], "MY-NOTES");
    assert_eq!(status["lifecycle"]["state"], "running");

    let mut window = Window::open(&world, 110, 34, &["attach", "edit"]);
    window.until("vim's text and modes", |shown| {
        shown.contains("line 20 of the file")
            && shown.contains("added before")
            && shown.modes().alternate_screen
            && shown.modes().mouse
    });
    window.until("vim filled the larger window", |shown| {
        shown.contains("line 50 of the file")
    });
    assert!(
        window.shown().title().contains("MY-NOTES"),
        "{}",
        window.shown().title()
    );
    // Still in insert mode, at the same place.
    window.type_text(" and after");
    window.until_text("added before and after");
    window.type_text("\x1b:wq\r");
    window.wait();
    assert!(!window.shown().modes().alternate_screen);
    assert!(!window.shown().modes().mouse);
    let saved = std::fs::read_to_string(file).unwrap();
    assert!(
        saved.contains("line 20 of the file\nadded before and after\nline 21"),
        "{saved}"
    );
}

#[test]
fn less_is_at_the_same_line_after_client_and_daemon_were_killed() {
    let world = World::new();
    let text: String = (1..=500)
        .map(|number| format!("page line {number}\n"))
        .collect();
    let file = world.file("long.txt", text);
    let window = Window::open(
        &world,
        80,
        24,
        &["new", "read", "--", "less", file.to_str().unwrap()],
    );
    window.until_text("page line 23");
    window.type_text("200g");
    window.until_text("page line 200");
    lose_everything(&world, "read", window);

    let mut window = Window::open(&world, 60, 30, &["attach", "read"]);
    window.until("the same place", |shown| {
        lines(&shown.text()).first() == Some(&"page line 200") && shown.modes().alternate_screen
    });
    window.type_text("300g");
    window.until("typing goes on", |shown| {
        lines(&shown.text()).first() == Some(&"page line 300")
    });
    window.type_text("q");
    window.wait();
}

#[test]
fn htop_goes_on_after_client_and_daemon_were_killed() {
    let world = World::new();
    let window = Window::open(&world, 100, 30, &["new", "top", "--", "htop", "-d", "5"]);
    window.until_text("F10");
    // htop redraws by itself, so its screen is not compared: it must live and be usable.
    window.kill();
    world.kill_daemon();
    let mut window = Window::open(&world, 132, 43, &["attach", "top"]);
    window.until("htop at the new size", |shown| {
        shown.contains("F10") && shown.modes().alternate_screen
    });
    let status = world.until("top", |status| status["size"]["cols"] == 132);
    assert_eq!(status["size"]["rows"], 43);
    window.type_text("q");
    window.wait();
    assert!(!window.shown().modes().alternate_screen);
}

/// History, then typing, in one of the shells.
fn a_shell_keeps_its_history(command: &[&str]) {
    let world = World::new();
    let mut args = vec!["new", "shell", "--"];
    args.extend(command);
    let window = Window::open(&world, 80, 24, &args);
    window.type_text("seq 1 300; printf 'all-%s\\n' counted\r");
    window.until_text("all-counted");
    world.until_shown("shell", "all-counted");
    lose_everything(&world, "shell", window);

    let captured = world.ok(&["capture", "shell", "--scrollback"]);
    let numbers: Vec<u32> = captured
        .lines()
        .filter_map(|line| line.trim().parse().ok())
        .collect();
    assert_eq!(
        numbers,
        (1..=300).collect::<Vec<u32>>(),
        "each line once, in order"
    );

    let window = Window::open(&world, 100, 40, &["attach", "shell"]);
    window.until_text("all-counted");
    window.type_text("printf 'typed-%s\\n' again\r");
    window.until_text("typed-again");
    let captured = world.until_shown("shell", "typed-again");
    assert!(captured.contains("all-counted"), "{captured}");
}

#[test]
fn bash_keeps_screen_and_history() {
    a_shell_keeps_its_history(&["bash", "--norc", "--noprofile"]);
}

#[test]
fn zsh_keeps_screen_and_history() {
    a_shell_keeps_its_history(&["zsh", "-f"]);
}

#[test]
fn fish_keeps_screen_and_history() {
    a_shell_keeps_its_history(&["fish", "--no-config"]);
}

#[test]
fn dash_keeps_screen_and_history() {
    a_shell_keeps_its_history(&["dash"]);
}

#[test]
fn a_build_goes_on_without_anybody_and_its_last_words_are_kept() {
    let world = World::new();
    let gate = world.path().join("gate");
    let script = world.file(
        "build",
        format!(
            "echo compiling\nwhile [ ! -e {gate} ]; do sleep 0.05; done\nseq 1 1000\necho linked; exit 7\n",
            gate = gate.display()
        ),
    );
    let window = Window::open(
        &world,
        80,
        24,
        &["new", "build", "--", "sh", script.to_str().unwrap()],
    );
    window.until_text("compiling");
    lose_everything(&world, "build", window);
    std::fs::write(&gate, "").unwrap();
    let status = world.until("build", |status| status["lifecycle"]["state"] == "exited");
    assert_eq!(status["lifecycle"]["code"], 7);
    assert_eq!(status["state"], "failed");
    let captured = world.ok(&["capture", "build", "--scrollback"]);
    assert!(captured.trim_end().ends_with("1000\nlinked"), "{captured}");
}

#[test]
fn the_prefix_key_detaches_and_gives_the_window_back() {
    let world = World::new();
    let mut window = Window::open(&world, 80, 24, &["new", "mine", "--", "sh"]);
    window.type_text("printf '\\033[?2004h\\033[?1h\\033]2;INSIDE\\007here\\n'\r");
    window.until("the program's modes", |shown| {
        shown.contains("here") && shown.modes().bracketed_paste && shown.modes().application_cursor
    });
    window.type_text("\x1cd");
    let status = window.wait();
    assert!(status.success(), "{status:?}");
    let shown = window.shown();
    assert!(!shown.modes().bracketed_paste);
    assert!(!shown.modes().application_cursor);
    assert!(!shown.title().contains("INSIDE"), "{}", shown.title());
    drop(shown);
    let status = world.until("mine", |status| status["clients"] == 0);
    assert_eq!(status["lifecycle"]["state"], "running");
    assert_eq!(status["title"], "INSIDE");
}
