//! Our control client in one session: a process whose output is read and whose input are commands.
//!
//! It asks tmux to change nothing for its sake: `-E` leaves the environment of the session alone,
//! `read-only` and `ignore-size` say what they say. With `pause-after` a client that lags is told
//! which pane it lost, instead of being let go of or making the server keep everything.

use crate::id::{PaneId, SessionId};
use crate::notification::Notification;
use crate::protocol::{Event, Reader, Start};
use crate::server::{ANSWER_LIMIT, Error, Server};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

/// Attached like this. One second of lag is far more than a watcher that lives ever has.
const FLAGS: &str = "read-only,ignore-size,pause-after=1";

/// As much as a pipe holds.
const READ_SIZE: usize = 64 * 1024;

/// Commands are a few hundred bytes: a server that takes none for so long hangs.
const WRITE_LIMIT: Duration = Duration::from_secs(5);

/// What a client says, and which one: of one session there may be a second client after the first.
pub(crate) type FromClient = (ClientId, Said);

/// Counts the clients of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClientId(pub(crate) u64);

#[derive(Debug)]
pub(crate) enum Said {
    /// What panes printed, in order; pieces of one pane that followed each other are one.
    Output(Vec<(PaneId, Vec<u8>)>),
    Notified(Notification),
    /// Its process is gone.
    Ended,
}

/// A client that is attached. Dropped, it leaves.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) id: ClientId,
    pub(crate) pid: u32,
    pub(crate) attached_at: Instant,
    stdin: ChildStdin,
    reading: JoinHandle<()>,
}

impl Client {
    /// Attaches; returns when tmux said that it is.
    pub(crate) async fn attach(
        server: &Server,
        session: SessionId,
        id: ClientId,
        said: mpsc::Sender<FromClient>,
    ) -> Result<Self, Error> {
        let target = session.to_string();
        let mut command = server.command();
        command.args(["-C", "attach-session", "-E", "-f", FLAGS, "-t", &target]);
        let mut child = command.spawn().map_err(|error| server.cannot_run(error))?;
        let missing = || Error::Refused("a client has no input".to_owned());
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let pid = child.id().ok_or_else(missing)?;
        let (attached, answer) = oneshot::channel();
        let client = Self {
            id,
            pid,
            attached_at: Instant::now(),
            stdin,
            reading: tokio::spawn(read(child, id, attached, said)),
        };
        match timeout(ANSWER_LIMIT, answer).await {
            Ok(Ok(Ok(()))) => Ok(client),
            Ok(Ok(Err(words))) => Err(server.error_of(&words)),
            Ok(Err(_)) => Err(Error::Gone(server.socket().to_owned())),
            Err(_) => Err(Error::Hangs(server.socket().to_owned())),
        }
    }

    /// Gives a command, one line. What it answers is not awaited.
    pub(crate) async fn command(&mut self, server: &Server, line: &str) -> Result<(), Error> {
        let line = format!("{line}\n");
        match timeout(WRITE_LIMIT, self.stdin.write_all(line.as_bytes())).await {
            // One that ended says so itself.
            Ok(_) => Ok(()),
            Err(_) => Err(Error::Hangs(server.socket().to_owned())),
        }
    }
}

impl Drop for Client {
    /// Ends the process with its reader: the server sees it leave, as when a window is closed.
    fn drop(&mut self) {
        self.reading.abort();
    }
}

async fn read(
    mut child: Child,
    id: ClientId,
    attached: oneshot::Sender<Result<(), String>>,
    said: mpsc::Sender<FromClient>,
) {
    let mut attached = Some(attached);
    let mut reader = Reader::new(Start::AtOnce);
    let mut buffer = vec![0; READ_SIZE];
    let mut stdout = child.stdout.take();
    let mut batch = Vec::new();
    while let Some(stdout) = &mut stdout {
        let read = stdout.read(&mut buffer).await.unwrap_or(0);
        if read == 0 {
            break;
        }
        reader.read(&buffer[..read], &mut |event| {
            collect(event, &mut batch, &mut attached);
        });
        for said_now in batch.drain(..) {
            if said.send((id, said_now)).await.is_err() {
                return;
            }
        }
    }
    reader.finish(&mut |event| collect(event, &mut batch, &mut attached));
    if let Some(attached) = attached.take() {
        let mut words = Vec::new();
        if let Some(stderr) = &mut child.stderr {
            let _ = stderr.take(READ_SIZE as u64).read_to_end(&mut words).await;
        }
        let words = String::from_utf8_lossy(&words).trim().to_owned();
        let _ = attached.send(Err(words));
        return;
    }
    batch.push(Said::Ended);
    for said_now in batch {
        if said.send((id, said_now)).await.is_err() {
            return;
        }
    }
}

type Attached = Option<oneshot::Sender<Result<(), String>>>;

fn collect(event: Event<'_>, batch: &mut Vec<Said>, attached: &mut Attached) {
    match event {
        Event::Output { pane, bytes } => {
            let last = match batch.last_mut() {
                Some(Said::Output(pieces)) => pieces,
                _ => {
                    batch.push(Said::Output(Vec::new()));
                    return collect(event, batch, attached);
                }
            };
            match last.last_mut() {
                Some((last, piece)) if *last == pane => piece.extend_from_slice(bytes),
                _ => last.push((pane, bytes.to_vec())),
            }
        }
        Event::Notification(notification) => batch.push(Said::Notified(notification)),
        // The first block answers the attaching; those of commands tell nothing that is needed.
        Event::Block(block) => {
            if let Some(attached) = attached.take() {
                let words = String::from_utf8_lossy(block.body).trim().to_owned();
                let _ = attached.send(if block.success { Ok(()) } else { Err(words) });
            } else if !block.success {
                tracing::debug!(
                    "tmux refused: {}",
                    String::from_utf8_lossy(block.body).trim()
                );
            }
        }
    }
}
