//! One word per terminal, most urgent first (status.md, State), and how it looks.
//!
//! The word is a function of the status and of the few things a status does not show.

use crate::records::is_silent;
use crate::{
    Attention, AttentionKind, LifecycleState, ProgressWord, Record, RecordState, State, Status,
};

/// What decides besides the status itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Basis<'a> {
    /// No program has reported since RIS or the last prompt: progress decides.
    pub(crate) progress_decides: bool,
    /// The shell is known to have the terminal where no command runs.
    pub(crate) shell_is_there: bool,
    /// How the command or program ended that the unread entry tells of.
    pub(crate) unread_end: Option<&'a crate::command::Ended>,
}

/// The table of status.md, from top to bottom.
pub(crate) fn state_of(status: &Status, basis: Basis<'_>) -> State {
    if status.lifecycle.state == LifecycleState::Lost {
        // Nobody has seen that it was lost.
        let exit = |entry: &Attention| entry.unread && entry.kind == AttentionKind::Exit;
        return match status.attention.as_ref().is_some_and(exit) {
            true => State::Failed,
            false => State::Lost,
        };
    }
    let record = |state: RecordState| status.reports.iter().any(|r| r.state == state);
    let unseen = |state: RecordState| {
        let counts = |r: &&Record| r.state == state && !r.seen && !is_silent_in(status, r);
        status.reports.iter().any(|r| counts(&r))
    };
    let progress = status.progress.filter(|_| basis.progress_decides);
    let progress_is = |word: ProgressWord| progress.is_some_and(|p| p.state == word);
    let unread = status
        .attention
        .as_ref()
        .filter(|a| a.unread)
        .map(|a| a.kind);
    let ended = |failed: bool| {
        basis
            .unread_end
            .is_some_and(|end| end.is_failure() == failed)
    };

    if record(RecordState::Blocked) {
        State::Waiting
    } else if unseen(RecordState::Error) || progress_is(ProgressWord::Error) || ended(true) {
        State::Failed
    } else if matches!(unread, Some(AttentionKind::Bell | AttentionKind::Notify)) {
        State::Attention
    } else if unseen(RecordState::Done) || ended(false) {
        State::Finished
    } else if record(RecordState::Working) || progress.is_some() {
        State::Working
    } else if status.lifecycle.state == LifecycleState::Exited {
        State::Exited
    } else if record(RecordState::Idle) && status.lifecycle.state == LifecycleState::Running {
        // A program that says it is idle runs as a command.
        State::Idle
    } else if !basis.progress_decides && has_only_seen(status) {
        // What is left of an earlier command says nothing of the one that runs now.
        State::Idle
    } else if status.command.is_some() || !basis.shell_is_there {
        State::Running
    } else {
        State::Idle
    }
}

/// Nothing left but records that were seen.
fn has_only_seen(status: &Status) -> bool {
    !status.reports.is_empty() && status.reports.iter().all(|record| record.seen)
}

fn is_silent_in(status: &Status, record: &Record) -> bool {
    is_silent(record, |id| {
        let found = status.reports.iter().find(|other| other.id == id)?;
        Some(found.state)
    })
}

/// What a state is painted in; a client maps it to what its screen has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the words are status.md's")]
pub enum Colour {
    Orange,
    Red,
    Green,
    Accent,
    DimAccent,
    Grey,
    /// The colour of plain text.
    None,
}

impl State {
    /// All, most urgent first.
    pub const ALL: [Self; 9] = [
        Self::Waiting,
        Self::Failed,
        Self::Attention,
        Self::Finished,
        Self::Working,
        Self::Running,
        Self::Idle,
        Self::Exited,
        Self::Lost,
    ];

    /// The word, as in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Failed => "failed",
            Self::Attention => "attention",
            Self::Finished => "finished",
            Self::Working => "working",
            Self::Running => "running",
            Self::Idle => "idle",
            Self::Exited => "exited",
            Self::Lost => "lost",
        }
    }

    /// One character a terminal, one column wide.
    pub const fn glyph(self) -> &'static str {
        match self {
            Self::Waiting => "▲",
            Self::Failed => "✗",
            Self::Attention => "△",
            Self::Finished => "✓",
            Self::Working => "●",
            Self::Running => "›",
            Self::Idle => " ",
            Self::Exited | Self::Lost => "■",
        }
    }

    /// The glyph where only ASCII can be shown.
    pub const fn ascii(self) -> &'static str {
        match self {
            Self::Waiting => "!",
            Self::Failed => "x",
            Self::Attention => "?",
            Self::Finished => "+",
            Self::Working => "*",
            Self::Running => ">",
            Self::Idle => " ",
            Self::Exited | Self::Lost => "-",
        }
    }

    /// The colour of the state alone; [`Status::colour`] also knows a failed exit.
    pub const fn colour(self) -> Colour {
        match self {
            Self::Waiting | Self::Attention => Colour::Orange,
            Self::Failed => Colour::Red,
            Self::Finished => Colour::Green,
            Self::Working => Colour::Accent,
            Self::Running => Colour::DimAccent,
            Self::Idle => Colour::None,
            Self::Exited | Self::Lost => Colour::Grey,
        }
    }

    /// What a group (a window, a session, a host) shows: its most urgent member.
    pub fn most_urgent(states: impl IntoIterator<Item = Self>) -> Option<Self> {
        states.into_iter().min()
    }
}

