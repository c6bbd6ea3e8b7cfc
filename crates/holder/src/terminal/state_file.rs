//! When the state file is written: at start and exit at once, otherwise about once a second while
//! something changes, the last state always in the end. A failing write is logged once, retried
//! with the next change and after a while without one, and never fatal.

use super::log;
use crate::spawn::{StateFile, write_state};
use std::path::PathBuf;
use std::time::Duration;

/// The shortest time between two writes.
const INTERVAL: Duration = Duration::from_secs(1);

/// The time until a failed write is tried again although nothing changed: an exit is the last change,
/// and it has to outlive a disk that was full at that moment. Long, since it wakes an idle holder.
const RETRY: Duration = Duration::from_secs(60);

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
        let pause = match (self.changed, &self.failure) {
            (true, _) => INTERVAL,
            (false, Some(_)) => RETRY,
            (false, None) => return None,
        };
        Some(self.written_at.map_or(Duration::ZERO, |at| at + pause))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn state_of_a_terminal() -> StateFile {
        let now = super::super::clock::now();
        let facts = status::Facts {
            id: "abcdefgh".into(),
            name: "x".into(),
            created_at: now.wall,
            initial_command: None,
            size: status::Size { cols: 80, rows: 24 },
            cwd: None,
            attention_after: 0,
            own_aid: None,
        };
        StateFile {
            spec: crate::spawn::Spec::default(),
            incarnation: 1,
            status: status::Terminal::new(facts, now).status(),
        }
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_failed_write_is_tried_again_although_nothing_changes_any_more() {
        let home = tempfile::tempdir().unwrap();
        let mut state = StateWriter::new(home.path().join("missing/abcdefgh.json"));
        let file = state_of_a_terminal();
        state.change();
        state.write_now(at(10), file.clone());
        assert!(state.failure().is_some());
        assert_eq!(state.deadline(), Some(at(10) + RETRY));
        state.change();
        assert_eq!(
            state.deadline(),
            Some(at(10) + INTERVAL),
            "a change does not wait for that"
        );
        state.write_if_due(at(11), || file.clone());
        std::fs::create_dir(home.path().join("missing")).unwrap();
        state.write_if_due(at(11) + RETRY, || file.clone());
        assert_eq!((state.failure(), state.deadline()), (None, None));
        assert!(home.path().join("missing/abcdefgh.json").exists());
    }
}
