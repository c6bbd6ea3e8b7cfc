//! Bytes of a terminal to signals and questions; the OSC 7501 codec. No I/O, no clock.
//!
//! A [`Reader`] takes the output of a program in chunks cut anywhere and calls a [`Sink`]
//! in stream order: with bytes to forward to clients, bytes to draw on the emulator,
//! [`Signal`]s and [`Query`]s. What it calls never depends on where the chunks were cut,
//! except that adjacent calls of `forward` and `draw` may be split differently.
#![forbid(unsafe_code)]

mod signal;

pub use signal::{
    Clear, Cwd, Kind, Mark, Notification, Progress, ProgressState, Rejection, RejectionReason,
    Report, ReportState, Signal,
};

pub mod program_status;
mod query;
mod reader;

pub use query::{ColorSlot, Query, QueryKind, Terminator};
pub use reader::{Options, Reader, Sink, signals_of};
