//! Our control client in one session: a process whose output is read and whose input are commands.
//!
//! It asks tmux to change nothing for its sake: `-E` leaves the environment of the session alone,
//! `read-only` and `ignore-size` say what they say. With `pause-after` a client that lags is told
//! which pane it lost, instead of being let go of or making the server keep everything.
//!
//! *Always reading.* Where nobody but us is attached, tmux holds a program back while we do not read.
//! So output is read however slow its consumer is, and dropped beyond [`BACKLOG_LIMIT`].
//!
//! *Leaving.* A control client whose input ends is on its way out, but still in its session; when a session
//! is destroyed for want of clients while one is in that state, tmux 3.3 crashes, and with it all that runs
//! in it. So a client leaves by being killed, and its input and output are closed only after it is dead:
//! for tmux it is there or gone.

use crate::id::{PaneId, SessionId};
use crate::notification::Notification;
use crate::protocol::{Event, Reader, Start};
use crate::server::{ANSWER_LIMIT, Error, Server};
use std::collections::{BTreeSet, VecDeque};
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

/// Output that waits for a slow consumer, in bytes.
const BACKLOG_LIMIT: usize = 4 * 1024 * 1024;

/// Notifications that wait; more of them say no more than that something changed.
const NOTIFICATION_LIMIT: usize = 1000;

/// What a client says, and which one: of one session there may be a second client after the first.
pub(crate) type FromClient = (ClientId, Said);

/// Counts the clients of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClientId(pub(crate) u64);

#[derive(Debug)]
pub(crate) enum Said {
    /// What panes printed, in order; pieces of one pane that followed each other are one.
    Output(Vec<(PaneId, Vec<u8>)>),
    /// Output of these panes was dropped here.
    Lost(BTreeSet<PaneId>),
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
    let mut backlog = Backlog::default();
    while let Some(stdout) = &mut child.stdout {
        let read = tokio::select! {
            permit = said.reserve(), if !backlog.waiting.is_empty() => {
                match (permit, backlog.pop()) {
                    (Ok(permit), Some(next)) => permit.send((id, next)),
                    _ => return,
                }
                continue;
            }
            read = stdout.read(&mut buffer) => read.unwrap_or(0),
        };
        if read == 0 {
            break;
        }
        reader.read(&buffer[..read], &mut |event| {
            collect(event, &mut batch, &mut attached);
        });
        batch.drain(..).for_each(|next| backlog.push(next));
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
    batch.drain(..).for_each(|next| backlog.push(next));
    backlog.push(Said::Ended);
    while let Some(next) = backlog.pop() {
        if said.send((id, next)).await.is_err() {
            return;
        }
    }
}

/// What waits to be told.
#[derive(Debug, Default)]
struct Backlog {
    waiting: VecDeque<Said>,
    bytes: usize,
    notifications: usize,
}

impl Backlog {
    fn push(&mut self, next: Said) {
        match &next {
            Said::Notified(Notification::Paused { .. }) => {}
            Said::Notified(_) if self.notifications == NOTIFICATION_LIMIT => return,
            Said::Notified(_) => self.notifications += 1,
            _ => {}
        }
        self.bytes += bytes_of(&next);
        self.waiting.push_back(next);
        if self.bytes > BACKLOG_LIMIT {
            self.drop_output();
        }
    }

    fn pop(&mut self) -> Option<Said> {
        let next = self.waiting.pop_front()?;
        self.bytes -= bytes_of(&next);
        match &next {
            Said::Notified(Notification::Paused { .. }) => {}
            Said::Notified(_) => self.notifications -= 1,
            _ => {}
        }
        Some(next)
    }

    /// Drops all output, and says of which panes in place of the first.
    fn drop_output(&mut self) {
        let mut panes = BTreeSet::new();
        self.waiting.retain(|waiting| match waiting {
            Said::Output(pieces) => {
                panes.extend(pieces.iter().map(|(pane, _)| *pane));
                false
            }
            Said::Lost(before) => {
                panes.extend(before);
                false
            }
            _ => true,
        });
        self.waiting.push_front(Said::Lost(panes));
        self.bytes = 0;
    }
}

fn bytes_of(said: &Said) -> usize {
    match said {
        Said::Output(pieces) => pieces.iter().map(|(_, bytes)| bytes.len()).sum(),
        _ => 0,
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
