//! Requests of clients: one answer each, in order.

use super::client::Attached;
use super::client_queue::Class;
use super::event_log;
use super::holder::{Holder, status_size};
use super::hooks::Answer;
use super::keys::{self, KeyModes};
use super::{clock, signal_names};
use crate::frame::encode;
use crate::paths;
use crate::protocol::{Bye, ClientInfo, MAX_BODY, Moment, Op, Outcome, Reply, Request, kind};
use screen::Capture;
use serde::Deserialize;
use signals::{Query, QueryKind, Terminator};
use status::Event;
use std::time::Duration;

/// Data of one reply is sent in frames of this size, and a client has that much at once.
const DATA_FRAME: usize = MAX_BODY / 2;

/// Signals by which a person wants the program to end.
const ENDING: [rustix::process::Signal; 5] = [
    rustix::process::Signal::HUP,
    rustix::process::Signal::INT,
    rustix::process::Signal::QUIT,
    rustix::process::Signal::TERM,
    rustix::process::Signal::KILL,
];

/// What a carried terminal is called: a name, or `HOST/NAME`.
const MAX_CARRIED: usize = 128;

/// A request from its body; otherwise its number, where that can be read, and what to reply.
pub(super) fn parse(body: &[u8]) -> Result<Request, (Option<u64>, Outcome)> {
    #[derive(Deserialize)]
    struct Head {
        id: u64,
        #[serde(default)]
        op: Option<String>,
    }
    serde_json::from_slice::<Request>(body).map_err(|error| {
        let head = serde_json::from_slice::<Head>(body).ok();
        let unknown = error.to_string().contains("unknown variant");
        let op = head
            .as_ref()
            .and_then(|head| head.op.as_deref())
            .unwrap_or("none");
        let refusal = if unknown {
            let message = format!(
                "this holder ({}) does not know the request \"{}\": restart the terminal to use it",
                env!("CARGO_PKG_VERSION"),
                op.escape_debug()
            );
            error_of("unknown", message)
        } else {
            error_of("request", format!("the request cannot be read: {error}"))
        };
        (head.map(|head| head.id), refusal)
    })
}

fn error_of(code: &str, message: impl Into<String>) -> Outcome {
    Outcome::Error {
        code: code.to_owned(),
        message: message.into(),
    }
}

impl Holder {
    /// Answers one request.
    pub(super) fn take_request(&mut self, client: u64, request: Request) {
        let Request { id, op } = request;
        match self.carry_out(client, id, op) {
            Ok(Some(outcome)) => self.reply(client, id, outcome),
            Ok(None) => {}
            Err((code, message)) => self.reply(client, id, error_of(code, message)),
        }
    }

    pub(super) fn reply(&mut self, client: u64, id: u64, outcome: Outcome) {
        if let Some(client) = self.client(client) {
            client.send(kind::REPLY, &Reply { id, outcome }, Class::Control);
            client.flush();
        }
    }

    pub(super) fn reply_done(&mut self, client: u64, id: u64) {
        let outcome = self.done();
        self.reply(client, id, outcome);
    }

    fn done(&self) -> Outcome {
        Outcome::Done {
            seq: self.events.seq(),
        }
    }

