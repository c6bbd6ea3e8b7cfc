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
