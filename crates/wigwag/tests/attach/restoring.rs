//! The window is given back as it was, on every way out.

use crate::window::{Shown, Window};
use crate::world::World;
use rustix::process::Signal;

/// Switches on what a program can, and says so.
const MODES: &str = r"printf '\033[?2004h\033[?1h\033[?1000h\033[?1006h\033[>1u\033]2;INSIDE\007\033[?1049hchang%s\n' ed";

/// A shell script that runs `wigwag` between two marks, with a title of its own.
fn around(world: &World, command: &str) -> Window {
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    let script = world.file(
        "around",
        format!("printf '\\033]2;OUTSIDE\\007before\\n'\n{wigwag} {command}\necho after $?\nread -r end\n"),
    );
    let mut shell = world.command("sh");
    shell.arg(script);
    Window::run(shell, 80, 24)
}

fn is_as_before(shown: &Shown) {
    let modes = shown.modes();
    assert_eq!(modes, screen::Modes::default());
    assert_eq!(shown.title(), "OUTSIDE");
}

fn with_modes(world: &World) -> Window {
    let window = around(world, "new x -- sh");
    window.type_text(&format!("{MODES}\r"));
    window.until("the program's modes", |shown| {
        let modes = shown.modes();
        shown.contains("changed") && modes.alternate_screen && modes.mouse && modes.bracketed_paste
    });
    window.until("its title", |shown| shown.title() == "INSIDE");
    window
}

#[test]
fn detaching_gives_back_modes_title_and_screen() {
    let world = World::new();
    let window = with_modes(&world);
    window.type_text("\x1cd");
    window.until_text("after 0");
    let shown = window.shown();
    is_as_before(&shown);
    assert!(shown.contains("[detached from x]"), "{}", shown.text());
    assert!(!shown.contains("changed"), "{}", shown.text());
}

#[test]
fn the_prefix_twice_detaches_and_its_bytes_may_come_one_by_one() {
    let world = World::new();
    let window = with_modes(&world);
    // Under the kitty protocol, in pieces.
    for byte in ["\x1b[", "92;", "5u"] {
        window.type_text(byte);
    }
    window.type_text("\x1c");
    window.until_text("after 0");
    is_as_before(&window.shown());
}

#[test]
fn the_exit_of_the_program_gives_everything_back_and_is_said() {
    let world = World::new();
    let window = with_modes(&world);
    window.type_text("exit 3\r");
    window.until_text("after 0");
    let shown = window.shown();
    is_as_before(&shown);
    assert!(shown.contains("[x exited: code 3]"), "{}", shown.text());
}

#[test]
fn signals_that_end_the_client_give_everything_back() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let world = World::new();
        let window = with_modes(&world);
        let clients = world.processes("wigwag");
        let client = clients.into_iter().find(|pid| is_client(*pid)).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(client).unwrap(), signal)
            .unwrap();
        window.until_text(&format!("after {code}"));
        is_as_before(&window.shown());
        let status = world.until("x", |status| status["clients"] == 0);
        assert_eq!(status["lifecycle"]["state"], "running");
    }
}

/// Not the daemon.
fn is_client(pid: i32) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let mut words = line.split(|byte| *byte == 0);
    words.nth(1) == Some(b"new".as_slice())
}

#[test]
fn a_terminal_that_is_removed_gives_everything_back() {
    let world = World::new();
    let window = with_modes(&world);
    world.ok(&["remove", "x", "--force"]);
    window.until_text("after 0");
    is_as_before(&window.shown());
}

#[test]
fn a_holder_that_is_killed_gives_everything_back_and_is_an_error() {
    let world = World::new();
    let window = with_modes(&world);
    let holder = world.processes("wigwag-holder")[0];
    crate::world::kill(holder);
    window.until_text("after 3");
    is_as_before(&window.shown());
}

#[test]
fn a_client_that_was_stopped_draws_everything_again() {
    let world = World::new();
    let window = Window::open(&world, 80, 24, &["new", "x", "--", "sh"]);
    window.type_text("echo mark-$((1+1))\r");
    window.until_text("mark-2");
    window.signal(Signal::STOP);
    world.send("x", "echo later-$((1+1))");
    world.until_shown("x", "later-2");
    window.signal(Signal::CONT);
    window.until_text("later-2");
    window.type_text("echo typed-$((1+1))\r");
    window.until_text("typed-2");
}

