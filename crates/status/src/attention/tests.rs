//! Each rule of attention and notifications, by name.

use super::*;
use crate::testing::{Tried, at_ms, facts, report};
use crate::{Change, Event, Facts, State};
use signals::ReportState::{Blocked, Done, Error, Idle, Working};
use signals::{Mark, Notification, Report, Signal};

use AttentionKind::{Bell, Command, Exit, Failed, Finished, Notify, Waiting};

fn agent() -> Tried {
    let mut shell = Tried::shell();
    shell.command("pi");
    shell
}

fn says(id: &str, state: signals::ReportState, msg: &str) -> Signal {
    Signal::Report(Report {
        msg: Some(msg.into()),
        ..report(id, state)
    })
}

fn osc99(id: &str, body: &str) -> Signal {
    Signal::Notify(Notification {
        title: None,
        body: body.into(),
        id: Some(id.into()),
    })
}

#[test]
fn each_cause_has_its_kind() {
    let mut pi = agent();
    for (state, kind) in [(Blocked, Waiting), (Done, Finished), (Error, Failed)] {
        pi.report("", state);
        assert_eq!(pi.entry(), Some((kind, true)));
    }
    let mut pi = agent();
    pi.bell();
    assert_eq!(pi.entry(), Some((Bell, true)));
    pi.notify("Build done");
    assert_eq!(pi.entry(), Some((Notify, true)));
    assert_eq!(pi.attention().unwrap().text.as_deref(), Some("Build done"));
    pi.wait(30).done(0);
    assert_eq!(pi.entry(), Some((Command, true)));
    pi.exit(1);
    assert_eq!(pi.entry(), Some((Exit, true)));
    assert_eq!(pi.attention().unwrap().text.as_deref(), Some("exit 1"));
}

#[test]
fn working_and_idle_ask_for_nothing() {
    let mut pi = agent();
    pi.report("", Working);
    pi.report("", Idle);
    assert_eq!(pi.attention(), None);
}

#[test]
fn numbers_start_after_those_of_an_earlier_incarnation() {
    let mut pi = Tried::of(Facts {
        attention_after: 41,
        ..facts()
    });
    pi.bell();
    assert_eq!(pi.seq(), 42);
}

#[test]
fn a_title_and_a_body_are_both_told() {
    let mut pi = agent();
    let notify = |title: Option<&str>, body: &str| {
        Signal::Notify(Notification {
            title: title.map(str::to_owned),
            body: body.into(),
            id: None,
        })
    };
    for (title, body, text) in [
        (Some("Build"), "done", Some("Build: done")),
        (Some("Build"), "", Some("Build")),
        (None, "done", Some("done")),
        (Some(""), "done", Some("done")),
        (None, "", None),
    ] {
        pi.wait(1).signal(notify(title, body));
        assert_eq!(pi.attention().unwrap().text.as_deref(), text);
    }
}

#[test]
fn a_record_tells_its_message_else_its_title() {
    let mut pi = agent();
    pi.signal(Signal::Report(Report {
        title: Some("Tests".into()),
        ..report("", Done)
    }));
    assert_eq!(pi.attention().unwrap().text.as_deref(), Some("Tests"));
    pi.report("", Working);
    pi.signal(says("", Blocked, "Apply?"));
    assert_eq!(pi.attention().unwrap().text.as_deref(), Some("Apply?"));
}

#[test]
fn what_happens_while_it_is_seen_is_consumed_and_never_announced_later() {
    let mut pi = agent();
    pi.seen(true);
    assert_eq!(pi.report("", Done), [Change::Report, Change::Attention]);
    assert_eq!(pi.entry(), Some((Finished, false)));
    assert!(pi.status().reports[0].seen);
    pi.seen(false);
    pi.wait(3600).tick();
    assert_eq!(pi.entry(), Some((Finished, false)));
    assert_eq!(pi.state(), State::Idle);
}

#[test]
fn waiting_is_shown_while_it_is_seen_all_the_same() {
    let mut pi = agent();
    pi.seen(true);
    pi.report("", Blocked);
    assert_eq!(pi.entry(), Some((Waiting, false)));
    assert_eq!(pi.state(), State::Waiting);
}

#[test]
fn being_seen_marks_it_read_and_its_records_seen() {
    let mut pi = agent();
    pi.report("", Error);
    assert_eq!(pi.seen(true), [Change::Size, Change::Read]);
    assert_eq!(pi.entry(), Some((Failed, false)));
    assert!(pi.status().reports[0].seen);
    assert_eq!(pi.seen(true), []);
}

