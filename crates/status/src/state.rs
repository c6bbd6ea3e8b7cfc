//! One word per terminal, most urgent first (status.md, State), and how it looks.
//!
//! The word is a function of the status and of the few things a status does not show.

use crate::records::is_silent;
use crate::{AttentionKind, LifecycleState, ProgressWord, Record, RecordState, State, Status};

/// What decides besides the status itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Basis<'a> {
    /// No program has reported since RIS or the last prompt: progress decides.
    pub(crate) progress_decides: bool,
    /// The shell is known to have the terminal where no command runs.
    pub(crate) shell_is_there: bool,
    /// How the command or program ended that the unread entry tells of.
    pub(crate) unread_end: Option<&'a crate::command::Ended>,
}

/// The table of status.md, from top to bottom.
pub(crate) fn state_of(status: &Status, basis: Basis<'_>) -> State {
    if status.lifecycle.state == LifecycleState::Lost {
        return State::Lost;
    }
    let record = |state: RecordState| status.reports.iter().any(|r| r.state == state);
    let unseen = |state: RecordState| {
        let counts = |r: &&Record| r.state == state && !r.seen && !is_silent_in(status, r);
        status.reports.iter().any(|r| counts(&r))
    };
    let progress = status.progress.filter(|_| basis.progress_decides);
    let progress_is = |word: ProgressWord| progress.is_some_and(|p| p.state == word);
    let unread = status
        .attention
        .as_ref()
        .filter(|a| a.unread)
        .map(|a| a.kind);
    let ended = |failed: bool| {
        basis
            .unread_end
            .is_some_and(|end| end.is_failure() == failed)
    };

    if record(RecordState::Blocked) {
        State::Waiting
    } else if unseen(RecordState::Error) || progress_is(ProgressWord::Error) || ended(true) {
        State::Failed
    } else if matches!(unread, Some(AttentionKind::Bell | AttentionKind::Notify)) {
        State::Attention
    } else if unseen(RecordState::Done) || ended(false) {
        State::Finished
    } else if record(RecordState::Working) || progress.is_some() {
        State::Working
    } else if status.lifecycle.state == LifecycleState::Exited {
        State::Exited
    } else if record(RecordState::Idle) && status.lifecycle.state == LifecycleState::Running {
        // A program that says it is idle runs as a command.
        State::Idle
    } else if !basis.progress_decides && has_only_seen(status) {
        // What is left of an earlier command says nothing of the one that runs now.
        State::Idle
    } else if status.command.is_some() || !basis.shell_is_there {
        State::Running
    } else {
        State::Idle
    }
}

/// Nothing left but records that were seen.
fn has_only_seen(status: &Status) -> bool {
    !status.reports.is_empty() && status.reports.iter().all(|record| record.seen)
}

fn is_silent_in(status: &Status, record: &Record) -> bool {
    is_silent(record, |id| {
        let found = status.reports.iter().find(|other| other.id == id)?;
        Some(found.state)
    })
}

/// What a state is painted in; a client maps it to what its screen has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the words are status.md's")]
pub enum Colour {
    Orange,
    Red,
    Green,
    Accent,
    DimAccent,
    Grey,
    /// The colour of plain text.
    None,
}

impl State {
    /// All, most urgent first.
    pub const ALL: [Self; 9] = [
        Self::Waiting,
        Self::Failed,
        Self::Attention,
        Self::Finished,
        Self::Working,
        Self::Running,
        Self::Idle,
        Self::Exited,
        Self::Lost,
    ];

    /// The word, as in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Failed => "failed",
            Self::Attention => "attention",
            Self::Finished => "finished",
            Self::Working => "working",
            Self::Running => "running",
            Self::Idle => "idle",
            Self::Exited => "exited",
            Self::Lost => "lost",
        }
    }

    /// One character a terminal, one column wide.
    pub const fn glyph(self) -> &'static str {
        match self {
            Self::Waiting => "▲",
            Self::Failed => "✗",
            Self::Attention => "△",
            Self::Finished => "✓",
            Self::Working => "●",
            Self::Running => "›",
            Self::Idle => " ",
            Self::Exited | Self::Lost => "■",
        }
    }

    /// The glyph where only ASCII can be shown.
    pub const fn ascii(self) -> &'static str {
        match self {
            Self::Waiting => "!",
            Self::Failed => "x",
            Self::Attention => "?",
            Self::Finished => "+",
            Self::Working => "*",
            Self::Running => ">",
            Self::Idle => " ",
            Self::Exited | Self::Lost => "-",
        }
    }

    /// The colour of the state alone; [`Status::colour`] also knows a failed exit.
    pub const fn colour(self) -> Colour {
        match self {
            Self::Waiting | Self::Attention => Colour::Orange,
            Self::Failed => Colour::Red,
            Self::Finished => Colour::Green,
            Self::Working => Colour::Accent,
            Self::Running => Colour::DimAccent,
            Self::Idle => Colour::None,
            Self::Exited | Self::Lost => Colour::Grey,
        }
    }

    /// What a group (a window, a session, a host) shows: its most urgent member.
    pub fn most_urgent(states: impl IntoIterator<Item = Self>) -> Option<Self> {
        states.into_iter().min()
    }
}

/// Paused progress.
pub const PAUSED_GLYPH: &str = "‖";
/// Paused progress where only ASCII can be shown.
pub const PAUSED_ASCII: &str = "=";

impl Status {
    /// `working` only because of progress that is paused.
    pub fn is_paused(&self) -> bool {
        self.state == State::Working
            && self
                .progress
                .is_some_and(|p| p.state == ProgressWord::Paused)
            && !self.reports.iter().any(|r| r.state == RecordState::Working)
    }

    /// The glyph of the state, also of paused progress.
    pub fn glyph(&self) -> &'static str {
        if self.is_paused() {
            PAUSED_GLYPH
        } else {
            self.state.glyph()
        }
    }

    /// The same where only ASCII can be shown.
    pub fn ascii(&self) -> &'static str {
        if self.is_paused() {
            PAUSED_ASCII
        } else {
            self.state.ascii()
        }
    }

    /// The colour: also red for a terminal that ended with another code than 0.
    pub fn colour(&self) -> Colour {
        if self.state == State::Exited && self.lifecycle.is_failure() {
            Colour::Red
        } else {
            self.state.colour()
        }
    }
}
