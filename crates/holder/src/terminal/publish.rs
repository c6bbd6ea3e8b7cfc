//! Telling what changed: to the status, to those who subscribed, to the state file.

use super::client_queue::Class;
use super::clock;
use super::holder::Holder;
use crate::spawn::StateFile;
use status::{Event, EventKind};
use std::rc::Rc;

/// Events of one round that are told one by one; the rest of a flood is told as one a kind.
const EVENTS_A_ROUND: usize = 64;

impl Holder {
    /// Applies an event to the status and tells what changed.
    pub(super) fn apply(&mut self, event: Event) {
        for change in self.terminal.apply(event, clock::now()) {
            if self.events_this_round < EVENTS_A_ROUND {
                self.publish(change);
            } else if !self.later.contains(&change) {
                self.later.push(change);
            }
        }
    }

    pub(super) fn publish(&mut self, event: EventKind) {
        self.events_this_round += 1;
        let status = self.terminal.status();
        let frame = self.events.add(event, &status, clock::now().wall);
        self.state.change();
        self.send_event(&frame);
    }

    fn send_event(&mut self, frame: &Rc<[u8]>) {
        for client in self.clients.iter_mut().filter(|client| client.subscribed) {
            let mut shared = Some(Rc::clone(frame));
            let class = Class::Event;
            if client
                .queue
                .push(frame, &mut shared, class, &mut &client.stream)
                .is_err()
            {
                client.gone = true;
            }
        }
    }

    pub(super) fn state_file(&self) -> StateFile {
        StateFile {
            spec: self.spec.clone(),
            incarnation: self.incarnation,
            status: self.terminal.status(),
        }
    }

    /// Why the state file was not written, if it was not.
    pub(super) fn state_failure(&self) -> Option<&str> {
        self.state.failure()
    }

    pub(super) fn write_state_now(&mut self) {
        let state = self.state_file();
        self.state.write_now(clock::mono(), state);
    }
}
