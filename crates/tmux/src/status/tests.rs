use super::*;
use crate::id::{SessionId, WindowId};
use crate::listing::{Death, Place};
use crate::version::Version;
use jiff::Timestamp;
use status::LifecycleState;

fn server() -> Identity {
    Identity {
        pid: 4306,
        started_at: Timestamp::from_second(1_796_102_459).unwrap(),
        version: Version::new("3.3a"),
    }
}

fn pane(command: &str) -> Pane {
    Pane {
        id: PaneId(3),
        window: WindowId(1),
        window_name: "build".into(),
        places: vec![Place {
            session: SessionId(0),
            session_name: "main".into(),
            window_index: 1,
            pane_index: 0,
        }],
        cols: 80,
        rows: 24,
        title: "box".into(),
        host: "box".into(),
        command: command.into(),
        cwd: "/src".into(),
        pid: 99,
        start_command: String::new(),
        dead: None,
        alternate_screen: false,
        in_mode: false,
        noted_command: None,
        watched: true,
    }
}

fn at(seconds: u64) -> Now {
    let start: Timestamp = "2026-11-30T22:00:00Z".parse().unwrap();
    Now {
        mono: Duration::from_secs(1000 + seconds),
        wall: start + Duration::from_secs(seconds),
    }
}

fn status_of(pane: &Pane) -> PaneStatus {
    PaneStatus::new(Path::new("/tmp/tmux-0/default"), &server(), pane, at(0))
}

fn command(status: &PaneStatus) -> Option<String> {
    status.status().command.and_then(|command| command.line)
}

#[test]
fn the_id_is_stable_and_differs_by_socket_server_and_pane() {
    let of = |socket: &str, server: &Identity, pane| id(Path::new(socket), server, PaneId(pane));
    let first = of("/a", &server(), 3);
    assert_eq!(first.len(), 8);
    assert!(
        first
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'))
    );
    assert_eq!(first, of("/a", &server(), 3));
    let mut restarted = server();
    restarted.started_at += Duration::from_secs(1);
    let others = [
        of("/b", &server(), 3),
        of("/a", &server(), 4),
        of("/a", &restarted, 3),
    ];
    assert!(
        others.iter().all(|other| *other != first),
        "{first} {others:?}"
    );
}

#[test]
fn the_place_in_tmux_is_told_and_the_name_is_the_address() {
    let status = status_of(&pane("bash")).status();
    assert_eq!(status.source, Source::Tmux);
    assert_eq!(status.name, "main:1.0");
    let place = status.tmux.unwrap();
    assert_eq!(
        (
            place.session.as_str(),
            place.window,
            place.window_name.as_str()
        ),
        ("main", 1, "build")
    );
    assert_eq!(
        (place.socket.as_str(), place.pane.as_str()),
        ("/tmp/tmux-0/default", "%3")
    );
    assert_eq!(status.cwd.as_deref(), Some("/src"));
}

#[test]
fn a_moved_or_renamed_pane_is_renamed() {
    let mut status = status_of(&pane("bash"));
    let mut moved = pane("bash");
    moved.window_name = "test".into();
    assert_eq!(status.update(&moved, at(1)), [Change::Renamed]);
    moved.places[0].window_index = 4;
    assert_eq!(status.update(&moved, at(1)), [Change::Renamed]);
    assert_eq!(status.status().name, "main:4.0");
    assert_eq!(status.update(&moved, at(2)), []);
}

#[test]
fn signals_of_the_pane_are_read_also_through_passthrough() {
    let mut status = status_of(&pane("make"));
    let changes = status.output(b"\x1bPtmux;\x1b\x1b]9;4;1;42\x1b\x1b\\\x1b\\", at(1));
    assert_eq!(changes, [Change::Progress]);
    assert_eq!(status.status().progress.unwrap().percent, Some(42));
    let changes = status.output(b"\x1b]7501;state=blocked:kind=permission\x07", at(1));
    assert!(changes.contains(&Change::Report) && changes.contains(&Change::Attention));
    assert_eq!(status.status().state, State::Waiting);
}

#[test]
fn without_marks_the_name_in_the_foreground_tells_an_idle_shell() {
    let mut status = status_of(&pane("-zsh"));
    assert_eq!(status.status().state, State::Idle);
    status.update(&pane("vim"), at(1));
    assert_eq!(status.status().state, State::Running);
    assert_eq!(status.status().title.as_deref(), Some("vim"));
    status.update(&pane("zsh"), at(2));
    assert_eq!(status.status().state, State::Idle);
}

