//! The emulator of record: feed, resize, snapshot, capture, answers.
#![forbid(unsafe_code)]

mod screen;

pub use screen::{Capture, Colors, Modes, Rgb, Scheme, Screen, Size, Snapshot, SnapshotExtras};
