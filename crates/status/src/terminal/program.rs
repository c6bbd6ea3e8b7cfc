//! What programs say, and who has the foreground: the part of the state machine that gives
//! each signal its meaning.

use super::{Change, Changes, Foreground, INTERRUPTED, PATH_CHARS, Terminal};
use crate::attention::{Cause, record_text};
use crate::command::LONG;
use crate::prompt::Meaning;
use crate::records::Reported;
use crate::shown::some_line;
use crate::title::Setter;
use crate::{LifecycleState, Now, RecordState};
use signals::{Cwd, Mark, Notification, Report, ReportState, Signal};
use std::time::Duration;

impl Terminal {
    /// What a program says. After the exit only a left-behind child speaks: of what it did it
    /// may still tell, but nothing goes on in the terminal.
    pub(super) fn signal(
        &mut self,
        signal: Signal,
        alternate: bool,
        now: Now,
        changes: &mut Changes,
    ) {
        if self.carries {
            return;
        }
        match self.lifecycle.state {
            LifecycleState::Starting | LifecycleState::Running => {}
            LifecycleState::Exited if speaks_after_exit(&signal) => {}
            LifecycleState::Exited | LifecycleState::Lost => return,
        }
        match signal {
            Signal::Bell => {
                let news = self.attention.ring(Cause::Bell, None, self.seen, now);
                changes.news(news);
            }
            Signal::Notify(notification) => self.notify(notification, now, changes),
            Signal::NotifyClose(id) => changes.news(self.attention.close(&id)),
            Signal::Title(title) => {
                let setter = self.setter();
                let by_shell = self.shell_in_foreground();
                self.titles.set(setter, by_shell, &title);
            }
            Signal::TitlePush => {
                let setter = self.setter();
                self.titles.push(setter);
            }
            Signal::TitlePop => self.titles.pop(),
            Signal::Progress(frame) => self.progress(frame, now, changes),
            Signal::Mark { mark, aid } => {
                self.mark(mark, aid.as_deref(), alternate, now, changes);
            }
            Signal::Cwd(cwd) => self.cwd(cwd, changes),
            Signal::Report(report) => self.report(report, now, changes),
            Signal::Clear(clear) => {
                self.set_reported(true, changes);
                if self.records.clear(&clear.id) {
                    changes.add(Change::Report);
                    self.attention.record_changed(now);
                    self.reconcile(changes);
                }
            }
            Signal::Reset => {
                self.titles.reset();
                let progress = self.progress.end();
                changes.add_if(Change::Progress, progress);
                let records = self.records.clear("");
                changes.add_if(Change::Report, records);
                self.set_reported(false, changes);
                self.attention.forget_alive();
                self.reconcile(changes);
            }
            Signal::Rejected(_) => {}
        }
    }

    fn notify(&mut self, notification: Notification, now: Now, changes: &mut Changes) {
        let Notification { title, body, id } = notification;
        let text = match title.as_deref() {
            Some(title) if !title.is_empty() && !body.is_empty() => format!("{title}: {body}"),
            Some(title) if body.is_empty() => title.to_owned(),
            _ => body,
        };
        let cause = Cause::Notify(id);
        changes.news(self.attention.ring(cause, Some(&text), self.seen, now));
    }

    fn progress(&mut self, frame: signals::Progress, now: Now, changes: &mut Changes) {
        let was_error = self.progress.is_error();
        let news = self.progress.frame(frame, self.in_foreground(), now);
        changes.add_if(Change::Progress, news);
        if self.progress.is_error() && !was_error && !self.reported {
            self.raise(Cause::Progress, None, now, changes);
        }
        self.reconcile(changes);
    }

    fn report(&mut self, report: Report, now: Now, changes: &mut Changes) {
        let id = report.id.clone();
        let in_foreground = self.in_foreground();
        self.set_reported(true, changes);
        let reported = self.records.report(report, in_foreground, self.seen, now);
        if reported == Reported::Same {
            return;
        }
        changes.add(Change::Report);
        if reported == Reported::Changed {
            return;
        }
        self.attention.record_changed(now);
        let Some(record) = self.records.get(&id) else {
            return;
        };
        if reported == Reported::Reworded {
            changes.news(self.attention.reword(record));
        } else if let RecordState::Blocked | RecordState::Done | RecordState::Error = record.state
            && !self.records.is_silent(record)
        {
            let text = record_text(record);
            let cause = Cause::Record(id, record.state);
            self.raise(cause, text.as_deref(), now, changes);
        }
        self.reconcile(changes);
    }

    fn mark(
        &mut self,
        mark: Mark,
        aid: Option<&str>,
        alternate: bool,
        now: Now,
        changes: &mut Changes,
    ) {
        let foreground = self.foreground.as_ref();
        let program = self.program.is_some();
        let Some(meaning) = self.prompt.mark(mark, aid, foreground, program, alternate) else {
            return;
        };
        self.shell_has_terminal(changes);
        match meaning {
            Meaning::Prompt => {
                self.end_command(None, now, changes);
                let progress = self.progress.prompt();
                changes.add_if(Change::Progress, progress);
                let records = self.records.end_running();
                changes.add_if(Change::Report, records);
                self.set_reported(false, changes);
                self.interrupted = false;
                self.reconcile(changes);
            }
            Meaning::Command(line) => self.start_command(line.as_deref(), now, changes),
            Meaning::CommandTold(line) => {
                if self.commands.tell(&line) {
                    self.titles.command_told(&line);
                    changes.add(Change::Command);
                }
            }
            Meaning::Done(code) => {
                self.titles.command_done();
                self.end_command(code, now, changes);
            }
        }
    }

