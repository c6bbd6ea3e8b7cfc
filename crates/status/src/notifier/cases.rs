//! The table of cases: what happens in terminals, and what a person is told.

use super::{Decision, Notifier, People, Person, Saved, Settings, Surface};
use crate::testing::{Tried, facts, report};
use crate::{AttentionKind, Change, Duration, Event, EventKind, Facts};
use signals::ReportState::{Blocked, Done, Error, Idle, Working};
use signals::{Kind, ProgressState, Report, Signal};
use std::collections::BTreeMap;

/// Some terminals, and a person who may be anywhere.
struct Day {
    notifier: Notifier,
    settings: Settings,
    terminals: BTreeMap<String, Tried>,
    ms: u64,
    told: Vec<String>,
}

const NOBODY: &str = "desktop+phone+command";

impl Day {
    fn new() -> Self {
        Self {
            notifier: Notifier::default(),
            settings: Settings::default(),
            terminals: BTreeMap::new(),
            ms: 0,
            told: Vec::new(),
        }
    }

    fn with(settings: Settings) -> Self {
        let mut day = Self::new();
        day.settings = settings;
        let decisions = day
            .notifier
            .settings(day.settings.clone(), [], Duration::ZERO);
        day.note(decisions);
        day
    }

    fn named(name: &str) -> Facts {
        Facts {
            id: name.into(),
            name: name.into(),
            ..facts()
        }
    }

    /// A terminal with a shell at its prompt.
    fn shell(&mut self, name: &str) -> &mut Self {
        let mut tried = Tried::of(Self::named(name));
        tried.foreground(1, "bash", true);
        tried.prompt();
        self.terminals.insert(name.into(), tried);
        self
    }

    /// A terminal with a program.
    fn program(&mut self, name: &str, line: &str) -> &mut Self {
        let facts = Facts {
            initial_command: Some(line.into()),
            ..Self::named(name)
        };
        let mut tried = Tried::of(facts);
        tried.ms = self.ms;
        self.terminals.insert(name.into(), tried);
        self
    }

    fn now(&self) -> Duration {
        Duration::from_millis(self.ms)
    }

    /// Something happens in a terminal.
    fn in_(&mut self, name: &str, happen: impl FnOnce(&mut Tried) -> Vec<Change>) -> &mut Self {
        let tried = self.terminals.get_mut(name).unwrap();
        tried.ms = self.ms;
        let changes = happen(tried);
        let status = tried.status();
        for change in changes {
            let decisions = self.notifier.changed(change, &status, self.now());
            self.note(decisions);
        }
        self
    }

    fn blocked(&mut self, name: &str, msg: &str) -> &mut Self {
        self.in_(name, |t| {
            t.signal(Signal::Report(Report {
                kind: Some(Kind::Permission),
                msg: Some(msg.into()),
                ..report("", Blocked)
            }))
        })
    }

    /// Time passes; what is due in it comes when it is due.
    fn wait_ms(&mut self, ms: u64) -> &mut Self {
        let end = self.ms + ms;
        while let Some(due) = self.notifier.deadline()
            && due.as_millis() as u64 <= end
        {
            self.ms = self.ms.max(due.as_millis() as u64);
            let decisions = self.notifier.tick(self.now());
            self.note(decisions);
        }
        self.ms = end;
        let names: Vec<String> = self.terminals.keys().cloned().collect();
        for name in names {
            self.in_(&name, Tried::tick);
        }
        self
    }

    fn wait(&mut self, seconds: u64) -> &mut Self {
        self.wait_ms(seconds * 1000)
    }

    /// A person sits before a window that shows this terminal, present.
    fn at_window_of(&mut self, name: &str) -> &mut Self {
        let person = Person {
            at: Surface::Window {
                terminal: name.into(),
                client: 1,
            },
            sees: Some(name.into()),
            active: self.now(),
        };
        let decisions = self.notifier.people(People(vec![person]), self.now());
        self.note(decisions);
        self.in_(name, |t| t.seen(true))
    }

