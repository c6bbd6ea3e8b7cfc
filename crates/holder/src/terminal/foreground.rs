//! Who has the foreground: looked at soon after something happened, and at once before a signal
//! whose meaning depends on it.

use super::holder::Holder;
use super::{clock, processes};
use signals::Signal;
use status::{Event, Foreground};
use std::time::Duration;

/// The foreground is looked at that long after something happened.
pub(super) const FOREGROUND_CHECK: Duration = Duration::from_millis(100);

impl Holder {
    /// Something happened: look at the foreground soon.
    pub(super) fn expect_activity(&mut self) {
        if self.foreground_check.is_none() && self.program.pid().is_some() {
            self.foreground_check = Some(clock::mono() + FOREGROUND_CHECK);
        }
    }

    /// Looks at the foreground before a signal whose meaning depends on who has it.
    pub(super) fn look_before(&mut self, signal: &Signal) {
        if matches!(
            signal,
            Signal::Mark { .. } | Signal::Title(_) | Signal::Report(_) | Signal::Progress(_)
        ) {
            // Whose it is depends on who has the foreground now, not 100 ms ago.
            let known = self.foreground.as_ref().map(|known| known.pgid);
            if self.program.foreground() != known {
                self.check_foreground();
            }
        }
    }

    pub(super) fn check_foreground(&mut self) {
        let Some(program) = self.program.pid() else {
            return;
        };
        let Some(group) = self.program.foreground() else {
            return;
        };
        // A group whose leader is gone keeps the name it had.
        let known = self.foreground.as_ref().filter(|known| known.pgid == group);
        let name = processes::name_of(group).or_else(|| known.map(|known| known.name.clone()));
        let is_program = self.runs_shell && group == program;
        let replaced = match &name {
            Some(name) if is_program => self.shell.look(processes::image_of(program), name),
            _ => false,
        };
        let foreground = name.map(|name| Foreground {
            pgid: group,
            name,
            is_shell: is_program && self.shell.is_shell(),
        });
        if foreground != self.foreground {
            let before = self.foreground.as_ref().filter(|before| !before.is_shell);
            let shell = foreground.as_ref().is_some_and(|now| now.is_shell);
            if !shell
                && before.is_some_and(|before| {
                    before.pgid != group && !processes::has_group(before.pgid)
                })
            {
                self.apply(Event::GroupEnded);
            }
            self.foreground.clone_from(&foreground);
            self.apply(Event::Foreground(foreground));
        }
        if replaced && self.shell.is_shell() {
            self.apply(Event::ShellReplaced);
        }
    }
}