#[test]
fn what_the_window_showed_is_in_its_scrollback() {
    let world = World::new();
    let window = around(&world, "new x -- sh");
    window.type_text("echo inside-$((1+1))\r");
    window.until_text("inside-2");
    let shown = window.shown();
    assert!(!shown.contains("before"), "{}", shown.text());
    let all = shown.history();
    assert!(
        all.contains("before") && all.contains("── x ── Ctrl-\\ d detaches ─"),
        "{all}"
    );
}

#[test]
fn each_line_of_the_history_is_in_the_scrollback_once() {
    let world = World::new();
    // So that the window keeps all of it.
    std::fs::create_dir(world.path().join("config/wigwag")).unwrap();
    world.file("config/wigwag/config.toml", "scrollback = 2000\n");
    world.ok(&["new", "x", "-d", "--size", "80x24", "--", "sh"]);
    world.send("x", "seq -f 'line-%g' 1 200; echo counted-$((1+1))");
    world.until_shown("x", "counted-2");
    let window = Window::open(&world, 80, 24, &["attach", "x"]);
    window.until_text("counted-2");
    // Stopped for so much output that its queue is lost.
    window.signal(Signal::STOP);
    world.send(
        "x",
        "seq -f 'more-%065.0f' 1 100000; printf 'all-%s\\033]2;DONE\\007\\n' here",
    );
    world.until("x", |status| status["title"] == "DONE");
    window.signal(Signal::CONT);
    window.until_text("all-here");
    window.until("the gap is said", |shown| {
        shown.history().contains("skipped]")
    });
    let all = window.shown().history();
    let numbers = |prefix: &str| -> Vec<u32> {
        let lines = all
            .lines()
            .filter_map(|line| line.trim().strip_prefix(prefix)?.parse().ok());
        lines.collect()
    };
    assert_eq!(numbers("line-"), (1..=200).collect::<Vec<u32>>());
    let more = numbers("more-");
    assert!(
        more.windows(2).all(|pair| pair[0] < pair[1]),
        "once and in order"
    );
    assert_eq!(more.last(), Some(&100_000));
}

#[test]
fn keys_are_typed_while_the_window_answers_and_answers_are_not_typed() {
    let world = World::new();
    let window = Window::open(&world, 80, 24, &["new", "x", "--", "cat", "-v"]);
    window.type_text("\x1b]11;rgb:1111/2222/3333\x1b\\typed\x1b[?62c\r");
    window.until_text("typed");
    world.until_shown("x", "typed");
    let captured = world.ok(&["capture", "x"]);
    assert!(captured.lines().all(|line| line == "typed"), "{captured}");
}

#[test]
fn without_a_terminal_or_with_a_dumb_one_it_is_refused_with_advice() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let said = world.fails(&["attach", "x"], 2);
    assert!(said.contains("wigwag capture"), "{said}");
    let mut command = world.wigwag(&["attach", "x"]);
    command.env("TERM", "dumb");
    let mut window = Window::run(command, 80, 24);
    window.until_text("TERM=dumb");
    assert_eq!(window.wait().code(), Some(5));
}

#[test]
fn a_suspended_client_gives_the_window_back_until_it_goes_on() {
    let world = World::new();
    let window = with_modes(&world);
    let clients = world.processes("wigwag");
    let client = clients.into_iter().find(|pid| is_client(*pid)).unwrap();
    let client = rustix::process::Pid::from_raw(client).unwrap();
    rustix::process::kill_process(client, Signal::TSTP).unwrap();
    window.until("the window as before", |shown| {
        shown.modes() == screen::Modes::default() && shown.title() == "OUTSIDE"
    });
    until_stopped(client);
    rustix::process::kill_process(client, Signal::CONT).unwrap();
    window.until("the terminal again", |shown| {
        let modes = shown.modes();
        shown.contains("changed") && modes.alternate_screen && modes.mouse
    });
    window.type_text("\x1cd");
    window.until_text("after 0");
    is_as_before(&window.shown());
}

