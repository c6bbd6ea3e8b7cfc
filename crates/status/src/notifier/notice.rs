//! What a notification says. A terminal has our own name in it first; what a program said
//! comes after, and not at all where a person chose so.

use crate::command::Ended;
use crate::label::{exit_of, waiting, with_end};
use crate::shown::{TITLE_CHARS, some_line};
use crate::{Attention, AttentionKind, State, Status, TitleSource};

/// What a notification is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// This terminal.
    Terminal(String),
    /// Several, in one line.
    Fold,
}

/// How much it presses; the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// Somebody waits, or something failed.
    High,
    /// Something wants to be looked at.
    Normal,
    /// Something went well.
    Low,
}

/// One notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Whose.
    pub subject: Subject,
    /// The attention entry it tells of; 0: there is none.
    pub seq: u64,
    /// Why.
    pub kind: AttentionKind,
    /// How much it presses.
    pub urgency: Urgency,
    /// One clean line: `build: failed (exit 2)`.
    pub title: String,
    /// One clean line of what was said or ran.
    pub body: Option<String>,
}

impl Notice {
    /// What an earlier daemon told; in which words is not known.
    pub(super) fn told_before(id: &str, seq: u64, kind: AttentionKind) -> Self {
        Self {
            subject: Subject::Terminal(id.to_owned()),
            seq,
            kind,
            urgency: Urgency::Normal,
            title: String::new(),
            body: None,
        }
    }

    /// Nothing in the terminal's attention stands for it.
    pub(super) fn is_without_entry(&self) -> bool {
        self.seq == 0
    }

    /// In the same words, as far as they are known.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.title.is_empty() || (&self.title, &self.body) == (&other.title, &other.body)
    }
}

/// The notification of an unread entry.
pub(super) fn notice_of(status: &Status, attention: &Attention, text: bool) -> Notice {
    let said = match attention.kind {
        AttentionKind::Exit => context(status),
        _ => attention.text.as_deref().or_else(|| context(status)),
    };
    let (words, urgency) = match attention.kind {
        AttentionKind::Waiting => (waiting(status).to_owned(), Urgency::High),
        AttentionKind::Failed => ("failed".to_owned(), Urgency::High),
        AttentionKind::Finished => ("finished".to_owned(), Urgency::Low),
        AttentionKind::Bell | AttentionKind::Notify => {
            ("needs attention".to_owned(), Urgency::Normal)
        }
        AttentionKind::Exit => end_in_words(exit_of(status).as_ref()),
        // The text says how; another command may have ended since.
        AttentionKind::Command if status.state == State::Failed => {
            ("failed".to_owned(), Urgency::High)
        }
        AttentionKind::Command => ("finished".to_owned(), Urgency::Low),
    };
    Notice {
        subject: Subject::Terminal(status.id.clone()),
        seq: attention.seq,
        kind: attention.kind,
        urgency,
        title: format!("{}: {words}", status.name),
        body: said
            .filter(|_| text)
            .and_then(|said| some_line(said, TITLE_CHARS)),
    }
}

/// The notification of an end that has no entry.
pub(super) fn notice_of_end(status: &Status, text: bool) -> Notice {
    let exited = exit_of(status);
    let kind = match exited {
        Some(_) => AttentionKind::Exit,
        None => AttentionKind::Command,
    };
    let last = status.last_command.as_ref();
    let ended = Ended {
        line: last.and_then(|last| some_line(last.line.as_deref()?, TITLE_CHARS)),
        code: last.and_then(|last| last.exit_code),
        signal: exited.and_then(|ended| ended.signal),
    };
    let (words, urgency) = end_in_words(Some(&ended));
    Notice {
        subject: Subject::Terminal(status.id.clone()),
        seq: 0,
        kind,
        urgency,
        title: format!("{}: {words}", status.name),
        body: ended.line.filter(|_| text),
    }
}

fn end_in_words(ended: Option<&Ended>) -> (String, Urgency) {
    match ended {
        Some(ended) if ended.is_failure() => (with_end("failed", ended), Urgency::High),
        _ => ("finished".to_owned(), Urgency::Low),
    }
}

/// What the terminal is busy with, unless that is just the name of its shell or program.
fn context(status: &Status) -> Option<&str> {
    let tells = !matches!(
        status.title_source,
        None | Some(TitleSource::Process | TitleSource::Shell)
    );
    status.title.as_deref().filter(|_| tells)
}
