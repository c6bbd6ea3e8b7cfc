//! The journal as a stream that goes on by itself.

use crate::http::Connection;
use crate::{Error, Target, broken_off, of_answer};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use status::JournalEvent;
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

/// Where a stream of events begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// After the event with this number; 0: from the oldest that is kept.
    Seq(u64),
    /// Only events from this moment on. When `events` has returned, what happens next is in the stream:
    /// ask for statuses after it, and nothing falls between.
    Now,
}

/// What [`Events::next`] found.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// The next event.
    Event(Box<JournalEvent>),
    /// Nothing came until the deadline.
    Timeout,
    /// All events of the journal were given (only without `follow`).
    End,
}

/// A daemon that dies right after each start is not started for ever: that many times without an event.
const ATTEMPTS: u32 = 5;

/// A stream of events: in order, each once, also across a death of the daemon.
#[derive(Debug)]
pub struct Events {
    target: Target,
    follow: bool,
    connection: Connection,
    seq: u64,
    /// Where the stream goes on on another connection: the last number that a message had.
    received: u64,
    /// Of a body, not yet a whole message.
    bytes: Vec<u8>,
    waiting: VecDeque<JournalEvent>,
    ended: bool,
    broken: u32,
}

impl Events {
    pub(crate) fn open(target: Target, since: Since, follow: bool) -> Result<Self, Error> {
        let (connection, seq) = join(&target, since, follow)?;
        let mut events = Self {
            target,
            follow,
            connection,
            seq,
            received: seq,
            bytes: Vec::new(),
            waiting: VecDeque::new(),
            ended: false,
            broken: 0,
        };
        // Something may have come with the head of the answer.
        if let Err(error) = events.take() {
            events.rejoin(&error)?;
        }
        Ok(events)
    }

    /// Waits for the next event, until the deadline (`None`: without limit). Reconnects by itself.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Next, Error> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                self.seq = event.seq;
                self.broken = 0;
                return Ok(Next::Event(Box::new(event)));
            }
            if self.ended {
                return Ok(Next::End);
            }
            if !wait(self.connection.stream(), deadline)
                .map_err(|error| Error::failed(format!("cannot wait for events: {error}")))?
            {
                return Ok(Next::Timeout);
            }
            match self.read() {
                Ok(()) => {}
                Err(error) if self.broken < ATTEMPTS => {
                    self.broken += 1;
                    self.rejoin(&error)?;
                }
                Err(error) => return Err(broken_off(&error)),
            }
        }
    }

    /// The next event if one is there, without waiting: to be called until it gives `Timeout` whenever
    /// the descriptor is readable.
    pub fn ready(&mut self) -> Result<Next, Error> {
        self.next(Some(Instant::now()))
    }

    /// The number of the last event given, or the place where the stream began.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Takes what is there.
    fn read(&mut self) -> io::Result<()> {
        if !self.connection.fill()? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.take()
    }

    fn take(&mut self) -> io::Result<()> {
        self.connection.take_body(&mut self.bytes)?;
        while let Some(length) = find(&self.bytes, b"\n\n") {
            let message: Vec<u8> = self.bytes.drain(..length + 2).collect();
            let message = message_of(&message)?;
            self.waiting.extend(message.event);
            self.received = message.id.unwrap_or(self.received);
        }
        if self.connection.at_end() {
            if self.follow {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.ended = true;
        }
        Ok(())
    }

    fn rejoin(&mut self, why: &io::Error) -> Result<(), Error> {
        self.bytes.clear();
        // What was read and not yet given is given first.
        let seq = self.waiting.back().map_or(self.seq, |event| event.seq);
        let (connection, _) =
            join(&self.target, Since::Seq(seq), self.follow).map_err(|error| match error {
                Error::Unreachable { message, hint } => Error::Unreachable {
                    message: format!("the daemon went away ({why}): {message}"),
                    hint,
                },
                other => other,
            })?;
        self.connection = connection;
        // Something may have come with the head of the answer.
        self.take().map_err(|error| broken_off(&error))
    }
}

impl AsFd for Events {
    /// To poll on for reading; ask again after each call of `next` or `ready`, which may have reconnected.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.stream().as_fd()
    }
}

fn join(target: &Target, since: Since, follow: bool) -> Result<(Connection, u64), Error> {
    // The number comes in the head of the answer, so `now` is said once and stays that moment.
    let since = match since {
        Since::Seq(seq) => seq.to_string(),
        Since::Now => "now".to_owned(),
    };
    let path = format!("/v1/events?since={since}&follow={follow}");
    let mut attempt = 1;
    let (mut connection, head) = loop {
        let mut connection = target.open()?;
        match connection.send("GET", &path, None, "accept: text/event-stream\r\n") {
            Ok(head) => break (connection, head),
            // A daemon that is being killed still takes connections.
            Err(_) if attempt < ATTEMPTS => attempt += 1,
            Err(broken) => return Err(broken_off(&broken.error)),
        }
    };
    if head.status != 200 {
        let body = connection.body().map_err(|error| broken_off(&error))?;
        return Err(of_answer(head.status, &body));
    }
    let seq = head
        .header("wigwag-since")
        .and_then(|text| text.parse().ok());
    let seq = seq.ok_or_else(|| Error::failed("the daemon does not say where its events begin"))?;
    Ok((connection, seq))
}

/// One message of the stream.
#[derive(Debug, Default, PartialEq)]
struct Message {
    /// Of several that belong together (the states after a gap) the last one has it.
    id: Option<u64>,
    /// A comment and `resync` carry none.
    event: Option<JournalEvent>,
}

fn message_of(text: &[u8]) -> io::Result<Message> {
    let mut message = Message::default();
    let mut is_journal = true;
    for line in text.split(|byte| *byte == b'\n') {
        if line.starts_with(b"event: ") {
            is_journal = false;
        } else if let Some(id) = line.strip_prefix(b"id: ") {
            let id = std::str::from_utf8(id).map_err(io::Error::other)?;
            message.id = Some(id.parse().map_err(io::Error::other)?);
        } else if let Some(data) = line.strip_prefix(b"data: ").filter(|_| is_journal) {
            message.event = Some(serde_json::from_slice(data).map_err(io::Error::other)?);
        }
    }
    Ok(message)
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes
        .windows(pattern.len())
        .position(|window| window == pattern)
}

/// Whether the socket became readable before the deadline.
fn wait(socket: impl AsFd, deadline: Option<Instant>) -> io::Result<bool> {
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = left.map(|left: Duration| Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        });
        let mut wanted = [PollFd::new(&socket, PollFlags::IN)];
        match poll(&mut wanted, timeout.as_ref()) {
            Ok(0) if left.is_some_and(|left| left.is_zero()) => return Ok(false),
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_resync_carry_no_event() {
        assert_eq!(message_of(b": hello\n\n").unwrap(), Message::default());
        let resync = message_of(b"event: resync\ndata: {\"seq\":7}\nid: 7\n\n").unwrap();
        assert_eq!((resync.id, resync.event), (Some(7), None));
        let removed = br#"id: 8
data: {"seq":8,"at":"2026-11-30T22:00:00Z","terminal":"aaaaaaaa","event":"removed","status":null}

"#;
        let removed = message_of(removed).unwrap();
        assert_eq!((removed.id, removed.event.unwrap().seq), (Some(8), 8));
        assert!(message_of(b"data: {\n\n").is_err());
    }
}
