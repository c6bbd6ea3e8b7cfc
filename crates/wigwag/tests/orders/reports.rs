//! `report`, `progress`, `bell`: the ways to the terminal, and commands that are reported on.

use crate::window::Window;
use crate::world::World;
use signals::{ReportState, Signal};
use std::io::Read as _;
use std::process::Stdio;

const WIGWAG: &str = env!("CARGO_BIN_EXE_wigwag");

/// The states that a window was told, in order.
fn states(window: &Window) -> Vec<ReportState> {
    let shown = window.shown();
    let reports = shown.signals.iter().filter_map(|signal| match signal {
        Signal::Report(report) => Some(report.state),
        _ => None,
    });
    reports.collect()
}

/// The message of the last report that a window was told.
fn last_message(window: &Window) -> String {
    let shown = window.shown();
    let last = shown.signals.iter().rev().find_map(|signal| match signal {
        Signal::Report(report) => report.msg.clone(),
        _ => None,
    });
    last.unwrap_or_default()
}

/// Waits until the window was told this state last.
fn until_told(window: &Window, state: ReportState) {
    window.until("a report", |shown| {
        let last = shown.signals.iter().rev().find_map(|signal| match signal {
            Signal::Report(report) => Some(report.state),
            _ => None,
        });
        last == Some(state)
    });
}

#[test]
fn a_command_that_is_not_there_is_127_and_an_error() {
    let world = World::new();
    let mut window = Window::open(&world, 80, 24, &["report", "--", "no-such-command"]);
    assert_eq!(window.wait().code(), Some(127));
    until_told(&window, ReportState::Error);
    assert_eq!(states(&window), [ReportState::Working, ReportState::Error]);
    window.until_text("no-such-command: command not found");
}

#[test]
fn a_signal_is_told_and_exits_as_a_shell_does() {
    let world = World::new();
    let args = [
        "report",
        "--msg",
        "Build",
        "--",
        "sh",
        "-c",
        "kill -KILL $$",
    ];
    let mut window = Window::open(&world, 80, 24, &args);
    assert_eq!(window.wait().code(), Some(137));
    until_told(&window, ReportState::Error);
    assert!(
        last_message(&window).starts_with("Build"),
        "{}",
        last_message(&window)
    );
    assert!(last_message(&window).contains("KILL"));
}

#[test]
fn ctrl_c_is_for_the_command_and_its_end_is_reported() {
    let world = World::new();
    // Short sleeps: one that is forked in the moment of the Ctrl-C may not hear it.
    let script = "trap 'exit 7' INT; echo ready; while :; do sleep 0.1; done";
    let mut window = Window::open(&world, 80, 24, &["report", "--", "sh", "-c", script]);
    window.until_text("ready");
    window.type_text("\x03");
    assert_eq!(window.wait().code(), Some(7));
    until_told(&window, ReportState::Error);
    assert!(
        last_message(&window).contains("exit 7"),
        "{}",
        last_message(&window)
    );
}

#[test]
fn a_signal_for_the_wrapper_alone_reaches_the_command() {
    let world = World::new();
    let script = "trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.1; done";
    let mut window = Window::open(&world, 80, 24, &["report", "--", "sh", "-c", script]);
    window.until_text("ready");
    window.signal(rustix::process::Signal::TERM);
    assert_eq!(window.wait().code(), Some(3));
}

#[test]
fn a_command_that_stops_itself_stops_the_wrapper_so_that_the_shell_notices() {
    use rustix::process::{Pid, Signal as Kill, WaitOptions, waitpid};
    let world = World::new();
    let script = "kill -STOP $$; echo went on";
    let mut window = Window::open(&world, 80, 24, &["report", "--", "sh", "-c", script]);
    let pid = Pid::from_raw(window.pid()).unwrap();
    let stopped = crate::within_limit(move || waitpid(Some(pid), WaitOptions::UNTRACED));
    assert!(stopped.unwrap().unwrap().1.stopped());
    window.signal(Kill::CONT);
    assert_eq!(window.wait().code(), Some(0));
    window.until_text("went on");
}

#[test]
fn a_wrong_field_is_named_and_nothing_is_sent_or_run() {
    let world = World::new();
    for (args, field) in [
        (&["report", "done", "--msg", "two\nlines"][..], "msg"),
        (&["report", "done", "--app", "my app"], "app"),
        (&["report", "done", "--id", "a//b"], "id"),
        (&["report", "done", "--kind", "auth"], "kind"),
        (&["report", "working", "--kind", "auth"], "kind"),
        (&["report", "done", "--progress", "7"], "progress"),
        (&["report", "working", "--progress", "101"], "progress"),
        (&["report", "clear", "--msg", "x"], "--id"),
        (&["report", "sleeping"], "sleeping"),
        (&["report"], "STATE"),
        (&["report", "--app", "my app", "--", "touch", "ran"], "app"),
    ] {
        let message = world.fails(args, 2);
        assert!(message.contains(field), "{args:?}: {message}");
    }
    assert!(!world.path().join("ran").exists());
}

