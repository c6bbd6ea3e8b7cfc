//! The client's end of the protocol, blocking.

use crate::protocol::{Attach, Hello, Op, Outcome, Welcome};
use std::io;
use std::path::Path;

/// A frame as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// One of [`crate::protocol::kind`], or one this code does not know.
    pub kind: u8,
    /// The body.
    pub body: Vec<u8>,
}

/// A connection to a holder, with the handshake done.
#[derive(Debug)]
pub struct Connection {
    /// What the holder said.
    pub welcome: Welcome,
}

impl Connection {
    /// Connects to the socket of a terminal's holder, also where its path is over 100 bytes.
    pub fn open(socket: &Path, hello: &Hello) -> io::Result<Self> {
        let _ = (socket, hello);
        todo!()
    }
    /// The socket, to poll on or to set timeouts. Read and written by frames only.
    pub fn stream(&self) -> &std::os::unix::net::UnixStream {
        todo!()
    }
    /// Attaches.
    pub fn attach(&mut self, attach: &Attach) -> io::Result<()> {
        let _ = attach;
        todo!()
    }
    /// Sends one frame.
    pub fn send(&mut self, kind: u8, body: &[u8]) -> io::Result<()> {
        let _ = (kind, body);
        todo!()
    }
    /// The next frame; `None` at the end of the connection.
    pub fn receive(&mut self) -> io::Result<Option<Frame>> {
        todo!()
    }
    /// Sends a request and waits for its reply; data frames are collected, other frames that
    /// come before are kept for `receive`.
    pub fn request(&mut self, op: Op) -> io::Result<(Outcome, Vec<u8>)> {
        let _ = op;
        todo!()
    }
}