#[test]
fn a_client_that_does_not_see_reads_nothing() {
    let mut pi = agent();
    pi.bell();
    assert_eq!(pi.seen(false), [Change::Size]);
    assert_eq!(pi.entry(), Some((Bell, true)));
}

#[test]
fn an_acknowledgement_does_what_being_seen_does() {
    let mut pi = agent();
    pi.report("", Done);
    assert_eq!(pi.ack(Some(1)), [Change::Read]);
    assert_eq!(pi.entry(), Some((Finished, false)));
    assert_eq!(pi.state(), State::Idle);
    assert_eq!(pi.ack(None), []);
}

#[test]
fn an_older_acknowledgement_never_clears_a_newer_entry() {
    let mut pi = agent();
    pi.report("a", Done);
    pi.report("b", Error);
    assert_eq!(pi.ack(Some(1)), []);
    assert_eq!(pi.entry(), Some((Failed, true)));
    assert!(pi.status().reports.iter().all(|record| !record.seen));
    assert_eq!(pi.ack(Some(2)), [Change::Read]);
}

#[test]
fn a_read_attention_does_not_become_unread_by_an_equal_or_older_event() {
    let mut pi = agent();
    pi.signal(says("", Blocked, "Apply?"));
    pi.ack(Some(1));
    assert_eq!(pi.signal(says("", Blocked, "Apply?")), []);
    pi.seen(true);
    pi.seen(false);
    pi.ack(Some(0));
    pi.tick();
    assert_eq!(pi.entry(), Some((Waiting, false)));
    assert_eq!(pi.seq(), 1);
}

#[test]
fn a_changed_text_replaces_silently() {
    let mut pi = agent();
    pi.signal(says("", Blocked, "Apply?"));
    assert_eq!(
        pi.signal(says("", Blocked, "Apply all?")),
        [Change::Report, Change::Attention]
    );
    let entry = pi.attention().unwrap();
    assert_eq!((entry.seq, entry.text.as_deref()), (1, Some("Apply all?")));
}

#[test]
fn another_question_after_a_read_one_asks_anew() {
    let mut pi = agent();
    pi.signal(says("", Blocked, "Apply?"));
    pi.ack(None);
    pi.signal(says("", Blocked, "Push?"));
    let entry = pi.attention().unwrap();
    assert_eq!((entry.seq, entry.unread), (2, true));
}

#[test]
fn progress_of_a_seen_record_asks_for_nothing() {
    let mut pi = agent();
    pi.report("", Blocked);
    pi.ack(None);
    let further = Report {
        progress: Some(50),
        ..report("", Blocked)
    };
    assert_eq!(pi.signal(Signal::Report(further)), [Change::Report]);
    assert!(pi.status().reports[0].seen);
    assert_eq!(pi.entry(), Some((Waiting, false)));
}

#[test]
fn undo_brings_the_entry_and_its_record_back_under_a_new_number() {
    let mut pi = agent();
    pi.report("", Done);
    pi.ack(None);
    assert_eq!(pi.event(Event::Unack { after: None }), [Change::Attention]);
    let entry = pi.attention().unwrap();
    assert_eq!((entry.seq, entry.unread), (2, true));
    assert_eq!(pi.state(), State::Finished);
    assert_eq!(
        pi.ack(Some(1)),
        [],
        "the number that was acknowledged is an older one"
    );
    assert_eq!(
        pi.event(Event::Unack { after: None }),
        [],
        "it is unread already"
    );
}

#[test]
fn undo_stands_although_the_terminal_is_on_screen() {
    let mut pi = agent();
    pi.seen(true);
    pi.bell();
    pi.event(Event::Unack { after: None });
    pi.seen(true);
    assert_eq!(pi.entry(), Some((Bell, true)));
    pi.seen(false);
    pi.seen(true);
    assert_eq!(pi.entry(), Some((Bell, false)));
}

#[test]
fn undo_without_an_entry_is_nothing() {
    let mut pi = agent();
    assert_eq!(pi.event(Event::Unack { after: None }), []);
    pi.event(Event::Unack {
        after: Some(Duration::from_secs(1)),
    });
    assert_eq!(pi.terminal.deadline(), None);
}

#[test]
fn a_reminder_reads_it_now_and_brings_it_back_in_time() {
    let mut pi = agent();
    pi.report("", Error);
    let after = Some(Duration::from_secs(600));
    assert_eq!(pi.event(Event::Unack { after }), [Change::Read]);
    assert_eq!(pi.terminal.deadline(), Some(at_ms(600_000).mono));
    assert_eq!(pi.wait_ms(599_999).tick(), []);
    assert_eq!(pi.wait_ms(1).tick(), [Change::Attention]);
    let entry = pi.attention().unwrap();
    assert_eq!((entry.seq, entry.unread), (2, true));
    assert_eq!(pi.state(), State::Failed);
    assert_eq!(pi.terminal.deadline(), None);
}

