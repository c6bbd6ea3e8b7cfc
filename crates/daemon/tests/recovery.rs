//! What a daemon that died, or holders that died, leave behind.
#![allow(clippy::unwrap_used, reason = "a test ends there")]

mod support;

use client::{Client, Match, Since};
use rustix::process::{Signal, kill_process};
use status::{EventKind, LifecycleState, State};
use std::os::unix::net::UnixListener;
use support::{Place, all_events, has_exited, is_exited, title_is, until};

/// Titles of a terminal's journal, in order.
fn titles(events: &[status::JournalEvent]) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    for event in events {
        if event.event == EventKind::Title {
            titles.extend(
                event
                    .status
                    .as_ref()
                    .and_then(|status| status.title.clone()),
            );
        }
    }
    titles
}

#[test]
fn a_killed_daemon_loses_nothing_and_repeats_nothing() {
    let place = Place::default();
    place.gate("gate");
    let daemon = place.daemon();
    let script = "printf '\\033]2;first\\a'; cat gate; \
                  printf '\\033]2;second\\a\\033]2;third\\a'; sleep 1000";
    let id = place.terminal("work", script);
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    let seen = until(&mut events, |event| title_is(event, "first"));
    let last = seen.last().unwrap().seq;
    daemon.kill();
    place.open_gate("gate");
    // The program went on with nobody there; the next daemon tells it.
    let _daemon = place.daemon();
    let mut later = place.client().events(Since::Seq(last), true).unwrap();
    let missed = until(&mut later, |event| title_is(event, "third"));
    assert_eq!(titles(&missed), ["second", "third"]);

    let all = all_events(&place.client(), 0);
    let own: Vec<_> = all
        .iter()
        .filter(|event| event.terminal == id)
        .cloned()
        .collect();
    assert_eq!(titles(&own), ["first", "second", "third"]);
    assert!(all.is_sorted_by(|a, b| a.seq < b.seq));
}

#[test]
fn a_client_s_stream_goes_on_across_a_killed_daemon() {
    let place = Place::default();
    place.gate("gate");
    let client = Client::connect_with(&place.paths, place.launch()).unwrap();
    let script = "printf '\\033]2;before\\a'; cat gate; printf '\\033]2;after\\a'; sleep 1000";
    place.terminal("work", script);
    let mut events = client.events(Since::Seq(0), true).unwrap();
    let before = until(&mut events, |event| title_is(event, "before"));
    let pid = client.health().unwrap().pid;
    kill_process(
        rustix::process::Pid::from_raw(pid as i32).unwrap(),
        Signal::KILL,
    )
    .unwrap();
    place.open_gate("gate");
    let after = until(&mut events, |event| title_is(event, "after"));
    assert!(before.last().unwrap().seq < after[0].seq);
    assert_eq!(titles(&after), ["after"]);
    // Calls start it again, too, and find the other process.
    let pid = client.health().unwrap().pid;
    assert_eq!(
        client.find("work", Match::Exact).unwrap().title.as_deref(),
        Some("after")
    );
    kill_process(
        rustix::process::Pid::from_raw(pid as i32).unwrap(),
        Signal::KILL,
    )
    .unwrap();
    assert_eq!(client.list().unwrap().len(), 1);
    let pid = client.health().unwrap().pid;
    kill_process(
        rustix::process::Pid::from_raw(pid as i32).unwrap(),
        Signal::KILL,
    )
    .unwrap();
}

#[test]
fn of_daemons_started_at_once_one_serves_and_the_others_leave_quietly() {
    let place = Place::default();
    let mut children: Vec<_> = (0..8).map(|_| place.command().spawn().unwrap()).collect();
    // One is left when seven have gone.
    let mut served = place.daemon();
    assert!(served.child.wait().unwrap().success());
    let pid = place.client().health().unwrap().pid;
    for child in &mut children {
        if child.id() != pid {
            assert!(child.wait().unwrap().success());
        }
    }
    let mut last = children
        .into_iter()
        .find(|child| child.id() == pid)
        .unwrap();
    assert_eq!(place.client().health().unwrap().pid, pid);
    last.kill().unwrap();
    last.wait().unwrap();
}

#[test]
fn a_socket_of_a_dead_process_is_replaced() {
    let place = Place::default();
    drop(UnixListener::bind(place.paths.daemon_socket()).unwrap());
    assert!(Client::connect_existing(&place.paths).is_err());
    let _daemon = place.daemon();
    place.client().health().unwrap();
}

#[test]
fn a_terminal_whose_holder_was_killed_is_lost_and_can_be_run_again() {
    let place = Place::default();
    let _daemon = place.daemon();
    let id = place.terminal("work", "printf '\\033]2;busy\\a'; sleep 1000");
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut events, |event| title_is(event, "busy"));
    kill_process(place.holder_pid(&id).unwrap(), Signal::KILL).unwrap();
    let lost = until(&mut events, |event| {
        let status = event.status.as_ref();
        status.is_some_and(|status| status.lifecycle.state == LifecycleState::Lost)
    });
    assert_eq!(lost.last().unwrap().event, EventKind::Lifecycle);
    let status = place.client().find("work", Match::Exact).unwrap();
    assert_eq!(
        (status.state, status.title.as_deref()),
        (State::Failed, Some("busy")),
        "nobody has seen that it was lost"
    );
    place.client().restart("work").unwrap();
    let status = place.client().find("work", Match::Exact).unwrap();
    assert_eq!(status.lifecycle.state, LifecycleState::Running);
    assert_eq!(status.id, id);
}

