//! Serving clients: taking connections, frames, input.

use super::client::{Attached, Client};
use super::client_queue::Class;
use super::holder::Holder;
use super::input_filter::PATIENCE;
use super::{clock, keys, log, ssh_agent};
use crate::frame::{Frame, encode};
use crate::peer;
use crate::protocol::{Attach, Bye, Hello, Moment, Presence, Resize, VERSION, Welcome, kind};
use serde::de::DeserializeOwned;
use status::Event;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A program that has taken nothing for that long while its queue is full does not read: input
/// is refused from then on, until there is room.
const INPUT_PATIENCE: Duration = Duration::from_secs(1);

/// After a connection could not be taken, that long until the next try.
const FULL: Duration = Duration::from_secs(1);

/// Whether connections are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accepts {
    Yes,
    /// One could not be taken; the next try is at that moment.
    After(Duration),
    /// One could not be taken, which is in the log; it is tried again.
    Again,
    /// The terminal is gone.
    Never,
}

impl Accepts {
    pub(super) fn now(self) -> bool {
        matches!(self, Self::Yes | Self::Again)
    }

    pub(super) fn deadline(self) -> Option<Duration> {
        match self {
            Self::After(at) => Some(at),
            Self::Yes | Self::Again | Self::Never => None,
        }
    }

    /// There may be room again.
    pub(super) fn try_again(&mut self) {
        if self.deadline().is_some() {
            *self = Self::Again;
        }
    }
}

