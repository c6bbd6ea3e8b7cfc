//! What is true after any sequence of events whatsoever.

use crate::testing::{at, facts, report};
use crate::{
    Change, Duration, Event, Facts, Foreground, Now, Record, RecordState, Size, Status, Terminal,
};
use proptest::collection::vec;
use proptest::prelude::*;
use signals::{
    Clear, Cwd, Kind, Mark, Notification, Progress, ProgressState, Report, ReportState, Signal,
};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["", "[ab\u{7}\u{202e}\n]{1,3}", "x{250,260}"]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof!["", "[ab]", "[ab]/[ab]", "r[0-9]{1,3}"]
}

fn mark() -> impl Strategy<Value = Mark> {
    prop_oneof![
        Just(Mark::Prompt),
        Just(Mark::NewPrompt),
        Just(Mark::PromptIfNone),
        Just(Mark::Input),
        proptest::option::of(text()).prop_map(Mark::Command),
        proptest::option::of(prop_oneof![Just(0), Just(1), Just(130)]).prop_map(Mark::CommandDone),
    ]
}

fn a_report() -> impl Strategy<Value = Report> {
    let state = prop_oneof![
        Just(ReportState::Idle),
        Just(ReportState::Working),
        Just(ReportState::Done),
        Just(ReportState::Blocked),
        Just(ReportState::Error),
    ];
    let msg = proptest::option::of(text());
    let kind = proptest::option::of(Just(Kind::Question));
    (id(), state, kind, msg).prop_map(|(id, state, kind, msg)| Report {
        kind: kind.filter(|_| state == ReportState::Blocked),
        msg,
        ..report(&id, state)
    })
}

fn signal() -> impl Strategy<Value = Signal> {
    let progress = prop_oneof![
        Just(ProgressState::Clear),
        Just(ProgressState::Normal),
        Just(ProgressState::Error),
        Just(ProgressState::Busy),
        Just(ProgressState::Paused),
    ];
    let notification = (
        proptest::option::of(text()),
        text(),
        proptest::option::of("[ab]"),
    );
    let aid = proptest::option::of("own|else");
    prop_oneof![
        2 => Just(Signal::Bell),
        2 => text().prop_map(Signal::Title),
        1 => Just(Signal::TitlePush),
        1 => Just(Signal::TitlePop),
        3 => progress.prop_map(|state| Signal::Progress(Progress { state, percent: None })),
        2 => notification.prop_map(|(title, body, id)| {
            Signal::Notify(Notification { title, body, id })
        }),
        1 => "[ab]".prop_map(Signal::NotifyClose),
        6 => (mark(), aid).prop_map(|(mark, aid)| Signal::Mark { mark, aid }),
        1 => proptest::option::of(text().prop_map(|path| Cwd { host: None, path }))
            .prop_map(Signal::Cwd),
        6 => a_report().prop_map(Signal::Report),
        1 => id().prop_map(|id| Signal::Clear(Clear { id })),
        1 => Just(Signal::Reset),
    ]
}

fn foreground() -> impl Strategy<Value = Option<Foreground>> {
    let one = (1..3i32, "fish|vim").prop_map(|(pgid, name)| Foreground {
        pgid,
        name,
        is_shell: pgid == 1,
    });
    proptest::option::of(one)
}

fn event() -> impl Strategy<Value = Event> {
    let seq = || proptest::option::of(0..6u64);
    let after = proptest::option::of((0..100u64).prop_map(Duration::from_secs));
    prop_oneof![
        20 => (signal(), any::<bool>()).prop_map(|(signal, alternate)| Event::Signal {
            signal,
            alternate_screen: alternate,
        }),
        1 => Just(Event::Started),
        1 => prop_oneof![Just(0), Just(3), Just(130)].prop_map(|code| Event::Exited {
            code: Some(code),
            signal: None,
        }),
        1 => proptest::option::of(Just("own".to_owned())).prop_map(|own_aid| {
            Event::ReturnedToShell { code: Some(1), signal: None, own_aid }
        }),
        1 => Just(Event::ShellReplaced),
        1 => proptest::option::of(Just("agent".to_owned())).prop_map(Event::Carries),
        1 => Just(Event::Lost),
        4 => foreground().prop_map(Event::Foreground),
        3 => (0..3u32, any::<bool>()).prop_map(|(count, seen)| Event::Clients { count, seen }),
        2 => seq().prop_map(|seq| Event::Ack { seq }),
        2 => after.prop_map(|after| Event::Unack { after }),
        1 => proptest::option::of(id()).prop_map(|id| Event::ClearRecords { id }),
        1 => Just(Event::Interrupted),
        1 => Just(Event::EndOrdered),
        1 => text().prop_map(Event::Renamed),
        1 => (1..3u16).prop_map(|cols| Event::Resized(Size { cols, rows: 1 })),
        1 => any::<bool>().prop_map(Event::Muted),
        2 => Just(Event::Tick),
    ]
}