    /// `Ok(None)`: the reply comes later.
    fn carry_out(
        &mut self,
        client: u64,
        request: u64,
        op: Op,
    ) -> Result<Option<Outcome>, (&'static str, String)> {
        match op {
            Op::Status => {
                let status = Box::new(event_log::fit(self.terminal.status()));
                return Ok(Some(Outcome::Status {
                    seq: self.events.seq(),
                    status,
                }));
            }
            Op::Subscribe { since, incarnation } => self.subscribe(client, since, incarnation),
            Op::Capture {
                lines,
                scrollback,
                ansi,
            } => {
                let text = self.screen.capture(Capture {
                    scrollback,
                    lines,
                    ansi,
                });
                self.send_data(client, request, text.as_bytes());
            }
            Op::Input { text, paste, enter } => self.type_text(text, paste, enter)?,
            Op::Keys { keys } => self.press(&keys)?,
            Op::Signal { signal } => self.signal(&signal)?,
            Op::Ack { seq } => self.apply(Event::Ack { seq }),
            Op::Unack { after_ms } => {
                self.apply(Event::Unack {
                    after: after_ms.map(Duration::from_millis),
                });
            }
            Op::ClearRecords { record } => self.apply(Event::ClearRecords { id: record }),
            Op::Mute { muted, for_ms } => {
                let until = for_ms.filter(|_| muted).map(Duration::from_millis);
                self.unmute_at = until.map(|time| clock::mono().saturating_add(time));
                self.apply(Event::Muted(muted));
            }
            Op::Rename { name } => self.rename(name)?,
            Op::Report { bytes } => {
                let alternate_screen = self.screen.modes().alternate_screen;
                for (_, signal) in signals::signals_of(bytes.as_bytes()) {
                    self.look_before(&signal);
                    self.apply(Event::Signal {
                        signal,
                        alternate_screen,
                    });
                }
            }
            Op::Detach { others } => {
                let now = clock::mono();
                let outcome = self.done();
                let asks = self.attached(client).map(|_| client);
                let kept = asks.or_else(|| self.acting_client()).filter(|_| others);
                // The asking one has its reply before it is detached itself.
                self.reply(client, request, outcome);
                for attached in self
                    .clients
                    .iter_mut()
                    .filter(|other| other.attached.is_some())
                {
                    if kept != Some(attached.id) {
                        attached.bye(&Bye::Detached, now);
                    }
                }
                return Ok(None);
            }
            Op::Remove { force } => {
                if self.program.pid().is_some() && !force {
                    let name = &self.claim.name;
                    let message =
                        format!("the program of {name} still runs: kill it first, or use --force");
                    return Err(("running", message));
                }
                self.answer_when_removed(client, request);
                self.begin_removal();
                return Ok(None);
            }
            Op::Carry { name } => {
                if let Some(client) = self.client(client) {
                    client.carries = name.map(|name| name.chars().take(MAX_CARRIED).collect());
                }
                self.watch_carrying();
            }
            Op::Switch { to } => {
                let Some(acting) = self.acting_client().and_then(|id| self.client(id)) else {
                    let message = "nobody is attached here who could be switched";
                    return Err(("refused", message.into()));
                };
                acting.send_moment(&Moment::Switch { to });
                acting.flush();
            }
            Op::Redraw => {
                if let Some(attached) = self.attached(client) {
                    attached.wants_snapshot = true;
                }
            }
            Op::Colors { colors } => {
                if let Some(attached) = self.attached(client) {
                    attached.colors = colors;
                }
            }
            Op::Notify { client, notice } => self.notify(client, notice)?,
            Op::Processes => {
                let processes = self.program.processes();
                return Ok(Some(Outcome::Processes { processes }));
            }
            Op::Clients => {
                return Ok(Some(Outcome::Clients {
                    clients: self.client_list(),
                }));
            }
            Op::Test { command } => match self.hooks.command(&command, client, request) {
                Answer::Done => {}
                Answer::Later => return Ok(None),
                Answer::Refused(message) => return Err(("refused", message)),
            },
        }
        Ok(Some(self.done()))
    }

    fn subscribe(&mut self, client: u64, since: u64, incarnation: u64) {
        // Of another incarnation (0 with nothing: of none) nothing is known: everything is a gap.
        let other = incarnation != self.incarnation && (incarnation, since) != (0, 0);
        let (gap, frames) = self.events.after(if other {
            0
        } else {
            since.min(self.events.seq())
        });
        let gap = if other { Some(gap.unwrap_or(0)) } else { gap };
        let gap = gap.map(|seq| event_log::gap(seq, self.terminal.status(), clock::now().wall));
        let frames: Vec<Vec<u8>> = gap
            .into_iter()
            .chain(frames.map(|frame| frame.to_vec()))
            .collect();
        if let Some(client) = self.client(client) {
            client.subscribed = true;
            for frame in frames {
                client.queue.push_later(frame, Class::Event);
            }
        }
    }

    fn send_data(&mut self, client: u64, request: u64, bytes: &[u8]) {
        let Some(client) = self.client(client) else {
            return;
        };
        for piece in bytes.chunks(DATA_FRAME) {
            let body = [&request.to_le_bytes()[..], piece].concat();
            client
                .queue
                .push_later(encode(kind::DATA, &body), Class::Control);
        }
    }

    fn attached(&mut self, client: u64) -> Option<&mut Attached> {
        self.client(client)?.attached.as_mut()
    }

    /// The client whose person works at this terminal: the owner of its size, or else whoever was
    /// active last.
    fn acting_client(&self) -> Option<u64> {
        let people = self.clients.iter().filter(|client| {
            let attached = client.attached.as_ref();
            !client.gone
                && client.closing.is_none()
                && attached.is_some_and(|attached| attached.person)
        });
        let last = people.max_by_key(|client| {
            let active = client.attached.as_ref().map(|attached| attached.active_at);
            (self.owner == Some(client.id), active)
        });
        last.map(|client| client.id)
    }

    fn must_run(&self) -> Result<(), (&'static str, String)> {
        if self.program.pid().is_some() {
            return Ok(());
        }
        let name = &self.claim.name;
        Err((
            "exited",
            format!("the program of {name} has exited: use `wigwag restart {name}`"),
        ))
    }

    fn type_text(
        &mut self,
        text: String,
        paste: bool,
        enter: bool,
    ) -> Result<(), (&'static str, String)> {
        self.must_run()?;
        let bytes = if paste {
            self.as_paste(&text)
        } else {
            text.into_bytes()
        };
        self.type_now(bytes)?;
        if enter {
            self.input.pause();
            let enter = keys::enter(self.key_modes());
            self.type_now(enter)?;
        }
        Ok(())
    }

