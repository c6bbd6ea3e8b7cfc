//! Signals, lifecycle and time to the status of one terminal. Pure.
//!
//! [`Terminal`] is the state machine: [`Terminal::apply`] takes an [`Event`] and the time and
//! says what [`Change`]s it made; [`Terminal::status`] is the whole [`Status`], the JSON
//! shape of interfaces.md.
#![forbid(unsafe_code)]

mod attention;
mod command;
mod condition;
#[cfg(test)]
mod invariants;
mod json;
mod label;
mod lifecycle;
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
pub use json::*;
pub use state::{Colour, PAUSED_ASCII, PAUSED_GLYPH};
pub use terminal::{Change, Event, Facts, Foreground, Terminal};
pub use time::{Duration, Now, age, age_since};
