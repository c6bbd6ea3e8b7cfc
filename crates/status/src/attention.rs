//! The one thing a person should see: the latest (status.md, Attention).
//!
//! An entry that happens while the terminal is seen is consumed: it is created read and never
//! announced later. An entry whose cause is gone is withdrawn: read, and not brought back.

use crate::command::Ended;
use crate::records::Records;
use crate::shown::{TEXT_CHARS, some_line};
use crate::{Attention, AttentionKind, Duration, Now, Record, RecordState};

/// BEL and notifications each change the entry at most once in this time. Four times a second
/// is as fast as a person can tell apart; a program may ring ten thousand times.
const RING_INTERVAL: Duration = Duration::from_millis(250);

/// A BEL or notification this soon after or before a record change belongs to it: programs
/// that report also ring, for terminals that read no reports.
const BELONGS: Duration = Duration::from_secs(3);

/// OSC 99 identifiers that are remembered as standing; more are never on a screen at once.
const ALIVE: usize = 64;

/// Why there is an entry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cause {
    /// The record with this id entered this state.
    Record(String, RecordState),
    /// Error progress.
    Progress,
    Bell,
    /// A notification request, with its OSC 99 identifier.
    Notify(Option<String>),
    /// A long command ended.
    Command(Ended),
    /// The program of the terminal ended.
    Exit(Ended),
}

#[derive(Debug, Clone)]
struct Entry {
    shown: Attention,
    cause: Cause,
    withdrawn: bool,
}

/// A BEL or notification that waits for the end of the interval.
#[derive(Debug, Clone)]
struct Ring {
    cause: Cause,
    text: Option<String>,
    seen: bool,
    at: Now,
    due: Duration,
}

/// What became of the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    Nothing,
    /// Another entry, or another text.
    Attention,
    /// It is read now.
    Read,
}

#[derive(Debug, Clone)]
pub(crate) struct Attentions {
    last_seq: u64,
    entry: Option<Entry>,
    waiting_ring: Option<Ring>,
    last_bell: Option<Duration>,
    last_notify: Option<Duration>,
    record_changed: Option<Duration>,
    remind_at: Option<Duration>,
    alive: Vec<String>,
}

impl Attentions {
    /// Numbers start after `after`, the last one of an earlier incarnation.
    pub(crate) fn new(after: u64) -> Self {
        Self {
            last_seq: after,
            entry: None,
            waiting_ring: None,
            last_bell: None,
            last_notify: None,
            record_changed: None,
            remind_at: None,
            alive: Vec::new(),
        }
    }

    pub(crate) fn shown(&self) -> Option<&Attention> {
        self.entry.as_ref().map(|entry| &entry.shown)
    }

    /// How the command or program ended that the unread entry tells of.
    pub(crate) fn unread_end(&self) -> Option<&Ended> {
        match self
            .entry
            .as_ref()
            .filter(|entry| entry.shown.unread)?
            .cause
        {
            Cause::Command(ref ended) | Cause::Exit(ref ended) => Some(ended),
            _ => None,
        }
    }

    /// OSC 99 identifiers that stand.
    pub(crate) fn alive(&self) -> &[String] {
        &self.alive
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        let ring = self.waiting_ring.as_ref().map(|ring| ring.due);
        ring.into_iter().chain(self.remind_at).min()
    }

    /// Something happened that a person should see.
    pub(crate) fn raise(&mut self, cause: Cause, text: Option<&str>, seen: bool, now: Now) {
        self.waiting_ring = None;
        self.set(
            cause,
            text.and_then(|text| some_line(text, TEXT_CHARS)),
            seen,
            now,
        );
    }

