//! The emulator of record: feed, resize, snapshot, capture, answers.
#![forbid(unsafe_code)]

mod answers;
mod bulk;
mod capture;
#[cfg(test)]
mod contract;
mod dispatch;
mod edit;
mod history;
mod keyboard;
mod modes;
mod packed;
mod paint;
mod palette;
mod parser;
mod render;
mod resize;
mod screen;
mod sgr;
mod snapshot;
mod terminal;
mod titles;
mod write;

pub use screen::{Capture, Colors, Modes, Rgb, Scheme, Screen, Size, Snapshot, SnapshotExtras};