    fn away(&mut self) -> &mut Self {
        let decisions = self.notifier.people(People::default(), self.now());
        self.note(decisions);
        self
    }

    fn note(&mut self, decisions: Vec<Decision>) {
        let places = |on: &[Surface]| {
            let place = |surface: &Surface| match surface {
                Surface::Window { terminal, .. } => format!("window of {terminal}"),
                Surface::Desktop => "desktop".to_owned(),
                Surface::Phone => "phone".to_owned(),
                Surface::Command => "command".to_owned(),
            };
            on.iter().map(place).collect::<Vec<_>>().join("+")
        };
        for decision in decisions {
            self.told.push(match decision {
                Decision::Raise { notice, on } | Decision::Replace { notice, on }
                    if on.is_empty() =>
                {
                    panic!("{notice:?} is told nowhere")
                }
                Decision::Raise { notice, on } => {
                    let body = notice.body.map(|body| format!(" | {body}"));
                    let body = body.unwrap_or_default();
                    format!("raise {}{body} @ {}", notice.title, places(&on))
                }
                Decision::Replace { notice, on } => {
                    let body = notice.body.map(|body| format!(" | {body}"));
                    let body = body.unwrap_or_default();
                    format!("replace {}{body} @ {}", notice.title, places(&on))
                }
                Decision::Withdraw { subject, on } => {
                    format!("withdraw {subject:?} @ {}", places(&on))
                }
            });
        }
    }

    /// What was told since the last look.
    #[track_caller]
    fn tells(&mut self, expected: &[&str]) -> &mut Self {
        assert_eq!(std::mem::take(&mut self.told), expected);
        self
    }

    /// Another daemon goes on.
    fn restart(&mut self) -> &mut Self {
        let saved = serde_json::to_string(&self.notifier.saved()).unwrap();
        let saved: Saved = serde_json::from_str(&saved).unwrap();
        self.notifier = Notifier::restore(saved);
        let statuses: Vec<_> = self.terminals.values().map(Tried::status).collect();
        let settings = self.settings.clone();
        let decisions = self.notifier.settings(settings, &statuses, self.now());
        self.note(decisions);
        self
    }
}

#[test]
fn a_long_command_that_failed_is_told_once_with_its_exit_code() {
    let mut day = Day::new();
    day.shell("zsh")
        .in_("zsh", |t| t.command("sleep 40; false"));
    day.wait(40).in_("zsh", |t| t.done(1)).tells(&[]);
    day.wait(1).tells(&[&format!(
        "raise zsh: failed | sleep 40; false (exit 1) @ {NOBODY}"
    )]);
    day.in_("zsh", Tried::prompt).wait(600).tells(&[]);
}

#[test]
fn a_program_that_ran_long_and_ended_well_is_told_once() {
    let mut day = Day::new();
    day.program("job", "sleep 40").wait(40);
    day.in_("job", |t| t.exit(0))
        .wait(600)
        .tells(&[&format!("raise job: finished | sleep 40 @ {NOBODY}")]);
}

#[test]
fn a_short_program_is_told_when_it_failed_only() {
    let mut day = Day::new();
    day.program("good", "true").in_("good", |t| t.exit(0));
    day.wait(9).tells(&[]);
    day.program("bad", "false").in_("bad", |t| t.exit(3));
    day.wait(9)
        .tells(&[&format!("raise bad: failed (exit 3) | false @ {NOBODY}")]);
}

#[test]
fn a_crash_is_told_once_with_its_signal() {
    let mut day = Day::new();
    day.program("app", "./app").in_("app", |t| {
        t.event(Event::Exited {
            code: None,
            signal: Some("SEGV".into()),
        })
    });
    day.wait(9).tells(&[&format!(
        "raise app: failed (signal SEGV) | ./app @ {NOBODY}"
    )]);
}

