//! The two clocks: monotonic for deadlines, wall for what is shown and stored.

use jiff::Timestamp;
use status::Now;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// This moment. The monotonic clock counts from the first call and stands still while the
/// machine sleeps.
pub(super) fn now() -> Now {
    Now {
        mono: mono(),
        wall: Timestamp::now(),
    }
}

/// This moment on the monotonic clock alone.
pub(super) fn mono() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
