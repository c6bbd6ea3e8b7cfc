//! Servers that die, hang, are too old; clients that are killed.

use crate::support::{Tmux, Watched};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tmux::server::{Error, Server};
use tmux::watch::Options;

fn pid(words: &str) -> Pid {
    Pid::from_raw(words.parse().unwrap()).unwrap()
}

#[tokio::test]
async fn a_server_that_is_killed_is_gone_and_its_successor_is_another() {
    let tmux = Tmux::start();
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    let first = watched.seen.appeared[0].clone();
    kill_process(pid(&tmux.format("main:", "#{pid}")), Signal::KILL).unwrap();
    watched
        .until("the server gone", |seen| seen.left == 1)
        .await;
    watched.watching.await.unwrap();

    tmux.run(&["new-session", "-d", "-s", "main"]);
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    assert_ne!(watched.seen.appeared[0], first);
}

#[tokio::test]
async fn a_client_that_is_killed_is_replaced_and_states_stay() {
    let tmux = Tmux::start();
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    let pane = tmux.pane("main:");
    kill_process(
        pid(&tmux.run(&["list-clients", "-F", "#{client_pid}"])),
        Signal::KILL,
    )
    .unwrap();
    watched
        .until("it is not followed", |seen| !seen.panes[&pane].watched)
        .await;
    watched
        .until("it is followed again", |seen| seen.panes[&pane].watched)
        .await;
    tmux.type_line("main:", "echo af'ter'");
    watched
        .until("output", |seen| seen.printed(pane, "after"))
        .await;
    assert_eq!((watched.seen.left, watched.seen.appeared.len()), (0, 1));
    assert!(watched.seen.gaps.contains(&pane));
}

/// A process that stands still, until this is dropped.
struct Stopped(Pid);

impl Stopped {
    fn stop(process: Pid) -> Self {
        kill_process(process, Signal::STOP).unwrap();
        Self(process)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_said_and_found_again() {
    let tmux = Tmux::start();
    let server = Stopped::stop(pid(&tmux.format("main:", "#{pid}")));
    let mut watched = tmux.watch();
    // Another is not held up by it.
    let another = Tmux::start();
    another.watch().until_panes(1).await;
    watched
        .until("it is said", |seen| !seen.unusable.is_empty())
        .await;
    assert!(
        watched.seen.unusable[0].contains("does not answer"),
        "{:?}",
        watched.seen.unusable
    );
    drop(server);
    watched.until_panes(1).await;
}

#[tokio::test]
async fn a_tmux_that_is_too_old_is_said() {
    let tmux = Tmux::none();
    let program = tmux.directory.path().join("old-tmux");
    let script = "#!/bin/sh\n[ \"$1\" = -V ] && { echo tmux 3.1c; exit; }\necho 'usage: tmux [-2CluvV]' >&2\nexit 1\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let server = Server::with_program(tmux.socket(), &program);
    let mut watched = Watched::start(server, Options::default());
    watched
        .until("it is said", |seen| !seen.unusable.is_empty())
        .await;
    assert_eq!(
        watched.seen.unusable,
        ["tmux 3.1c is too old: 3.2 or later is needed"]
    );
    watched.watching.await.unwrap();
}

#[tokio::test]
async fn a_socket_without_a_server_is_skipped_and_none_is_started() {
    let tmux = Tmux::none();
    drop(std::os::unix::net::UnixListener::bind(tmux.socket()).unwrap());
    let mut watched = tmux.watch();
    (&mut watched.watching).await.unwrap();
    watched.until_quiet(Duration::from_secs(1)).await;
    assert_eq!(
        (watched.seen.appeared.len(), watched.seen.unusable.len()),
        (0, 0)
    );
    assert!(matches!(
        tmux.server().identify().await,
        Err(Error::Gone(_))
    ));
}

#[tokio::test]
async fn a_server_that_answers_no_protocol_is_bounded() {
    let tmux = Tmux::none();
    // It takes connections and says nothing.
    let _listener = std::os::unix::net::UnixListener::bind(tmux.socket()).unwrap();
    let mut watched = tmux.watch();
    watched
        .until("it is said", |seen| !seen.unusable.is_empty())
        .await;
}

#[tokio::test]
async fn a_missing_program_is_said_with_what_to_do() {
    let tmux = Tmux::none();
    let server = Server::with_program(tmux.socket(), tmux.directory.path().join("none"));
    let error = server.identify().await.unwrap_err().to_string();
    assert!(error.contains("install tmux 3.2"), "{error}");
}

#[tokio::test]
async fn a_consumer_that_stands_still_costs_a_gap_and_then_all_is_right() {
    let tmux = Tmux::start();
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    let pane = tmux.pane("main:");
    // More than is kept anywhere, and again after tmux's limit of a second.
    let flood = "for i in 1 2 3 4; do head -c 6000000 /dev/zero | tr '\\0' x; sleep 1.5; done";
    tmux.type_line("main:", &format!("{flood}; : > written"));
    let written = tmux.directory.path().join("written");
    let wait = async {
        while !written.exists() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let done = tokio::time::timeout(crate::support::LIMIT, wait).await;
    assert!(done.is_ok(), "the program was held up");
    watched
        .until("a gap", |seen| seen.gaps.contains(&pane))
        .await;
    tmux.type_line("main:", "echo af'ter'");
    watched
        .until("what comes after", |seen| seen.printed(pane, "after"))
        .await;
}
