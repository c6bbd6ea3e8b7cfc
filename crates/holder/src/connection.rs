//! The client's end of the protocol, blocking.

use crate::frame::{self, HEADER};
use crate::protocol::{Attach, Bye, Hello, MAX_BODY, Op, Outcome, Reply, Request, Welcome, kind};
use crate::socket_address;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

pub use crate::frame::Frame;

/// A connection to a holder, with the handshake done.
///
/// Nothing is read ahead: when `poll` says that the stream is readable, a frame has begun; frames
/// that [`Connection::request`] kept are announced by [`Connection::has_kept`] only.
#[derive(Debug)]
pub struct Connection {
    /// What the holder said.
    pub welcome: Welcome,
    stream: UnixStream,
    kept: VecDeque<Frame>,
    next_request: u64,
}

impl Connection {
    /// Connects to the socket of a terminal's holder, also where its path is over 100 bytes.
    pub fn open(socket: &Path, hello: &Hello) -> io::Result<Self> {
        Self::over(socket_address::connect(socket)?, hello)
    }

    /// The handshake over a stream that is connected already.
    pub fn over(mut stream: UnixStream, hello: &Hello) -> io::Result<Self> {
        write_frame(&mut stream, kind::HELLO, &json(hello)?)?;
        loop {
            let Some(frame) = read_frame(&mut stream)? else {
                return Err(io::Error::new(
                    io::ErrorKind::ConnectionAborted,
                    "the holder closed the connection before it said hello",
                ));
            };
            match frame.kind {
                kind::WELCOME => {
                    let welcome = serde_json::from_slice(&frame.body).map_err(invalid)?;
                    return Ok(Self {
                        welcome,
                        stream,
                        kept: VecDeque::new(),
                        next_request: 1,
                    });
                }
                kind::BYE => return Err(refused(&frame.body)),
                _ => {}
            }
        }
    }

    /// The socket, to poll on or to set timeouts. Read and written by frames only.
    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Frames wait that were read while a reply was awaited; `receive` gives them at once.
    pub fn has_kept(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Attaches. A refusal comes as a [`Bye`] frame.
    pub fn attach(&mut self, attach: &Attach) -> io::Result<()> {
        self.send(kind::ATTACH, &json(attach)?)
    }

    /// Sends one frame.
    pub fn send(&mut self, kind: u8, body: &[u8]) -> io::Result<()> {
        if body.len() > MAX_BODY {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("a frame holds at most {MAX_BODY} bytes: split it"),
            ));
        }
        write_frame(&mut self.stream, kind, body)
    }

    /// Sends one frame with a JSON body, such as [`crate::protocol::Resize`].
    pub fn send_json(&mut self, kind: u8, body: &impl serde::Serialize) -> io::Result<()> {
        self.send(kind, &json(body)?)
    }

    /// Sends typed bytes, in as many frames as they need.
    pub fn input(&mut self, bytes: &[u8]) -> io::Result<()> {
        bytes
            .chunks(MAX_BODY / 4)
            .try_for_each(|piece| self.send(kind::INPUT, piece))
    }

    /// The next frame; `None` at the end of the connection.
    pub fn receive(&mut self) -> io::Result<Option<Frame>> {
        match self.kept.pop_front() {
            Some(frame) => Ok(Some(frame)),
            None => read_frame(&mut self.stream),
        }
    }

    /// Sends a request and gives its number, without waiting for the reply.
    pub fn post(&mut self, op: Op) -> io::Result<u64> {
        let id = self.next_request;
        self.next_request += 1;
        let body = json(&Request { id, op })?;
        if body.len() > MAX_BODY {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the request is longer than 1 MiB: send it in parts",
            ));
        }
        self.send(kind::REQUEST, &body)?;
        Ok(id)
    }

    /// Sends a request and waits for its reply; data frames are collected, other frames that
    /// come before are kept for `receive`.
    pub fn request(&mut self, op: Op) -> io::Result<(Outcome, Vec<u8>)> {
        let id = self.post(op)?;
        let mut data = Vec::new();
        loop {
            let Some(frame) = read_frame(&mut self.stream)? else {
                return Err(io::Error::new(
                    io::ErrorKind::ConnectionAborted,
                    "the holder ended before it answered",
                ));
            };
            match frame.kind {
                kind::DATA if request_of(&frame.body) == Some(id) => {
                    data.extend_from_slice(&frame.body[8..]);
                }
                kind::REPLY => {
                    let reply: Reply = serde_json::from_slice(&frame.body).map_err(invalid)?;
                    if reply.id == id {
                        return Ok((reply.outcome, data));
                    }
                    self.kept.push_back(frame);
                }
                _ => self.kept.push_back(frame),
            }
        }
    }
}

/// The request that a data frame belongs to.
fn request_of(body: &[u8]) -> Option<u64> {
    body.first_chunk::<8>().map(|id| u64::from_le_bytes(*id))
}

fn read_frame(stream: &mut UnixStream) -> io::Result<Option<Frame>> {
    let mut head = [0; HEADER];
    let mut got = 0;
    while got < HEADER {
        match stream.read(&mut head[got..]) {
            Ok(0) if got == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => got += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A holder that closes with unread bytes of ours resets the connection: an end too.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset && got == 0 => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
    }
    let (kind, length) = frame::parse_header(head).map_err(invalid)?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(Some(Frame { kind, body }))
}

fn write_frame(stream: &mut UnixStream, kind: u8, body: &[u8]) -> io::Result<()> {
    // One write for small frames: a key press is one system call.
    if body.len() <= 4096 {
        return stream.write_all(&frame::encode(kind, body));
    }
    stream.write_all(&frame::header(kind, body.len()))?;
    stream.write_all(body)
}

fn json(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(invalid)
}

fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

fn refused(body: &[u8]) -> io::Error {
    let message = match serde_json::from_slice(body) {
        Ok(Bye::Protocol { message } | Bye::Refused { message }) => message,
        Ok(Bye::Removed) => "the terminal was removed".into(),
        Ok(Bye::Detached) | Err(_) => "the holder closed the connection".into(),
    };
    io::Error::new(io::ErrorKind::ConnectionRefused, message)
}
