//! Bytes of a terminal to signals and questions; the OSC 7501 codec. No I/O, no clock.
//!
//! A [`Reader`] takes the output of a program in chunks cut anywhere and calls a [`Sink`]
//! in stream order: with bytes to forward to clients, bytes to draw on the emulator,
//! [`Signal`]s and [`Query`]s. What it calls never depends on where the chunks were cut,
//! except that adjacent calls of `forward` and `draw` may be split differently.
//!
//! One file reads and writes one protocol; its head has the grammar. A new control string
//! is one new file and one line in `control_string::LIST`.
//!
//! ```
//! use signals::{Signal, signals_of};
//!
//! let said = signals_of(b"\x1b]2;PR #123\x07 plain \x07");
//! assert_eq!(said, [(0, Signal::Title("PR #123".into())), (19, Signal::Bell)]);
//! ```
#![forbid(unsafe_code)]

mod signal;

pub use signal::{
    Clear, Cwd, Kind, Mark, Notification, Progress, ProgressState, Rejection, RejectionReason,
    Report, ReportState, Signal,
};

pub mod answer;
pub mod bell;
mod clipboard;
mod color;
mod control_sequence;
mod control_string;
pub mod dialect;
mod emulation;
mod image;
pub mod notification;
pub mod passthrough;
pub mod program_status;
pub mod progress;
mod query;
mod reader;
mod report_modes;
pub mod shell_integration;
mod sink;
pub mod text;
pub mod title;
mod word;
pub mod working_directory;

pub use query::{ColorSlot, Query, QueryKind, Terminator};
pub use reader::{Options, Reader, signals_of};
pub use sink::Sink;
