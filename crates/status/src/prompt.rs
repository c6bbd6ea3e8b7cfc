//! Whose mark is it, and what it means (signals.md, Shell integration).
//!
//! Programs print the marks of shells too, and such a mark is no prompt. A mark counts by its
//! `aid=` where our own integration is active, else by who has the foreground, else by the
//! order of marks alone.
//!
//! A mark is read some time after it was written: by then the command that a shell announced
//! has the foreground. So what can only have come from the shell, by the order of its marks,
//! counts although another group is in front.
//!
//! Our integration is active from its first mark on: a startup file may fail, or start another
//! shell in its place, and then there is nothing but the foreground to go by.

use crate::terminal::Foreground;
use signals::Mark;

#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    /// The secret of the integration that was handed to the shell.
    own_aid: Option<String>,
    /// A mark with that secret came: the integration works.
    active: bool,
    phase: Phase,
    /// A mark of the shell was seen: from then on marks tell where a command starts and ends.
    marked: bool,
    /// An `A` or `N` came since the last `D`.
    prompt_since_done: bool,
    /// The group that ran the command is gone, although no `D` was read yet.
    group_ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No mark counted yet.
    Unknown,
    /// From a prompt to the next command. Also between `D` and the prompt: what comes there
    /// (titles set before each prompt) is the shell's.
    Prompt,
    Command,
}

/// What a mark that counts says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A new prompt; a command that still ran has ended, nobody told how.
    Prompt,
    /// A command starts.
    Command(Option<String>),
    /// The running command was told once more, with its text.
    CommandTold(String),
    /// The command ended.
    Done(Option<i32>),
}

impl Prompt {
    pub(crate) fn new(own_aid: Option<String>) -> Self {
        Self {
            own_aid,
            active: false,
            phase: Phase::Unknown,
            marked: false,
            prompt_since_done: false,
            group_ended: false,
        }
    }

    /// A process group that had the foreground is gone, and another program's has it: the shell went on
    /// in between.
    pub(crate) fn group_ended(&mut self) {
        self.group_ended = true;
    }

    /// The shell was replaced by another (`exec`): nothing is known of that one's marks, and our
    /// integration went with the first.
    pub(crate) fn shell_replaced(&mut self) {
        *self = Self::new(self.own_aid.take());
    }

    /// A mark of the shell was seen.
    pub(crate) fn is_marked(&self) -> bool {
        self.marked
    }

    /// By the marks, a command runs.
    pub(crate) fn in_command(&self) -> bool {
        self.phase == Phase::Command
    }

    /// Reads one mark; `None`: it changes nothing.
    ///
    /// `program`: the terminal runs a program and no shell; where the foreground is unknown,
    /// every mark is then the program's.
    pub(crate) fn mark(
        &mut self,
        mark: Mark,
        aid: Option<&str>,
        foreground: Option<&Foreground>,
        program: bool,
        alternate_screen: bool,
    ) -> Option<Meaning> {
        if !self.counts(&mark, aid, foreground, program, alternate_screen) {
            return None;
        }
        self.marked = true;
        self.active |= aid.is_some() && aid == self.own_aid.as_deref();
        match mark {
            Mark::Prompt | Mark::NewPrompt => self.prompt(),
            Mark::PromptIfNone if !self.prompt_since_done => self.prompt(),
            Mark::PromptIfNone => None,
            Mark::Input => {
                if self.phase == Phase::Unknown {
                    self.phase = Phase::Prompt;
                }
                None
            }
            // Two integrations in one shell tell each command twice.
            Mark::Command(line) if self.phase == Phase::Command => line.map(Meaning::CommandTold),
            Mark::Command(line) => {
                self.phase = Phase::Command;
                self.group_ended = false;
                Some(Meaning::Command(line))
            }
            Mark::CommandDone(code) => {
                self.prompt_since_done = false;
                if self.phase != Phase::Command {
                    return None;
                }
                self.phase = Phase::Prompt;
                Some(Meaning::Done(code))
            }
        }
    }