    /// BEL or a notification request.
    pub(crate) fn ring(&mut self, cause: Cause, text: Option<&str>, seen: bool, now: Now) -> News {
        let text = text.and_then(|text| some_line(text, TEXT_CHARS));
        if let (Cause::Notify(Some(id)), false) = (&cause, seen) {
            self.stand(id);
        }
        let with_record = |changed: Duration| now.mono.saturating_sub(changed) < BELONGS;
        if self.record_changed.is_some_and(with_record) {
            return News::Nothing;
        }
        let last = match cause {
            Cause::Bell => self.last_bell,
            _ => self.last_notify,
        };
        match last.map(|last| last.saturating_add(RING_INTERVAL)) {
            Some(due) if now.mono < due => {
                // The entry says it already: nothing has to follow.
                let said = self.waiting_ring.is_none()
                    && self.entry.as_ref().is_some_and(|entry| {
                        entry.cause == cause
                            && entry.shown.text == text
                            && entry.shown.unread != seen
                    });
                if !said {
                    self.waiting_ring = Some(Ring {
                        cause,
                        text,
                        seen,
                        at: now,
                        due,
                    });
                }
                News::Nothing
            }
            _ => {
                self.waiting_ring = None;
                self.set(cause, text, seen, now);
                News::Attention
            }
        }
    }

    /// OSC 99 `p=close`: the program takes its notification back.
    pub(crate) fn close(&mut self, id: &str) -> News {
        self.alive.retain(|alive| alive != id);
        let is_it = |cause: &Cause| matches!(cause, Cause::Notify(Some(i)) if i == id);
        if self
            .waiting_ring
            .as_ref()
            .is_some_and(|ring| is_it(&ring.cause))
        {
            self.waiting_ring = None;
        }
        match &self.entry {
            Some(entry) if is_it(&entry.cause) => self.withdraw(),
            _ => News::Nothing,
        }
    }

    /// A record changed by the program's own word: rings around it belong to it.
    pub(crate) fn record_changed(&mut self, now: Now) {
        self.record_changed = Some(now.mono);
        self.waiting_ring = None;
    }

    /// The record asks in other words for what the unread entry tells: no new number.
    pub(crate) fn reword(&mut self, record: &Record) -> News {
        let cause = Cause::Record(record.id.clone(), record.state);
        match &mut self.entry {
            Some(entry) if entry.cause == cause && entry.shown.unread => {
                let text = record_text(record);
                if entry.shown.text == text {
                    return News::Nothing;
                }
                entry.shown.text = text;
                News::Attention
            }
            _ => News::Nothing,
        }
    }

    /// Withdraws an entry whose cause is gone. Where something else is still unseen, the
    /// unread entry tells of that from now on: what it called for has not been done.
    pub(crate) fn reconcile(&mut self, records: &Records, progress_failed: bool) -> News {
        let Some(entry) = &mut self.entry else {
            return News::Nothing;
        };
        let (gone, state) = match &entry.cause {
            Cause::Record(id, state) => {
                let there = records.get(id).is_some_and(|record| record.state == *state);
                (!there, *state)
            }
            Cause::Progress => (!progress_failed, RecordState::Error),
            _ => (false, RecordState::Done),
        };
        if !gone {
            return News::Nothing;
        }
        let by_urgency = [
            state,
            RecordState::Blocked,
            RecordState::Error,
            RecordState::Done,
        ];
        let other = by_urgency
            .into_iter()
            .filter_map(|state| records.latest_unseen(state))
            .find(|record| entry.shown.unread && !records.is_silent(record));
        let Some(other) = other else {
            return self.withdraw();
        };
        entry.cause = Cause::Record(other.id.clone(), other.state);
        entry.shown.kind = kind_of(&entry.cause);
        entry.shown.text = record_text(other);
        News::Attention
    }

    /// The terminal is seen.
    pub(crate) fn see(&mut self) -> News {
        if let Some(ring) = &mut self.waiting_ring {
            ring.seen = true;
        }
        self.read()
    }

    /// A person acknowledges: `None` is whatever there is. `None` as an answer: a newer entry
    /// stands, and nothing is acknowledged.
    pub(crate) fn acknowledge(&mut self, seq: Option<u64>) -> Option<News> {
        match (seq, self.shown()) {
            (Some(seq), Some(shown)) if shown.seq > seq => None,
            (Some(_), _) => Some(self.read()),
            (None, _) => Some(self.see()),
        }
    }