#[test]
fn from_nowhere_every_signal_is_refused() {
    let world = World::new();
    for args in [&["report", "done"][..], &["progress", "42"], &["bell"]] {
        let mut command = world.command("setsid");
        command
            .arg("-w")
            .arg(WIGWAG)
            .args(args)
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{args:?}: {output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("WIGWAG_TERMINAL"), "{said}");
    }
}

#[test]
fn a_terminal_whose_holder_is_gone_is_unreachable() {
    let world = World::new();
    let mut command = world.command("setsid");
    command.args(["-w", WIGWAG, "bell"]).stdin(Stdio::null());
    command.env("WIGWAG_TERMINAL", "aaaaaaaa");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn signals_without_a_controlling_terminal_go_to_the_holder() {
    let world = World::new();
    let script = format!(
        "setsid -w {WIGWAG} progress paused 7; setsid -w {WIGWAG} bell; \
         env -u WIGWAG_SOCKET setsid -w {WIGWAG} report working --id a; exec cat"
    );
    world.ok(&["new", "x", "-d", "--", "sh", "-c", &script]);
    let status = world.until("x", |status| status["reports"][0]["id"] == "a");
    assert_eq!(status["progress"]["state"], "paused");
    assert_eq!(status["progress"]["percent"], 7);
    assert_eq!(status["attention"]["kind"], "bell");
}

#[test]
fn the_terminal_to_tell_may_be_named_by_its_name() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "cat"]);
    let mut command = world.command("setsid");
    command
        .args(["-w", WIGWAG, "report", "working"])
        .stdin(Stdio::null());
    assert!(
        command
            .env("WIGWAG_TERMINAL", "x")
            .status()
            .unwrap()
            .success()
    );
    world.until("x", |status| status["state"] == "working");
}

#[test]
fn a_reported_command_is_the_title_and_its_message_is_listed() {
    let world = World::new();
    let script = format!("{WIGWAG} report --msg 'Nightly build' -- sleep 1000");
    world.ok(&["new", "x", "-d", "--", "sh", "-c", &script]);
    world.until("x", |status| status["state"] == "working");
    let list = world.ok(&["list"]);
    assert!(
        list.starts_with("● x — sleep 1000 · working: Nightly build  "),
        "{list}"
    );
}

#[test]
fn inside_tmux_sequences_are_wrapped_and_bells_are_not() {
    let world = World::new();
    let script = format!("TMUX=/x,1,0 {WIGWAG} report done; TMUX=/x,1,0 {WIGWAG} bell");
    let mut command = world.command("sh");
    command.args(["-c", &script]);
    let mut window = Window::run(command, 80, 24);
    assert!(window.wait().success());
    // The window is no tmux: to it a wrapped report is an unknown string.
    window.until("the bell", |shown| shown.signals.contains(&Signal::Bell));
    assert!(states(&window).is_empty());
}

#[test]
fn inside_tmux_without_a_controlling_terminal_the_pane_is_told() {
    let world = World::new();
    let (mut pty, pts) = pty_process::blocking::open().unwrap();
    let tty = rustix::pty::ptsname(&pty, Vec::new()).unwrap();
    let tty = tty.to_str().unwrap();
    world.file(
        "tmux",
        format!("#!/bin/sh\n[ \"$4\" = %3 ] && echo {tty}\n"),
    );
    let fake = world.path().join("tmux");
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = world.command("setsid");
    command.args(["-w", WIGWAG, "report", "blocked", "--kind", "auth"]);
    command
        .env("PATH", format!("{}:{path}", world.path().display()))
        .env("TMUX", "/x,1,0")
        .env("TMUX_PANE", "%3")
        // The tmux server's, which means nothing here.
        .env("WIGWAG_TERMINAL", "aaaaaaaa")
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    drop(pts);
    let mut told = Vec::new();
    let mut chunk = [0; 4096];
    // The end of the last open side is an error here.
    while let Ok(count @ 1..) = pty.read(&mut chunk) {
        told.extend_from_slice(&chunk[..count]);
    }
    let report = b"\x1bPtmux;\x1b\x1b]7501;state=blocked:kind=auth";
    assert!(told.starts_with(report), "{}", told.escape_ascii());
}
