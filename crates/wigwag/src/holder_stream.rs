//! The raw stream of a terminal as one who looks on without being a client: a snapshot, then
//! everything from exactly that point. It has no size, types nothing, and counts as nobody.

use crate::daemon_client::paths;
use crate::failure::Failure;
use holder::connection::Connection;
use holder::protocol::{Attach, Bye, Hello, Moment, SnapshotStart, kind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use status::{LifecycleState, Status};
use std::os::fd::{AsFd, BorrowedFd};

/// What comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Everything before is void.
    SnapshotStart(SnapshotStart),
    /// The snapshot is whole.
    SnapshotEnd,
    /// Bytes of the snapshot or of the stream.
    Output(Vec<u8>),
    /// Another size: a snapshot follows.
    Resized,
    /// The program has ended; its last words came before.
    Exited,
    /// The terminal was removed or is started again.
    End,
    /// Nothing that shows.
    Other,
}

/// The stream of one terminal.
#[derive(Debug)]
pub(crate) struct HolderStream {
    connection: Connection,
    status: Status,
}

impl HolderStream {
    /// Opens the stream; `history` lines come with the first snapshot. `None` for a lost terminal,
    /// which has no holder.
    pub(crate) fn open(status: &Status, history: u32) -> Result<Option<Self>, Failure> {
        if status.lifecycle.state == LifecycleState::Lost {
            return Ok(None);
        }
        Ok(Some(Self {
            connection: attach(status, history)?,
            status: status.clone(),
        }))
    }

    /// A frame is there that polling does not show.
    pub(crate) fn has_more(&self) -> bool {
        self.connection.has_kept()
    }

    /// To poll on.
    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.stream().as_fd()
    }

    /// Bytes have arrived.
    pub(crate) fn is_readable(&self) -> Result<bool, Failure> {
        let mut source = [PollFd::from_borrowed_fd(self.as_fd(), PollFlags::IN)];
        loop {
            match poll(&mut source, Some(&Timespec::default())) {
                Ok(count) => return Ok(count > 0),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
        }
    }

    /// Waits for what comes next.
    pub(crate) fn next(&mut self) -> Result<Piece, Failure> {
        let Ok(Some(frame)) = self.connection.receive() else {
            return Ok(Piece::End);
        };
        let json = |error: serde_json::Error| {
            Failure::failed(format!("the holder said something unintelligible: {error}"))
        };
        Ok(match frame.kind {
            kind::SNAPSHOT_START => {
                Piece::SnapshotStart(serde_json::from_slice(&frame.body).map_err(json)?)
            }
            kind::SNAPSHOT_END => Piece::SnapshotEnd,
            kind::OUTPUT => Piece::Output(frame.body),
            // A newer holder may know moments that this code does not.
            kind::MOMENT => match serde_json::from_slice(&frame.body) {
                Ok(Moment::Exited) => Piece::Exited,
                Ok(Moment::Size { .. }) => Piece::Resized,
                _ => Piece::Other,
            },
            kind::BYE => match serde_json::from_slice(&frame.body) {
                Ok(Bye::Refused { message }) => return Err(Failure::refused(message)),
                // Meant for people: who only looks on goes on, with a new snapshot.
                Ok(Bye::Detached) => {
                    self.connection = attach(&self.status, 0)?;
                    Piece::Other
                }
                _ => Piece::End,
            },
            _ => Piece::Other,
        })
    }
}

fn attach(status: &Status, history: u32) -> Result<Connection, Failure> {
    let socket = paths()?.holder_socket(&status.id);
    let opened = Connection::open(&socket, &Hello::this_program()).and_then(|mut connection| {
        connection.attach(&Attach {
            view: true,
            history,
            ..Attach::default()
        })?;
        Ok(connection)
    });
    opened.map_err(|error| {
        let name = &status.name;
        Failure::unreachable(format!("the holder of {name} does not answer: {error}"))
            .hint("`wigwag list` says what became of the terminal")
    })
}
