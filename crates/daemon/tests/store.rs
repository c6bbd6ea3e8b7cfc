//! The journal on a disk that does not take it, and its bounds.
#![allow(clippy::unwrap_used, reason = "a test ends there")]

mod support;

use client::{Match, Since};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use status::EventKind;
use std::time::Instant;
use support::fake_holder::FakeHolder;
use support::{LIMIT, Place, all_events, title_is, until};

fn store_warning(place: &Place) -> Option<String> {
    let health = place.client().health().unwrap();
    let warning = health
        .warnings
        .into_iter()
        .find(|warning| warning.what == "store");
    warning.map(|warning| warning.message)
}

#[test]
fn on_a_full_disk_events_go_on_and_are_stored_once_there_is_room() {
    let place = Place::default();
    place.gate("gate");
    let daemon = place.daemon();
    let script = "printf '\\033]2;before\\a'; cat gate; printf '\\033]2;while full\\a'; sleep 1000";
    let id = place.terminal("work", script);
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut events, |event| title_is(event, "before"));
    let limit = |bytes| Rlimit {
        current: bytes,
        maximum: None,
    };
    let pid = Pid::from_child(&daemon.child);
    prlimit(Some(pid), Resource::Fsize, limit(Some(0))).unwrap();
    place.open_gate("gate");
    let seen = until(&mut events, |event| title_is(event, "while full"));
    let announced = seen.last().unwrap().clone();
    assert!(store_warning(&place).unwrap().contains("wigwag.db"));
    assert_eq!(all_events(&place.client(), 0).last(), Some(&announced));
    prlimit(Some(pid), Resource::Fsize, limit(None)).unwrap();
    let deadline = Instant::now() + LIMIT;
    while store_warning(&place).is_some() {
        assert!(Instant::now() < deadline);
    }
    // What was announced is what the next daemon has.
    daemon.kill();
    let _daemon = place.daemon();
    let all = all_events(&place.client(), 0);
    let own: Vec<_> = all.iter().filter(|event| event.terminal == id).collect();
    assert_eq!(
        own.iter()
            .filter(|event| title_is(event, "while full") && event.event == EventKind::Title)
            .count(),
        1
    );
    assert!(all.contains(&announced));
    assert!(all.is_sorted_by(|a, b| a.seq < b.seq));
}

#[test]
fn numbers_announced_on_a_full_disk_are_never_given_again() {
    let place = Place::default();
    place.gate("gate");
    let daemon = place.daemon();
    let script = "printf '\\033]2;before\\a'; cat gate; printf '\\033]2;while full\\a'; sleep 1000";
    place.terminal("work", script);
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut events, |event| title_is(event, "before"));
    let pid = Pid::from_child(&daemon.child);
    let full = Rlimit {
        current: Some(0),
        maximum: None,
    };
    prlimit(Some(pid), Resource::Fsize, full).unwrap();
    place.open_gate("gate");
    let seen = until(&mut events, |event| title_is(event, "while full"));
    let announced = seen.last().unwrap().seq;
    daemon.kill();
    let _daemon = place.daemon();
    // Whoever saw that number is told that it is unknown, and gets the whole state.
    let mut later = place.client().events(Since::Seq(announced), true).unwrap();
    let gap = until(&mut later, |event| event.event == EventKind::Gap);
    assert_eq!(
        gap.last()
            .unwrap()
            .status
            .as_ref()
            .unwrap()
            .title
            .as_deref(),
        Some("while full")
    );
    let all = all_events(&place.client(), 0);
    assert!(all.iter().any(|event| title_is(event, "while full")));
    assert!(all.iter().all(|event| event.seq < announced));
}

#[test]
fn without_a_usable_state_directory_terminals_are_served_and_the_reason_is_said() {
    let place = Place::default();
    // A directory where the database should be: unusable, also for root.
    std::fs::create_dir(place.paths.state.join("wigwag.db")).unwrap();
    let daemon = place.daemon();
    place.terminal("work", "printf '\\033]2;alive\\a'; sleep 1000");
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut events, |event| title_is(event, "alive"));
    assert!(store_warning(&place).unwrap().contains("wigwag.db"));
    assert_eq!(
        place
            .client()
            .find("work", Match::Exact)
            .unwrap()
            .title
            .as_deref(),
        Some("alive")
    );
    // And it is stored once the way is free.
    std::fs::remove_dir(place.paths.state.join("wigwag.db")).unwrap();
    let deadline = Instant::now() + LIMIT;
    while store_warning(&place).is_some() {
        assert!(Instant::now() < deadline);
    }
    daemon.kill();
    let _daemon = place.daemon();
    assert!(
        all_events(&place.client(), 0)
            .iter()
            .any(|event| title_is(event, "alive"))
    );
}

#[test]
fn more_than_a_holder_keeps_is_announced_as_a_gap() {
    let place = Place::default();
    let holder = FakeHolder::start(&place, 40);
    let daemon = place.daemon();
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    let seen = until(&mut events, |event| title_is(event, "title 40"));
    daemon.kill();
    holder.advance(1000);
    let _daemon = place.daemon();
    let since = seen.last().unwrap().seq;
    let mut later = place.client().events(Since::Seq(since), true).unwrap();
    let missed = until(&mut later, |event| {
        event.event == EventKind::Title && title_is(event, "title 1000")
    });
    assert_eq!(missed[0].event, EventKind::Gap);
    assert!(
        title_is(&missed[0], "title 1000"),
        "the status is the truth"
    );
    assert_eq!(missed.len() as u64, 1 + FakeHolder::KEPT);
}

#[test]
fn wrong_settings_are_said_with_their_line_and_right_ones_taken_without_a_restart() {
    let place = Place::default();
    std::fs::create_dir_all(&place.paths.config).unwrap();
    let file = place.paths.config.join("config.toml");
    std::fs::write(&file, "scrollback = 100\nnonsense = 1\n").unwrap();
    let _daemon = place.daemon();
    let warning = || {
        let health = place.client().health().unwrap();
        health
            .warnings
            .into_iter()
            .find(|warning| warning.what == "config")
    };
    let message = warning().unwrap().message;
    assert!(message.contains("config.toml:2: "), "{message}");
    std::fs::write(&file, "scrollback = 100\n").unwrap();
    let deadline = Instant::now() + LIMIT;
    while warning().is_some() {
        assert!(Instant::now() < deadline);
    }
}