#[test]
fn blocked_for_half_a_second_was_nothing() {
    let mut day = Day::new();
    day.shell("pi").in_("pi", |t| t.command("pi"));
    day.blocked("pi", "Apply?").wait_ms(500);
    day.in_("pi", |t| t.report("", Working)).wait(60).tells(&[]);
}

#[test]
fn a_record_that_waits_is_told_with_what_for_and_withdrawn_when_it_works_again() {
    let mut day = Day::new();
    day.shell("pi").in_("pi", |t| t.command("pi"));
    day.blocked("pi", "Apply?").wait(1).tells(&[&format!(
        "raise pi: waiting for approval | Apply? @ {NOBODY}"
    )]);
    day.in_("pi", |t| t.report("", Working))
        .tells(&[&format!("withdraw Terminal(\"pi\") @ {NOBODY}")]);
}

#[test]
fn children_that_finish_while_the_root_works_are_silent() {
    let mut day = Day::new();
    day.shell("pi").in_("pi", |t| t.command("pi"));
    day.in_("pi", |t| t.report("", Working));
    for child in 0..8 {
        day.in_("pi", |t| t.report(&format!("task{child}"), Done));
        day.wait(5);
    }
    assert_eq!(day.terminals["pi"].status().state, crate::State::Working);
    day.tells(&[]);
}

#[test]
fn done_error_and_error_progress_are_told() {
    let mut day = Day::new();
    for name in ["a", "b", "c"] {
        day.shell(name).in_(name, |t| t.command("agent"));
    }
    day.in_("a", |t| t.report("", Done)).wait(10);
    day.in_("b", |t| t.report("", Error)).wait(10);
    day.in_("c", |t| t.progress(ProgressState::Error, Some(9)));
    day.wait(10).tells(&[
        &format!("raise a: finished | agent @ {NOBODY}"),
        &format!("raise b: failed | agent @ {NOBODY}"),
        &format!("raise c: failed | agent @ {NOBODY}"),
    ]);
}

#[test]
fn idle_and_working_are_not_told() {
    let mut day = Day::new();
    day.shell("pi").in_("pi", |t| t.command("pi"));
    day.in_("pi", |t| t.report("", Working)).wait(5);
    day.in_("pi", |t| t.report("", Idle)).wait(5).tells(&[]);
}

#[test]
fn a_bell_and_a_notification_are_told() {
    let mut day = Day::new();
    day.shell("a").in_("a", Tried::bell).wait(4);
    day.shell("b").in_("b", |t| t.notify("Build done")).wait(4);
    day.tells(&[
        &format!("raise a: needs attention @ {NOBODY}"),
        &format!("raise b: needs attention | Build done @ {NOBODY}"),
    ]);
}

#[test]
fn a_bell_that_comes_with_a_report_belongs_to_it() {
    let mut day = Day::new();
    day.shell("pi").in_("pi", |t| t.command("pi"));
    day.blocked("pi", "Apply?").in_("pi", Tried::bell);
    day.wait_ms(2000)
        .in_("pi", Tried::bell)
        .wait(10)
        .tells(&[&format!(
            "raise pi: waiting for approval | Apply? @ {NOBODY}"
        )]);
}

#[test]
fn what_happens_on_screen_is_never_told_nor_later() {
    let mut day = Day::new();
    day.shell("pi").at_window_of("pi");
    day.in_("pi", |t| t.command("pi"));
    day.blocked("pi", "Apply?").wait(300);
    day.away().wait(600).tells(&[]);
}

#[test]
fn a_present_person_is_told_where_they_are_and_the_phone_waits() {
    let mut day = Day::new();
    day.shell("desk").shell("pi").at_window_of("desk");
    day.blocked("pi", "Apply?").wait(1);
    day.tells(&["raise pi: waiting for approval | Apply? @ window of desk+command"]);
    day.wait(29).tells(&[]);
    day.wait(1)
        .tells(&["raise pi: waiting for approval | Apply? @ phone"]);
    day.in_("pi", |t| t.ack(None))
        .tells(&["withdraw Terminal(\"pi\") @ window of desk+command+phone"]);
}

