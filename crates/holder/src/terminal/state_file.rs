//! When the state file is written: at start and exit at once, otherwise about once a second while
//! something changes, the last state always in the end. A failing write is logged once, retried
//! with the next change, and never fatal.

use super::log;
use crate::spawn::{StateFile, write_state};
use std::path::PathBuf;
use std::time::Duration;

/// The shortest time between two writes.
const INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct StateWriter {
    path: PathBuf,
    changed: bool,
    written_at: Option<Duration>,
    /// Why the last write failed, if it did.
    failure: Option<String>,
}

impl StateWriter {
    /// Writes to `path`.
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            changed: false,
            written_at: None,
            failure: None,
        }
    }

    /// Something changed.
    pub(super) fn change(&mut self) {
        self.changed = true;
    }

    /// When to write next, if there is anything to write.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.changed
            .then(|| self.written_at.map_or(Duration::ZERO, |at| at + INTERVAL))
    }

    /// Writes if it is time.
    pub(super) fn write_if_due(&mut self, now: Duration, state: impl FnOnce() -> StateFile) {
        if self.deadline().is_some_and(|due| due <= now) {
            self.write_now(now, state());
        }
    }

    /// Writes at once.
    pub(super) fn write_now(&mut self, now: Duration, state: StateFile) {
        self.changed = false;
        self.written_at = Some(now);
        let failure = write_state(&self.path, &state)
            .err()
            .map(|error| format!("cannot write the state file: {error}"));
        if let (Some(message), None) = (&failure, &self.failure) {
            log::error(message);
        }
        self.failure = failure;
    }

    /// Why the last write failed, if it did.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}
