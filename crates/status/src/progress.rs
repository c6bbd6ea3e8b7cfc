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

#[cfg(test)]
mod tests {
    use crate::testing::{Tried, at, at_ms};
    use crate::{AttentionKind, Change, Event, Now, ProgressStatus, ProgressWord, State};
    use signals::ProgressState::{Busy, Clear, Error, Normal, Paused};
    use signals::ReportState::{Done, Working};
    use signals::{Rejection, RejectionReason, Signal};

    fn building() -> Tried {
        let mut shell = Tried::shell();
        shell.command("make");
        shell
    }

    fn shown(tried: &Tried) -> Option<(ProgressWord, Option<u8>)> {
        tried.status().progress.map(|p| (p.state, p.percent))
    }

    #[test]
    fn the_five_examples_are_shown_and_cleared() {
        let mut shell = building();
        for (state, percent, word, shown_state) in [
            (Normal, Some(42), ProgressWord::Normal, State::Working),
            (Error, Some(100), ProgressWord::Error, State::Failed),
            (Busy, None, ProgressWord::Busy, State::Working),
            (Paused, Some(7), ProgressWord::Paused, State::Working),
        ] {
            assert!(shell.progress(state, percent).contains(&Change::Progress));
            assert_eq!(shown(&shell), Some((word, percent)));
            assert_eq!(shell.state(), shown_state);
        }
        assert_eq!(shell.progress(Clear, None), [Change::Progress]);
        assert_eq!(shown(&shell), None);
        assert_eq!(shell.state(), State::Running);
        assert_eq!(shell.progress(Clear, None), []);
    }

    #[test]
    fn a_percentage_of_101_changes_and_renews_nothing() {
        let mut shell = building();
        shell.progress(Normal, Some(42));
        let rejected = Rejection {
            reason: RejectionReason::Frame,
        };
        assert_eq!(shell.wait(200).signal(Signal::Rejected(rejected)), []);
        assert_eq!(shown(&shell), Some((ProgressWord::Normal, Some(42))));
        assert_eq!(shell.wait(100).tick(), [Change::Progress]);
    }

    #[test]
    fn a_frame_is_believed_for_five_minutes() {
        let mut shell = building();
        shell.progress(Normal, Some(42));
        assert_eq!(shell.terminal.deadline(), Some(at(300).mono));
        assert_eq!(shell.wait_ms(299_999).tick(), []);
        assert_eq!(shell.wait_ms(1).tick(), [Change::Progress]);
        assert_eq!(shown(&shell), None);
        assert_eq!(shell.terminal.deadline(), None);
    }

    #[test]
    fn a_repeated_frame_renews_without_a_new_event() {
        let mut shell = building();
        shell.progress(Normal, Some(42));
        assert_eq!(shell.wait(200).progress(Normal, Some(42)), []);
        assert_eq!(shell.terminal.deadline(), Some(at(500).mono));
        assert_eq!(shell.wait(299).tick(), []);
        assert_eq!(shell.wait(1).tick(), [Change::Progress]);
    }

    #[test]
    fn an_expired_frame_is_gone_before_the_event_that_finds_it() {
        let mut shell = building();
        shell.progress(Normal, Some(42));
        assert_eq!(
            shell.wait(400).title("late"),
            [Change::Progress, Change::Title]
        );
    }

    #[test]
    fn exit_and_ris_end_progress() {
        let mut shell = building();
        shell.progress(Normal, Some(42));
        assert_eq!(shell.signal(Signal::Reset), [Change::Progress]);
        shell.progress(Error, None);
        shell.exit(0);
        assert_eq!(shown(&shell), None);
        assert_eq!(shell.progress(Normal, Some(1)), []);
    }

    #[test]
    fn the_next_prompt_ends_progress_unless_it_is_an_error() {
        for (state, stays) in [
            (Normal, false),
            (Busy, false),
            (Paused, false),
            (Error, true),
        ] {
            let mut shell = building();
            shell.progress(state, None);
            shell.done(1);
            shell.prompt();
            assert_eq!(shown(&shell).is_some(), stays, "{state:?}");
        }
    }