    fn cwd(&mut self, cwd: Option<Cwd>, changes: &mut Changes) {
        let cwd = cwd.and_then(|Cwd { host, path }| {
            let path = match host {
                Some(host) if !self.is_this_host(&host) => format!("{host}:{path}"),
                _ => path,
            };
            some_line(&path, PATH_CHARS)
        });
        changes.add_if(Change::Command, cwd != self.cwd);
        self.cwd = cwd;
    }

    /// By the whole name, or by the first label where one of the two has no more.
    fn is_this_host(&self, host: &str) -> bool {
        let Some(own) = self.hostname.as_deref() else {
            return false;
        };
        let (own_label, own_rest) = own.split_once('.').unwrap_or((own, ""));
        let (label, rest) = host.split_once('.').unwrap_or((host, ""));
        own_label.eq_ignore_ascii_case(label)
            && (own_rest.is_empty() || rest.is_empty() || own_rest.eq_ignore_ascii_case(rest))
    }

    fn start_command(&mut self, line: Option<&str>, now: Now, changes: &mut Changes) {
        self.interrupted = false;
        self.titles.command_started(line, self.shell_is_fish);
        self.commands.start(line, now);
        changes.add(Change::Command);
    }

    fn end_command(&mut self, code: Option<i32>, now: Now, changes: &mut Changes) {
        self.titles.command_ended();
        let Some((ended, ran)) = self.commands.end(code, None, now) else {
            return;
        };
        changes.add(Change::Command);
        let by_ctrl_c = self.interrupted && matches!(code, None | Some(INTERRUPTED));
        if ran >= LONG && !by_ctrl_c {
            let text = ended.in_words();
            self.raise(Cause::Command(ended), text.as_deref(), now, changes);
        }
    }

    /// A shell that replaced the one before it is at its own beginning: the command that started
    /// it (`exec fish`) is over.
    pub(super) fn shell_replaced(&mut self, now: Now, changes: &mut Changes) {
        if self.lifecycle.is_over() || self.program.is_some() {
            return;
        }
        self.prompt.shell_replaced();
        self.end_command(None, now, changes);
        self.interrupted = false;
        if self.integration_due.is_some() {
            self.go_by_foreground(changes);
        }
    }

    /// Until when the integration that was handed to the shell may say that the startup files are over:
    /// what they run is no command, and the shell that reads them is at no prompt.
    pub(super) fn integration_due(&self) -> Option<Duration> {
        let waits = !self.prompt.is_marked() && !self.lifecycle.is_over();
        self.integration_due.filter(|_| waits)
    }

    /// The integration does not speak: who has the foreground decides, from when it had it.
    pub(super) fn go_by_foreground(&mut self, changes: &mut Changes) {
        self.integration_due = None;
        self.read_foreground(self.foreground_since, changes);
    }

    pub(super) fn foreground(&mut self, new: Option<Foreground>, now: Now, changes: &mut Changes) {
        if self.lifecycle.is_over() || new == self.foreground {
            return;
        }
        self.foreground = new;
        self.foreground_since = now;
        let Some(foreground) = &self.foreground else {
            self.titles.process(None);
            return;
        };
        self.titles.process(Some(&foreground.name));
        if foreground.is_shell {
            self.shell_is_fish = foreground.name == "fish";
        }
        if self.integration_due().is_none() {
            self.read_foreground(now, changes);
        }
    }

    /// What it says that the foreground is whose it is, since then.
    fn read_foreground(&mut self, now: Now, changes: &mut Changes) {
        let Some(foreground) = &self.foreground else {
            return;
        };
        let shell = foreground.is_shell;
        if shell {
            self.shell_has_terminal(changes);
        }
        if self.prompt.is_marked() {
            return;
        }
        if shell {
            self.end_command(None, now, changes);
            let progress = self.progress.foreground_ended();
            changes.add_if(Change::Progress, progress);
            let records = self.records.foreground_ended();
            changes.add_if(Change::Report, records);
            self.set_reported(false, changes);
            self.interrupted = false;
            self.reconcile(changes);
        } else if self.program.is_none() && self.commands.running().is_none() {
            self.start_command(None, now, changes);
        }
    }

    /// The terminal was started with a program that has returned to a shell, or the shell is
    /// heard of for the first time.
    fn shell_has_terminal(&mut self, changes: &mut Changes) {
        self.program = None;
        if !self.shell_is_there {
            self.shell_is_there = true;
            changes.add(Change::Command);
        }
    }

    /// Whose title is set now.
    fn setter(&self) -> Setter {
        let by_application = if self.program.is_some() {
            true
        } else if self.prompt.is_marked() {
            self.prompt.in_command()
        } else {
            self.in_foreground()
        };
        if by_application {
            Setter::Application
        } else {
            Setter::Shell
        }
    }

    fn shell_in_foreground(&self) -> bool {
        let foreground = self.foreground.as_ref();
        foreground.is_some_and(|foreground| foreground.is_shell)
    }

    /// Another program than the shell is known to have the foreground.
    fn in_foreground(&self) -> bool {
        self.foreground
            .as_ref()
            .is_some_and(|foreground| !foreground.is_shell)
    }

    /// Whether progress decides hangs on it, and with it the state.
    pub(super) fn set_reported(&mut self, reported: bool, changes: &mut Changes) {
        let matters = self.progress.status().is_some() || !self.records.is_empty();
        changes.add_if(Change::Report, matters && reported != self.reported);
        self.reported = reported;
    }
}

fn speaks_after_exit(signal: &Signal) -> bool {
    match signal {
        Signal::Bell | Signal::Notify(_) | Signal::NotifyClose(_) | Signal::Clear(_) => true,
        Signal::Report(report) => matches!(report.state, ReportState::Done | ReportState::Error),
        _ => false,
    }
}
