//! People who are attached: what is told of them, and that they notice nothing.

use crate::support::{LIMIT, Tmux};
use std::time::Duration;

/// A person's client, in a pane of another server.
fn attach(outside: &Tmux, tmux: &Tmux, arguments: &str) {
    let command = format!(
        "exec env -u TMUX -u TMUX_PANE TERM=screen tmux -u -S '{}' {arguments}",
        tmux.socket().display()
    );
    outside.run(&[
        "new-session",
        "-d",
        "-s",
        "person",
        "-x",
        "100",
        "-y",
        "30",
        &command,
    ]);
}

async fn until(what: &str, is_true: impl Fn() -> bool) {
    let wait = async {
        while !is_true() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(
        tokio::time::timeout(LIMIT, wait).await.is_ok(),
        "never {what}"
    );
}

#[tokio::test]
async fn a_person_is_told_with_what_they_see_and_when_they_leave() {
    let (outside, tmux) = (Tmux::none(), Tmux::start());
    tmux.run(&["split-window", "-d", "-t", "main:0"]);
    tmux.run(&["new-window", "-d", "-t", "main:1"]);
    let mut watched = tmux.watch();
    watched.until_panes(3).await;
    assert_eq!(watched.seen.viewers, []);
    attach(&outside, &tmux, "attach -t main");
    let (first, second, third) = (
        tmux.pane("main:0.0"),
        tmux.pane("main:0.1"),
        tmux.pane("main:1"),
    );
    let shows = |panes: Vec<tmux::id::PaneId>| move |seen: &crate::support::Seen| matches!(&seen.viewers[..], [viewer] if viewer.shows == panes);
    watched
        .until("the person", shows(vec![first, second]))
        .await;
    assert_eq!(watched.seen.viewers[0].pane, first);
    tmux.run(&["select-window", "-t", "main:1"]);
    watched.until("the other window", shows(vec![third])).await;
    tmux.run(&["select-window", "-t", "main:0"]);
    watched
        .until("the window again", shows(vec![first, second]))
        .await;
    tmux.run(&["resize-pane", "-Z", "-t", "main:0.0"]);
    watched.until("the zoomed pane", shows(vec![first])).await;
    outside.run(&["kill-server"]);
    watched
        .until("nobody", |seen| seen.viewers.is_empty())
        .await;
}

#[tokio::test]
async fn a_person_notices_nothing() {
    let (outside, tmux) = (Tmux::none(), Tmux::start());
    tmux.run(&["new-session", "-d", "-s", "other"]);
    attach(&outside, &tmux, "attach -t main");
    let facts = || {
        let all = "#{session_name} #{window_width}x#{window_height} #{pane_id} #{pane_width}x#{pane_height} #{window_active} #{pane_in_mode}";
        [
            tmux.run(&["list-panes", "-a", "-F", all]),
            tmux.run(&["show-options", "-s"]),
            tmux.run(&["show-options", "-g"]),
            tmux.run(&["show-options", "-g", "-w"]),
            tmux.run(&["show-options", "-t", "main"]),
            tmux.run(&["show-options", "-w", "-t", "main"]),
            tmux.run(&["show-environment", "-t", "main"]),
            tmux.run(&["show-environment", "-g"]),
            tmux.run(&["show-hooks", "-g"]),
            tmux.run(&["list-buffers"]),
            tmux.run(&["list-keys"]),
        ]
    };
    until("the person's size", || {
        tmux.format("main:", "#{window_width}") == "100"
    })
    .await;
    // After the person came: their own attaching updates it.
    tmux.run(&[
        "set-environment",
        "-t",
        "main",
        "SSH_AUTH_SOCK",
        "/persons/agent",
    ]);
    let before = facts();
    let mut watched = tmux.watch();
    watched.until_panes(2).await;
    watched
        .until("the person", |seen| seen.viewers.len() == 1)
        .await;
    assert_eq!(facts(), before);
    // The watcher leaves; nothing stays of it.
    drop(watched.events);
    watched.watching.await.unwrap();
    until("our clients gone", || {
        !tmux
            .run(&["list-clients", "-F", "#{client_flags}"])
            .contains("control-mode")
    })
    .await;
    assert_eq!(facts(), before);
}

#[tokio::test]
async fn a_session_that_ends_with_its_last_person_does_so() {
    let (outside, tmux) = (Tmux::none(), Tmux::start());
    // First of all the watcher: tmux 3.3a may crash where any of its processes ends just as a person
    // attaches to such a session, and a watcher that begins starts two.
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    attach(
        &outside,
        &tmux,
        "new-session -s fleeting \\; set-option destroy-unattached on",
    );
    watched
        .until("the session", |seen| {
            seen.viewers.len() == 1
                && seen.panes.len() == 2
                && seen.panes.values().all(|pane| pane.watched)
        })
        .await;
    outside.run(&["kill-server"]);
    watched
        .until("the session gone", |seen| seen.panes.len() == 1)
        .await;
    assert_eq!(
        tmux.run(&["list-sessions", "-F", "#{session_name}"]),
        "main"
    );
}

#[tokio::test]
async fn a_server_that_ends_with_its_last_person_does_so() {
    let (outside, tmux) = (Tmux::none(), Tmux::none());
    attach(
        &outside,
        &tmux,
        "new-session -s fleeting \\; set-option -s exit-unattached on",
    );
    until("the server", || {
        tmux.try_run(&["has-session"]).status.success()
    })
    .await;
    let mut watched = tmux.watch();
    watched
        .until("the person", |seen| seen.viewers.len() == 1)
        .await;
    watched.until_panes(1).await;
    outside.run(&["kill-server"]);
    watched
        .until("the server gone", |seen| seen.left == 1)
        .await;
}

#[tokio::test]
async fn the_session_that_was_used_last_stays_the_one_that_tmux_chooses() {
    let tmux = Tmux::start();
    tmux.run(&["new-session", "-d", "-s", "later"]);
    // tmux's clock of sessions counts seconds.
    let second = tmux.format("main:", "#{session_activity}");
    let attach = || {
        tmux.try_run(&["-C", "attach-session", "-t", "main"])
            .status
            .success()
    };
    until("main used last", || {
        attach()
            && tmux.format("main:", "#{session_activity}")
                > tmux.format("later:", "#{session_activity}")
    })
    .await;
    assert!(tmux.format("main:", "#{session_activity}") > second);
    let chosen = || tmux.run(&["display-message", "-p", "#{session_name}"]);
    let mut watched = tmux.watch();
    watched.until_panes(2).await;
    drop(watched.events);
    watched.watching.await.unwrap();
    until("our clients gone", || {
        tmux.run(&["list-clients"]).is_empty()
    })
    .await;
    assert_eq!(chosen(), "main");
}
