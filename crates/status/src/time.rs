//! Time as a parameter.

pub use core::time::Duration;
use jiff::Timestamp;

/// One moment on both clocks. Deadlines and ages of running things use `mono`; what is
/// shown and stored uses `wall`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Monotonic, since any fixed point of this process.
    pub mono: Duration,
    /// UTC.
    pub wall: Timestamp,
}
