//! Time as a parameter, and ages for people.

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

/// How long ago `then` was; nothing if the clock was set back since.
pub fn age_since(then: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(then)).unwrap_or_default()
}

/// An age as every client shows it: `41 s`, `3 m`, `2 h`, `5 d`.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(status::age(Duration::from_secs(200)), "3 m");
/// ```
pub fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} m", seconds / 60),
        3600..86400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_human() {
        for (seconds, shown) in [
            (0, "0 s"),
            (41, "41 s"),
            (59, "59 s"),
            (60, "1 m"),
            (3 * 60 + 59, "3 m"),
            (3600, "1 h"),
            (2 * 3600 + 1800, "2 h"),
            (86_400, "1 d"),
            (5 * 86_400 + 1, "5 d"),
        ] {
            assert_eq!(age(Duration::from_secs(seconds)), shown);
        }
    }

    #[test]
    fn a_clock_set_backwards_gives_no_negative_age() {
        let then: Timestamp = "2026-11-30T22:00:00Z".parse().unwrap();
        let before: Timestamp = "2026-11-30T21:00:00Z".parse().unwrap();
        assert_eq!(age_since(then, before), Duration::ZERO);
        assert_eq!(age_since(before, then), Duration::from_secs(3600));
    }
}