#[test]
fn the_phone_is_told_at_once_when_the_last_person_leaves() {
    let mut day = Day::new();
    day.shell("desk").shell("pi").at_window_of("desk");
    day.blocked("pi", "Apply?").wait(10);
    day.told.clear();
    day.away()
        .tells(&["raise pi: waiting for approval | Apply? @ phone"]);
}

#[test]
fn the_phone_is_not_told_what_was_read_in_time() {
    let mut day = Day::new();
    day.shell("desk").shell("pi").at_window_of("desk");
    day.blocked("pi", "Apply?").wait(10);
    day.told.clear();
    day.at_window_of("pi")
        .tells(&["withdraw Terminal(\"pi\") @ window of desk+command"]);
    day.wait(600).tells(&[]);
}

#[test]
fn other_words_replace_in_silence() {
    let mut day = Day::new();
    day.shell("pi").in_("pi", |t| t.command("pi"));
    day.blocked("pi", "Apply?").wait(10);
    day.told.clear();
    day.blocked("pi", "Apply all 3?").tells(&[&format!(
        "replace pi: waiting for approval | Apply all 3? @ {NOBODY}"
    )]);
}

#[test]
fn a_terminal_is_told_of_every_three_seconds_at_most() {
    let mut day = Day::new();
    day.shell("log");
    for n in 0..30 {
        day.in_("log", |t| t.notify(&format!("line {n}")));
        day.wait_ms(300);
    }
    let raised = day.told.len();
    assert!((3..=4).contains(&raised), "{:?}", day.told);
}

#[test]
fn a_bell_that_stands_rings_no_second_time() {
    let mut day = Day::new();
    day.shell("log");
    for _ in 0..240 {
        day.in_("log", Tried::bell).wait_ms(250);
    }
    day.tells(&[&format!("raise log: needs attention @ {NOBODY}")]);
    assert!(day.terminals["log"].seq() > 200);
    // Nor does another daemon tell it again.
    day.restart().wait(60).tells(&[]);
}

#[test]
fn a_new_question_is_told_in_the_place_of_the_old_one() {
    let mut day = Day::new();
    day.shell("pi").in_("pi", |t| t.command("pi"));
    day.blocked("pi", "One?").wait(10);
    day.in_("pi", |t| t.report("", Working));
    day.blocked("pi", "Two?").wait(1).tells(&[
        &format!("raise pi: waiting for approval | One? @ {NOBODY}"),
        &format!("withdraw Terminal(\"pi\") @ {NOBODY}"),
        &format!("raise pi: waiting for approval | Two? @ {NOBODY}"),
    ]);
}

#[test]
fn ten_terminals_that_ask_at_once_are_one_notification() {
    let mut day = Day::new();
    let names: Vec<String> = (0..10).map(|n| format!("t{n}")).collect();
    for name in &names {
        day.shell(name);
    }
    for name in &names {
        day.blocked(name, "Apply?").wait_ms(20);
    }
    day.wait(10);
    let told = std::mem::take(&mut day.told);
    let raised: Vec<_> = told
        .iter()
        .filter(|line| line.starts_with("raise"))
        .collect();
    assert_eq!(raised.len(), 1, "{told:?}");
    assert!(
        told.last().unwrap().contains("10 terminals need you"),
        "{told:?}"
    );
    // It shrinks with what is seen, and goes with the last.
    for name in &names {
        day.in_(name, |t| t.ack(None));
    }
    day.wait(10);
    assert_eq!(
        day.told.last().unwrap(),
        &format!("withdraw Fold @ {NOBODY}")
    );
    assert!(day.told.iter().all(|line| !line.starts_with("raise")));
}

