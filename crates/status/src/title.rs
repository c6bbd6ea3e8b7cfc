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
    application: Option<String>,
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

    /// OSC 0 or 2; an empty one ends the title of its setter.
    pub(crate) fn set(&mut self, setter: Setter, title: &str) {
        *self.slot(setter) = some_line(title, TITLE_CHARS);
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

    /// A command starts; its text if it was told.
    pub(crate) fn command_started(&mut self, line: Option<&str>) {
        self.application = None;
        self.shell = None;
        self.command = line.and_then(|line| some_line(line, TITLE_CHARS));
    }

    /// The text of the running command became known.
    pub(crate) fn command_told(&mut self, line: &str) {
        self.command = some_line(line, TITLE_CHARS);
    }

    /// The command ended: its program's title and its own text with it.
    pub(crate) fn command_ended(&mut self) {
        self.application = None;
        self.command = None;
        self.initial = None;
    }

    /// The foreground executable.
    pub(crate) fn process(&mut self, name: Option<&str>) {
        if self.process.as_deref() != name {
            self.process = name.and_then(|name| some_line(name, TITLE_CHARS));
        }
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