    /// Reminds a person of the entry after this time.
    pub(crate) fn remind(&mut self, after: Duration, now: Now) {
        if self.entry.is_some() {
            self.remind_at = Some(now.mono.saturating_add(after));
        }
    }

    /// Brings the read entry back under a new number, and says what it tells of. `seen`: it
    /// comes back read.
    pub(crate) fn bring_back(&mut self, seen: bool) -> Option<Cause> {
        self.remind_at = None;
        let seq = self.last_seq.saturating_add(1);
        let entry = self.entry.as_mut()?;
        if entry.shown.unread || entry.withdrawn {
            return None;
        }
        self.last_seq = seq;
        entry.shown.seq = seq;
        entry.shown.unread = !seen;
        Some(entry.cause.clone())
    }

    /// Whether a reminder is due.
    pub(crate) fn reminder_is_due(&self, now: Now) -> bool {
        self.remind_at.is_some_and(|at| at <= now.mono)
    }

    /// The ring that waited for the end of its interval.
    pub(crate) fn expire(&mut self, now: Now) -> News {
        match self.waiting_ring.take_if(|ring| ring.due <= now.mono) {
            Some(ring) => {
                let at = Now {
                    mono: now.mono,
                    wall: ring.at.wall,
                };
                self.set(ring.cause, ring.text, ring.seen, at);
                News::Attention
            }
            None => News::Nothing,
        }
    }

    /// RIS and the exit: what a program asked for before is no longer on its screen.
    pub(crate) fn forget_alive(&mut self) {
        self.alive.clear();
    }

    fn set(&mut self, cause: Cause, text: Option<String>, seen: bool, now: Now) {
        match cause {
            Cause::Bell => self.last_bell = Some(now.mono),
            Cause::Notify(_) => self.last_notify = Some(now.mono),
            _ => {}
        }
        // The same notification in other words replaces the text alone.
        if let (Cause::Notify(Some(_)), Some(entry)) = (&cause, &mut self.entry)
            && entry.cause == cause
            && entry.shown.unread
            && !seen
        {
            entry.shown.text = text;
            entry.shown.at = now.wall;
            return;
        }
        self.last_seq = self.last_seq.saturating_add(1);
        self.entry = Some(Entry {
            shown: Attention {
                seq: self.last_seq,
                kind: kind_of(&cause),
                text,
                at: now.wall,
                unread: !seen,
            },
            cause,
            withdrawn: false,
        });
    }

    fn withdraw(&mut self) -> News {
        if let Some(entry) = &mut self.entry {
            entry.withdrawn = true;
        }
        self.read()
    }

    fn read(&mut self) -> News {
        self.alive.clear();
        match &mut self.entry {
            Some(entry) if entry.shown.unread => {
                entry.shown.unread = false;
                News::Read
            }
            _ => News::Nothing,
        }
    }

    fn stand(&mut self, id: &str) {
        if self.alive.iter().any(|alive| alive == id) {
            return;
        }
        if self.alive.len() == ALIVE {
            self.alive.remove(0);
        }
        self.alive.push(id.to_owned());
    }
}

/// What an entry says of a record: its message, else its title.
pub(crate) fn record_text(record: &Record) -> Option<String> {
    let text = record.msg.as_deref().or(record.title.as_deref())?;
    some_line(text, TEXT_CHARS)
}

fn kind_of(cause: &Cause) -> AttentionKind {
    match cause {
        Cause::Record(_, RecordState::Error) | Cause::Progress => AttentionKind::Failed,
        Cause::Record(_, RecordState::Done) => AttentionKind::Finished,
        Cause::Record(..) => AttentionKind::Waiting,
        Cause::Bell => AttentionKind::Bell,
        Cause::Notify(_) => AttentionKind::Notify,
        Cause::Command(_) => AttentionKind::Command,
        Cause::Exit(_) => AttentionKind::Exit,
    }
}

#[cfg(test)]
mod tests;