/// An event, the time since the one before, and where the wall clock stands by then.
fn moment() -> impl Strategy<Value = (Event, u64, i64)> {
    let passed = prop_oneof![0..5u64, 0..400u64, 0..40_000u64, 0..10_000_000u64];
    (event(), passed, -10_000..10_000i64)
}

fn a_terminal() -> impl Strategy<Value = Facts> {
    let initial_command = proptest::option::of(Just("pi".to_owned()));
    let own_aid = proptest::option::of(Just("own".to_owned()));
    (initial_command, own_aid).prop_map(|(initial_command, own_aid)| Facts {
        initial_command,
        own_aid,
        ..facts()
    })
}

fn seq(status: &Status) -> u64 {
    status.attention.as_ref().map_or(0, |entry| entry.seq)
}

fn check(terminal: &mut Terminal, before: &Status, changes: &[Change], now: Now) {
    let after = terminal.status();
    // Nothing that a client sees changes in silence.
    if changes.is_empty() {
        assert_eq!(before, &after);
    }
    for change in changes {
        let times = changes.iter().filter(|other| *other == change).count();
        assert_eq!(times, 1, "{changes:?}");
    }
    assert!(after.reports.len() <= 256);
    assert!(seq(&after) >= seq(before), "numbers only grow");
    if let (Some(old), Some(new)) = (&before.attention, &after.attention)
        && old.seq == new.seq
    {
        assert!(old.unread || !new.unread, "a read entry stays read");
    }
    if after.lifecycle.is_over() {
        assert_eq!((after.progress, &after.command), (None, &None));
        let running = |r: &Record| !matches!(r.state, RecordState::Done | RecordState::Error);
        assert!(!after.reports.iter().any(running));
    }
    assert!(
        after
            .last_command
            .as_ref()
            .is_none_or(|last| last.seconds >= 0.0)
    );
    // A tick with nothing due changes nothing, and leaves a deadline that is still to come.
    assert_eq!(terminal.apply(Event::Tick, now), []);
    assert!(terminal.deadline().is_none_or(|due| due > now.mono));
    // The status is all there is: stored and read, it is the same.
    let written = serde_json::to_string(&after).unwrap();
    assert_eq!(serde_json::from_str::<Status>(&written).unwrap(), after);
    let lost = after.into_lost(now.wall);
    assert!(lost.lifecycle.is_over());
    assert_eq!(lost.clone().into_lost(at(0).wall), lost);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..Default::default() })]

    #[test]
    fn hold_after_any_sequence_of_events(facts in a_terminal(), moments in vec(moment(), 1..80)) {
        let mut terminal = Terminal::new(facts, at(0));
        let mut mono = at(0).mono;
        for (event, passed, wall) in moments {
            mono += Duration::from_millis(passed);
            let wall = at(0).wall + jiff::SignedDuration::from_secs(wall);
            let now = Now { mono, wall };
            let before = terminal.status();
            let changes = terminal.apply(event, now);
            check(&mut terminal, &before, &changes, now);
        }
    }

    #[test]
    fn a_late_tick_makes_no_difference(moments in vec(moment(), 1..40)) {
        // One terminal is ticked whenever its deadline says so, the other never.
        let (mut ticked, mut lazy) = (Terminal::new(facts(), at(0)), Terminal::new(facts(), at(0)));
        let mut mono = at(0).mono;
        for (event, passed, _) in moments {
            let until = mono + Duration::from_millis(passed);
            let wall = at(0).wall;
            while let Some(due) = ticked.deadline().filter(|due| *due <= until) {
                mono = mono.max(due);
                ticked.apply(Event::Tick, Now { mono, wall });
                prop_assert_ne!(ticked.deadline(), Some(due));
            }
            mono = until;
            ticked.apply(event.clone(), Now { mono, wall });
            lazy.apply(event, Now { mono, wall });
            let (one, other) = (ticked.status(), lazy.status());
            prop_assert_eq!((one.state, one.progress, &one.reports), (other.state, other.progress, &other.reports));
        }
    }
}

proptest! {
    // Few cases: each is a full set of records, and then some.
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() })]

    #[test]
    fn hold_however_many_records_are_reported(reports in vec(a_report(), 250..600)) {
        let mut terminal = Terminal::new(facts(), at(0));
        for (number, mut report) in reports.into_iter().enumerate() {
            report.id = format!("{}/{number}", report.id).trim_matches('/').to_owned();
            let signal = Signal::Report(report);
            terminal.apply(Event::Signal { signal, alternate_screen: false }, at(0));
        }
        prop_assert!(terminal.status().reports.len() <= 256);
        prop_assert!(terminal.status().reports.len() >= 250);
    }
}
