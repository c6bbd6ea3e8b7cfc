//! One holder's mirror: a task that keeps a connection to it, takes over its events from the last one
//! stored, carries orders to it, and says what became of the terminal when the connection ends.

use crate::journal::{NewEvent, Position};
use crate::registry::{Ask, Link, NOWHERE};
use crate::service::Service;
use holder::frame::{Frame, FrameReader, encode};
use holder::protocol::{Bye, Hello, Op, Outcome, People, Reply, Request, VERSION, Welcome, kind};
use jiff::Timestamp;
use rustix::process::Pid;
use status::{EventKind, JournalEvent, LifecycleState, Status};
use std::collections::HashMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot, watch};

/// A holder greets in microseconds; one that is stopped or stuck is tried again.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Orders under way to one holder; more are refused as `busy`.
const ASKS: usize = 64;
/// A terminal whose directory is there gets that long until its socket answers: starting, or
/// starting again after a removal of the old holder.
const STARTING: Duration = Duration::from_secs(5);
/// A holder whose connection broke gets that long to answer anew before it counts as lost.
const SECOND_CHANCE: Duration = Duration::from_millis(50);

/// Which socket a mirror speaks to: a new holder at the same path has another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    inode: u64,
    changed: (i64, i64),
}

impl Stamp {
    pub(crate) fn of(socket: &Path) -> Option<Self> {
        let metadata = std::fs::symlink_metadata(socket).ok()?;
        Some(Self {
            inode: metadata.ino(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

/// What a mirror last found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing yet.
    Nothing,
    /// This holder lives, and its status is in the registry.
    Living(Option<Stamp>),
    /// Nobody lives at this socket.
    Dead(Option<Stamp>),
}

/// How a connection ended.
enum End {
    /// The terminal is gone.
    Removed,
    /// The holder left: the terminal is removed, or started again.
    Leaving,
    /// Broken.
    Closed,
}

/// Mirrors a terminal until its holder is gone.
pub(crate) async fn run(service: Arc<Service>, id: String, found: watch::Sender<Found>) {
    let mut mirror = Mirror {
        mirrored: service
            .registry
            .get(&id)
            .map_or(NOWHERE, |entry| entry.mirrored()),
        service,
        id,
        found,
        followed: false,
    };
    mirror.run().await;
    // The next mirror of this terminal goes on from the registry: it has to know everything.
    mirror.service.journal.flush().await;
    mirror
        .service
        .mirror_ended(&mirror.id, *mirror.found.borrow());
}

struct Mirror {
    service: Arc<Service>,
    id: String,
    /// The last event handed to the journal.
    mirrored: Position,
    found: watch::Sender<Found>,
    /// It was connected to the holder.
    followed: bool,
}

impl Mirror {
    async fn run(&mut self) {
        let mut leaving = false;
        loop {
            let Some((stream, stamp)) = self.reach(leaving).await else {
                self.gone().await;
                return;
            };
            leaving = match self.follow(stream, stamp).await {
                Ok(End::Removed) => {
                    self.service.everybody.told(&self.id, &[]);
                    return;
                }
                Ok(End::Leaving) => true,
                Ok(End::Closed) => false,
                Err(error) => {
                    tracing::warn!("terminal {}: {error}", self.id);
                    false
                }
            };
            self.service.registry.disconnected(&self.id);
            self.service.everybody.told(&self.id, &[]);
        }
    }

    /// Connects to whoever listens, for a while; ends early where the terminal is gone altogether.
    async fn reach(&self, leaving: bool) -> Option<(UnixStream, Option<Stamp>)> {
        let began = tokio::time::Instant::now();
        let mut pause = Duration::from_millis(2);
        loop {
            let socket = self.service.paths.holder_socket(&self.id);
            let stamp = Stamp::of(&socket);
            if stamp.is_some()
                && let Ok(stream) = connect(&socket).await
            {
                return Some((stream, stamp));
            }
            let left = self
                .patience(leaving, stamp)
                .saturating_sub(began.elapsed());
            if left.is_zero() || !self.is_on_disk() {
                self.found.send_replace(Found::Dead(stamp));
                return None;
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(Duration::from_millis(250));
        }
    }

    /// How long a terminal may be without a holder that answers. One that is being started has a directory
    /// and no socket, or no state file yet; a dead one has both, or a state file only.
    fn patience(&self, leaving: bool, stamp: Option<Stamp>) -> Duration {
        let paths = &self.service.paths;
        let starts = match stamp {
            None => paths.terminal_directory(&self.id).exists(),
            Some(_) => !paths.state_file(&self.id).exists(),
        };
        if leaving || starts {
            STARTING
        } else {
            SECOND_CHANCE
        }
    }

    fn is_on_disk(&self) -> bool {
        let paths = &self.service.paths;
        paths.terminal_directory(&self.id).exists() || paths.state_file(&self.id).exists()
    }

    /// Nobody answers: the terminal is removed, exited or lost.
    async fn gone(&mut self) {
        let paths = &self.service.paths;
        let known = self.service.registry.get(&self.id);
        if !paths.state_file(&self.id).exists() {
            // Without a state file nothing can be run again. A directory alone is the remains of a start
            // that failed, or of a terminal that could not write its state.
            let lives_on = known
                .as_ref()
                .is_some_and(|_| paths.terminal_directory(&self.id).exists());
            if !lives_on {
                if known.is_some() {
                    self.own_event(EventKind::Removed, None).await;
                }
                return;
            }
        }
        let stored = paths.read_state(&self.id).ok();
        let known = known.map(|entry| Status::clone(&entry.status));
        let stored = stored.map(|file| file.status);
        let loss = match self.followed {
            true => Loss::Watched,
            false => Loss::found(&paths.state_file(&self.id)),
        };
        if let Some((status, true)) = without_holder(known, stored, loss) {
            self.own_event(EventKind::Lifecycle, Some(status)).await;
        }
    }

    async fn own_event(&self, event: EventKind, status: Option<Status>) {
        self.service.own_event(&self.id, event, status).await;
    }

    /// Takes over events and carries orders until the connection ends.
    async fn follow(&mut self, stream: UnixStream, stamp: Option<Stamp>) -> io::Result<End> {
        let (mut read, mut write) = stream.into_split();
        let mut frames = FrameReader::default();
        let greeting = greet(&mut read, &mut write, &mut frames);
        let welcome = match tokio::time::timeout(HANDSHAKE, greeting).await {
            Ok(Ok(Some(welcome))) => welcome,
            Ok(Ok(None)) => return Ok(End::Leaving),
            Ok(Err(error)) => return Err(error),
            Err(_) => {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the holder does not greet",
                ));
            }
        };
        if welcome.incarnation != self.mirrored.incarnation {
            // Another life of the terminal: all of it is new.
            self.mirrored = Position {
                incarnation: welcome.incarnation,
                seq: 0,
            };
        }
        let (asks, mut inbox) = mpsc::channel(ASKS);
        let (outgoing, queue) = mpsc::channel(ASKS + 1);
        tokio::spawn(send_all(write, queue));
        let subscribe = Op::Subscribe {
            since: self.mirrored.seq,
            incarnation: self.mirrored.incarnation,
        };
        let _ = outgoing.try_send(request(0, subscribe)?);
        let position = Position {
            incarnation: welcome.incarnation,
            seq: welcome.seq,
        };
        let link = Link {
            socket: self.service.paths.holder_socket(&self.id),
            process: i32::try_from(welcome.pid).ok().and_then(Pid::from_raw),
            asks,
        };
        self.service
            .registry
            .connected(&self.id, welcome.status, position, link);
        self.found.send_replace(Found::Living(stamp));
        self.followed = true;
        let mut pending: HashMap<u64, oneshot::Sender<Outcome>> = HashMap::new();
        let mut next = 1;
        let mut end = End::Closed;
        loop {
            while let Some(frame) = frames.next().map_err(io::Error::other)? {
                match frame.kind {
                    kind::EVENT => {
                        let removed = self.take(&frame.body).await?;
                        if removed {
                            return Ok(End::Removed);
                        }
                    }
                    kind::REPLY => {
                        let reply: Reply = from_json(&frame.body)?;
                        if let Some(asker) = pending.remove(&reply.id) {
                            let _ = asker.send(reply.outcome);
                        }
                    }
                    kind::PEOPLE => {
                        let people: People = from_json(&frame.body)?;
                        self.service.everybody.told(&self.id, &people.people);
                    }
                    kind::BYE => {
                        if matches!(from_json(&frame.body)?, Bye::Removed) {
                            end = End::Leaving;
                        }
                    }
                    _ => {}
                }
            }
            tokio::select! {
                more = receive(&mut read, &mut frames) => if !more? {
                    return Ok(end);
                },
                Some(Ask { op, reply }) = inbox.recv() => {
                    let id = next;
                    next += 1;
                    match request(id, op) {
                        Ok(bytes) => match outgoing.try_send(bytes) {
                            Ok(()) => { pending.insert(id, reply); }
                            Err(_) => refuse(reply, "busy", "the terminal takes no more orders at the moment: try again"),
                        },
                        Err(error) => refuse(reply, "request", &error.to_string()),
                    }
                }
            }
        }
    }

    /// An event of the holder; `true`: it was its last.
    async fn take(&mut self, body: &[u8]) -> io::Result<bool> {
        let event: JournalEvent = from_json(body)?;
        self.mirrored.seq = event.seq;
        let removed = event.status.is_none();
        self.service
            .journal
            .append(NewEvent {
                origin: Some(self.mirrored),
                at: event.at,
                terminal: self.id.clone(),
                event: event.event,
                status: event.status,
            })
            .await;
        Ok(removed)
    }
}

/// How a holder that is gone was lost.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Loss {
    /// It died while this daemon watched, which a reboot or a logout does not outlive.
    Watched,
    /// It is found gone; there was a last sign of life.
    Found(Timestamp),
}

impl Loss {
    /// For a holder that was gone before this daemon came: what it wrote last is its last sign of
    /// life.
    pub(crate) fn found(state_file: &Path) -> Self {
        let written = std::fs::metadata(state_file).and_then(|file| file.modified());
        let written = written.ok().and_then(|time| Timestamp::try_from(time).ok());
        Self::Found(written.unwrap_or_else(now))
    }
}

/// The status of a terminal without a holder, from what was known and what its state file says; and
/// whether that is news. A file is newer than what was known where it tells of an exit.
pub(crate) fn without_holder(
    known: Option<Status>,
    file: Option<Status>,
    loss: Loss,
) -> Option<(Status, bool)> {
    let lost = |status: Status| match loss {
        Loss::Watched => status.into_crashed(now()),
        Loss::Found(at) => status.into_lost(at),
    };
    let over = |status: &Status| {
        matches!(
            status.lifecycle.state,
            LifecycleState::Exited | LifecycleState::Lost
        )
    };
    let is_exited = |status: &Status| status.lifecycle.state == LifecycleState::Exited;
    match (known, file) {
        (Some(known), Some(file)) if !is_exited(&known) && is_exited(&file) => {
            Some((lost(file), true))
        }
        (Some(known), _) if over(&known) => {
            let settled = lost(known.clone());
            let news = settled != known;
            Some((settled, news))
        }
        (Some(known), _) => Some((lost(known), true)),
        (None, Some(file)) => Some((lost(file), true)),
        (None, None) => None,
    }
}

/// Says hello and waits for the welcome; `None`: the holder is about to leave.
pub(crate) async fn greet(
    read: &mut OwnedReadHalf,
    write: &mut OwnedWriteHalf,
    frames: &mut FrameReader,
) -> io::Result<Option<Welcome>> {
    let hello = Hello {
        version: VERSION,
        program: concat!("wigwag-daemon ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    write
        .write_all(&encode(kind::HELLO, &to_json(&hello)?))
        .await?;
    loop {
        while let Some(frame) = frames.next().map_err(io::Error::other)? {
            match frame.kind {
                kind::WELCOME => return from_json(&frame.body).map(Some),
                kind::BYE => return Ok(None),
                _ => {}
            }
        }
        if !receive(read, frames).await? {
            return Ok(None);
        }
    }
}

/// Reads what is there; `false` at the end. Nothing is lost where this is cancelled.
pub(crate) async fn receive(
    read: &mut OwnedReadHalf,
    frames: &mut FrameReader,
) -> io::Result<bool> {
    let mut bytes = Vec::with_capacity(16 << 10);
    let count = read.read_buf(&mut bytes).await?;
    frames.push(&bytes);
    Ok(count > 0)
}

/// The next frame; `None` at the end.
pub(crate) async fn next_frame(
    read: &mut OwnedReadHalf,
    frames: &mut FrameReader,
) -> io::Result<Option<Frame>> {
    loop {
        if let Some(frame) = frames.next().map_err(io::Error::other)? {
            return Ok(Some(frame));
        }
        if !receive(read, frames).await? {
            return Ok(None);
        }
    }
}

/// The frame of a request.
pub(crate) fn request(id: u64, op: Op) -> io::Result<Vec<u8>> {
    let body = to_json(&Request { id, op })?;
    if body.len() > holder::protocol::MAX_BODY {
        return Err(io::Error::other(
            "that is more than 1 MiB at once: send it in parts",
        ));
    }
    Ok(encode(kind::REQUEST, &body))
}

/// Connects without holding up the others: a stopped holder with a full backlog blocks.
pub(crate) async fn connect(socket: &Path) -> io::Result<UnixStream> {
    let socket = socket.to_owned();
    let connecting = tokio::task::spawn_blocking(move || holder::socket_address::connect(&socket));
    let stream = match tokio::time::timeout(HANDSHAKE, connecting).await {
        Ok(connected) => connected.map_err(io::Error::other)??,
        Err(_) => return Err(io::ErrorKind::TimedOut.into()),
    };
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

async fn send_all(mut write: OwnedWriteHalf, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = queue.recv().await {
        if write.write_all(&bytes).await.is_err() {
            // The reading side sees the end.
            return;
        }
    }
}

fn refuse(reply: oneshot::Sender<Outcome>, code: &str, message: &str) {
    let _ = reply.send(Outcome::Error {
        code: code.to_owned(),
        message: message.to_owned(),
    });
}

fn from_json<T: serde::de::DeserializeOwned>(body: &[u8]) -> io::Result<T> {
    serde_json::from_slice(body).map_err(io::Error::other)
}

fn to_json(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(io::Error::other)
}

/// The time of events that the daemon itself decides.
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
