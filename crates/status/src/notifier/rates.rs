//! How much is told at most (status.md, Notifications).

use crate::Duration;
use std::collections::VecDeque;

/// What is withdrawn within this time was nothing.
pub(super) const SETTLE: Duration = Duration::from_secs(1);

/// At least this long between two notifications of one terminal.
pub(super) const INTERVAL: Duration = Duration::from_secs(3);

/// So many terminals that ask at once are one notification: nobody reads five.
pub(super) const FOLD_FROM: usize = 5;

/// Notifications with sound in a minute, of all terminals.
const PER_MINUTE: usize = 20;

const MINUTE: Duration = Duration::from_secs(60);

/// When something was told in the last minute.
#[derive(Debug, Clone, Default)]
pub(super) struct Budget(VecDeque<Duration>);

impl Budget {
    /// `true`: one more may be told, and is counted.
    pub(super) fn take(&mut self, now: Duration) -> bool {
        while self.0.front().is_some_and(|told| now >= *told + MINUTE) {
            self.0.pop_front();
        }
        let free = self.0.len() < PER_MINUTE;
        if free {
            self.0.push_back(now);
        }
        free
    }
}
