//! The program's end: its last words, the news, and what comes after.

use super::holder::Holder;
use super::integration::Prepared;
use super::program::{Exit, Invocation};
use super::{clock, log, shell};
use crate::protocol::Moment;
use status::Event;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// After an exit the PTY is read until nothing is left, but at most that much…
const DRAIN_BYTES: usize = 1 << 20;
/// …and that long: a child that was left behind may print for ever.
const DRAIN_TIME: Duration = Duration::from_millis(100);

/// A client that is behind has that long to catch up before a terminal leaves by itself.
const LAST_WORDS_LIMIT: Duration = Duration::from_secs(5);

impl Holder {
    pub(super) fn take_signals(&mut self) {
        self.signals.drain();
        if let Some(exit) = self.program.reap() {
            self.take_exit(exit);
        }
        if self.signals.terminated.load(Ordering::Relaxed) {
            // The machine shuts down, or somebody ends holders by hand: the terminal is lost, with
            // what is known of it.
            self.write_state_now();
            std::process::exit(0);
        }
    }

    /// The program was reaped: its last words first, then the news.
    fn take_exit(&mut self, exit: Exit) {
        self.reach("exit_noticed");
        let until = clock::mono() + DRAIN_TIME;
        let mut drained = 0;
        while drained < DRAIN_BYTES && clock::mono() < until {
            match self.read_pty() {
                0 => break,
                length => drained += length,
            }
        }
        self.reach("before_exit_announced");
        self.input.clear();
        if self.spec.then_shell && !self.runs_shell && self.goes_on_after(&exit) {
            match self.start_shell(&exit) {
                Ok(()) => return,
                Err(error) => log::error(&format!("cannot go on as a shell: {error}")),
            }
        }
        self.foreground_check = None;
        let (code, signal) = match exit {
            Exit::Code(code) => (Some(code), None),
            Exit::Signal(signal) => (None, Some(signal)),
        };
        let clean = code == Some(0);
        self.watch_presence();
        // From here on the name is free for another terminal, and the file says how it ended: who
        // hears of the exit can count on both.
        let _ = self.claim.running.unlock();
        let changes = self
            .terminal
            .apply(Event::Exited { code, signal }, clock::now());
        self.write_state_now();
        changes.into_iter().for_each(|change| self.publish(change));
        for client in self.clients.iter_mut().filter(|client| client.streams()) {
            client.send_moment(&Moment::Exited);
        }
        if clean && self.seen.1 {
            self.leaves_by_itself = true;
            if self.program.pty().is_none() {
                self.leave_by_itself();
            }
        }
    }

    pub(super) fn leave_by_itself(&mut self) {
        self.leaves_at = Some(clock::mono() + LAST_WORDS_LIMIT);
        self.begin_removal();
    }

    /// A command that was told to end the terminal (HUP, TERM) is not followed by a shell.
    fn goes_on_after(&self, exit: &Exit) -> bool {
        self.removing.is_none()
            && !matches!(exit, Exit::Signal(signal) if signal == "HUP" || signal == "TERM")
    }

    /// The command ended, the terminal goes on as the login shell.
    fn start_shell(&mut self, exit: &Exit) -> io::Result<()> {
        let words = [shell::login_shell(&self.spec.env).into_os_string()];
        let invocation = Invocation {
            words: &words,
            login: true,
            cwd: &self.spec.cwd,
            env: &self.variables,
            umask: self.umask,
        };
        let prepared = if self.spec.plain_shell {
            Prepared::plain(&invocation)
        } else {
            Prepared::new(&invocation, &self.claim.directory)
        };
        self.program.start(&prepared.invocation(&invocation))?;
        self.runs_shell = true;
        self.shell = shell::Image::default();
        let (code, signal) = match exit {
            Exit::Code(code) => (Some(*code), None),
            Exit::Signal(signal) => (None, Some(signal.clone())),
        };
        self.apply(Event::ReturnedToShell {
            code,
            signal,
            own_aid: prepared.aid,
        });
        self.check_foreground();
        self.write_state_now();
        Ok(())
    }

    /// The program is over, and nobody may come after its end is told.
    pub(super) fn has_exited(&self) -> bool {
        self.program.pid().is_none()
    }
}
