//! The records of programs (OSC 7501; status.md, Program records).
//!
//! A record is what a program said last under one id. The root has the empty id and is the
//! ancestor of all.

use crate::{Now, Record, RecordKind, RecordState};
use signals::{Kind, Report, ReportState};
use std::collections::BTreeMap;

/// The protocol's limit; the least recently updated one makes room.
const LIMIT: usize = 256;

#[derive(Debug, Clone, Default)]
pub(crate) struct Records {
    /// By id: the root first.
    by_id: BTreeMap<String, Kept>,
    /// Counts updates. Not the wall clock, which may be set back.
    updates: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) record: Record,
    /// The number of the last report, repeated ones included.
    updated: u64,
    /// Another program than the shell had the foreground when it was reported.
    in_foreground: bool,
}

/// What a report did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reported {
    /// The same again: only its age among the records is renewed.
    Same,
    /// Details changed that ask for nothing new.
    Changed,
    /// The record entered its state, or asks anew after it was seen.
    Entered,
    /// It stays in its state, unseen, with another text.
    Reworded,
}

impl Records {
    pub(crate) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The records as clients see them: root first, then by id, `app` inherited.
    pub(crate) fn list(&self) -> Vec<Record> {
        let shown = |kept: &Kept| Record {
            app: self.app(&kept.record),
            ..kept.record.clone()
        };
        self.by_id.values().map(shown).collect()
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Record> {
        self.by_id.get(id).map(|kept| &kept.record)
    }

    /// Replaces the record completely. `seen`: a person looks at the terminal now.
    pub(crate) fn report(
        &mut self,
        report: Report,
        in_foreground: bool,
        seen: bool,
        now: Now,
    ) -> Reported {
        self.updates += 1;
        let updated = self.updates;
        let mut record = Record {
            id: report.id,
            state: state_of(report.state),
            kind: report.kind.map(kind_of),
            progress: report.progress,
            app: report.app,
            title: report.title,
            msg: report.msg,
            updated_at: now.wall,
            seen: false,
        };
        let asks = asks(record.state);
        let Some(kept) = self.by_id.get_mut(&record.id) else {
            record.seen = asks && seen;
            self.make_room();
            let kept = Kept {
                record,
                updated,
                in_foreground,
            };
            self.by_id.insert(kept.record.id.clone(), kept);
            return Reported::Entered;
        };
        kept.updated = updated;
        kept.in_foreground = in_foreground;
        let old = &kept.record;
        record.seen = old.seen;
        record.updated_at = old.updated_at;
        if record == *old {
            return Reported::Same;
        }
        record.updated_at = now.wall;
        let says_the_same = record.state == old.state
            && (&record.kind, &record.title, &record.msg) == (&old.kind, &old.title, &old.msg);
        let reported = match () {
            () if says_the_same => Reported::Changed,
            () if record.state == old.state && asks && !old.seen => Reported::Reworded,
            () => Reported::Entered,
        };
        record.seen = match reported {
            Reported::Entered => asks && seen,
            _ => old.seen,
        };
        kept.record = record;
        reported
    }

    /// Removes the record and all beneath it; the root's id: all.
    pub(crate) fn clear(&mut self, id: &str) -> bool {
        self.remove_where(|kept| is_within(&kept.record.id, id))
    }

    /// A person clears finished and failed records: all, or one with all beneath it.
    pub(crate) fn clear_ended(&mut self, id: Option<&str>) -> bool {
        self.remove_where(|kept| {
            matches!(kept.record.state, RecordState::Done | RecordState::Error)
                && is_within(&kept.record.id, id.unwrap_or_default())
        })
    }

    /// A new prompt or the exit: what was going on goes on no longer.
    pub(crate) fn end_running(&mut self) -> bool {
        self.remove_where(|kept| is_running(kept.record.state))
    }

    /// Without prompt marks: the shell has the foreground again, so whatever group had it when
    /// it reported has ended (or was stopped, as before a prompt).
    pub(crate) fn foreground_ended(&mut self) -> bool {
        self.remove_where(|kept| kept.in_foreground && is_running(kept.record.state))
    }

    /// A person sees the terminal.
    pub(crate) fn see(&mut self) -> bool {
        let mut news = false;
        for kept in self.by_id.values_mut() {
            if asks(kept.record.state) && !kept.record.seen {
                kept.record.seen = true;
                news = true;
            }
        }
        news
    }

    /// A person wants to be told of it again.
    pub(crate) fn unsee(&mut self, id: &str) {
        if let Some(kept) = self.by_id.get_mut(id) {
            kept.record.seen = false;
        }
    }

    /// The unseen record in `state` that was updated last.
    pub(crate) fn latest_unseen(&self, state: RecordState) -> Option<&Record> {
        self.by_id
            .values()
            .filter(|kept| kept.record.state == state && !kept.record.seen)
            .max_by_key(|kept| kept.updated)
            .map(|kept| &kept.record)
    }

    /// A `done` beneath something that works: one step of a whole that goes on.
    pub(crate) fn is_silent(&self, record: &Record) -> bool {
        is_silent(record, |id| self.get(id).map(|r| r.state))
    }

    fn app(&self, record: &Record) -> Option<String> {
        if record.app.is_some() {
            return record.app.clone();
        }
        ancestors(&record.id).find_map(|id| self.get(id)?.app.clone())
    }

    fn make_room(&mut self) {
        while self.by_id.len() >= LIMIT {
            let oldest = self.by_id.iter().min_by_key(|(_, kept)| kept.updated);
            let Some(id) = oldest.map(|(id, _)| id.clone()) else {
                return;
            };
            self.by_id.remove(&id);
        }
    }

    fn remove_where(&mut self, gone: impl Fn(&Kept) -> bool) -> bool {
        let before = self.by_id.len();
        self.by_id.retain(|_, kept| !gone(kept));
        self.by_id.len() != before
    }
}

/// See [`Records::is_silent`]; `state` looks up a record by id.
pub(crate) fn is_silent<'a>(
    record: &'a Record,
    state: impl Fn(&'a str) -> Option<RecordState>,
) -> bool {
    record.state == RecordState::Done
        && ancestors(&record.id).any(|id| state(id) == Some(RecordState::Working))
}

/// The ids above, nearest first; the root last.
fn ancestors(id: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(id).filter(|id| !id.is_empty());
    std::iter::from_fn(move || {
        let above = rest?.rsplit_once('/').map_or("", |(above, _)| above);
        rest = Some(above).filter(|above| !above.is_empty());
        Some(above)
    })
}

pub(crate) fn is_within(id: &str, top: &str) -> bool {
    let Some(rest) = id.strip_prefix(top) else {
        return false;
    };
    top.is_empty() || rest.is_empty() || rest.starts_with('/')
}

/// States that end with the program.
pub(crate) fn is_running(state: RecordState) -> bool {
    matches!(
        state,
        RecordState::Working | RecordState::Blocked | RecordState::Idle
    )
}

/// States that a person should see.
fn asks(state: RecordState) -> bool {
    matches!(
        state,
        RecordState::Blocked | RecordState::Done | RecordState::Error
    )
}

fn state_of(state: ReportState) -> RecordState {
    match state {
        ReportState::Idle => RecordState::Idle,
        ReportState::Working => RecordState::Working,
        ReportState::Done => RecordState::Done,
        ReportState::Blocked => RecordState::Blocked,
        ReportState::Error => RecordState::Error,
    }
}

fn kind_of(kind: Kind) -> RecordKind {
    match kind {
        Kind::Permission => RecordKind::Permission,
        Kind::Question => RecordKind::Question,
        Kind::Auth => RecordKind::Auth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Tried, report};
    use crate::{Change, Event, State};
    use signals::ReportState::{Blocked, Done, Error, Idle, Working};
    use signals::{Mark, Signal};

    fn agent() -> Tried {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell
    }

    fn record(tried: &Tried, id: &str) -> Record {
        let reports = tried.status().reports;
        reports.into_iter().find(|record| record.id == id).unwrap()
    }

    #[test]
    fn a_report_replaces_its_record_completely() {
        let mut pi = agent();
        pi.signal(Signal::Report(Report {
            kind: Some(Kind::Permission),
            progress: Some(10),
            app: Some("pi".into()),
            title: Some("Tests".into()),
            msg: Some("Apply?".into()),
            ..report("", Blocked)
        }));
        let full = record(&pi, "");
        assert_eq!(full.kind, Some(RecordKind::Permission));
        assert_eq!(full.msg.as_deref(), Some("Apply?"));
        pi.wait(5).report("", Working);
        let replaced = record(&pi, "");
        assert_eq!(replaced.state, RecordState::Working);
        assert_eq!(
            (
                replaced.kind,
                replaced.progress,
                replaced.app,
                replaced.title,
                replaced.msg
            ),
            (None, None, None, None, None)
        );
        assert_eq!(replaced.updated_at, pi.now().wall);
    }

    #[test]
    fn the_same_report_again_is_no_event_and_no_change() {
        let mut pi = agent();
        pi.report("", Working);
        let before = pi.status();
        assert_eq!(pi.wait(60).report("", Working), []);
        assert_eq!(pi.status(), before);
    }

    #[test]
    fn clear_removes_the_record_and_all_beneath_it() {
        let mut pi = agent();
        for id in ["", "a", "a/b", "a/b/c", "ab", "b"] {
            pi.report(id, Working);
        }
        assert_eq!(pi.clear("a"), [Change::Report]);
        assert_eq!(pi.ids(), ["", "ab", "b"]);
        assert_eq!(pi.clear("a"), []);
        assert_eq!(pi.clear(""), [Change::Report]);
        assert!(pi.ids().is_empty());
    }

    #[test]
    fn a_clear_beneath_an_id_that_has_no_record_removes_what_is_beneath() {
        let mut pi = agent();
        pi.report("opencode/1f/x", Working);
        assert_eq!(pi.clear("opencode"), [Change::Report]);
        assert!(pi.ids().is_empty());
    }

    #[test]
    fn a_record_without_app_shows_the_nearest_ancestor_s() {
        let mut pi = agent();
        let named = |id: &str, app: &str| {
            Signal::Report(Report {
                app: Some(app.into()),
                ..report(id, Working)
            })
        };
        pi.signal(named("", "pi"));
        pi.signal(named("a", "task"));
        pi.report("a/b/c", Working);
        pi.report("b/c", Working);
        assert_eq!(record(&pi, "a/b/c").app.as_deref(), Some("task"));
        assert_eq!(record(&pi, "b/c").app.as_deref(), Some("pi"));
        pi.clear("a");
        pi.report("a/b/c", Working);
        assert_eq!(record(&pi, "a/b/c").app.as_deref(), Some("pi"));
    }

    #[test]
    fn the_root_comes_first_and_the_others_by_id() {
        let mut pi = agent();
        for id in ["b", "a/b", "", "a"] {
            pi.report(id, Working);
        }
        assert_eq!(pi.ids(), ["", "a", "a/b", "b"]);
    }

    #[test]
    fn the_least_recently_updated_of_256_records_makes_room() {
        let mut pi = agent();
        for number in 0..256 {
            pi.report(&format!("r{number:03}"), Working);
        }
        // A repeated report is an update, although nothing in it changed.
        pi.report("r000", Working);
        pi.report("one-more", Working);
        let ids = pi.ids();
        assert_eq!(ids.len(), 256);
        assert!(ids.contains(&"r000".to_owned()));
        assert!(!ids.contains(&"r001".to_owned()));
        assert!(ids.contains(&"one-more".to_owned()));
    }

    #[test]
    fn an_evicted_record_takes_its_attention_along() {
        let mut pi = agent();
        pi.report("first", Blocked);
        for number in 0..256 {
            pi.report(&format!("r{number}"), Working);
        }
        assert_eq!(pi.state(), State::Working);
        assert!(!pi.attention().unwrap().unread);
    }

    #[test]
    fn a_new_prompt_removes_working_blocked_and_idle() {
        for prompt in [Mark::Prompt, Mark::NewPrompt, Mark::PromptIfNone] {
            let mut pi = agent();
            for (id, state) in [
                ("a", Working),
                ("b", Blocked),
                ("c", Idle),
                ("d", Done),
                ("e", Error),
            ] {
                pi.report(id, state);
            }
            // `P` is a prompt only if no other came since the last `D`.
            pi.mark(Mark::CommandDone(Some(0)));
            assert_eq!(pi.ids().len(), 5);
            pi.mark(prompt);
            assert_eq!(pi.ids(), ["d", "e"]);
        }
    }

    #[test]
    fn the_exit_removes_working_blocked_and_idle() {
        let mut pi = agent();
        for (id, state) in [("a", Working), ("b", Blocked), ("c", Idle), ("d", Done)] {
            pi.report(id, state);
        }
        pi.exit(0);
        assert_eq!(pi.ids(), ["d"]);
    }

    #[test]
    fn done_and_error_outlive_the_program_until_replaced_or_cleared() {
        let mut pi = agent();
        pi.report("a", Done);
        pi.report("b", Error);
        pi.done(0);
        pi.prompt();
        pi.command("ls");
        pi.done(0);
        pi.prompt();
        assert_eq!(pi.ids(), ["a", "b"]);
        pi.report("a", Working);
        assert_eq!(record(&pi, "a").state, RecordState::Working);
        pi.clear("b");
        assert_eq!(pi.ids(), ["a"]);
    }

    #[test]
    fn a_person_clears_finished_and_failed_records_and_no_others() {
        let mut pi = agent();
        for (id, state) in [("a", Done), ("a/b", Error), ("a/c", Working), ("b", Done)] {
            pi.report(id, state);
        }
        assert_eq!(
            pi.event(Event::ClearRecords {
                id: Some("a".into())
            }),
            [Change::Report]
        );
        assert_eq!(pi.ids(), ["a/c", "b"]);
        pi.event(Event::ClearRecords { id: None });
        assert_eq!(pi.ids(), ["a/c"]);
        assert_eq!(pi.event(Event::ClearRecords { id: None }), []);
        assert!(!pi.attention().unwrap().unread, "its record is gone");
    }

    #[test]
    fn ris_removes_all_records() {
        let mut pi = agent();
        pi.report("a", Done);
        pi.report("b", Working);
        pi.signal(Signal::Reset);
        assert!(pi.ids().is_empty());
    }

    #[test]
    fn without_marks_records_end_with_the_foreground_group_that_reported() {
        let mut dash = Tried::bare_shell();
        dash.foreground(2, "pi", false);
        dash.report("", Working);
        dash.report("b", Blocked);
        dash.report("c", Idle);
        dash.report("d", Done);
        // A group that works for it has the foreground for a while.
        dash.foreground(3, "make", false);
        assert_eq!(dash.ids().len(), 4);
        dash.foreground(1, "dash", true);
        assert_eq!(dash.ids(), ["d"]);
    }

    #[test]
    fn without_marks_a_background_program_s_record_stays() {
        let mut dash = Tried::bare_shell();
        dash.report("watcher", Working);
        dash.foreground(2, "ls", false);
        dash.foreground(1, "dash", true);
        assert_eq!(dash.ids(), ["watcher"]);
    }

    #[test]
    fn with_marks_the_foreground_ends_no_record() {
        let mut pi = agent();
        pi.foreground(2, "pi", false);
        pi.report("", Working);
        pi.foreground(1, "bash", true);
        assert_eq!(pi.ids(), [""]);
    }

    #[test]
    fn seen_stays_with_a_record_until_its_next_report() {
        let mut pi = agent();
        pi.report("", Done);
        assert_eq!(pi.state(), State::Finished);
        pi.seen(true);
        assert_eq!(pi.state(), State::Idle);
        assert!(record(&pi, "").seen, "it stays listed, marked seen");
        pi.seen(false);
        pi.report("", Working);
        assert!(!record(&pi, "").seen);
        pi.report("", Done);
        assert_eq!(pi.state(), State::Finished);
    }

    #[test]
    fn an_equal_report_does_not_become_unseen() {
        let mut pi = agent();
        pi.report("", Error);
        pi.ack(None);
        assert_eq!(pi.report("", Error), []);
        assert_eq!(pi.state(), State::Idle);
    }

    #[test]
    fn the_oldest_is_told_by_order_and_not_by_a_clock() {
        let mut records = Records::default();
        let moment = |hours: i64| {
            let mut now = crate::testing::at(0);
            now.wall += jiff::SignedDuration::from_hours(hours);
            now
        };
        for number in 0..256 {
            records.report(
                report(&format!("r{number}"), Working),
                false,
                false,
                moment(-number),
            );
        }
        records.report(report("new", Working), false, false, moment(-1000));
        assert!(records.get("r0").is_none());
        assert!(records.get("r255").is_some());
    }

    #[test]
    fn ancestors_are_nearest_first_and_end_with_the_root() {
        assert_eq!(ancestors("a/b/c").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(ancestors("a").collect::<Vec<_>>(), [""]);
        assert_eq!(ancestors("").count(), 0);
    }
}
