//! Signals, lifecycle and time to the status of one terminal. Pure.
//!
//! [`Terminal`] is the state machine: [`Terminal::apply`] takes an [`Event`] and the time and
//! says what [`Change`]s it made; [`Terminal::status`] is the whole [`Status`], the JSON
//! shape of interfaces.md. What is left of a terminal without a holder is a [`Status`] alone
//! ([`Status::into_lost`]); what `wait` waits for is a [`Wait`]; who is told of it, when and where, is
//! decided by a [`notifier::Notifier`].
//!
//! ```
//! use signals::{Mark, Signal};
//! use status::{Duration, Event, Facts, Now, Size, State, Terminal};
//!
//! let now = Now { mono: Duration::ZERO, wall: "2026-11-30T22:00:00Z".parse()? };
//! let mut terminal = Terminal::new(
//!     Facts {
//!         id: "k3vq7a2m".into(),
//!         name: "agent".into(),
//!         created_at: now.wall,
//!         initial_command: Some("make".into()),
//!         size: Size { cols: 80, rows: 24 },
//!         cwd: None,
//!         attention_after: 0,
//!         own_aid: None,
//!     },
//!     now,
//! );
//! terminal.apply(Event::Started, now);
//! terminal.apply(Event::Exited { code: Some(2), signal: None }, now);
//! assert_eq!(terminal.status().state, State::Failed);
//! assert_eq!(terminal.status().label, "agent — make · failed (exit 2)");
//! # Ok::<(), jiff::Error>(())
//! ```
//!
//! # What a holder must do
//!
//! Who has the foreground decides whose a title, a mark, a report or a progress frame is. So
//! [`Event::Foreground`] comes before each such signal whenever it changed: asking the terminal
//! for its foreground process group costs one system call, the name of the executable only has
//! to be read when the group is another. `is_shell` is true only for an interactive shell that
//! the terminal runs, never for the program of a terminal that was started with one.
//!
//! # Decisions where status.md is silent
//!
//! - An interactive shell is `running` until it is known to have the terminal (a mark, or the
//!   foreground); only then is the absence of a command `idle`.
//! - `command` is also the program that the terminal was started with, and, without marks, what
//!   has the foreground (`line` is then `null`).
//! - `D` ends the application's and the command's title as the prompt does: what is set between
//!   the two is the shell's.
//! - A long command whose exit code nobody told is `finished`.
//! - A child's `done` beneath a working ancestor neither asks for attention nor makes the
//!   terminal `finished`; once the ancestor works no more, it does the latter.
//! - An entry whose cause is gone (the record works again, the progress is no error, the
//!   notification was closed) becomes read: `waiting` is not announced after it was true.
//! - What a person brings back (`ack --undo`) stays unread while they look on; it is read the
//!   next time they look.
//! - Records of an earlier command that were seen do not make the next command `idle`.
//! - After the exit a child left behind can still ring, notify, and report `done` or `error`.
//! - A directory on another host is `host:path`.
//! - A command's line is kept up to 16 KiB.
#![forbid(unsafe_code)]

mod attention;
mod command;
mod condition;
mod duration;
#[cfg(test)]
mod invariants;
mod json;
mod label;
mod lifecycle;
pub mod notifier;
mod progress;
mod prompt;
mod records;
mod shown;
mod state;
mod terminal;
#[cfg(test)]
mod testing;
mod time;
mod title;
mod without_holder;

pub use condition::{Condition, UnknownCondition, Wait};
pub use duration::{duration_text, parse_duration};
pub use json::*;
pub use state::{Colour, PAUSED_ASCII, PAUSED_GLYPH};
pub use terminal::{Change, Event, Facts, Foreground, Terminal};
pub use time::{Duration, Now, age, age_since};