#[test]
fn twenty_are_told_in_a_minute_and_the_rest_in_one_line() {
    let mut day = Day::new();
    for n in 0..30 {
        let name = format!("t{n:02}");
        day.shell(&name);
        day.in_(&name, Tried::bell).wait_ms(1500);
    }
    day.wait(5);
    let raised = |day: &Day| {
        let raised = day.told.iter().filter(|line| line.starts_with("raise t"));
        raised.count()
    };
    assert_eq!(raised(&day), 20, "{:?}", day.told);
    assert!(
        day.told
            .iter()
            .any(|line| line.contains("10 terminals need you"))
    );
    // A minute later there is room again.
    day.wait(60).shell("late").in_("late", Tried::bell).wait(1);
    assert!(
        day.told
            .last()
            .unwrap()
            .starts_with("raise late: needs attention @")
    );
}

#[test]
fn the_most_urgent_comes_first() {
    let mut day = Day::new();
    day.shell("a").shell("b").shell("c");
    day.in_("a", |t| t.report("", Done));
    day.in_("b", Tried::bell);
    day.blocked("c", "Apply?");
    // All at the same tick.
    day.ms += 5000;
    let decisions = day.notifier.tick(day.now());
    day.note(decisions);
    let names: Vec<&str> = day.told.iter().map(|line| &line[6..7]).collect();
    assert_eq!(names, ["c", "b", "a"]);
}

#[test]
fn the_master_switch_kinds_and_mute_keep_silent_and_withdraw() {
    let mut day = Day::new();
    day.shell("pi");
    day.blocked("pi", "Apply?").wait(2);
    day.told.clear();
    day.in_("pi", |t| t.event(Event::Muted(true)))
        .tells(&[&format!("withdraw Terminal(\"pi\") @ {NOBODY}")]);
    day.wait(60).tells(&[]);

    let kinds = vec![AttentionKind::Waiting];
    let mut day = Day::with(Settings {
        kinds,
        ..Settings::default()
    });
    day.shell("a").in_("a", Tried::bell).wait(60).tells(&[]);
    day.blocked("a", "Apply?").wait(1);
    assert_eq!(day.told.len(), 1);

    let mut day = Day::with(Settings {
        enabled: false,
        ..Settings::default()
    });
    day.shell("a").blocked("a", "Apply?").wait(60).tells(&[]);
}

#[test]
fn without_text_nothing_is_said_but_state_words() {
    let mut day = Day::with(Settings {
        text: false,
        ..Settings::default()
    });
    day.shell("pi").in_("pi", |t| t.command("secret --token x"));
    day.blocked("pi", "Apply secret?").wait(9);
    day.in_("pi", |t| t.report("", Working)).told.pop();
    day.wait(60).in_("pi", |t| t.done(2)).wait(9);
    day.tells(&[
        &format!("raise pi: waiting for approval @ {NOBODY}"),
        &format!("raise pi: failed @ {NOBODY}"),
    ]);
}

#[test]
fn a_longer_threshold_keeps_shorter_commands_silent_and_the_state_as_it_is() {
    let mut day = Day::with(Settings {
        long_command: Duration::from_secs(60),
        ..Settings::default()
    });
    day.shell("zsh").in_("zsh", |t| t.command("make")).wait(40);
    day.in_("zsh", |t| t.done(2)).wait(9).tells(&[]);
    assert_eq!(day.terminals["zsh"].state(), crate::State::Failed);
    day.in_("zsh", |t| t.command("make")).wait(61);
    day.in_("zsh", |t| t.done(2)).wait(9);
    assert_eq!(day.told.len(), 1);
    // The short command after it takes nothing back.
    day.in_("zsh", |t| t.command("ls"))
        .in_("zsh", |t| t.done(0));
    day.wait(9);
    assert_eq!(day.told.len(), 1, "{:?}", day.told);
}