#[test]
fn a_reminder_of_what_is_gone_is_none() {
    let mut pi = agent();
    pi.report("", Blocked);
    pi.event(Event::Unack {
        after: Some(Duration::from_secs(600)),
    });
    pi.report("", Working);
    assert_eq!(pi.wait(600).tick(), []);
    assert_eq!(pi.entry(), Some((Waiting, false)));
    assert_eq!(pi.event(Event::Unack { after: None }), []);
}

#[test]
fn a_child_s_done_is_silent_while_its_root_works() {
    let mut pi = agent();
    pi.report("", Working);
    assert_eq!(pi.report("task-1", Done), [Change::Report]);
    assert_eq!(pi.attention(), None);
    assert_eq!(pi.state(), State::Working);
    pi.report("task-2", Error);
    assert_eq!(pi.entry(), Some((Failed, true)));
    pi.clear("task-2");
    // The whole is done: the child's part is no step of something any longer.
    pi.report("", Idle);
    assert_eq!(pi.state(), State::Finished);
}

#[test]
fn a_silent_done_does_not_take_over_a_read_entry_later() {
    let mut pi = agent();
    pi.report("", Blocked);
    pi.ack(None);
    pi.report("", Working);
    pi.report("task", Done);
    assert_eq!(pi.report("", Idle), [Change::Report]);
    assert_eq!(pi.entry(), Some((Waiting, false)));
}

#[test]
fn a_child_s_done_under_a_working_ancestor_is_silent() {
    let mut opencode = agent();
    opencode.report("opencode/1f", Working);
    opencode.report("opencode/1f/task", Done);
    assert_eq!(opencode.attention(), None);
    opencode.report("other", Done);
    assert_eq!(opencode.entry(), Some((Finished, true)));
}

#[test]
fn a_bell_within_3_s_of_a_record_change_belongs_to_it() {
    let mut pi = agent();
    pi.signal(says("", Blocked, "Apply?"));
    assert_eq!(pi.wait_ms(2_999).bell(), []);
    assert_eq!(pi.notify("Pi needs you"), []);
    assert_eq!(pi.entry(), Some((Waiting, true)));
    assert_eq!(pi.wait_ms(1).bell(), [Change::Attention]);
    assert_eq!(pi.entry(), Some((Bell, true)));
}

#[test]
fn a_repeated_report_is_no_record_change() {
    let mut pi = agent();
    pi.report("", Working);
    pi.wait(10).report("", Working);
    assert_eq!(pi.bell(), [Change::Attention]);
}

#[test]
fn a_bell_just_before_a_record_change_gives_way_to_it() {
    let mut pi = agent();
    pi.bell();
    pi.notify("one");
    pi.notify("two");
    pi.wait_ms(100).report("", Blocked);
    assert_eq!(pi.entry(), Some((Waiting, true)));
    assert_eq!(
        pi.wait(1).tick(),
        [],
        "the ring that waited belongs to it as well"
    );
    assert_eq!(pi.entry(), Some((Waiting, true)));
}

#[test]
fn a_ring_that_waits_belongs_to_the_record_change_after_it() {
    let mut pi = agent();
    pi.notify("one");
    pi.notify("two");
    pi.wait_ms(100).report("", Working);
    assert_eq!(pi.wait(1).tick(), []);
    assert_eq!(pi.attention().unwrap().text.as_deref(), Some("one"));
}

#[test]
fn a_long_command_asks_for_attention_and_a_short_one_does_not() {
    let mut shell = agent();
    shell.wait_ms(29_999).done(1);
    assert_eq!(shell.attention(), None);
    shell.prompt();
    shell.command("cargo test");
    assert_eq!(
        shell.wait(30).done(101),
        [Change::Command, Change::Attention, Change::Title]
    );
    let entry = shell.attention().unwrap();
    assert_eq!(entry.text.as_deref(), Some("cargo test (exit 101)"));
}

#[test]
fn the_length_of_a_command_is_told_by_the_monotonic_clock() {
    let mut shell = agent();
    let mut now = shell.wait(5).now();
    now.wall += jiff::SignedDuration::from_hours(3);
    let signal = Signal::Mark {
        mark: Mark::CommandDone(Some(0)),
        aid: None,
    };
    shell.terminal.apply(
        Event::Signal {
            signal,
            alternate_screen: false,
        },
        now,
    );
    assert_eq!(shell.attention(), None);
    assert_eq!(shell.status().last_command.unwrap().seconds, 5.0);
}

