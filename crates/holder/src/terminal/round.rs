//! The loop of a holder.
//!
//! A round: wait, take what came (signals, the PTY, clients), then settle: sizes, presence, focus,
//! snapshots, the state file. Deadlines exist only while something is pending; an idle holder
//! sleeps without one.

use super::holder::Holder;
use super::serve::Accepts;
use super::{clock, code_pages, log};
use rustix::event::{PollFd, PollFlags, Timespec};
use status::Event;
use std::time::Duration;

/// The pause between two looks at everything, where waiting for it is refused: short enough to type
/// by, long enough to cost nothing.
const BLIND: Duration = Duration::from_millis(20);

impl Holder {
    /// Serves until the terminal is removed.
    pub(super) fn run(&mut self) {
        loop {
            self.settle();
            if self.ended {
                break;
            }
            self.wait(true);
            self.pass_deadlines();
        }
        self.leave();
    }

    /// Waits for something and takes it. `whole`: everything, otherwise clients only (at a
    /// test's named point).
    pub(super) fn wait(&mut self, whole: bool) {
        const HUNG_UP: PollFlags = PollFlags::HUP.union(PollFlags::ERR);
        let now = clock::mono();
        let held_back = self.holds_pty_back(now);
        let deadline = if whole {
            self.next_deadline(now)
        } else {
            self.clients_deadline(now)
        };
        if deadline.is_none() && self.code_used && self.seen.0 == 0 {
            // Nothing is pending, and nobody types.
            code_pages::give_back();
            self.code_used = false;
        }
        let timeout = deadline.map(|at| timespec(at.saturating_sub(now)));
        let mut fds = Vec::with_capacity(3 + self.clients.len());
        let mut asked = Vec::with_capacity(fds.capacity());
        let mut pty_at = None;
        if whole {
            fds.push(PollFd::new(&self.signals.pipe, PollFlags::IN));
            asked.push(PollFlags::IN);
            let mut flags = if held_back {
                PollFlags::empty()
            } else {
                PollFlags::IN
            };
            if self.input.wants_write() && self.program.pid().is_some() {
                flags |= PollFlags::OUT;
            }
            if let Some(pty) = self.program.pty().filter(|_| !flags.is_empty()) {
                pty_at = Some(fds.len());
                fds.push(PollFd::from_borrowed_fd(pty, flags));
                asked.push(flags);
            }
        }
        let listener_at = self.accepts.now().then(|| {
            fds.push(PollFd::new(&self.claim.listener, PollFlags::IN));
            asked.push(PollFlags::IN);
            fds.len() - 1
        });
        let clients_at = fds.len();
        let mut polled = Vec::with_capacity(self.clients.len());
        for client in &self.clients {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, client.is_read());
            flags.set(PollFlags::OUT, client.queue.bytes() > 0);
            if !flags.is_empty() {
                polled.push(client.id);
                fds.push(PollFd::new(&client.stream, flags));
                asked.push(flags);
            }
        }
        let ready: Vec<PollFlags> = match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {
                if std::mem::take(&mut self.waits_blindly) {
                    // Where descriptors were missing, the log could not be written before.
                    log::error("could not wait for events for a while; waits for them again");
                }
                fds.iter().map(PollFd::revents).collect()
            }
            Err(error) => {
                if !self.waits_blindly {
                    log::error(&format!(
                        "cannot wait for events, looks {} times a second: {error}",
                        1000 / BLIND.as_millis()
                    ));
                    self.waits_blindly = true;
                }
                wait_blindly(timeout);
                // Nothing blocks: whatever is not ready says so.
                asked
            }
        };
        drop(fds);

        for (index, id) in polled.into_iter().enumerate() {
            let flags = ready[clients_at + index];
            if flags.contains(PollFlags::OUT) {
                self.flush_client(id);
            }
            if flags.intersects(PollFlags::IN | HUNG_UP) {
                self.read_client(id);
            }
        }
        if listener_at.is_some_and(|at| !ready[at].is_empty()) {
            self.accept();
        }
        if let Some(at) = pty_at {
            if ready[at].contains(PollFlags::OUT) {
                self.write_input();
            }
            if ready[at].intersects(PollFlags::IN | HUNG_UP) && !held_back {
                self.reach("pty_read");
                self.read_pty();
            }
        }
        if whole && !ready[0].is_empty() {
            self.take_signals();
        }
    }

    /// The next moment at which something is to be done; `None` when nothing is pending.
    fn next_deadline(&self, now: Duration) -> Option<Duration> {
        [
            self.terminal.deadline(),
            self.state.deadline(),
            self.input.deadline(),
            self.synchronized_until,
            self.foreground_check,
            self.unmute_at,
            self.accepts.deadline(),
            self.removing.flatten(),
            self.leaves_at.filter(|_| self.removing.is_some()),
            self.clients_deadline(now),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn pass_deadlines(&mut self) {
        let now = clock::mono();
        let due = |deadline: Option<Duration>| deadline.is_some_and(|at| at <= now);
        if due(self.terminal.deadline()) {
            self.apply(Event::Tick);
        }
        if due(self.synchronized_until) {
            self.end_synchronized();
        }
        if due(self.foreground_check) {
            self.foreground_check = None;
            self.check_foreground();
        }
        if due(self.accepts.deadline()) {
            self.accepts = Accepts::Again;
        }
        if due(self.unmute_at) {
            self.unmute_at = None;
            self.apply(Event::Muted(false));
        }
        if due(self.removing.flatten()) {
            self.removing = Some(None);
            self.kill_everything();
        }
        if self.input.wants_write() || due(self.input.deadline()) {
            self.write_input();
        }
        self.pass_client_deadlines(now);
    }

    /// The end of a round.
    fn settle(&mut self) {
        self.settle_clients();
        for event in std::mem::take(&mut self.later) {
            self.publish(event);
        }
        self.events_this_round = 0;
        let now = clock::mono();
        if self.state.deadline().is_some_and(|due| due <= now) {
            let state = self.state_file();
            self.state.write_if_due(now, || state);
        }
        if self.removing.is_some() && self.program.pid().is_none() && !self.waits_for_clients(now) {
            self.end();
        }
    }

    /// Stands at a named point while a test wants it to.
    pub(super) fn reach(&mut self, point: &'static str) {
        if self.hooks.is_off() {
            return;
        }
        for (client, request) in self.hooks.reached(point) {
            self.reply_done(client, request);
        }
        while self.hooks.stands_at(point) {
            self.settle_clients();
            self.wait(false);
            self.pass_client_deadlines(clock::mono());
        }
    }
}

/// Where the kernel does not wait for our descriptors. It refuses to where there are more of them than
/// the limit allows, which anybody with the right may lower while we run.
fn wait_blindly(timeout: Option<Timespec>) {
    let blind = timespec(BLIND);
    let shorter =
        timeout.filter(|timeout| (timeout.tv_sec, timeout.tv_nsec) < (blind.tv_sec, blind.tv_nsec));
    let _ = rustix::event::poll(&mut [], Some(&shorter.unwrap_or(blind)));
}

fn timespec(duration: Duration) -> Timespec {
    // A deadline is reached, never missed by a fraction and waited for again.
    let nanos = i64::from(duration.subsec_nanos());
    Timespec {
        tv_sec: duration.as_secs() as i64,
        tv_nsec: nanos as _,
    }
}