/// Paused progress.
pub const PAUSED_GLYPH: &str = "‖";
/// Paused progress where only ASCII can be shown.
pub const PAUSED_ASCII: &str = "=";

impl Status {
    /// `working` only because of progress that is paused.
    pub fn is_paused(&self) -> bool {
        self.state == State::Working
            && self
                .progress
                .is_some_and(|p| p.state == ProgressWord::Paused)
            && !self.reports.iter().any(|r| r.state == RecordState::Working)
    }

    /// The glyph of the state, also of paused progress.
    pub fn glyph(&self) -> &'static str {
        if self.is_paused() {
            PAUSED_GLYPH
        } else {
            self.state.glyph()
        }
    }

    /// The same where only ASCII can be shown.
    pub fn ascii(&self) -> &'static str {
        if self.is_paused() {
            PAUSED_ASCII
        } else {
            self.state.ascii()
        }
    }

    /// The colour: also red for a terminal that ended with another code than 0.
    pub fn colour(&self) -> Colour {
        if self.state == State::Exited && self.lifecycle.is_failure() {
            Colour::Red
        } else {
            self.state.colour()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;
    use crate::testing::Tried;
    use signals::ProgressState::{self, Busy, Normal, Paused};
    use signals::ReportState::{self, Blocked, Done, Idle, Working};
    use signals::{Mark, Signal};

    fn agent() -> Tried {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell
    }

    #[test]
    fn the_most_urgent_of_what_is_true_is_said() {
        let mut pi = agent();
        assert_eq!(pi.state(), State::Running);
        pi.report("a", Working);
        assert_eq!(pi.state(), State::Working);
        pi.report("b", Done);
        assert_eq!(pi.state(), State::Finished);
        pi.wait(10).bell();
        assert_eq!(pi.state(), State::Attention);
        pi.report("c", ReportState::Error);
        assert_eq!(pi.state(), State::Failed);
        pi.report("d", Blocked);
        assert_eq!(pi.state(), State::Waiting);
    }

    #[test]
    fn one_blocked_child_makes_its_terminal_waiting_although_the_root_works() {
        let mut pi = agent();
        pi.report("", Working);
        pi.report("task/3", Blocked);
        assert_eq!(pi.state(), State::Waiting);
    }

    #[test]
    fn waiting_ends_with_each_thing_that_ends_it() {
        type End = (&'static str, fn(&mut Tried));
        let ends: [End; 8] = [
            ("working", |t| drop(t.report("", Working))),
            ("done", |t| drop(t.report("", Done))),
            ("idle", |t| drop(t.report("", Idle))),
            ("a new prompt", |t| drop(t.prompt())),
            ("a reset", |t| drop(t.signal(Signal::Reset))),
            ("an exit", |t| drop(t.exit(0))),
            ("a cleared record", |t| drop(t.clear(""))),
            ("the loss of its holder", |t| drop(t.event(Event::Lost))),
        ];
        for (name, end) in ends {
            let mut pi = agent();
            pi.report("", Blocked);
            assert_eq!(pi.state(), State::Waiting);
            end(&mut pi);
            assert_ne!(pi.state(), State::Waiting, "{name}");
            assert!(!pi.label().contains("waiting"), "{name}");
            assert_ne!(
                pi.entry(),
                Some((AttentionKind::Waiting, true)),
                "{name}: the entry is taken back"
            );
        }
    }

    #[test]
    fn an_answer_being_read_does_not_end_waiting() {
        let mut pi = agent();
        pi.report("", Blocked);
        pi.ack(None);
        assert_eq!(pi.state(), State::Waiting);
    }

    #[test]
    fn a_program_that_says_nothing_runs_and_is_not_idle() {
        assert_eq!(Tried::program("server").state(), State::Running);
        assert_eq!(agent().state(), State::Running);
        let mut dash = Tried::bare_shell();
        dash.foreground(2, "server", false);
        assert_eq!(dash.state(), State::Running);
    }

    #[test]
    fn a_shell_is_idle_once_it_is_known_to_be_at_its_prompt() {
        let shell = Tried::of(crate::testing::facts());
        assert_eq!(shell.state(), State::Running);
        assert!(!shell.status().at_prompt());
        assert_eq!(Tried::bare_shell().state(), State::Idle);
        assert!(Tried::bare_shell().status().at_prompt());
        assert_eq!(Tried::shell().state(), State::Idle);
        assert!(!agent().status().at_prompt());
    }

    #[test]
    fn an_idle_record_makes_a_running_program_idle() {
        let mut pi = Tried::program("pi");
        pi.report("", Idle);
        assert_eq!(pi.state(), State::Idle);
        pi.clear("");
        assert_eq!(pi.state(), State::Running);
    }

    #[test]
    fn seen_records_of_an_earlier_command_say_nothing_of_the_one_that_runs() {
        let mut shell = agent();
        shell.report("", Done);
        shell.done(0);
        shell.prompt();
        shell.ack(None);
        assert_eq!(shell.state(), State::Idle);
        shell.command("make");
        assert_eq!(shell.state(), State::Running);
    }

    #[test]
    fn a_long_command_is_finished_or_failed_until_it_is_seen() {
        for (code, state) in [(0, State::Finished), (1, State::Failed)] {
            let mut shell = agent();
            shell.wait(30).done(code);
            shell.prompt();
            assert_eq!(shell.state(), state);
            shell.command("ls");
            assert_eq!(
                shell.state(),
                state,
                "unread: another command does not hide it"
            );
            shell.seen(true);
            assert_eq!(shell.state(), State::Running);
        }
    }

    #[test]
    fn a_short_command_that_fails_leaves_the_shell_idle() {
        let mut shell = agent();
        shell.wait(29).done(1);
        shell.prompt();
        assert_eq!(shell.state(), State::Idle);
    }

    #[test]
    fn a_long_command_whose_end_nobody_told_is_finished() {
        let mut shell = agent();
        shell.wait(30).mark(Mark::NewPrompt);
        assert_eq!(shell.state(), State::Finished);
        let mut dash = Tried::bare_shell();
        dash.foreground(2, "make", false);
        dash.wait(30).foreground(1, "dash", true);
        assert_eq!(dash.state(), State::Finished);
    }

    #[test]
    fn a_failed_exit_is_failed_until_it_is_seen_and_red_after() {
        let mut program = Tried::program("sh -c 'exit 3'");
        program.exit(3);
        assert_eq!(program.state(), State::Failed);
        assert_eq!(program.status().lifecycle.code, Some(3));
        assert_eq!(program.status().last_command.unwrap().exit_code, Some(3));
        program.seen(true);
        assert_eq!(program.state(), State::Exited);
        assert_eq!(program.status().colour(), Colour::Red);
    }

    #[test]
    fn a_program_that_ran_long_and_ended_with_0_is_finished_until_it_is_seen() {
        let mut program = Tried::program("make");
        program.wait(30).exit(0);
        assert_eq!(program.state(), State::Finished);
        program.ack(None);
        assert_eq!(program.state(), State::Exited);
        assert_eq!(program.status().colour(), Colour::Grey);
    }

    #[test]
    fn a_short_program_that_ended_with_0_has_exited() {
        let mut program = Tried::program("true");
        program.exit(0);
        assert_eq!(program.state(), State::Exited);
    }

    #[test]
    fn a_lost_terminal_says_so_whatever_was_known() {
        let mut pi = agent();
        pi.report("a", ReportState::Error);
        pi.wait(10).bell();
        pi.event(Event::Lost);
        assert_eq!(pi.state(), State::Lost);
    }

    #[test]
    fn a_child_left_behind_tells_its_end_and_does_not_revive_the_terminal() {
        let mut shell = agent();
        shell.exit(0);
        for (state, shown) in [
            (Working, State::Exited),
            (Blocked, State::Exited),
            (Idle, State::Exited),
            (ReportState::Error, State::Failed),
        ] {
            shell.report("job", state);
            assert_eq!(shell.state(), shown);
        }
        shell.progress(Normal, Some(1));
        shell.command("zombie");
        assert_eq!(shell.status().progress, None);
        assert_eq!(shell.status().command, None);
    }

    #[test]
    fn a_stopped_program_is_no_exit() {
        let mut dash = Tried::bare_shell();
        dash.foreground(2, "vim", false);
        dash.foreground(1, "dash", true);
        assert_eq!(dash.status().lifecycle.state, LifecycleState::Running);
    }

    #[test]
    fn a_group_shows_its_most_urgent_member() {
        let states = [State::Idle, State::Working, State::Failed, State::Lost];
        assert_eq!(State::most_urgent(states), Some(State::Failed));
        assert_eq!(State::most_urgent([]), None);
    }

    #[test]
    fn every_state_has_a_glyph_and_an_ascii_form() {
        let glyphs: Vec<_> = State::ALL.iter().map(|s| (s.glyph(), s.ascii())).collect();
        assert_eq!(
            glyphs,
            [
                ("▲", "!"),
                ("✗", "x"),
                ("△", "?"),
                ("✓", "+"),
                ("●", "*"),
                ("›", ">"),
                (" ", " "),
                ("■", "-"),
                ("■", "-"),
            ]
        );
    }

    #[test]
    fn paused_progress_has_its_own_glyph() {
        let mut shell = agent();
        let glyphs = |tried: &Tried| (tried.status().glyph(), tried.status().ascii());
        shell.progress(Paused, Some(7));
        assert_eq!(glyphs(&shell), ("‖", "="));
        shell.progress(Busy, None);
        assert_eq!(glyphs(&shell), ("●", "*"));
        shell.progress(Paused, None);
        shell.report("", Working);
        assert_eq!(
            glyphs(&shell),
            ("●", "*"),
            "a record that works is not paused"
        );
        shell.progress(ProgressState::Clear, None);
        assert_eq!(glyphs(&shell), ("●", "*"));
    }
}