    fn prompt(&mut self) -> Option<Meaning> {
        self.phase = Phase::Prompt;
        self.prompt_since_done = true;
        Some(Meaning::Prompt)
    }

    fn counts(
        &self,
        mark: &Mark,
        aid: Option<&str>,
        foreground: Option<&Foreground>,
        program: bool,
        alternate_screen: bool,
    ) -> bool {
        let shell = foreground.filter(|foreground| foreground.is_shell);
        // A killed full-screen program leaves its screen behind; then the shell is in front.
        if alternate_screen && shell.is_none() {
            return false;
        }
        if aid.is_some() && aid == self.own_aid.as_deref() {
            return true;
        }
        if self.active {
            // fish 4 marks its prompts itself, beside our integration.
            return shell.is_some_and(|shell| shell.name == "fish");
        }
        match foreground {
            Some(foreground) => foreground.is_shell || self.follows(mark),
            None if program => false,
            None => matches!(mark, Mark::CommandDone(_)) || self.phase != Phase::Command,
        }
    }

    /// The shell wrote it while it had the foreground, and the next command has that by now: a `C`
    /// after a prompt; a `D` after the end of the command's group, and the `A` after that.
    fn follows(&self, mark: &Mark) -> bool {
        match (self.phase, mark) {
            (Phase::Prompt, Mark::Command(_) | Mark::Input) => true,
            (Phase::Prompt, Mark::Prompt | Mark::NewPrompt | Mark::PromptIfNone) => {
                !self.prompt_since_done
            }
            (Phase::Command, Mark::CommandDone(_)) => self.group_ended,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Tried, facts};
    use crate::{Event, Facts, State};
    use signals::{Mark, Signal};

    fn line(tried: &Tried) -> Option<String> {
        tried.status().command.and_then(|command| command.line)
    }

    fn command(line: &str) -> Mark {
        Mark::Command(Some(line.into()))
    }

    fn marked(tried: &mut Tried, mark: Mark, aid: &str) {
        tried.signal(Signal::Mark {
            mark,
            aid: Some(aid.into()),
        });
    }

    fn integrated() -> Tried {
        let mut shell = Tried::of(Facts {
            own_aid: Some("s3cret".into()),
            ..facts()
        });
        shell.foreground(1, "zsh", true);
        marked(&mut shell, Mark::Prompt, "s3cret");
        shell
    }

    #[test]
    fn a_c_counts_although_the_command_has_the_foreground_already() {
        let mut shell = Tried::shell();
        shell.foreground(7, "make", false);
        shell.command("make -j8");
        assert_eq!(line(&shell).as_deref(), Some("make -j8"));
        // From here on it is the program's turn.
        shell.prompt();
        shell.done(0);
        assert_eq!(line(&shell).as_deref(), Some("make -j8"));
        shell.foreground(1, "bash", true);
        shell.done(2);
        assert_eq!(shell.status().last_command.unwrap().exit_code, Some(2));
    }

    #[test]
    fn marks_between_two_commands_typed_ahead_count_although_the_second_is_in_front() {
        let mut shell = Tried::shell();
        shell.command("make");
        shell.foreground(7, "make", false);
        shell.event(Event::GroupEnded);
        shell.foreground(8, "ls", false);
        shell.done(2);
        assert_eq!(shell.status().last_command.unwrap().exit_code, Some(2));
        shell.prompt();
        shell.mark(Mark::Input);
        shell.command("ls");
        assert_eq!(line(&shell).as_deref(), Some("ls"));
    }

    #[test]
    fn the_marks_of_the_second_program_of_one_line_are_its_own() {
        let mut shell = Tried::shell();
        shell.command("make; pi");
        shell.foreground(7, "make", false);
        shell.event(Event::GroupEnded);
        shell.foreground(8, "pi", false);
        for mark in [Mark::Prompt, Mark::Input, Mark::Command(None)] {
            shell.mark(mark);
        }
        assert_eq!(line(&shell).as_deref(), Some("make; pi"));
    }

    #[test]
    fn the_prompts_of_a_program_in_a_shell_that_marks_prompts_only_are_none() {
        let mut shell = Tried::shell();
        shell.mark(Mark::Input);
        shell.foreground(7, "pi", false);
        shell.report("", signals::ReportState::Working);
        shell.prompt();
        assert_eq!(shell.status().reports.len(), 1);
    }

    #[test]
    fn a_command_runs_from_c_to_d() {
        let mut shell = Tried::shell();
        shell.command("make -j8");
        let running = shell.status().command.unwrap();
        assert_eq!(running.line.as_deref(), Some("make -j8"));
        assert_eq!(running.started_at, shell.now().wall);
        shell.wait_ms(41_500).done(2);
        let status = shell.status();
        assert_eq!(status.command, None);
        let last = status.last_command.unwrap();
        assert_eq!(
            (last.line.as_deref(), last.exit_code),
            (Some("make -j8"), Some(2))
        );
        assert_eq!(last.seconds, 41.5);
    }

    #[test]
    fn a_prompt_without_d_ends_the_command_without_a_code() {
        for prompt in [Mark::Prompt, Mark::NewPrompt] {
            let mut shell = Tried::shell();
            shell.command("make");
            shell.mark(prompt);
            assert_eq!(shell.status().command, None);
            assert_eq!(shell.status().last_command.unwrap().exit_code, None);
        }
    }

    #[test]
    fn d_without_a_command_changes_nothing() {
        let mut shell = Tried::shell();
        assert_eq!(shell.done(1), []);
        assert_eq!(shell.status().last_command, None);
    }

    #[test]
    fn p_is_a_prompt_only_if_no_a_or_n_came_since_the_last_d() {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell.report("", signals::ReportState::Working);
        shell.mark(Mark::PromptIfNone);
        assert_eq!(
            line(&shell).as_deref(),
            Some("pi"),
            "A came, and no D since"
        );
        shell.done(0);
        shell.mark(Mark::PromptIfNone);
        assert!(shell.ids().is_empty());
        shell.command("pi");
        assert_eq!(line(&shell).as_deref(), Some("pi"));
    }

    #[test]
    fn b_says_nothing_of_a_command() {
        let mut shell = Tried::shell();
        assert_eq!(shell.mark(Mark::Input), []);
        shell.command("make");
        assert_eq!(shell.mark(Mark::Input), []);
        assert_eq!(line(&shell).as_deref(), Some("make"));
    }

    #[test]
    fn where_our_integration_is_active_only_its_marks_count() {
        let mut shell = integrated();
        marked(&mut shell, command("claude"), "s3cret");
        assert_eq!(line(&shell).as_deref(), Some("claude"));
        // Around its turns, also while the shell has the foreground.
        for mark in [Mark::CommandDone(Some(0)), Mark::Prompt, Mark::NewPrompt] {
            shell.mark(mark.clone());
            marked(&mut shell, mark, "guess");
            assert_eq!(line(&shell).as_deref(), Some("claude"));
        }
        shell.foreground(2, "claude", false);
        marked(&mut shell, Mark::CommandDone(Some(0)), "s3cret");
        assert_eq!(line(&shell), None, "ours count whoever has the foreground");
    }

    #[test]
    fn fish_s_own_marks_count_while_fish_has_the_foreground() {
        let mut shell = Tried::of(Facts {
            own_aid: Some("s3cret".into()),
            ..facts()
        });
        shell.foreground(1, "fish", true);
        shell.prompt();
        shell.command("pi");
        assert_eq!(line(&shell).as_deref(), Some("pi"));
        shell.foreground(2, "pi", false);
        shell.prompt();
        assert_eq!(line(&shell).as_deref(), Some("pi"));
        // A fish that runs inside another shell is a program.
        shell.foreground(3, "fish", false);
        shell.prompt();
        assert_eq!(line(&shell).as_deref(), Some("pi"));
    }

    fn injected() -> Tried {
        let mut shell = Tried::of(Facts {
            own_aid: Some("s3cret".into()),
            ..facts()
        });
        shell.foreground(1, "zsh", true);
        shell
    }

    #[test]
    fn until_our_first_mark_the_foreground_says_whose_a_mark_is() {
        // The startup file went on as another shell, which has marks of its own.
        let mut shell = injected();
        shell.prompt();
        shell.command("make");
        assert_eq!(line(&shell).as_deref(), Some("make"));
        shell.foreground(2, "pi", false);
        shell.done(0);
        assert_eq!(line(&shell).as_deref(), Some("make"));
        shell.foreground(1, "nu", true);
        shell.done(0);
        assert_eq!(line(&shell), None);
    }

    #[test]
    fn what_a_startup_file_runs_is_no_command_and_its_shell_at_no_prompt() {
        let mut shell = injected();
        assert_eq!(shell.state(), State::Running);
        shell.foreground(2, "sleep", false);
        assert_eq!(shell.status().title.as_deref(), Some("sleep"));
        assert_eq!(shell.status().command, None);
        shell.foreground(1, "zsh", true);
        assert!(!shell.status().at_prompt());
        marked(&mut shell, Mark::Prompt, "s3cret");
        assert!(shell.status().at_prompt());
        assert_eq!(shell.status().last_command, None);
        assert_eq!(shell.terminal.deadline(), None);
    }

    #[test]
    fn a_shell_that_a_startup_file_executes_is_awaited_no_longer() {
        let mut shell = injected();
        shell.event(Event::ShellReplaced);
        assert!(shell.status().at_prompt());
        shell.foreground(2, "make", false);
        assert!(shell.status().command.is_some());
    }

    #[test]
    fn an_integration_that_never_speaks_leaves_the_foreground_check() {
        let mut shell = injected();
        shell.foreground(2, "make", false);
        let since = shell.now().wall;
        shell.wait(20).tick();
        assert_eq!(shell.status().command.unwrap().started_at, since);
        assert_eq!(shell.status().title.as_deref(), Some("make"));
        assert!(shell.status().command.is_some());
        shell.foreground(1, "zsh", true);
        assert_eq!(shell.state(), State::Idle);
    }

    #[test]
    fn our_first_prompt_ends_what_a_startup_file_printed() {
        let mut shell = injected();
        shell.command("made up");
        marked(&mut shell, Mark::Prompt, "s3cret");
        assert_eq!(line(&shell), None);
        shell.command("made up");
        assert_eq!(line(&shell), None, "ours is active from here on");
    }

    #[test]
    fn a_shell_that_replaces_another_begins_anew() {
        let mut shell = integrated();
        marked(&mut shell, command("exec zsh"), "s3cret");
        shell.event(Event::ShellReplaced);
        assert_eq!(line(&shell), None);
        assert_eq!(shell.state(), State::Idle);
        // Without marks, as any shell.
        shell.foreground(2, "make", false);
        assert_eq!(shell.status().title.as_deref(), Some("make"));
        shell.foreground(1, "zsh", true);
        // With marks of its own.
        shell.prompt();
        shell.command("ls");
        assert_eq!(line(&shell).as_deref(), Some("ls"));
    }

    #[test]
    fn the_shell_after_a_program_has_a_secret_of_its_own() {
        let mut terminal = Tried::program("pi");
        marked(&mut terminal, Mark::Prompt, "s3cret");
        assert_eq!(line(&terminal).as_deref(), Some("pi"));
        terminal.event(Event::ReturnedToShell {
            code: Some(0),
            signal: None,
            own_aid: Some("s3cret".into()),
        });
        terminal.foreground(9, "bash", true);
        marked(&mut terminal, Mark::Prompt, "s3cret");
        marked(&mut terminal, command("ls"), "s3cret");
        terminal.prompt();
        assert_eq!(line(&terminal).as_deref(), Some("ls"));
    }

    #[test]
    fn elsewhere_a_mark_counts_when_the_shell_has_the_foreground() {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell.foreground(2, "pi", false);
        for mark in [Mark::CommandDone(Some(0)), Mark::Prompt, command("inner")] {
            assert_eq!(shell.mark(mark), []);
        }
        assert_eq!(line(&shell).as_deref(), Some("pi"));
        shell.foreground(1, "bash", true);
        shell.prompt();
        assert_eq!(shell.state(), State::Idle);
    }

    #[test]
    fn where_the_foreground_is_unknown_a_prompt_after_c_without_d_changes_nothing() {
        let mut remote = Tried::of(facts());
        remote.prompt();
        remote.command("pi");
        for mark in [
            Mark::Prompt,
            Mark::Input,
            Mark::NewPrompt,
            Mark::PromptIfNone,
            command("inner"),
        ] {
            assert_eq!(remote.mark(mark), []);
            assert_eq!(line(&remote).as_deref(), Some("pi"));
        }
        remote.done(0);
        remote.prompt();
        assert_eq!(remote.state(), State::Idle);
        remote.command("ls");
        assert_eq!(line(&remote).as_deref(), Some("ls"));
    }

    #[test]
    fn on_the_alternate_screen_marks_change_nothing_unless_the_shell_has_the_foreground() {
        let on_alternate = |mark: Mark, aid: Option<&str>| Event::Signal {
            signal: Signal::Mark {
                mark,
                aid: aid.map(str::to_owned),
            },
            alternate_screen: true,
        };
        let mut shell = integrated();
        marked(&mut shell, command("vim"), "s3cret");
        shell.foreground(2, "vim", false);
        assert_eq!(shell.event(on_alternate(Mark::Prompt, Some("s3cret"))), []);
        // A killed full-screen program leaves its screen behind.
        shell.foreground(1, "zsh", true);
        shell.event(on_alternate(Mark::Prompt, Some("s3cret")));
        assert_eq!(line(&shell), None);

        let mut remote = Tried::of(facts());
        remote.command("vim");
        assert_eq!(
            remote.event(on_alternate(Mark::CommandDone(Some(0)), None)),
            []
        );
        assert_eq!(line(&remote).as_deref(), Some("vim"));
    }

    #[test]
    fn a_program_s_marks_are_no_prompt_where_the_foreground_is_unknown() {
        let mut pi = Tried::program("pi");
        for mark in [
            Mark::Prompt,
            command("x"),
            Mark::CommandDone(Some(0)),
            Mark::Prompt,
        ] {
            assert_eq!(pi.mark(mark), []);
        }
        assert_eq!(line(&pi).as_deref(), Some("pi"));
    }

    #[test]
    fn without_marks_the_foreground_tells_when_a_command_runs() {
        let mut dash = Tried::bare_shell();
        dash.foreground(2, "make", false);
        let running = dash.status().command.unwrap();
        assert_eq!(running.line, None, "the shell did not tell it");
        dash.foreground(3, "cc", false);
        assert_eq!(dash.status().command, Some(running));
        dash.wait(5).foreground(1, "dash", true);
        let last = dash.status().last_command.unwrap();
        assert_eq!((last.line, last.exit_code, last.seconds), (None, None, 5.0));
    }

    #[test]
    fn a_program_that_returns_to_a_shell_stays_running() {
        let mut then_shell = Tried::program("make");
        then_shell.foreground(2, "make", false);
        then_shell.foreground(1, "bash", true);
        let status = then_shell.status();
        assert_eq!(status.state, State::Idle);
        assert_eq!(status.lifecycle.state, crate::LifecycleState::Running);
        assert_eq!(status.last_command.unwrap().line.as_deref(), Some("make"));
        then_shell.prompt();
        then_shell.command("ls");
        assert_eq!(line(&then_shell).as_deref(), Some("ls"));
        then_shell.exit(0);
        assert_eq!(then_shell.status().last_command.unwrap().exit_code, None);
    }
}