#[test]
fn an_exit_asks_if_it_failed_or_came_after_a_long_run() {
    for (seconds, code, asks) in [(1, 0, false), (1, 3, true), (29, 0, false), (30, 0, true)] {
        let mut program = Tried::program("sleep");
        program.wait(seconds).exit(code);
        assert_eq!(
            program.entry().is_some(),
            asks,
            "exit {code} after {seconds} s"
        );
    }
    let mut program = Tried::program("sleep");
    program.event(Event::Exited {
        code: None,
        signal: Some("KILL".into()),
    });
    assert_eq!(
        program.attention().unwrap().text.as_deref(),
        Some("signal KILL")
    );
}

#[test]
fn an_end_that_a_person_ordered_asks_for_no_attention() {
    let hung_up = || Event::Exited {
        code: None,
        signal: Some("HUP".into()),
    };
    let mut top = Tried::program("htop");
    top.wait(100).event(Event::EndOrdered);
    top.wait(5).event(hung_up());
    assert_eq!((top.entry(), top.state()), (None, State::Exited));
    // What ends long after it ends by itself.
    let mut top = Tried::program("htop");
    top.event(Event::EndOrdered);
    top.wait(11).event(hung_up());
    assert_eq!(top.entry(), Some((Exit, true)));
}

#[test]
fn an_exit_of_130_after_the_person_s_own_ctrl_c_is_none() {
    for (pressed, asks) in [(true, false), (false, true)] {
        let mut program = Tried::program("sleep");
        if pressed {
            program.event(Event::Interrupted);
        }
        program.wait(60).exit(130);
        assert_eq!(program.entry().is_some(), asks);

        let mut program = Tried::program("sleep");
        if pressed {
            program.event(Event::Interrupted);
        }
        program.event(Event::Exited {
            code: None,
            signal: Some("INT".into()),
        });
        assert_eq!(program.entry().is_some(), asks);

        let mut shell = agent();
        if pressed {
            shell.event(Event::Interrupted);
        }
        shell.wait(60).done(130);
        assert_eq!(shell.entry().is_some(), asks);
    }
}

#[test]
fn ctrl_c_at_the_prompt_says_nothing_of_the_next_command() {
    let mut shell = agent();
    shell.event(Event::Interrupted);
    shell.done(130);
    shell.prompt();
    shell.event(Event::Interrupted);
    shell.command("make");
    shell.wait(60).done(130);
    assert_eq!(shell.entry(), Some((Command, true)));
}

#[test]
fn another_failure_after_ctrl_c_still_asks() {
    let mut program = Tried::program("make");
    program.event(Event::Interrupted);
    program.exit(2);
    assert_eq!(program.entry(), Some((Exit, true)));
}

#[test]
fn ten_thousand_bells_a_second_change_the_entry_four_times() {
    let mut flood = agent();
    let mut changes = 0;
    for ring in 0..10_000 {
        if ring % 10 == 0 {
            flood.wait_ms(1);
        }
        changes += flood.bell().len();
    }
    assert!((4..=5).contains(&changes), "{changes}");
    assert_eq!(flood.entry(), Some((Bell, true)));
    assert_eq!(
        flood.terminal.deadline(),
        None,
        "the entry says all there is"
    );
}

#[test]
fn the_last_of_a_flood_of_notifications_is_the_one_that_stays() {
    let mut flood = agent();
    let mut changes = 0;
    for number in 0..10_000 {
        if number % 10 == 0 {
            flood.wait_ms(1);
        }
        changes += flood.notify(&number.to_string()).len();
    }
    assert!(changes <= 5, "{changes}");
    let due = flood.terminal.deadline().unwrap();
    assert!(due <= flood.now().mono + Duration::from_millis(250));
    assert_eq!(flood.wait_ms(250).tick(), [Change::Attention]);
    assert_eq!(flood.attention().unwrap().text.as_deref(), Some("9999"));
    assert_eq!(flood.terminal.deadline(), None);
}

#[test]
fn a_flood_that_is_seen_is_bounded_and_consumed() {
    let mut flood = agent();
    flood.seen(true);
    let changes: usize = (0..1000).map(|_| flood.wait_ms(1).bell().len()).sum();
    assert!(changes <= 5, "{changes}");
    assert_eq!(flood.entry(), Some((Bell, false)));
    flood.seen(false);
    flood.wait(60).tick();
    assert_eq!(flood.entry(), Some((Bell, false)));
}

