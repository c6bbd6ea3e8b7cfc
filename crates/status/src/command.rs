//! The command that runs and the one that ended last.

use crate::shown::{TITLE_CHARS, command_line, one_line};
use crate::{Command, Duration, LastCommand, Now};

/// From here on a command is long: its end asks for attention. (A setting may change what is
/// notified, never the state.)
pub(crate) const LONG: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Default)]
pub(crate) struct Commands {
    running: Option<Running>,
    last: Option<LastCommand>,
}

#[derive(Debug, Clone)]
struct Running {
    command: Command,
    since: Duration,
}

/// How a command or the program of a terminal ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ended {
    pub(crate) line: Option<String>,
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<String>,
}

impl Ended {
    /// By a signal or with another code than 0. An end whose code nobody told is no failure.
    pub(crate) fn is_failure(&self) -> bool {
        self.signal.is_some() || self.code.is_some_and(|code| code != 0)
    }

    /// `exit 101`, `signal KILL`; nothing where it was not told.
    pub(crate) fn how(&self) -> Option<String> {
        match (&self.signal, self.code) {
            (Some(signal), _) => Some(format!("signal {signal}")),
            (None, Some(code)) => Some(format!("exit {code}")),
            (None, None) => None,
        }
    }

    /// `make (exit 2)`, as far as it is known.
    pub(crate) fn in_words(&self) -> Option<String> {
        let line = self.line.as_deref().map(|line| one_line(line, TITLE_CHARS));
        match (line, self.how()) {
            (Some(line), Some(how)) => Some(format!("{line} ({how})")),
            (line, how) => line.or(how),
        }
    }
}

impl Commands {
    pub(crate) fn running(&self) -> Option<&Command> {
        self.running.as_ref().map(|running| &running.command)
    }

    pub(crate) fn last(&self) -> Option<&LastCommand> {
        self.last.as_ref()
    }

    pub(crate) fn start(&mut self, line: Option<&str>, now: Now) {
        self.running = Some(Running {
            command: Command {
                line: line.map(command_line).filter(|line| !line.is_empty()),
                started_at: now.wall,
            },
            since: now.mono,
        });
    }

    /// The text of the running command, told later than its start.
    pub(crate) fn tell(&mut self, line: &str) -> bool {
        match &mut self.running {
            Some(running) if running.command.line.is_none() => {
                running.command.line = Some(command_line(line)).filter(|line| !line.is_empty());
                running.command.line.is_some()
            }
            _ => false,
        }
    }

    /// The running command ended: how, and how long it ran.
    pub(crate) fn end(
        &mut self,
        code: Option<i32>,
        signal: Option<&str>,
        now: Now,
    ) -> Option<(Ended, Duration)> {
        let running = self.running.take()?;
        let ran = now.mono.saturating_sub(running.since);
        self.last = Some(LastCommand {
            line: running.command.line.clone(),
            exit_code: code,
            seconds: (ran.as_secs_f64() * 1000.0).round() / 1000.0,
        });
        let ended = Ended {
            line: running.command.line,
            code,
            signal: signal.map(str::to_owned),
        };
        Some((ended, ran))
    }

    /// The running command went with its holder: nobody knows how it ended.
    pub(crate) fn forget_running(&mut self) -> bool {
        self.running.take().is_some()
    }
}
