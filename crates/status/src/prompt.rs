//! Whose mark is it, and what it means (signals.md, Shell integration).
//!
//! Programs print the marks of shells too, and such a mark is no prompt. A mark counts by its
//! `aid=` where our own integration is active, else by who has the foreground, else by the
//! order of marks alone.

use crate::terminal::Foreground;
use signals::Mark;

#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    own_aid: Option<String>,
    phase: Phase,
    /// A mark of the shell was seen: from then on marks tell where a command starts and ends.
    marked: bool,
    /// An `A` or `N` came since the last `D`.
    prompt_since_done: bool,
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
            phase: Phase::Unknown,
            marked: false,
            prompt_since_done: false,
        }
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
        if let Some(own) = &self.own_aid {
            // fish 4 marks its prompts itself, beside our integration.
            return aid == Some(own) || shell.is_some_and(|shell| shell.name == "fish");
        }
        match foreground {
            Some(foreground) => foreground.is_shell,
            None if program => false,
            None => matches!(mark, Mark::CommandDone(_)) || self.phase != Phase::Command,
        }
    }
}