    #[test]
    fn without_marks_progress_ends_when_its_program_gives_the_foreground_back() {
        let mut dash = Tried::bare_shell();
        dash.foreground(2, "curl", false);
        dash.progress(Normal, Some(42));
        dash.foreground(1, "dash", true);
        assert_eq!(shown(&dash), None);
        // What a background program sent stays.
        dash.progress(Busy, None);
        dash.foreground(3, "ls", false);
        dash.foreground(1, "dash", true);
        assert_eq!(shown(&dash), Some((ProgressWord::Busy, None)));
    }

    #[test]
    fn from_the_first_report_progress_no_longer_decides_the_state() {
        let mut pi = building();
        pi.progress(Normal, Some(42));
        assert_eq!(pi.state(), State::Working);
        // A `clear` counts, also of nothing.
        assert_eq!(pi.clear(""), [Change::Report]);
        assert_eq!(pi.state(), State::Running);
        assert_eq!(shown(&pi), Some((ProgressWord::Normal, Some(42))));
        pi.progress(Error, None);
        assert_eq!(pi.state(), State::Running);
        assert_eq!(pi.attention(), None);
        pi.report("", Done);
        assert_eq!(pi.state(), State::Finished);
    }

    #[test]
    fn ris_and_the_next_prompt_let_progress_decide_again() {
        let mut pi = building();
        pi.report("", Working);
        pi.signal(Signal::Reset);
        pi.progress(Normal, Some(1));
        assert_eq!(pi.state(), State::Working);

        let mut pi = building();
        pi.report("", Working);
        pi.progress(Error, None);
        assert_eq!(pi.state(), State::Working);
        pi.done(1);
        pi.prompt();
        assert_eq!(pi.state(), State::Failed);
    }

    #[test]
    fn error_progress_asks_for_attention_once() {
        let mut shell = building();
        assert_eq!(
            shell.progress(Error, Some(100)),
            [Change::Progress, Change::Attention]
        );
        assert_eq!(shell.entry(), Some((AttentionKind::Failed, true)));
        assert_eq!(shell.progress(Error, Some(99)), [Change::Progress]);
        assert_eq!(shell.seq(), 1);
    }

    #[test]
    fn an_error_that_goes_on_takes_its_attention_back() {
        let mut shell = building();
        shell.progress(Error, None);
        assert_eq!(shell.progress(Busy, None), [Change::Progress, Change::Read]);
        assert_eq!(shell.entry(), Some((AttentionKind::Failed, false)));
        assert_eq!(shell.state(), State::Working);
    }

    #[test]
    fn a_clock_set_backwards_expires_nothing_and_delays_nothing() {
        let mut shell = building();
        shell.progress(Normal, Some(42));
        let set_back = |ms: u64| Now {
            mono: at_ms(ms).mono,
            wall: at(0).wall - jiff::SignedDuration::from_hours(5),
        };
        assert_eq!(shell.terminal.apply(Event::Tick, set_back(299_000)), []);
        assert_eq!(
            shell.terminal.apply(Event::Tick, set_back(300_000)),
            [Change::Progress]
        );
    }

    #[test]
    fn a_suspend_of_hours_makes_one_expiry() {
        let mut shell = building();
        shell.progress(Normal, Some(42));
        shell.bell();
        assert_eq!(shell.wait(8 * 3600).tick(), [Change::Progress]);
        assert_eq!(shell.tick(), []);
        assert_eq!(shell.seq(), 1);
    }

    #[test]
    fn busy_has_no_percentage() {
        let mut shell = building();
        shell.progress(Busy, Some(3));
        assert_eq!(
            shell.status().progress,
            Some(ProgressStatus {
                state: ProgressWord::Busy,
                percent: None
            })
        );
    }
}
