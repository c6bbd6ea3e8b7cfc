//! One connection to a server: its clients and the loop around them.

use super::{Event, Known, Options, subscription};
use crate::client::{Client, ClientId, FromClient, Said};
use crate::id::{PaneId, SessionId};
use crate::listing::{self, Listing, Session};
use crate::notification::Notification;
use crate::quote::word;
use crate::server::{ANSWER_LIMIT, Error, Server};
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

    /// When to begin the next listing; none while one is under way.
    fn next_listing(&self) -> Option<Instant> {
        if !self.listing.is_empty() || self.asked.is_some() {
            return None;
        }
        self.all_due.into_iter().chain(self.printed_due).min()
    }

    /// Something changed: everything is listed soon.
    fn list_all(&mut self) {
        self.list_all_at(Instant::now() + SETTLE);
    }

    fn list_all_at(&mut self, at: Instant) {
        self.all_due = Some(self.all_due.map_or(at, |due| due.min(at)));
    }

    async fn list(&mut self) -> Outcome {
        let now = Instant::now();
        let all = self.all_due.is_some_and(|due| due <= now);
        let printed: Vec<PaneId> = std::mem::take(&mut self.printed).into_iter().collect();
        self.printed_due = None;
        self.listed_printed_at = Some(now);
        let named = (!all && printed.len() <= NAMED_PANES).then_some(printed);
        if named.is_none() {
            self.all_due = None;
        }
        for early in self.early.values_mut() {
            early.asked |= named.is_none();
        }
        let commands = listing::commands(named.as_deref());
        let partial = named.is_some();
        let subscriber = self.subscriber;
        let asked = self
            .clients
            .values_mut()
            .find(|client| Some(client.id) == subscriber);
        if let Some(client) = asked {
            self.asked = Some(Asked {
                client: client.id,
                limit: now + ANSWER_LIMIT,
                partial,
                parts: Vec::new(),
                missing: commands.len(),
            });
            let answers = self.answers.entry(client.id).or_default();
            for words in &commands {
                answers.push_back(Answer::Listing);
                let words: Vec<String> = words.iter().map(|text| word(text)).collect();
                client.command(self.server, &words.join(" ")).await?;
            }
            return Ok(());
        }
        let server = self.server.clone();
        self.listing.spawn(async move {
            let command = commands.join(&";".to_owned());
            let command: Vec<&str> = command.iter().map(String::as_str).collect();
            let listed = server.run(&command).await?;
            Ok(Listing::parse(&listed, partial))
        });
        Ok(())
    }

    /// An answer came; the last part of a listing is the listing.
    async fn answered(&mut self, client: ClientId, answer: Option<Vec<u8>>) -> Outcome {
        let expected = self.answers.get_mut(&client).and_then(VecDeque::pop_front);
        if expected != Some(Answer::Listing) {
            return Ok(());
        }
        let Some(asked) = self.asked.as_mut().filter(|asked| asked.client == client) else {
            return Ok(());
        };
        let Some(part) = answer else {
            // Refused, or longer than can be: not at once again.
            self.asked = None;
            self.list_all_at(Instant::now() + SESSION_PAUSE);
            return Ok(());
        };
        asked.parts.extend(part);
        asked.missing -= 1;
        if asked.missing > 0 {
            return Ok(());
        }
        let listing = Listing::parse(&asked.parts, asked.partial);
        self.asked = None;
        self.listed(listing).await
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

    async fn output(&mut self, client: ClientId, pane: PaneId, bytes: Vec<u8>) -> Outcome {
        if !self.known.panes.contains_key(&pane) {
            self.early(client, pane, bytes);
            return Ok(());
        }
        let source = *self.sources.entry(pane).or_insert(client);
        if source != client {
            if self.clients.values().any(|client| client.id == source) {
                return Ok(());
            }
            self.sources.insert(pane, client);
            self.tell(Event::Gap(pane)).await?;
        }
        self.printed.insert(pane);
        if self.printed_due.is_none() {
            let now = Instant::now();
            let again = self.listed_printed_at.map_or(now, |at| at + WHILE_PRINTING);
            self.printed_due = Some(again.max(now + AFTER_OUTPUT));
        }
        self.tell(Event::Output { pane, bytes }).await
    }

    /// Output of a pane was lost on its way through this client: what it is like by now is listed.
    async fn lose(&mut self, client: ClientId, pane: PaneId) -> Outcome {
        self.list_all();
        if self
            .sources
            .get(&pane)
            .is_none_or(|source| *source == client)
            && self.known.panes.contains_key(&pane)
        {
            self.tell(Event::Gap(pane)).await?;
        }
        Ok(())
    }

    /// Keeps what a new pane prints until it is listed.
    fn early(&mut self, client: ClientId, pane: PaneId, bytes: Vec<u8>) {
        let early = self.early.entry(pane).or_default();
        if *early.source.get_or_insert(client) == client
            && early.bytes.len() + bytes.len() <= EARLY_LIMIT
        {
            early.bytes.extend(bytes);
        }
        if !early.asked && self.all_due.is_none() {
            self.list_all();
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

    /// A control client without a terminal is called by its process.
    fn is_ours(&self, name: &str) -> bool {
        let pid = name
            .strip_prefix("client-")
            .and_then(|pid| pid.parse().ok());
        let mut clients = self.clients.values();
        pid.is_some_and(|pid: u32| clients.any(|client| client.pid == pid))
    }

    async fn listed(&mut self, mut listing: Listing) -> Outcome {
        let options = self.options;
        let left_out = |session: &Session| options.leave_out.contains(&session.name);
        let left_out: BTreeSet<SessionId> = listing
            .sessions
            .iter()
            .filter(|session| left_out(session))
            .map(|session| session.id)
            .collect();
        listing
            .sessions
            .retain(|session| !left_out.contains(&session.id));
        for pane in listing.panes.values_mut() {
            pane.places
                .retain(|place| !left_out.contains(&place.session));
        }
        listing.panes.retain(|_, pane| !pane.places.is_empty());
        listing.clients.retain(|client| !client.watches);
        self.follow(&listing).await?;
        self.tell_panes(&listing).await?;
        let mut viewers: Vec<_> = listing
            .clients
            .into_iter()
            .map(|client| client.viewer)
            .collect();
        if listing.partial {
            // Only some panes are listed, but which a window shows changes with a notice only.
            for viewer in &mut viewers {
                let before = self.known.viewers.iter().find(|before| {
                    before.client == viewer.client && before.window == viewer.window
                });
                match before {
                    Some(before) => viewer.shows.clone_from(&before.shows),
                    None => self.list_all_at(Instant::now() + SETTLE),
                }
            }
        }
        if viewers != self.known.viewers {
            self.known.viewers.clone_from(&viewers);
            self.tell(Event::Viewers(viewers)).await?;
        }
        if self.clients.is_empty() {
            self.list_all_at(Instant::now() + WITHOUT_NOTICE);
        }
        Ok(())
    }

    /// Leaves the sessions that are to be left, and attaches to those that are not followed.
    async fn follow(&mut self, listing: &Listing) -> Outcome {
        let persons: BTreeSet<SessionId> = listing
            .clients
            .iter()
            .map(|client| client.viewer.session)
            .collect();
        let mut sessions: Vec<&Session> = listing
            .sessions
            .iter()
            .filter(|session| !session.ends_unattached || persons.contains(&session.id))
            .collect();
        sessions.sort_by_key(|session| (session.activity, session.id));
        let wanted: BTreeSet<SessionId> = sessions.iter().map(|session| session.id).collect();
        let leaving = |session: &&SessionId| !wanted.contains(*session);
        let leaving: Vec<SessionId> = self.clients.keys().filter(leaving).copied().collect();
        for session in leaving {
            if let Some(client) = self.clients.remove(&session) {
                self.forget(client.id);
            }
        }
        let now = Instant::now();
        self.refused
            .retain(|session, until| wanted.contains(session) && *until > now);
        for session in sessions {
            let id = session.id;
            if self.clients.contains_key(&id) || self.refused.contains_key(&id) {
                continue;
            }
            if self.clients.len() == CLIENT_LIMIT {
                tracing::warn!(
                    "more than {CLIENT_LIMIT} sessions: \"{}\" is not followed",
                    session.name
                );
                self.refused.insert(id, now + 60 * SESSION_PAUSE);
                continue;
            }
            self.clients_so_far += 1;
            let client_id = ClientId(self.clients_so_far);
            match Client::attach(self.server, id, client_id, self.say.clone()).await {
                Ok(client) => {
                    self.clients.insert(id, client);
                    self.begin_streams(listing, id, client_id);
                }
                Err(error @ (Error::Hangs(_) | Error::Program { .. })) => return Err(error.into()),
                Err(error) => {
                    // It ended meanwhile, or tmux refuses: the next listing tells.
                    tracing::debug!("session \"{}\" is not followed: {error}", session.name);
                    self.refused.insert(id, now + SESSION_PAUSE);
                    self.list_all_at(now + SETTLE);
                }
            }
        }
        if let Some(again) = self.refused.values().min().copied() {
            self.list_all_at(again);
        }
        self.subscribe().await
    }

    /// A client is no more: it answers nothing.
    fn forget(&mut self, client: ClientId) {
        self.answers.remove(&client);
        if self
            .asked
            .as_ref()
            .is_some_and(|asked| asked.client == client)
        {
            self.asked = None;
            self.list_all();
        }
    }

    /// A client was attached: panes of its session that are known, and that no other client follows,
    /// printed unseen until now.
    fn begin_streams(&mut self, listing: &Listing, session: SessionId, client: ClientId) {
        for pane in listing.panes.values() {
            let is_here = pane.places.iter().any(|place| place.session == session);
            if !is_here || !self.known.panes.contains_key(&pane.id) {
                continue;
            }
            let source = self.sources.get(&pane.id);
            if !self
                .clients
                .values()
                .any(|client| Some(&client.id) == source)
            {
                self.sources.insert(pane.id, client);
                self.lost.insert(pane.id);
            }
        }
    }

    /// One client asks for what gives no notice.
    async fn subscribe(&mut self) -> Outcome {
        let subscribed = |client: &Client| Some(client.id) == self.subscriber;
        if self.clients.values().any(subscribed) {
            return Ok(());
        }
        let Some(client) = self.clients.values_mut().next() else {
            return Ok(());
        };
        self.subscriber = Some(client.id);
        self.answers
            .entry(client.id)
            .or_default()
            .push_back(Answer::Nothing);
        client
            .command(self.server, &subscription::command())
            .await?;
        Ok(())
    }

    /// Lets a pane go on that was paused.
    async fn go_on_with(&mut self, pane: PaneId) -> Outcome {
        // Unquoted, the percent sign is a syntax error.
        let argument = word(&format!("{pane}:continue"));
        let command = format!("refresh-client -A {argument}");
        for client in self.clients.values_mut() {
            if self.paused.remove(&(client.id, pane)) {
                let answers = self.answers.entry(client.id).or_default();
                answers.push_back(Answer::Nothing);
                client.command(self.server, &command).await?;
            }
        }
        Ok(())
    }

    async fn tell_panes(&mut self, listing: &Listing) -> Outcome {
        if !listing.partial {
            let gone: Vec<PaneId> = self.known.panes.keys().copied().collect();
            for pane in gone
                .into_iter()
                .filter(|pane| !listing.panes.contains_key(pane))
            {
                self.known.panes.remove(&pane);
                self.sources.remove(&pane);
                self.lost.remove(&pane);
                self.tell(Event::PaneRemoved(pane)).await?;
            }
        }
        for pane in listing.panes.values() {
            let mut pane = pane.clone();
            pane.watched = pane
                .places
                .iter()
                .any(|place| self.clients.contains_key(&place.session));
            let id = pane.id;
            if self.lost.remove(&id) {
                self.tell(Event::Gap(id)).await?;
            }
            match self.known.panes.get(&id) {
                Some(before) if *before == pane => {}
                Some(_) => {
                    self.known.panes.insert(id, pane.clone());
                    self.tell(Event::PaneChanged(pane)).await?;
                }
                None => {
                    self.known.panes.insert(id, pane.clone());
                    self.tell(Event::PaneAdded(pane)).await?;
                }
            }
            if !listing.partial {
                self.go_on_with(id).await?;
            }
            if let Some(early) = self.early.remove(&id)
                && let Some(source) = early.source
            {
                self.output(source, id, early.bytes).await?;
            }
        }
        if !listing.partial {
            // Gone again, or in a session that is left out.
            self.early.retain(|_, early| !early.asked);
        }
        Ok(())
    }
}
