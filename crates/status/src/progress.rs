//! OSC 9;4 as it lasts (status.md, Progress).
//!
//! A program that dies does not clear its progress, so each active frame is believed for five
//! minutes; a program that still works repeats itself.

use crate::{Duration, Now, ProgressStatus, ProgressWord};
use signals::ProgressState;

/// How long one frame is believed: longer than any step a program shows between two frames.
const PERIOD: Duration = Duration::from_secs(5 * 60);

#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    shown: Option<Shown>,
}

#[derive(Debug, Clone)]
struct Shown {
    status: ProgressStatus,
    until: Duration,
    /// Another program than the shell had the foreground when the frame came.
    in_foreground: bool,
}

impl Progress {
    pub(crate) fn status(&self) -> Option<ProgressStatus> {
        self.shown.as_ref().map(|shown| shown.status)
    }

    pub(crate) fn is_error(&self) -> bool {
        self.status()
            .is_some_and(|s| s.state == ProgressWord::Error)
    }

    /// When the last frame stops being believed.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.shown.as_ref().map(|shown| shown.until)
    }

    /// One valid frame. Says whether what is shown changed: a repeated frame only renews.
    pub(crate) fn frame(
        &mut self,
        frame: signals::Progress,
        in_foreground: bool,
        now: Now,
    ) -> bool {
        let (state, percent) = match frame.state {
            ProgressState::Clear => return self.end(),
            ProgressState::Normal => (ProgressWord::Normal, frame.percent),
            ProgressState::Error => (ProgressWord::Error, frame.percent),
            ProgressState::Busy => (ProgressWord::Busy, None),
            ProgressState::Paused => (ProgressWord::Paused, frame.percent),
        };
        let status = ProgressStatus { state, percent };
        let news = self.status() != Some(status);
        self.shown = Some(Shown {
            status,
            until: now.mono.saturating_add(PERIOD),
            in_foreground,
        });
        news
    }

    /// Clear, exit, RIS. Says whether something was shown.
    pub(crate) fn end(&mut self) -> bool {
        self.shown.take().is_some()
    }

    /// The shell's next prompt ends it, unless it is an error.
    pub(crate) fn prompt(&mut self) -> bool {
        !self.is_error() && self.end()
    }

    /// Without prompt marks: the shell has the foreground again, which the program that sent
    /// the frame had. It counts as the next prompt.
    pub(crate) fn foreground_ended(&mut self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.in_foreground) && self.prompt()
    }

    pub(crate) fn expire(&mut self, now: Now) -> bool {
        self.deadline().is_some_and(|until| until <= now.mono) && self.end()
    }
}
