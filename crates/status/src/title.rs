//! Which title counts (status.md, Title).
//!
//! Five sources, each with its own end; the one of the highest priority is shown. Titles are
//! kept apart so that the end of one uncovers the next. After the exit nothing ends any more:
//! the last title stays.

use crate::TitleSource;
use crate::shown::{TITLE_CHARS, some_line};
use std::collections::VecDeque;

/// xterm keeps ten titles; a program that pushes more loses the oldest.
const STACK: usize = 10;

/// Who sets a title with OSC 0 or 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setter {
    Application,
    Shell,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Titles {
    /// `attached to NAME`, before all others.
    carried: Option<String>,
    application: Option<String>,
    /// The application's was set by the shell itself (a function), and nothing else had the foreground
    /// since.
    by_shell: bool,
    /// The shell sets a title of its own for the command that just started.
    own_follows: bool,
    command: Option<String>,
    initial: Option<String>,
    shell: Option<String>,
    process: Option<String>,
    stack: VecDeque<(Setter, Option<String>)>,
    announced: Option<(TitleSource, String)>,
}

impl Titles {
    pub(crate) fn new(initial: Option<&str>) -> Self {
        let mut titles = Self {
            initial: initial.and_then(|line| some_line(line, TITLE_CHARS)),
            ..Self::default()
        };
        titles.refresh();
        titles
    }

    /// The title that counts.
    pub(crate) fn current(&self) -> Option<(TitleSource, &str)> {
        let by_priority = [
            (TitleSource::Application, &self.carried),
            (TitleSource::Application, &self.application),
            (TitleSource::Command, &self.command),
            (TitleSource::Initial, &self.initial),
            (TitleSource::Shell, &self.shell),
            (TitleSource::Process, &self.process),
        ];
        by_priority
            .into_iter()
            .find_map(|(source, title)| Some((source, title.as_deref()?)))
    }

    /// Says whether another title counts than when last asked.
    pub(crate) fn refresh(&mut self) -> bool {
        let current = self.current();
        let announced = self.announced.as_ref().map(|(s, t)| (*s, t.as_str()));
        let news = current != announced;
        if news {
            self.announced = self.current().map(|(s, t)| (s, t.to_owned()));
        }
        news
    }

    /// OSC 0 or 2; an empty one ends the title of its setter. `by_shell`: the shell itself has the
    /// foreground.
    pub(crate) fn set(&mut self, setter: Setter, by_shell: bool, title: &str) {
        if std::mem::take(&mut self.own_follows) && setter == Setter::Application {
            return;
        }
        *self.slot(setter) = some_line(title, TITLE_CHARS);
        self.by_shell = by_shell;
    }

    /// Keeps the title that was set last, with its source.
    pub(crate) fn push(&mut self, setter: Setter) {
        let entry = if let Some(title) = &self.application {
            (Setter::Application, Some(title.clone()))
        } else if let Some(title) = &self.shell {
            (Setter::Shell, Some(title.clone()))
        } else {
            (setter, None)
        };
        if self.stack.len() == STACK {
            self.stack.pop_front();
        }
        self.stack.push_back(entry);
    }

    /// Brings back what was pushed last; without it, nothing changes.
    pub(crate) fn pop(&mut self) {
        if let Some((setter, title)) = self.stack.pop_back() {
            // What the application set since then is what the pop takes away.
            self.application = None;
            *self.slot(setter) = title;
        }
    }

    /// A command starts; its text if it was told. fish titles each command itself, after it said
    /// that it starts: where it titled its prompt, the first title is no application's.
    pub(crate) fn command_started(&mut self, line: Option<&str>, by_fish: bool) {
        self.own_follows = by_fish && self.shell.is_some();
        self.application = None;
        self.shell = None;
        self.command = line.and_then(|line| some_line(line, TITLE_CHARS));
    }

    /// The text of the running command became known.
    pub(crate) fn command_told(&mut self, line: &str) {
        self.command = some_line(line, TITLE_CHARS);
    }

    /// The end of the command was told. A title that the shell itself set just before is the first
    /// of its prompt: a zsh calls its function `precmd` before everything else.
    pub(crate) fn command_done(&mut self) {
        if self.by_shell && self.application.is_some() {
            self.shell = self.application.take();
        }
        self.command_ended();
    }