#[test]
fn a_bell_right_after_an_acknowledgement_is_not_lost() {
    let mut shell = agent();
    shell.bell();
    shell.ack(None);
    assert_eq!(shell.wait_ms(10).bell(), []);
    assert_eq!(shell.wait_ms(240).tick(), [Change::Attention]);
    assert_eq!(shell.entry(), Some((Bell, true)));
    assert_eq!(shell.seq(), 2);
}

#[test]
fn what_waits_for_its_interval_is_consumed_by_being_seen() {
    let mut shell = agent();
    shell.notify("one");
    shell.wait_ms(10).notify("two");
    shell.seen(true);
    shell.seen(false);
    shell.wait(1).tick();
    assert_eq!(shell.entry(), Some((Notify, false)));
    assert_eq!(shell.attention().unwrap().text.as_deref(), Some("two"));
}

#[test]
fn waiting_that_is_over_takes_its_attention_back() {
    let mut pi = agent();
    pi.report("", Blocked);
    assert_eq!(pi.report("", Working), [Change::Report, Change::Read]);
    assert_eq!(pi.entry(), Some((Waiting, false)));
}

#[test]
fn where_another_record_waits_the_entry_tells_of_that_one() {
    let mut pi = agent();
    pi.signal(says("a", Blocked, "A?"));
    pi.signal(says("b", Blocked, "B?"));
    pi.report("b", Working);
    let entry = pi.attention().unwrap();
    assert_eq!(
        (entry.seq, entry.unread, entry.text.as_deref()),
        (2, true, Some("A?"))
    );
    pi.report("a", Working);
    assert_eq!(pi.entry(), Some((Waiting, false)));
}

#[test]
fn a_step_that_is_cleared_leaves_what_still_waits_unread() {
    let mut pi = agent();
    pi.signal(says("", Blocked, "Apply?"));
    pi.report("task", Done);
    assert_eq!(pi.entry(), Some((Finished, true)));
    assert_eq!(pi.clear("task"), [Change::Report, Change::Attention]);
    let entry = pi.attention().unwrap();
    assert_eq!((entry.seq, entry.kind, entry.unread), (2, Waiting, true));
    assert_eq!(entry.text.as_deref(), Some("Apply?"));
}

#[test]
fn a_program_takes_its_notification_back() {
    let mut pi = agent();
    pi.signal(osc99("build", "Build done"));
    assert_eq!(pi.terminal.notifications_alive(), ["build"]);
    assert_eq!(pi.signal(Signal::NotifyClose("other".into())), []);
    assert_eq!(
        pi.signal(Signal::NotifyClose("build".into())),
        [Change::Read]
    );
    assert_eq!(pi.state(), State::Running);
    assert!(pi.terminal.notifications_alive().is_empty());
}

#[test]
fn the_same_notification_in_other_words_keeps_its_number() {
    let mut pi = agent();
    pi.signal(osc99("build", "50 %"));
    pi.wait(1).signal(osc99("build", "100 %"));
    let entry = pi.attention().unwrap();
    assert_eq!((entry.seq, entry.text.as_deref()), (1, Some("100 %")));
    pi.ack(None);
    pi.wait(1).signal(osc99("build", "again"));
    assert_eq!(pi.seq(), 2);
}

#[test]
fn notifications_stand_until_they_are_read_closed_or_reset() {
    for end in [
        Event::Ack { seq: None },
        Event::Clients {
            count: 1,
            seen: true,
        },
        Event::Signal {
            signal: Signal::Reset,
            alternate_screen: false,
        },
        Event::Exited {
            code: Some(0),
            signal: None,
        },
    ] {
        let mut pi = agent();
        pi.signal(osc99("a", "x"));
        pi.signal(osc99("b", "y"));
        pi.signal(osc99("a", "z"));
        assert_eq!(pi.terminal.notifications_alive(), ["a", "b"]);
        pi.event(end);
        assert!(pi.terminal.notifications_alive().is_empty());
    }
}

#[test]
fn standing_notifications_are_bounded() {
    let mut pi = agent();
    for number in 0..1000 {
        pi.signal(osc99(&number.to_string(), "x"));
    }
    assert_eq!(pi.terminal.notifications_alive().len(), ALIVE);
}

#[test]
fn muting_changes_no_attention() {
    let mut pi = agent();
    assert_eq!(pi.event(Event::Muted(true)), [Change::Renamed]);
    pi.bell();
    assert_eq!(pi.entry(), Some((Bell, true)));
    assert!(pi.status().muted);
}
