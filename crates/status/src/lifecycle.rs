//! `starting → running → exited {code | signal} | lost` (status.md, Lifecycle).
//!
//! An exit is final: what a left-behind child still says does not bring a terminal back, and
//! a terminal that announced its exit is never `lost`.

use crate::{Lifecycle, LifecycleState, Now};
use jiff::Timestamp;

impl Lifecycle {
    /// A terminal whose program has not started yet.
    pub(crate) fn starting() -> Self {
        Self {
            state: LifecycleState::Starting,
            code: None,
            signal: None,
            at: None,
        }
    }

    /// The program runs. Says whether that is news.
    pub(crate) fn start(&mut self) -> bool {
        let news = self.state == LifecycleState::Starting;
        if news {
            self.state = LifecycleState::Running;
        }
        news
    }

    /// The program was reaped. A signal is reported as the signal, never as a code.
    pub(crate) fn exit(&mut self, code: Option<i32>, signal: Option<String>, now: Now) -> bool {
        if self.is_over() {
            return false;
        }
        self.state = LifecycleState::Exited;
        self.code = if signal.is_some() { None } else { code };
        self.signal = signal;
        self.at = Some(now.wall);
        true
    }

    /// The holder is gone without having announced an exit; at that time, as far as it is known.
    pub(crate) fn lose(&mut self, at: Timestamp) -> bool {
        if self.is_over() {
            return false;
        }
        self.state = LifecycleState::Lost;
        self.at = Some(at);
        true
    }

    /// Exited or lost.
    pub fn is_over(&self) -> bool {
        matches!(self.state, LifecycleState::Exited | LifecycleState::Lost)
    }

    /// Exited by a signal or with another code than 0.
    pub fn is_failure(&self) -> bool {
        self.state == LifecycleState::Exited
            && (self.signal.is_some() || self.code.is_some_and(|code| code != 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn an_exit_by_signal_has_no_code() {
        let mut lifecycle = Lifecycle::starting();
        assert!(lifecycle.start());
        assert!(lifecycle.exit(Some(137), Some("KILL".into()), at(1)));
        assert_eq!(lifecycle.code, None);
        assert_eq!(lifecycle.signal.as_deref(), Some("KILL"));
        assert_eq!(lifecycle.at, Some(at(1).wall));
        assert!(lifecycle.is_failure());
    }

    #[test]
    fn an_exited_terminal_is_never_lost_nor_exits_again() {
        let mut lifecycle = Lifecycle::starting();
        lifecycle.exit(Some(0), None, at(1));
        assert!(!lifecycle.lose(at(2).wall));
        assert!(!lifecycle.exit(Some(1), None, at(2)));
        assert!(!lifecycle.start());
        assert_eq!(lifecycle.state, LifecycleState::Exited);
        assert!(!lifecycle.is_failure());
    }
}
