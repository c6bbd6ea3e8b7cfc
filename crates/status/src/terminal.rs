//! The state machine of one terminal.

use crate::{Duration, Now, Size, Status};
use jiff::Timestamp;
use signals::Signal;

/// What is fixed about a terminal when it starts.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The id.
    pub id: String,
    /// The name; the id where none was given.
    pub name: String,
    /// When it was first created.
    pub created_at: Timestamp,
    /// The command as the person gave it, for the title; `None` for an interactive shell.
    pub initial_command: Option<String>,
    /// The size.
    pub size: Size,
    /// The directory it starts in.
    pub cwd: Option<String>,
    /// Attention numbers start after this one (of an earlier incarnation); 0 at first.
    pub attention_after: u64,
    /// The secret `aid=` of our own shell integration, where it is active.
    pub own_aid: Option<String>,
}

/// What holds the foreground of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreground {
    /// The foreground process group.
    pub pgid: i32,
    /// The name of its executable.
    pub name: String,
    /// It is the interactive shell that the terminal runs.
    pub is_shell: bool,
}

/// What happens to a terminal.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum Event {
    /// A signal was read; the alternate screen was active or not at that point.
    Signal {
        signal: Signal,
        alternate_screen: bool,
    },
    /// The program runs.
    Started,
    /// The program was reaped: a code or the name of a signal (`KILL`), never both.
    Exited {
        code: Option<i32>,
        signal: Option<String>,
    },
    /// The holder is gone without having announced an exit.
    Lost,
    /// The foreground changed (or is unknown).
    Foreground(Option<Foreground>),
    /// The number of attached clients, and whether a present one has it on screen.
    Clients { count: u32, seen: bool },
    /// A person acknowledged: entries up to `seq` (`None`: the present one), and records.
    Ack { seq: Option<u64> },
    /// Bring the acknowledged entry back under a new seq: now, or after a time.
    Unack { after: Option<Duration> },
    /// A person clears finished and failed records: all, or one with all beneath it.
    ClearRecords { id: Option<String> },
    /// A person pressed Ctrl-C: an exit of 130 that follows asks for no attention.
    Interrupted,
    /// The name changed.
    Renamed(String),
    /// The size changed.
    Resized(Size),
    /// Notifications off or on.
    Muted(bool),
    /// Time passed: expire what is due.
    Tick,
}

/// What changed: one event of the journal each, in order.
pub type Change = crate::EventKind;

/// The state machine of one terminal.
#[derive(Debug, Clone)]
pub struct Terminal {}

impl Terminal {
    /// A terminal that is starting.
    pub fn new(facts: Facts, now: Now) -> Self {
        let _ = (facts, now);
        todo!()
    }
    /// Applies one event. The changes, in order, without repetition; empty: nothing a client
    /// sees has changed (a renewed progress frame, say).
    pub fn apply(&mut self, event: Event, now: Now) -> Vec<Change> {
        let _ = (event, now);
        todo!()
    }
    /// When the next [`Event::Tick`] is due, on the monotonic clock. `None`: never.
    pub fn deadline(&self) -> Option<Duration> {
        todo!()
    }
    /// The whole status.
    pub fn status(&self) -> Status {
        todo!()
    }
    /// OSC 99 identifiers that stand (for the answer to `p=alive`).
    pub fn notifications_alive(&self) -> Vec<String> {
        todo!()
    }
}
