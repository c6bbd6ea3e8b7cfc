//! Our control client in one session: a process whose output is read and whose input are commands.
//!
//! It asks tmux to change nothing for its sake: `-E` leaves the environment of the session alone,
//! `read-only` and `ignore-size` say what they say. With `pause-after` a client that lags is told
//! which pane it lost, instead of being let go of or making the server keep everything.
//!
//! *Leaving.* A control client whose input ends is on its way out, but still in its session; when a session
//! is destroyed for want of clients while one is in that state, tmux 3.3 crashes, and with it all that runs
//! in it. So a client leaves by being killed, and its input and output are closed only after it is dead:
//! for tmux it is there or gone.

use crate::id::{PaneId, SessionId};
use crate::notification::Notification;
use crate::protocol::{Event, Reader, Start};
use crate::server::{ANSWER_LIMIT, Error, Server};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin};
use tokio::sync::{mpsc, oneshot};
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
    /// The answer to a command: what it printed, if it succeeded. One for each, in their order.
    Answered(Option<Vec<u8>>),
    /// Its process is gone.
    Ended,
}

/// A client that is attached. Dropped, it leaves.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) id: ClientId,
    pub(crate) pid: u32,
    pub(crate) attached_at: Instant,
    /// There until it leaves.
    input: Option<(ChildStdin, oneshot::Sender<ChildStdin>)>,
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
        let (leave, leaving) = oneshot::channel();
        tokio::spawn(live(child, id, attached, said, leaving));
        let client = Self {
            id,
            pid,
            attached_at: Instant::now(),
            input: Some((stdin, leave)),
        };
        match timeout(ANSWER_LIMIT, answer).await {
            Ok(Ok(Ok(()))) => Ok(client),
            Ok(Ok(Err(words))) => Err(server.error_of(&words)),
            Ok(Err(_)) => Err(Error::Gone(server.socket().to_owned())),
            Err(_) => Err(Error::Hangs(server.socket().to_owned())),
        }
    }

    /// Gives a command, one line.
    pub(crate) async fn command(&mut self, server: &Server, line: &str) -> Result<(), Error> {
        let Some((stdin, _)) = &mut self.input else {
            return Ok(());
        };
        let line = format!("{line}\n");
        match timeout(WRITE_LIMIT, stdin.write_all(line.as_bytes())).await {
            // One that ended says so itself.
            Ok(_) => Ok(()),
            Err(_) => Err(Error::Hangs(server.socket().to_owned())),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some((stdin, leave)) = self.input.take() {
            // One that ended by itself needs no leave.
            let _ = leave.send(stdin);
        }
    }
}

/// The life of the process: read until it ends or leaves.
async fn live(
    mut child: Child,
    id: ClientId,
    attached: oneshot::Sender<Result<(), String>>,
    said: mpsc::Sender<FromClient>,
    leaving: oneshot::Receiver<ChildStdin>,
) {
    let stdin = tokio::select! {
        stdin = leaving => stdin.ok(),
        () = read(&mut child, id, attached, said) => None,
    };
    // One that is dead already cannot be killed, which is as well.
    let _ = child.start_kill();
    let _ = child.wait().await;
    drop(stdin);
}

async fn read(
    child: &mut Child,
    id: ClientId,
    attached: oneshot::Sender<Result<(), String>>,
    said: mpsc::Sender<FromClient>,
) {
    let mut attached = Some(attached);
    let mut reader = Reader::new(Start::AtOnce);
    let mut buffer = vec![0; READ_SIZE];
    let mut batch = Vec::new();
    while let Some(stdout) = &mut child.stdout {
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
        // The first block answers the attaching.
        Event::Block(block) => {
            if let Some(attached) = attached.take() {
                let words = String::from_utf8_lossy(block.body).trim().to_owned();
                let _ = attached.send(if block.success { Ok(()) } else { Err(words) });
            } else if block.own {
                if !block.success {
                    let words = String::from_utf8_lossy(block.body);
                    tracing::debug!("tmux refused: {}", words.trim());
                }
                let whole = block.success && !block.cut;
                batch.push(Said::Answered(whole.then(|| block.body.to_vec())));
            }
        }
    }
}
