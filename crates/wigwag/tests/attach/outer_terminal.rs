//! What the outer terminal is asked, told and spared.

use crate::window::Window;
use crate::world::World;
use signals::{Clear, ReportState, Signal};

/// A terminal that prints what it is sent as sequences.
fn printing(world: &World) {
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "while read -r line; do printf \"$line\"; done",
    ]);
}

#[test]
fn reports_reach_a_terminal_that_understands_them_and_are_cleared_by_name() {
    let world = World::new();
    printing(&world);
    world.send("x", r"\033]7501;state=working:id=task\033\\");
    world.until("x", |status| status["state"] == "working");
    let window = Window::open(&world, 80, 24, &["attach", "x"]);
    // Of the window's signals, only its reports.
    let reports = |window: &Window| -> Vec<(String, ReportState)> {
        let shown = window.shown();
        let reports = shown.signals.iter().filter_map(|signal| match signal {
            Signal::Report(report) => Some((report.id.clone(), report.state)),
            _ => None,
        });
        reports.collect()
    };
    window.until("the answer is awaited", |shown| shown.received > 0);
    window.type_text("\x1b]7501;?:states=idle,working\x1b\\");
    window.until("the record", |shown| {
        shown
            .signals
            .iter()
            .any(|signal| matches!(signal, Signal::Report(report) if report.id == "task"))
    });
    world.send("x", r"\033]7501;state=blocked\033\\");
    window.until("the root", |shown| {
        shown
            .signals
            .iter()
            .any(|signal| matches!(signal, Signal::Report(report) if report.id.is_empty()))
    });
    assert_eq!(reports(&window).len(), 2);
    window.type_text("\x1cd");
    window.until_text("[detached from x]");
    assert_eq!(
        reports(&window).last(),
        Some(&(String::new(), ReportState::Idle))
    );
    let cleared = Signal::Clear(Clear { id: "task".into() });
    assert!(window.shown().signals.contains(&cleared));
}

#[test]
fn progress_is_shown_and_cleared() {
    let world = World::new();
    printing(&world);
    let mut window = Window::open(&world, 80, 24, &["attach", "x"]);
    world.until("x", |status| status["clients"] == 1);
    world.send("x", r"\033]9;4;1;42\007");
    let progress = |signal: &Signal| matches!(signal, Signal::Progress(_));
    window.until("progress", |shown| shown.signals.iter().any(progress));
    window.type_text("\x1cd");
    window.wait();
    let count = window
        .shown()
        .signals
        .iter()
        .filter(|signal| progress(signal))
        .count();
    assert_eq!(count, 2, "shown, then cleared");
    // The terminal's own stays.
    world.until("x", |status| status["progress"]["percent"] == 42);
}

#[test]
fn the_program_learns_the_colours_of_the_window() {
    let world = World::new();
    let script = world.file(
        "ask",
        "stty raw -echo; read -r go; printf '\\033]11;?\\033\\\\'; dd bs=1 count=24 2>/dev/null | cat -v; echo; exec cat",
    );
    world.ok(&["new", "x", "-d", "--", "sh", script.to_str().unwrap()]);
    let window = Window::open(&world, 80, 24, &["attach", "x"]);
    window.until("the questions were answered", |shown| shown.answered > 0);
    window.type_text("\n");
    world.until_shown("x", "1212/3434/5656");
}

#[test]
fn the_program_learns_colours_that_a_slow_line_brings_late() {
    let world = World::new();
    let script = world.file(
        "ask",
        "stty raw -echo; echo ready; read -r go; printf '\\033]11;?\\033\\\\'; dd bs=1 count=24 2>/dev/null | cat -v; echo; exec cat",
    );
    world.ok(&["new", "x", "-d", "--", "sh", script.to_str().unwrap()]);
    let mut attach = world.command(env!("CARGO_BIN_EXE_wigwag"));
    attach.args(["attach", "x"]);
    let window = Window::run_on_a_slow_line(attach, 80, 24);
    window.until_text("ready");
    // Longer than answers are waited for.
    world.fails(
        &[
            "wait",
            "x",
            "--until",
            "output:never",
            "--timeout",
            "2500ms",
        ],
        4,
    );
    window.answer();
    // Typed after the answers, so that it is read after them.
    window.type_text("\n");
    world.until_shown("x", "1212/3434/5656");
}