#[test]
fn a_terminal_lost_while_no_daemon_ran_is_announced_once() {
    let place = Place::default();
    let daemon = place.daemon();
    let id = place.terminal("work", "sleep 1000");
    let holder = place.holder_pid(&id).unwrap();
    daemon.kill();
    kill_process(holder, Signal::KILL).unwrap();
    let count = || {
        let all = all_events(&place.client(), 0);
        let lost = all.iter().filter(|event| {
            let status = event.status.as_ref();
            status.is_some_and(|status| status.lifecycle.state == LifecycleState::Lost)
        });
        lost.count()
    };
    let daemon = place.daemon();
    assert_eq!(place.client().list().unwrap()[0].state, State::Lost);
    assert_eq!(count(), 1);
    daemon.kill();
    let _daemon = place.daemon();
    assert_eq!(place.client().list().unwrap()[0].state, State::Lost);
    assert_eq!(count(), 1);
}

#[test]
fn an_exited_terminal_stays_with_its_code_until_it_is_removed() {
    let place = Place::default();
    let daemon = place.daemon();
    place.terminal("work", "exit 3");
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut events, has_exited);
    daemon.kill();
    let _daemon = place.daemon();
    let status = place.client().find("work", Match::Exact).unwrap();
    assert!(is_exited(&status));
    assert_eq!(
        (status.lifecycle.code, status.state),
        (Some(3), State::Failed)
    );
    place
        .client()
        .ack("work", &client::AckBody::default())
        .unwrap();
    let status = place.client().find("work", Match::Exact).unwrap();
    assert_eq!(status.state, State::Exited);
    place.client().remove("work", false).unwrap();
    assert_eq!(place.client().list().unwrap(), []);
    let last = all_events(&place.client(), 0).pop().unwrap();
    assert_eq!((last.event, last.status), (EventKind::Removed, None));
}

#[test]
fn what_a_person_read_of_a_lost_terminal_stays_read() {
    let place = Place::default();
    let daemon = place.daemon();
    let id = place.terminal("work", "printf '\\a'; sleep 1000");
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut events, |event| event.event == EventKind::Attention);
    kill_process(place.holder_pid(&id).unwrap(), Signal::KILL).unwrap();
    until(&mut events, |event| {
        event.event == EventKind::Lifecycle
            && event.status.as_ref().unwrap().lifecycle.state == LifecycleState::Lost
    });
    place
        .client()
        .ack("work", &client::AckBody::default())
        .unwrap();
    daemon.kill();
    let _daemon = place.daemon();
    let status = place.client().find("work", Match::Exact).unwrap();
    assert!(!status.attention.unwrap().unread);
}

#[test]
fn a_daemon_that_is_told_to_stop_leaves_terminals_alone() {
    let place = Place::default();
    let mut daemon = place.daemon();
    let id = place.terminal("work", "sleep 1000");
    let pid = rustix::process::Pid::from_child(&daemon.child);
    kill_process(pid, Signal::TERM).unwrap();
    assert!(daemon.child.wait().unwrap().success());
    assert!(!place.paths.daemon_socket().exists());
    assert!(place.holder_pid(&id).is_some());
}

#[test]
fn a_daemon_whose_socket_was_removed_gives_way_to_one_that_can_be_reached() {
    let place = Place::default();
    let mut daemon = place.daemon();
    std::fs::remove_file(place.paths.daemon_socket()).unwrap();
    let client = Client::connect_with(&place.paths, place.launch()).unwrap();
    let pid = client.health().unwrap().pid;
    assert_ne!(pid, daemon.child.id());
    assert!(daemon.child.wait().unwrap().success());
    kill_process(
        rustix::process::Pid::from_raw(pid as i32).unwrap(),
        Signal::KILL,
    )
    .unwrap();
}

#[test]
fn a_terminal_restarted_beside_the_daemon_is_running_in_the_very_next_listing() {
    let place = Place::default();
    let _daemon = place.daemon();
    place.gate("gate");
    let id = place.terminal(
        "work",
        "cat gate; [ -e again ] && sleep 1000; touch again; exit 1",
    );
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    place.open_gate("gate");
    until(&mut events, has_exited);
    let mut restart = place.command();
    assert!(restart.args(["restart", &id]).status().unwrap().success());
    let list = place.client().list().unwrap();
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].lifecycle.state, LifecycleState::Running);
    // It was never lost.
    let all = all_events(&place.client(), 0);
    let lost = |event: &status::JournalEvent| {
        let status = event.status.as_ref();
        status.is_some_and(|status| status.lifecycle.state == LifecycleState::Lost)
    };
    assert!(!all.iter().any(lost));
}