    /// The command ended: its program's title and its own text with it.
    pub(crate) fn command_ended(&mut self) {
        self.own_follows = false;
        self.application = None;
        self.command = None;
        self.initial = None;
    }

    /// The foreground executable.
    pub(crate) fn process(&mut self, name: Option<&str>) {
        self.by_shell = false;
        if self.process.as_deref() != name {
            self.process = name.and_then(|name| some_line(name, TITLE_CHARS));
        }
    }

    /// The terminal shows another one, by its name, or no longer.
    pub(crate) fn carry(&mut self, name: Option<&str>) {
        let title = |name| some_line(&format!("attached to {name}"), TITLE_CHARS);
        self.carried = name.and_then(title);
    }

    /// RIS: a terminal that was reset has no application title and no stack.
    pub(crate) fn reset(&mut self) {
        self.application = None;
        self.stack.clear();
    }

    fn slot(&mut self, setter: Setter) -> &mut Option<String> {
        match setter {
            Setter::Application => &mut self.application,
            Setter::Shell => &mut self.shell,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Tried, facts};
    use crate::{Change, Event, Facts, Foreground, TitleSource};
    use signals::{Mark, ProgressState, Signal};

    fn shown(tried: &Tried) -> Option<(TitleSource, String)> {
        let status = tried.status();
        status.title_source.zip(status.title)
    }

    #[track_caller]
    fn assert_title(tried: &Tried, source: TitleSource, title: &str) {
        assert_eq!(shown(tried), Some((source, title.to_owned())));
    }

    use TitleSource::{Application, Command, Initial, Process, Shell};

    #[test]
    fn the_application_s_title_comes_before_all_others() {
        let mut shell = Tried::shell();
        assert_title(&shell, Process, "bash");
        assert_eq!(shell.title("~/src"), [Change::Title]);
        assert_title(&shell, Shell, "~/src");
        shell.command("pi --resume");
        assert_title(&shell, Command, "pi --resume");
        shell.title("PR #123");
        assert_title(&shell, Application, "PR #123");
    }

    #[test]
    fn an_empty_title_ends_the_application_s() {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell.title("PR #123");
        assert_eq!(shell.title(""), [Change::Title]);
        assert_title(&shell, Command, "pi");
    }

    #[test]
    fn the_next_prompt_ends_the_application_s_title_and_the_command() {
        for end in [Mark::Prompt, Mark::NewPrompt, Mark::CommandDone(Some(0))] {
            let mut shell = Tried::shell();
            shell.command("pi");
            shell.foreground(2, "pi", false);
            shell.title("PR #123");
            shell.foreground(1, "bash", true);
            shell.mark(end);
            assert_title(&shell, Process, "bash");
        }
    }

    #[test]
    fn ris_ends_the_application_s_title_alone() {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell.title("PR #123");
        assert_eq!(shell.signal(Signal::Reset), [Change::Title]);
        assert_title(&shell, Command, "pi");
        let mut shell = Tried::shell();
        shell.title("~");
        shell.signal(Signal::Reset);
        assert_title(&shell, Shell, "~");
    }

    #[test]
    fn the_shell_s_title_ends_with_the_next_command() {
        let mut shell = Tried::shell();
        shell.title("~/src");
        shell.mark(Mark::Command(None));
        assert_title(&shell, Process, "bash");
    }

    #[test]
    fn a_title_between_prompt_and_command_is_the_shell_s_whoever_has_the_foreground() {
        let mut shell = Tried::shell();
        shell.foreground(2, "starship", false);
        shell.title("~/src");
        assert_title(&shell, Shell, "~/src");
        shell.foreground(1, "bash", true);
        shell.command("make");
        shell.title("building");
        assert_title(&shell, Application, "building");
    }

    #[test]
    fn a_title_between_the_end_of_a_command_and_the_prompt_is_the_shell_s() {
        let mut shell = Tried::shell();
        shell.command("make");
        shell.done(0);
        shell.title("~/src");
        shell.prompt();
        assert_title(&shell, Shell, "~/src");
    }

    #[test]
    fn a_title_that_the_shell_sets_just_before_it_tells_the_end_is_its_own() {
        let mut zsh = Tried::shell();
        zsh.command("make");
        zsh.foreground(2, "make", false);
        zsh.title("50 %");
        zsh.foreground(1, "zsh", true);
        zsh.title("~/src");
        assert_title(&zsh, Application, "~/src");
        zsh.done(0);
        assert_title(&zsh, Shell, "~/src");
        // A function that titles the program it starts.
        zsh.prompt();
        zsh.command("ssh host");
        zsh.title("host");
        zsh.foreground(3, "ssh", false);
        assert_title(&zsh, Application, "host");
        zsh.foreground(1, "zsh", true);
        zsh.done(0);
        assert_title(&zsh, Process, "zsh");
    }

    #[test]
    fn fish_s_own_title_for_a_command_is_no_application_s() {
        let mut fish = Tried::of(facts());
        fish.foreground(1, "fish", true);
        fish.prompt();
        fish.title("~/src");
        assert_title(&fish, Shell, "~/src");
        fish.command("make -j8");
        // The command may have the foreground already when it is read.
        fish.foreground(2, "make", false);
        fish.title("make ~/src");
        assert_title(&fish, Command, "make -j8");
        fish.title("50 %");
        assert_title(&fish, Application, "50 %");
        // A fish without titles of its own.
        fish.foreground(1, "fish", true);
        fish.done(0);
        fish.prompt();
        fish.command("make");
        fish.title("0 %");
        assert_title(&fish, Application, "0 %");
    }

    #[test]
    fn without_marks_a_title_is_the_application_s_while_another_program_has_the_foreground() {
        let mut dash = Tried::bare_shell();
        dash.title("~");
        assert_title(&dash, Shell, "~");
        dash.foreground(2, "vim", false);
        assert_title(&dash, Process, "vim");
        dash.title("notes.txt");
        assert_title(&dash, Application, "notes.txt");
        dash.foreground(1, "dash", true);
        assert_title(&dash, Process, "dash");
    }

    #[test]
    fn where_the_foreground_is_unknown_an_interactive_shell_s_title_is_the_shell_s() {
        let mut remote = Tried::of(facts());
        remote.title("host: ~");
        assert_title(&remote, Shell, "host: ~");
    }

    #[test]
    fn the_titles_of_a_terminal_that_runs_a_program_are_the_application_s() {
        let mut pi = Tried::program("sh -c 'exec pi'");
        assert_title(&pi, Initial, "sh -c 'exec pi'");
        pi.title("PR #123");
        assert_title(&pi, Application, "PR #123");
        pi.title("");
        assert_title(&pi, Initial, "sh -c 'exec pi'");
        // Also where the program prints prompt marks.
        pi.prompt();
        pi.title("turn 2");
        assert_title(&pi, Application, "turn 2");
    }

    #[test]
    fn the_initial_command_ends_when_the_terminal_returns_to_a_shell() {
        let mut then_shell = Tried::program("make");
        then_shell.foreground(7, "make", false);
        then_shell.title("50 %");
        then_shell.foreground(1, "zsh", true);
        assert_title(&then_shell, Process, "zsh");
        then_shell.title("~");
        assert_title(&then_shell, Shell, "~");
    }

    #[test]
    fn starting_an_interactive_shell_is_no_command() {
        let shell = Tried::of(facts());
        assert_eq!(shown(&shell), None);
        assert_eq!(shell.status().command, None);
    }

    #[test]
    fn the_foreground_executable_comes_last_and_changes() {
        let mut dash = Tried::bare_shell();
        assert_eq!(
            dash.foreground(2, "cargo", false),
            [Change::Command, Change::Title]
        );
        assert_eq!(dash.foreground(3, "rustc", false), [Change::Title]);
        assert_title(&dash, Process, "rustc");
        assert_eq!(dash.foreground(3, "rustc", false), []);
        assert_eq!(dash.event(Event::Foreground(None)), [Change::Title]);
        assert_eq!(shown(&dash), None);
    }

    #[test]
    fn the_last_title_is_kept_after_the_exit() {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell.title("PR #123");
        shell.exit(0);
        assert_title(&shell, Application, "PR #123");
        for last_words in [
            Signal::Title("gone".into()),
            Signal::Reset,
            Signal::TitlePop,
        ] {
            assert_eq!(shell.signal(last_words), []);
        }
        shell.prompt();
        shell.event(Event::Foreground(None));
        assert_title(&shell, Application, "PR #123");

        let mut make = Tried::program("make");
        make.exit(2);
        assert_title(&make, Initial, "make");
    }

    #[test]
    fn a_command_s_title_is_one_line_of_256_characters_and_its_line_is_whole() {
        let mut shell = Tried::shell();
        let line = format!("for i in 1; do\n\techo \u{202e}{}\ndone", "x".repeat(300));
        shell.command(&line);
        let (_, title) = shown(&shell).unwrap();
        assert_eq!(title.chars().count(), 256);
        assert!(title.starts_with("for i in 1; do echo xxx"));
        let kept = shell.status().command.unwrap().line.unwrap();
        assert_eq!(kept, line.replace('\u{202e}', ""));
        shell.done(0);
        assert_eq!(shell.status().last_command.unwrap().line, Some(kept));
    }

    #[test]
    fn a_popped_title_comes_back_with_its_source() {
        let mut dash = Tried::bare_shell();
        dash.title("~");
        dash.signal(Signal::TitlePush);
        dash.title("~/src");
        dash.signal(Signal::TitlePop);
        assert_title(&dash, Shell, "~");

        let mut shell = Tried::shell();
        shell.command("mc");
        shell.title("mc");
        shell.signal(Signal::TitlePush);
        shell.title("vim");
        assert_eq!(shell.signal(Signal::TitlePop), [Change::Title]);
        assert_title(&shell, Application, "mc");
    }

    #[test]
    fn a_pop_takes_away_what_the_application_set_over_the_shell_s_title() {
        let mut dash = Tried::bare_shell();
        dash.title("~");
        // Read before the foreground was known to be the editor's.
        dash.signal(Signal::TitlePush);
        dash.foreground(2, "vim", false);
        dash.title("notes.txt");
        dash.signal(Signal::TitlePop);
        assert_title(&dash, Shell, "~");
    }

    #[test]
    fn a_pop_without_a_push_changes_nothing() {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell.title("PR #123");
        assert_eq!(shell.signal(Signal::TitlePop), []);
    }

    #[test]
    fn the_stack_keeps_ten_titles() {
        let mut shell = Tried::shell();
        shell.command("loop");
        for number in 0..12 {
            shell.title(&number.to_string());
            shell.signal(Signal::TitlePush);
        }
        for number in (2..12).rev() {
            shell.signal(Signal::TitlePop);
            assert_title(&shell, Application, &number.to_string());
        }
        assert_eq!(shell.signal(Signal::TitlePop), []);
        assert_title(&shell, Application, "2");
    }

    #[test]
    fn ris_empties_the_stack() {
        let mut shell = Tried::shell();
        shell.command("mc");
        shell.title("mc");
        shell.signal(Signal::TitlePush);
        shell.signal(Signal::Reset);
        shell.signal(Signal::TitlePop);
        assert_title(&shell, Command, "mc");
    }

    #[test]
    fn bell_title_and_progress_in_one_write_keep_their_order() {
        let mut shell = Tried::shell();
        shell.command("make");
        let changes = [
            shell.bell(),
            shell.title("building"),
            shell.progress(ProgressState::Normal, Some(1)),
        ];
        assert_eq!(
            changes.concat(),
            [Change::Attention, Change::Title, Change::Progress]
        );
    }

    #[test]
    fn the_text_of_a_command_may_be_told_by_the_second_of_two_integrations() {
        let mut fish = Tried::of(Facts {
            own_aid: Some("s3".into()),
            ..facts()
        });
        fish.event(Event::Foreground(Some(Foreground {
            pgid: 1,
            name: "fish".into(),
            is_shell: true,
        })));
        fish.mark(Mark::Command(None));
        let told = Signal::Mark {
            mark: Mark::Command(Some("make -j8".into())),
            aid: Some("s3".into()),
        };
        assert_eq!(fish.signal(told.clone()), [Change::Command, Change::Title]);
        assert_eq!(fish.signal(told), []);
        assert_title(&fish, Command, "make -j8");
    }
}
