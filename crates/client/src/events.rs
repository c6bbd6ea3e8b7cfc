//! The journal as a stream that goes on by itself.

use crate::Error;
use rustix::fd::{AsFd, BorrowedFd};
use status::JournalEvent;
use std::time::Instant;

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

/// A stream of events: in order, each once, also across a death of the daemon.
#[derive(Debug)]
pub struct Events {
    stream: std::os::unix::net::UnixStream,
}

impl Events {
    /// Waits for the next event, until the deadline (`None`: without limit). Reconnects by itself.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Next, Error> {
        let _ = deadline;
        Err(Error::unfinished())
    }
    /// The next event if one is there, without waiting: to be called until it gives `Timeout` whenever
    /// the descriptor is readable.
    pub fn ready(&mut self) -> Result<Next, Error> {
        self.next(Some(Instant::now()))
    }
    /// The number of the last event given, or the place where the stream began.
    pub fn seq(&self) -> u64 {
        0
    }
}

impl AsFd for Events {
    /// To poll on for reading; ask again after each call of `next` or `ready`, which may have reconnected.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