#[test]
fn a_shorter_threshold_tells_of_shorter_commands_until_somebody_types_again() {
    let mut day = Day::with(Settings {
        long_command: Duration::from_secs(10),
        ..Settings::default()
    });
    day.shell("zsh").in_("zsh", |t| t.command("make")).wait(12);
    day.in_("zsh", |t| t.done(2)).in_("zsh", Tried::prompt);
    day.wait(9)
        .tells(&[&format!("raise zsh: failed (exit 2) | make @ {NOBODY}")]);
    day.in_("zsh", |t| t.command("ls"))
        .tells(&[&format!("withdraw Terminal(\"zsh\") @ {NOBODY}")]);
    day.in_("zsh", |t| t.done(0)).wait(9).tells(&[]);
    // Nor of one that the person ended.
    day.in_("zsh", |t| t.command("make")).wait(12);
    day.in_("zsh", |t| t.done(130)).wait(9).tells(&[]);
}

#[test]
fn an_exit_of_130_after_the_person_s_own_ctrl_c_is_none() {
    let mut day = Day::new();
    day.program("job", "make").wait(60);
    day.in_("job", |t| t.event(Event::Interrupted));
    day.in_("job", |t| t.exit(130)).wait(9).tells(&[]);
}

#[test]
fn brought_back_is_told_again() {
    let mut day = Day::new();
    day.shell("pi").blocked("pi", "Apply?").wait(2);
    day.in_("pi", |t| t.ack(None)).told.clear();
    day.in_("pi", |t| t.event(Event::Unack { after: None }))
        .wait(4);
    day.tells(&[&format!(
        "raise pi: waiting for approval | Apply? @ {NOBODY}"
    )]);
}

#[test]
fn another_daemon_tells_nothing_twice_and_withdraws_what_the_first_told() {
    let mut day = Day::new();
    day.shell("pi").blocked("pi", "Apply?").wait(2);
    day.told.clear();
    day.restart().wait(600).tells(&[]);
    day.in_("pi", |t| t.ack(None))
        .tells(&[&format!("withdraw Terminal(\"pi\") @ {NOBODY}")]);
}

#[test]
fn another_daemon_tells_what_happened_in_between_and_withdraws_what_was_read() {
    let mut day = Day::new();
    day.shell("a").shell("b");
    day.blocked("a", "Apply?").wait(2);
    day.told.clear();
    // Nobody listens.
    day.terminals.get_mut("a").unwrap().ack(None);
    day.terminals.get_mut("b").unwrap().bell();
    day.restart().wait(2).tells(&[
        &format!("withdraw Terminal(\"a\") @ {NOBODY}"),
        &format!("raise b: needs attention @ {NOBODY}"),
    ]);
}

#[test]
fn another_daemon_withdraws_the_fold_of_the_first() {
    let mut day = Day::new();
    let names: Vec<String> = (0..6).map(|n| format!("t{n}")).collect();
    for name in &names {
        day.shell(name);
    }
    for name in &names {
        day.blocked(name, "Apply?");
    }
    day.wait(5);
    day.told.clear();
    day.restart().wait(60).tells(&[]);
    for name in &names {
        day.in_(name, |t| t.ack(None));
    }
    day.wait(5);
    assert_eq!(
        day.told.last().unwrap(),
        &format!("withdraw Fold @ {NOBODY}")
    );
}

#[test]
fn a_terminal_that_is_removed_or_lost_leaves_nothing_standing() {
    let mut day = Day::new();
    day.shell("a").blocked("a", "Apply?").wait(2);
    day.told.clear();
    let decisions = day.notifier.removed("a", day.now());
    day.note(decisions);
    day.tells(&[&format!("withdraw Terminal(\"a\") @ {NOBODY}")]);
    assert!(day.notifier.terminals().is_empty());
    assert_eq!(day.notifier.deadline(), None);
}

#[test]
fn nothing_is_kept_of_a_terminal_that_says_nothing() {
    let mut day = Day::new();
    day.shell("a").blocked("a", "Apply?").wait(2);
    day.in_("a", |t| t.ack(None)).wait(10);
    let decisions = day
        .notifier
        .changed(EventKind::Title, &day.terminals["a"].status(), day.now());
    assert!(decisions.is_empty());
    assert!(day.notifier.terminals().is_empty());
}
