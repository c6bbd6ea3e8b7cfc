//! One connection to a server: its clients and the loop around them.

mod ask;
mod follow;
mod output;
mod tell;

use super::{Event, Known, Options, subscription};
use crate::client::{Client, ClientId, FromClient, Said};
use crate::id::{PaneId, SessionId};
use crate::listing::Listing;
use crate::notification::Notification;
use crate::server::{Error, Server};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// Several notices come together; they are answered by one listing.
const SETTLE: Duration = Duration::from_millis(10);

/// So long after output of a pane its command and directory are asked for: a shell has started its
/// command by then.
const AFTER_OUTPUT: Duration = Duration::from_millis(100);

/// Panes that go on printing are asked about so often.
const WHILE_PRINTING: Duration = Duration::from_secs(1);

/// Where no client of ours is attached nothing gives notice: then it is listed so often.
const WITHOUT_NOTICE: Duration = Duration::from_secs(5);

/// More panes than this are not named one by one: all are listed.
const NAMED_PANES: usize = 32;

/// Said things wait here while the consumer is busy; with pieces of 64 KiB at most 4 MiB.
const QUEUE: usize = 64;

/// Each is a process. In further sessions panes are listed, and not followed.
const CLIENT_LIMIT: usize = 250;

/// Output of a pane that is not listed yet, in bytes.
const EARLY_LIMIT: usize = 64 * 1024;

/// A session to which no client can be attached is tried again after so long.
const SESSION_PAUSE: Duration = Duration::from_secs(5);

/// How a connection ended.
#[derive(Debug)]
pub(super) enum End {
    NobodyListens,
    Failed(Error),
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

type Outcome = Result<(), End>;

pub(super) struct Connection<'a> {
    server: &'a Server,
    options: &'a Options,
    known: &'a mut Known,
    events: &'a mpsc::Sender<Event>,
    clients: BTreeMap<SessionId, Client>,
    clients_so_far: u64,
    /// The client that subscribed.
    subscriber: Option<ClientId>,
    /// Sessions to which none could be attached.
    refused: BTreeMap<SessionId, Instant>,
    said: mpsc::Receiver<FromClient>,
    say: mpsc::Sender<FromClient>,
    /// Whose output of a pane counts: it may come from each session that shows it.
    sources: BTreeMap<PaneId, ClientId>,
    /// What panes printed before they were listed.
    early: BTreeMap<PaneId, Early>,
    /// Panes that printed since they were last listed.
    printed: BTreeSet<PaneId>,
    /// Panes whose stream begins anew; told with the next listing.
    lost: BTreeSet<PaneId>,
    /// Panes that tmux paused for a client. They go on after they were told.
    paused: BTreeSet<(ClientId, PaneId)>,
    /// When to list everything.
    all_due: Option<Instant>,
    /// When to list the panes that printed.
    printed_due: Option<Instant>,
    listed_printed_at: Option<Instant>,
    /// The listing that a client was asked for.
    asked: Option<Asked>,
    /// The listing by a process, where there is no client to ask.
    listing: JoinSet<Result<Listing, Error>>,
    /// For each client, which answers are to come.
    answers: BTreeMap<ClientId, VecDeque<Answer>>,
}

/// A listing that is under way.
#[derive(Debug)]
struct Asked {
    client: ClientId,
    /// Until then it must be there.
    limit: Instant,
    partial: bool,
    /// The parts so far, and how many are to come.
    parts: Vec<u8>,
    missing: usize,
}

/// What an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Listing,
    Nothing,
}

#[derive(Debug, Default)]
struct Early {
    /// The first client that told it.
    source: Option<ClientId>,
    bytes: Vec<u8>,
    /// A listing that began after it is under way or done.
    asked: bool,
}

impl<'a> Connection<'a> {
    /// Watches until the connection fails.
    pub(super) async fn run(
        server: &'a Server,
        options: &'a Options,
        known: &'a mut Known,
        events: &'a mpsc::Sender<Event>,
    ) -> End {
        let (say, said) = mpsc::channel(QUEUE);
        let lost = known.panes.keys().copied().collect();
        let connection = Self {
            server,
            options,
            known,
            events,
            clients: BTreeMap::new(),
            clients_so_far: 0,
            subscriber: None,
            refused: BTreeMap::new(),
            said,
            say,
            sources: BTreeMap::new(),
            early: BTreeMap::new(),
            printed: BTreeSet::new(),
            lost,
            paused: BTreeSet::new(),
            all_due: Some(Instant::now()),
            printed_due: None,
            listed_printed_at: None,
            asked: None,
            listing: JoinSet::new(),
            answers: BTreeMap::new(),
        };
        match connection.go_on().await {
            Err(end) => end,
            Ok(never) => match never {},
        }
    }

    async fn go_on(mut self) -> Result<std::convert::Infallible, End> {
        let events = self.events;
        loop {
            let due = self.next_listing();
            let limit = self.asked.as_ref().map(|asked| asked.limit);
            tokio::select! {
                () = events.closed() => return Err(End::NobodyListens),
                said = self.said.recv() => {
                    if let Some((client, said)) = said {
                        self.said(client, said).await?;
                    }
                }
                listed = self.listing.join_next(), if !self.listing.is_empty() => {
                    match listed {
                        Some(Ok(listed)) => self.listed(listed?).await?,
                        _ => self.list_all(),
                    }
                }
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    self.list().await?;
                }
                () = sleep_until(limit.unwrap_or_else(Instant::now)), if limit.is_some() => {
                    return Err(Error::Hangs(self.server.socket().to_owned()).into());
                }
            }
        }
    }

    async fn tell(&self, event: Event) -> Outcome {
        let told = self.events.send(event).await;
        told.map_err(|_| End::NobodyListens)
    }

    async fn said(&mut self, client: ClientId, said: Said) -> Outcome {
        match said {
            Said::Output(pieces) => {
                for (pane, bytes) in pieces {
                    self.output(client, pane, bytes).await?;
                }
                Ok(())
            }
            Said::Lost(panes) => {
                for pane in panes {
                    self.lose(client, pane).await?;
                }
                Ok(())
            }
            Said::Notified(notification) => self.notified(client, notification).await,
            Said::Answered(answer) => self.answered(client, answer).await,
            Said::Ended => {
                // Let go of, or its session ended: the next listing tells.
                self.clients.retain(|session, ended| {
                    if ended.id != client {
                        return true;
                    }
                    // One that lasted is replaced at once.
                    let now = Instant::now();
                    if now < ended.attached_at + SESSION_PAUSE {
                        self.refused.insert(*session, now + SESSION_PAUSE);
                    }
                    false
                });
                self.paused.retain(|(paused, _)| *paused != client);
                self.forget(client);
                self.list_all();
                Ok(())
            }
        }
    }

    async fn notified(&mut self, client: ClientId, notification: Notification) -> Outcome {
        match notification {
            Notification::Paused { pane } => {
                self.paused.insert((client, pane));
                self.lose(client, pane).await?;
            }
            Notification::ClientSessionChanged { client, .. }
            | Notification::ClientDetached { client }
                if self.is_ours(&client) => {}
            // One more copy of what other clients say as well, or nothing that is listed.
            Notification::Continued { .. }
            | Notification::SessionChanged { .. }
            | Notification::Exit { .. } => {}
            Notification::SubscriptionChanged { name, .. } if name != subscription::NAME => {}
            _ => self.list_all(),
        }
        Ok(())
    }
}