    /// Safe as a paste: with its controls but tabs and line ends removed, an embedded end of the paste cannot
    /// escape it; line ends are what Enter sends.
    fn as_paste(&self, text: &str) -> Vec<u8> {
        let text = text.replace("\r\n", "\r").replace('\n', "\r");
        let safe: String = text
            .chars()
            .filter(|c| !c.is_control() || matches!(c, '\t' | '\r'))
            .collect();
        if self.screen.modes().bracketed_paste {
            format!("\x1b[200~{safe}\x1b[201~").into_bytes()
        } else {
            safe.into_bytes()
        }
    }

    fn press(&mut self, names: &[String]) -> Result<(), (&'static str, String)> {
        self.must_run()?;
        let modes = self.key_modes();
        let mut bytes = Vec::new();
        for name in names {
            bytes.extend(keys::encode(name, modes).map_err(|message| ("request", message))?);
        }
        self.type_now(bytes)
    }

    fn type_now(&mut self, bytes: Vec<u8>) -> Result<(), (&'static str, String)> {
        if keys::is_interrupt(&bytes) && self.input.has_room(bytes.len()) {
            self.apply(Event::Interrupted);
        }
        if !self.input.type_in(bytes, clock::mono()) {
            let message =
                "the program does not read its input and 1 MiB waits for it: try again later";
            return Err(("busy", message.into()));
        }
        self.expect_activity();
        self.write_input();
        Ok(())
    }

    fn key_modes(&self) -> KeyModes {
        let flags = Query {
            kind: QueryKind::KeyboardFlags,
            terminator: Terminator::St,
        };
        // The answer is `CSI ? flags u`.
        let answer = self.screen.answer(&flags).unwrap_or_default();
        let digits: String = answer
            .iter()
            .map(|&byte| byte as char)
            .filter(char::is_ascii_digit)
            .collect();
        KeyModes {
            application_cursor: self.screen.modes().application_cursor,
            kitty: digits.parse().unwrap_or(0),
        }
    }

    fn signal(&mut self, name: &str) -> Result<(), (&'static str, String)> {
        let signal = signal_names::signal_of(name).map_err(|message| ("request", message))?;
        let kills = signal == rustix::process::Signal::KILL;
        if ENDING.contains(&signal) {
            self.apply(Event::EndOrdered);
        }
        if self.program.pid().is_none() {
            let left = self.program.processes();
            if left.is_empty() {
                return self.must_run();
            }
            for process in left {
                if let Some(pid) = rustix::process::Pid::from_raw(process.pid) {
                    let _ = rustix::process::kill_process(pid, signal);
                }
            }
        } else if kills {
            self.kill_everything();
        } else {
            self.program.signal(signal);
        }
        Ok(())
    }

    fn rename(&mut self, name: String) -> Result<(), (&'static str, String)> {
        paths::check_name(&name).map_err(|message| ("name", message))?;
        if name == self.claim.name {
            return Ok(());
        }
        let failed = |error: std::io::Error| ("refused", error.to_string());
        let lock = self.paths.lock_names().map_err(failed)?;
        match self.paths.id_of_name(&name).map_err(failed)? {
            Some(other) if other != self.claim.id => {
                let message =
                    format!("the name {name} is taken by terminal {other}: choose another");
                return Err(("taken", message));
            }
            _ => {}
        }
        let links = self.paths.runtime[0].join("names");
        let old = links.join(&self.claim.name);
        if paths::read_name(&old).as_deref() == Some(&self.claim.id) {
            paths::remove_file(&old).map_err(failed)?;
        }
        self.paths
            .link_name(&name, &self.claim.id)
            .map_err(failed)?;
        drop(lock);
        self.claim.name.clone_from(&name);
        self.spec.name = Some(name.clone());
        self.apply(Event::Renamed(name));
        self.write_state_now();
        Ok(())
    }

    fn client_list(&self) -> Vec<ClientInfo> {
        let size = status_size(self.screen.size());
        let attached = self
            .clients
            .iter()
            .filter(|client| !client.gone && client.closing.is_none());
        attached
            .filter_map(|client| {
                let attached = client.attached.as_ref()?;
                let (cols, rows) = attached.window;
                Some(ClientInfo {
                    program: client.program.clone().unwrap_or_default(),
                    size: if cols == 0 || rows == 0 {
                        size
                    } else {
                        status::Size { cols, rows }
                    },
                    owns_size: self.owner == Some(client.id),
                    view: attached.view,
                    focused: attached.focused,
                    queued: client.queue.bytes() as u64,
                    resyncs: client.queue.resyncs(),
                    carrier: attached.carrier.clone(),
                })
            })
            .collect()
    }
}