impl Holder {
    /// Takes every connection that waits.
    pub(super) fn accept(&mut self) {
        loop {
            match self.claim.listener.accept() {
                Ok((stream, _)) => self.take_connection(stream),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.accepts = Accepts::Yes;
                    return;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    // Out of descriptors or memory, perhaps of the whole machine: the connection
                    // waits until another client leaves, or a moment.
                    if self.accepts == Accepts::Yes {
                        log::error(&format!("cannot take a connection: {error}"));
                    }
                    self.accepts = Accepts::After(clock::mono() + FULL);
                    return;
                }
            }
        }
    }

    fn take_connection(&mut self, stream: UnixStream) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        match peer::uid(&stream) {
            Ok(uid) if uid == peer::own_uid() => {}
            Ok(uid) => return self.refuse_stranger(&stream, uid),
            Err(error) => {
                return log::error(&format!("cannot tell who connected: {error}"));
            }
        }
        let id = self.next_client;
        self.next_client += 1;
        self.clients.push(Client::new(id, stream));
    }

    /// Tells another user so, if their end takes it at once, and forgets them.
    fn refuse_stranger(&mut self, mut stream: &UnixStream, uid: u32) {
        // Who tries again and again does not push everything else out of the log.
        if self.stranger.replace(uid) != Some(uid) {
            log::error(&format!("refused a connection of user {uid}"));
        }
        let message = format!(
            "this terminal belongs to user {}, not to {uid}",
            peer::own_uid()
        );
        let bye = serde_json::to_vec(&Bye::Refused { message }).unwrap_or_default();
        let _ = stream.write(&encode(kind::BYE, &bye));
    }

    pub(super) fn client(&mut self, id: u64) -> Option<&mut Client> {
        self.clients.iter_mut().find(|client| client.id == id)
    }

    /// Writes what waits for a client.
    pub(super) fn flush_client(&mut self, id: u64) {
        if let Some(client) = self.client(id) {
            client.flush();
        }
    }

    /// Reads once from a client and takes the frames that are whole.
    pub(super) fn read_client(&mut self, id: u64) {
        let mut scratch = std::mem::take(&mut self.scratch);
        if let Some(client) = self.client(id) {
            if client.is_read() {
                client.read(&mut scratch);
            } else {
                // Nothing is read from it now, and its other end is closed.
                client.gone = true;
            }
        }
        self.scratch = scratch;
        self.take_frames(id);
    }

    /// Takes the frames that were read, until one has to wait. Also those of a client that sent
    /// them and left.
    pub(super) fn take_frames(&mut self, id: u64) {
        loop {
            let Some(client) = self.client(id) else {
                return;
            };
            if client.held.is_some() || client.closing.is_some() {
                return;
            }
            match client.next_frame() {
                Ok(None) => return,
                Ok(Some(frame)) => self.take_frame(id, &frame),
                Err(error) => self.broke_protocol(id, error.to_string()),
            }
        }
    }

    fn broke_protocol(&mut self, id: u64, message: String) {
        if let Some(client) = self.client(id) {
            client.bye(&Bye::Protocol { message }, clock::mono());
        }
    }

    fn take_frame(&mut self, id: u64, frame: &Frame) {
        let greeted = self
            .client(id)
            .is_some_and(|client| client.program.is_some());
        if !greeted && frame.kind != kind::HELLO {
            return self.broke_protocol(id, "the first frame must be hello".into());
        }
        self.code_used |= frame.kind != kind::INPUT;
        match frame.kind {
            kind::HELLO if greeted => self.broke_protocol(id, "a second hello".into()),
            kind::HELLO => self.with_body(id, frame, Self::take_hello),
            kind::ATTACH => self.with_body(id, frame, Self::take_attach),
            kind::INPUT => self.take_input(id, &frame.body),
            kind::RESIZE => self.with_body(id, frame, Self::take_resize),
            kind::PRESENCE => self.with_body(id, frame, Self::take_presence),
            kind::REQUEST => match super::requests::parse(&frame.body) {
                Ok(request) => self.take_request(id, request),
                Err((Some(request), error)) => self.reply(id, request, error),
                Err((None, _)) => self.broke_protocol(id, "a request without an id".into()),
            },
            // A newer client may know more kinds.
            _ => {}
        }
    }

    fn with_body<T: DeserializeOwned>(
        &mut self,
        id: u64,
        frame: &Frame,
        take: fn(&mut Self, u64, T),
    ) {
        match serde_json::from_slice(&frame.body) {
            Ok(body) => take(self, id, body),
            Err(error) => {
                self.broke_protocol(
                    id,
                    format!("the body of frame {:#04x}: {error}", frame.kind),
                );
            }
        }
    }

    fn take_hello(&mut self, id: u64, hello: Hello) {
        let welcome = Welcome {
            version: hello.version.clamp(1, VERSION),
            program: format!("wigwag-holder {}", env!("CARGO_PKG_VERSION")),
            pid: std::process::id(),
            incarnation: self.incarnation,
            status: super::event_log::fit(self.terminal.status()),
            seq: self.events.seq(),
        };
        if let Some(client) = self.client(id) {
            client.program = Some(hello.program);
            client.send(kind::WELCOME, &welcome, Class::Control);
            client.flush();
        }
    }

    fn take_attach(&mut self, id: u64, attach: Attach) {
        let now = clock::mono();
        if attach.inside.contains(&self.claim.id) {
            let name = self.claim.name.clone();
            if let Some(client) = self.client(id) {
                let message = format!(
                    "{name} cannot be attached inside itself: detach first, or attach to another terminal"
                );
                client.bye(&Bye::Refused { message }, now);
            }
            return;
        }
        if let Some(agent) = attach
            .ssh_auth_sock
            .as_ref()
            .filter(|agent| !agent.is_empty() && !attach.view)
            && let Err(error) = ssh_agent::point(&self.claim.directory, Path::new(agent))
        {
            log::error(&format!("cannot re-point the agent's link: {error}"));
        }
        if attach.take_size && !attach.view {
            self.owner = Some(id);
        } else if self.owner == Some(id) {
            self.owner = None;
        }
        if let Some(client) = self.client(id) {
            client.attached = Some(Attached::new(attach, now));
        }
    }

    fn take_resize(&mut self, id: u64, resize: Resize) {
        let Some(attached) = self.client(id).and_then(|client| client.attached.as_mut()) else {
            return;
        };
        attached.window = (resize.cols, resize.rows);
        if attached.view {
            return;
        }
        match resize.take_size {
            Some(true) => self.owner = Some(id),
            Some(false) if self.owner == Some(id) => self.owner = None,
            Some(false) | None => {}
        }
    }

    fn take_presence(&mut self, id: u64, presence: Presence) {
        let now = clock::mono();
        let Some(attached) = self.client(id).and_then(|client| client.attached.as_mut()) else {
            return;
        };
        if presence.active || presence.focused && !attached.focused {
            attached.active_at = now;
        }
        attached.focused = presence.focused;
        attached.unreported = presence.unreported;
    }

    /// Bytes that a client's person typed.
    fn take_input(&mut self, id: u64, bytes: &[u8]) {
        let now = clock::mono();
        let motion = self.owner == Some(id);
        let running = self.program.pid().is_some();
        let Some(client) = self.client(id) else {
            return;
        };
        let refusal = match &client.attached {
            None => Some("attach before you type"),
            Some(attached) if attached.view => Some("this client only looks"),
            Some(_) if !running => Some("the program has exited"),
            Some(_) => None,
        };
        if let Some(refusal) = refusal {
            client.send_moment(&Moment::InputRefused {
                bytes: bytes.len() as u64,
                message: refusal.into(),
            });
            return;
        }
        let Some(attached) = client.attached.as_mut() else {
            return;
        };
        attached.active_at = now;
        let passed = attached.filter.pass(bytes, motion);
        attached.filter_until = attached.filter.is_waiting().then(|| now + PATIENCE);
        self.type_for(id, passed);
    }

    /// Types what a client sent, now or once there is room for it.
    fn type_for(&mut self, id: u64, bytes: Vec<u8>) {
        if !self.input.has_room(bytes.len()) {
            if let Some(client) = self.client(id) {
                client.held = Some(bytes);
            }
            return;
        }
        if keys::is_interrupt(&bytes) {
            self.apply(Event::Interrupted);
        }
        self.input.type_in(bytes, clock::mono());
        self.expect_activity();
        self.write_input();
    }

    /// Writes to the program what it takes now; then those whose input waited have their turn.
    pub(super) fn write_input(&mut self) {
        if self.program.pid().is_none() {
            self.input.clear();
        }
        let program = &self.program;
        self.input
            .write(clock::mono(), |bytes| program.write(bytes));
        let waiting: Vec<u64> = self
            .clients
            .iter()
            .filter(|client| client.held.is_some())
            .map(|client| client.id)
            .collect();
        for id in waiting {
            let room = |bytes: &Vec<u8>| self.input.has_room(bytes.len());
            let held = self.clients.iter().find(|client| client.id == id);
            if held
                .and_then(|client| client.held.as_ref())
                .is_some_and(room)
                && let Some(bytes) = self.client(id).and_then(|client| client.held.take())
            {
                self.type_for(id, bytes);
                self.take_frames(id);
            }
        }
    }

    /// The next moment at which a client needs something without having said anything.
    pub(super) fn clients_deadline(&self, now: Duration) -> Option<Duration> {
        let patience = self.input.progress_at() + INPUT_PATIENCE;
        let of_clients = self.clients.iter().flat_map(|client| {
            let attached = client.attached.as_ref();
            let present = attached.filter(|attached| attached.is_present(now));
            [
                client.closing,
                client.held.as_ref().map(|_| patience),
                attached.and_then(|attached| attached.filter_until),
                present.map(Attached::present_until),
            ]
        });
        of_clients.flatten().chain(self.stall_deadline(now)).min()
    }

    pub(super) fn pass_client_deadlines(&mut self, now: Duration) {
        for client in &mut self.clients {
            if client.closing.is_some_and(|at| at <= now) {
                client.gone = true;
            }
        }
        let ids: Vec<u64> = self.clients.iter().map(|client| client.id).collect();
        for id in ids {
            let Some(client) = self.client(id) else {
                continue;
            };
            let Some(attached) = client.attached.as_mut() else {
                continue;
            };
            if attached.filter_until.is_some_and(|at| at <= now) {
                attached.filter_until = None;
                let typed = attached.filter.give_up();
                self.type_for(id, typed);
            }
        }
        if now >= self.input.progress_at() + INPUT_PATIENCE {
            self.refuse_held_input();
        }
    }

    /// The program does not read: whose input waits learns that it is not taken.
    fn refuse_held_input(&mut self) {
        let mut refused = Vec::new();
        for client in &mut self.clients {
            if let Some(bytes) = client.held.take() {
                let message = "the program does not read its input (1 MiB waits for it)".into();
                client.send_moment(&Moment::InputRefused {
                    bytes: bytes.len() as u64,
                    message,
                });
                refused.push(client.id);
            }
        }
        for id in refused {
            self.take_frames(id);
        }
    }
}