/// A client gives the window back before it stops.
fn until_stopped(client: rustix::process::Pid) {
    let deadline = std::time::Instant::now() + crate::world::LIMIT;
    let path = format!("/proc/{}/stat", client.as_raw_nonzero());
    while !std::fs::read_to_string(&path).unwrap().contains(") T ") {
        assert!(std::time::Instant::now() < deadline, "it does not stop");
        std::thread::yield_now();
    }
}

#[test]
fn a_client_that_is_continued_before_it_stopped_does_not_stop() {
    let world = World::new();
    let window = with_modes(&world);
    let clients = world.processes("wigwag");
    let client = clients.into_iter().find(|pid| is_client(*pid)).unwrap();
    let client = rustix::process::Pid::from_raw(client).unwrap();
    rustix::process::kill_process(client, Signal::TSTP).unwrap();
    window.until("the window as before", |shown| shown.title() == "OUTSIDE");
    // It is on its way.
    rustix::process::kill_process(client, Signal::CONT).unwrap();
    window.until("the terminal again", |shown| shown.contains("changed"));
    window.type_text("\x1cd");
    window.until_text("after 0");
    is_as_before(&window.shown());
}

/// The client in the window, suspended until `meanwhile` was done.
fn suspend(world: &World, window: &Window, meanwhile: impl FnOnce()) {
    let clients = world.processes("wigwag");
    let client = clients.into_iter().find(|pid| is_client(*pid)).unwrap();
    let client = rustix::process::Pid::from_raw(client).unwrap();
    rustix::process::kill_process(client, Signal::TSTP).unwrap();
    window.until("the window as before", |shown| {
        shown.modes() == screen::Modes::default() && shown.title() == "OUTSIDE"
    });
    until_stopped(client);
    meanwhile();
    rustix::process::kill_process(client, Signal::CONT).unwrap();
}

#[test]
fn what_the_shell_printed_while_the_client_was_suspended_is_in_the_scrollback() {
    let world = World::new();
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    let script = world.file(
        "around",
        format!(
            "printf '\\033]2;OUTSIDE\\007before\\n'\n\
             (until test -e go; do sleep 0.05; done; echo printed-meanwhile >/dev/tty) &\n\
             {wigwag} new x -- sh\necho after $?\nread -r end\n"
        ),
    );
    let mut shell = world.command("sh");
    shell.arg(script).current_dir(world.path());
    let window = Window::run(shell, 80, 24);
    window.type_text("echo mark-$((1+1))\r");
    window.until_text("mark-2");
    suspend(&world, &window, || {
        world.file("go", "");
        window.until_text("printed-meanwhile");
    });
    window.until("the terminal again", |shown| {
        shown.contains("mark-2") && !shown.contains("printed-meanwhile")
    });
    assert!(window.shown().history().contains("printed-meanwhile"));
}

#[test]
fn a_suspended_client_in_a_window_of_another_size_goes_on_upon_the_alternate_screen() {
    let world = World::new();
    let window = around(&world, "new x -- sh");
    window.type_text("echo mark-$((1+1))\r");
    window.until_text("mark-2");
    let _other = Window::open(&world, 100, 30, &["attach", "x"]);
    let fitted = |shown: &Shown| shown.contains("x 100x30") && shown.modes().alternate_screen;
    window.until("fitted", fitted);
    suspend(&world, &window, || {});
    window.until("fitted again", fitted);
}

#[test]
fn a_line_begun_before_the_client_came_is_kept() {
    let world = World::new();
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    let script = world.file(
        "around",
        format!("printf partial-line\n{wigwag} new x -- sh\nread -r end\n"),
    );
    let mut shell = world.command("sh");
    shell.arg(script);
    let window = Window::run(shell, 80, 24);
    window.type_text("echo mark-$((1+1))\r");
    window.until_text("mark-2");
    let all = window.shown().history();
    assert!(
        all.contains("partial-line") && all.contains("── x ── Ctrl-\\ d detaches ─"),
        "{all}"
    );
}