#[test]
fn once_a_shell_marks_its_prompts_a_name_that_is_late_changes_nothing() {
    let mut status = status_of(&pane("bash"));
    status.output(
        b"\x1b]133;A\x07$ \x1b]133;B\x07\x1b]133;C;cmdline_url=make\x07",
        at(1),
    );
    assert_eq!(command(&status).as_deref(), Some("make"));
    status.update(&pane("make"), at(2));
    status.output(b"\x1b]133;D;2\x07\x1b]133;A\x07", at(3));
    status.update(&pane("make"), at(3));
    assert_eq!(command(&status), None);
    let last = status.status().last_command.unwrap();
    assert_eq!(
        (last.line.as_deref(), last.exit_code),
        (Some("make"), Some(2))
    );
    assert_eq!(status.status().state, State::Idle);
}

#[test]
fn marks_of_a_program_in_a_shell_without_marks_are_no_prompts() {
    let mut status = status_of(&pane("claude"));
    status.output(b"\x1b]7501;state=working\x07\x1b]133;A\x07", at(1));
    assert_eq!(status.status().state, State::Working);
}

#[test]
fn the_noted_command_is_recovered_and_its_end_is_read() {
    let mut running = pane("make");
    running.noted_command = Some("make -j8".into());
    let mut status = status_of(&running);
    assert_eq!(command(&status).as_deref(), Some("make -j8"));
    assert_eq!(status.status().title.as_deref(), Some("make -j8"));
    status.output(b"\x1b]133;D;0\x07\x1b]133;A\x07", at(9));
    // The listing was taken before the prompt.
    status.update(&running, at(9));
    assert_eq!(command(&status), None);
    assert_eq!(status.status().last_command.unwrap().exit_code, Some(0));
}

#[test]
fn after_a_gap_the_noted_command_counts_again() {
    let mut status = status_of(&pane("bash"));
    status.output(
        b"\x1b]133;A\x07\x1b]133;C;cmdline_url=make\x07\x1b]2;half",
        at(1),
    );
    let mut running = pane("vim");
    running.noted_command = Some("vim x".into());
    status.gap();
    status.update(&running, at(2));
    assert_eq!(command(&status).as_deref(), Some("vim x"));
    // The unfinished title is void.
    status.output(b" title\x07", at(3));
    assert_eq!(status.status().title.as_deref(), Some("vim x"));
    status.gap();
    status.update(&pane("bash"), at(4));
    assert_eq!(command(&status), None);
}

#[test]
fn the_title_of_a_late_watcher_is_the_panes_but_not_the_name_of_the_host() {
    assert_eq!(
        status_of(&pane("vim")).status().title.as_deref(),
        Some("vim")
    );
    let mut titled = pane("vim");
    titled.title = "notes.txt".into();
    assert_eq!(
        status_of(&titled).status().title.as_deref(),
        Some("notes.txt")
    );
}

#[test]
fn a_dead_pane_exited_and_one_that_was_respawned_runs_again() {
    let mut dead = pane("make");
    dead.dead = Some(Death {
        code: Some(2),
        signal: None,
    });
    let mut status = status_of(&pane("make"));
    assert!(status.update(&dead, at(1)).contains(&Change::Lifecycle));
    let lifecycle = status.status().lifecycle;
    assert_eq!(
        (lifecycle.state, lifecycle.code),
        (LifecycleState::Exited, Some(2))
    );
    let id = status.id().to_owned();
    status.update(&pane("make"), at(2));
    assert_eq!(status.status().lifecycle.state, LifecycleState::Running);
    assert_eq!(status.status().id, id);
    dead.dead = Some(Death {
        code: None,
        signal: Some("KILL".into()),
    });
    assert_eq!(
        status_of(&dead).status().lifecycle.signal.as_deref(),
        Some("KILL")
    );
}

#[test]
fn marks_on_the_alternate_screen_are_a_programs() {
    let mut status = status_of(&pane("bash"));
    status.output(
        b"\x1b]133;A\x07\x1b]133;C;cmdline_url=vim\x07\x1b[?1049h\x1b]133;D\x07\x1b]133;A\x07",
        at(1),
    );
    assert_eq!(command(&status).as_deref(), Some("vim"));
    status.output(b"\x1b[?1049l\x1b]133;D;0\x07", at(2));
    assert_eq!(command(&status), None);
}

#[test]
fn a_window_shows_the_most_urgent_of_its_panes() {
    let mut waiting = status_of(&pane("pi"));
    waiting.output(b"\x1b]7501;state=blocked\x07", at(1));
    let statuses = [status_of(&pane("bash")).status(), waiting.status()];
    assert_eq!(most_urgent(&statuses), Some(State::Waiting));
    assert_eq!(most_urgent([]), None);
}

#[test]
fn the_directory_that_tmux_tells_counts_when_it_changes() {
    let mut status = status_of(&pane("bash"));
    let mut other = pane("bash");
    other.cwd = "/src/app".into();
    assert_eq!(status.update(&other, at(1)), [Change::Command]);
    assert_eq!(status.status().cwd.as_deref(), Some("/src/app"));
}
