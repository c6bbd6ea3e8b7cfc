//! Signals, lifecycle and time to the status of one terminal. Pure.
//!
//! [`Terminal`] is the state machine: [`Terminal::apply`] takes an [`Event`] and the time and
//! says what [`Change`]s it made; [`Terminal::status`] is the whole [`Status`], the JSON
//! shape of interfaces.md.
#![forbid(unsafe_code)]

mod json;
mod terminal;
mod time;

pub use json::*;
pub use terminal::{Change, Event, Facts, Foreground, Terminal};
pub use time::{Duration, Now};
