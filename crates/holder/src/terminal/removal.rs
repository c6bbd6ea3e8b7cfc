//! The terminal's end: the program hung up, then killed; nothing left on the file system; everybody
//! told.

use super::client::Client;
use super::holder::Holder;
use super::serve::Accepts;
use super::{clock, log};
use crate::paths::{remove_directory, remove_file};
use crate::protocol::{Bye, Outcome};
use status::EventKind;
use std::time::Duration;

/// A forced removal hangs up, and kills what is left after that.
const KILL_AFTER: Duration = Duration::from_secs(5);

impl Holder {
    /// Ends the program by hanging up, and kills it later; then the holder ends.
    pub(super) fn begin_removal(&mut self) {
        if self.removing.is_some() {
            return;
        }
        let running = self.program.pid().is_some();
        self.removing = Some(running.then(|| clock::mono() + KILL_AFTER));
        self.program.signal(rustix::process::Signal::HUP);
    }

    /// Whether somebody still has last words to take before the terminal leaves by itself.
    pub(super) fn waits_for_clients(&self, now: Duration) -> bool {
        let behind = |client: &Client| {
            client.attached.is_some() && (client.queue.bytes() > 0 || client.queue.stream_is_lost())
        };
        self.leaves_at.is_some_and(|at| now < at) && self.clients.iter().any(behind)
    }

    /// A request that is answered once the terminal is gone.
    pub(super) fn answer_when_removed(&mut self, client: u64, request: u64) {
        self.remove_requests.push((client, request));
    }

    /// Kills every process of the terminal's sessions.
    pub(super) fn kill_everything(&mut self) {
        self.program.signal(rustix::process::Signal::KILL);
        for process in self.program.processes() {
            if let Some(pid) = rustix::process::Pid::from_raw(process.pid) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }

    /// Nothing of the terminal is left on the file system; then everybody is told, and the loop
    /// ends when they have heard it.
    pub(super) fn end(&mut self) {
        if self.ended {
            return;
        }
        self.ended = true;
        self.accepts = Accepts::Never;
        let id = &self.claim.id;
        // What can be forgotten is; the first thing that cannot is the answer.
        let done = [
            self.paths.forget_names(id),
            remove_file(&self.paths.state_file(id)),
            remove_directory(&self.claim.directory),
        ];
        let done = done.into_iter().collect::<std::io::Result<()>>();
        match done {
            Ok(()) => {
                let _ = remove_file(&self.paths.log_file(id));
            }
            Err(error) => {
                log::error(&format!("cannot forget the terminal: {error}"));
                self.say_unforgotten(&error);
            }
        }
        self.publish(EventKind::Removed);
        for (client, request) in std::mem::take(&mut self.remove_requests) {
            self.reply_done(client, request);
        }
        for client in &mut self.clients {
            client.bye(&Bye::Removed, clock::mono());
        }
    }

    /// Whoever asked for the removal is told what is left of the terminal: before its end, after
    /// which nobody may listen any more.
    fn say_unforgotten(&mut self, error: &std::io::Error) {
        let name = self.claim.name.clone();
        for (client, request) in std::mem::take(&mut self.remove_requests) {
            let message =
                format!("{name} has ended, but cannot be forgotten: {error}; then remove it again");
            let code = "failed".into();
            self.reply(client, request, Outcome::Error { code, message });
        }
    }

    /// Everybody gets the last words.
    pub(super) fn leave(&mut self) {
        loop {
            self.clients.retain(|client| !client.gone);
            if self.clients.is_empty() {
                return;
            }
            self.wait(false);
            self.pass_client_deadlines(clock::mono());
        }
    }
}
