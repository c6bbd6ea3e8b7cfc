//! The thread that owns the database: it numbers events, stores them, announces them, and reads pages.

use super::database::{known, open_database, prune};
use super::{Announced, NewEvent, Order, Page, Position, Row, Shared, locked};
use crate::metrics::Metrics;
use crate::registry::Registry;
use jiff::Timestamp;
use rusqlite::{Connection, params};
use serde::Serialize;
use status::{EventKind, Status};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// How many events go by between two looks at these bounds.
const PRUNE_EVERY: u64 = 500;
/// Events stored in one transaction at most.
const BATCH: usize = 512;
/// How long until a failed store is tried again.
const RETRY: Duration = Duration::from_secs(2);

/// The thread's side.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
    database: Option<Connection>,
    shared: Arc<Shared>,
    registry: Arc<Registry>,
    metrics: Arc<Metrics>,
    told: mpsc::UnboundedSender<Announced>,
    pub(super) head: u64,
    /// The numbers were moved to where no later daemon gives them again.
    beyond: bool,
    /// The highest number that was pruned.
    pruned: u64,
    since_prune: u64,
    /// What is mirrored: an event at or before its terminal's position is not taken twice.
    positions: HashMap<String, Position>,
    /// What of it the database does not have yet.
    unstored: HashMap<String, Option<(Position, String)>>,
    /// Texts to keep that the database does not have yet.
    unkept: HashMap<&'static str, String>,
}

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    at: Timestamp,
    terminal: &'a str,
    event: EventKind,
    status: Option<&'a Status>,
}

impl Store {
    pub(super) fn new(
        path: PathBuf,
        shared: Arc<Shared>,
        registry: Arc<Registry>,
        metrics: Arc<Metrics>,
        told: mpsc::UnboundedSender<Announced>,
    ) -> Self {
        let mut store = Self {
            path,
            database: None,
            shared,
            registry,
            metrics,
            told,
            head: 0,
            beyond: false,
            pruned: 0,
            since_prune: 0,
            positions: HashMap::new(),
            unstored: HashMap::new(),
            unkept: HashMap::new(),
        };
        if let Err(error) = store.open() {
            store.fail(&error);
        }
        store
    }

    fn open(&mut self) -> rusqlite::Result<()> {
        let database = open_database(&self.path)?;
        let (head, pruned) = database.query_row(
            "SELECT (SELECT MAX(seq) FROM events), (SELECT value FROM meta WHERE key = 'pruned')",
            [],
            |row| Ok((row.get::<_, Option<u64>>(0)?, row.get::<_, Option<u64>>(1)?)),
        )?;
        self.pruned = pruned.unwrap_or(0);
        let head = head.unwrap_or(0).max(self.pruned);
        if self.head == 0 {
            // The first time; later the numbers given since go on.
            self.head = head;
            let mut recent = locked(&self.shared.recent);
            recent.floor = head;
            recent.stored = head;
        }
        for (id, known) in known(&database)? {
            self.positions.entry(id).or_insert(known.position);
        }
        self.database = Some(database);
        Ok(())
    }

    pub(super) fn serve(
        &mut self,
        mut inbox: mpsc::Receiver<Order>,
        announce: &watch::Sender<u64>,
        runtime: &tokio::runtime::Handle,
    ) {
        loop {
            let first = if locked(&self.shared.failure).is_some() {
                let wait = async { tokio::time::timeout(RETRY, inbox.recv()).await };
                match runtime.block_on(wait) {
                    Ok(first) => first,
                    Err(_) => {
                        self.commit(Vec::new(), announce);
                        continue;
                    }
                }
            } else {
                inbox.blocking_recv()
            };
            let Some(first) = first else { return };
            let mut batch = Vec::new();
            let mut next = Some(first);
            while let Some(order) = next {
                match order {
                    Order::Append(event) => batch.push(*event),
                    other => {
                        self.commit(std::mem::take(&mut batch), announce);
                        self.answer(other);
                    }
                }
                next = (batch.len() < BATCH)
                    .then(|| inbox.try_recv().ok())
                    .flatten();
            }
            self.commit(batch, announce);
        }
    }

    fn answer(&mut self, order: Order) {
        match order {
            Order::Append(_) => {}
            Order::Flush(reply) => {
                let _ = reply.send(self.head);
            }
            Order::Read {
                after,
                limit,
                reply,
            } => {
                let _ = reply.send(self.read(after, limit));
            }
            Order::Known(reply) => {
                let known = self.database.as_ref().map(known);
                let _ = reply.send(known.and_then(Result::ok).unwrap_or_default());
            }
            Order::Keep(texts, reply) => {
                self.unkept.extend(texts);
                if !self.is_failing()
                    && let Err(error) = self.store_kept()
                {
                    self.fail(&error);
                }
                let _ = reply.send(());
            }
            Order::Kept(name, reply) => {
                let unkept = self.unkept.get(name).cloned();
                let _ = reply.send(unkept.or_else(|| {
                    let database = self.database.as_ref()?;
                    let select = "SELECT value FROM meta WHERE key = ?1";
                    database.query_row(select, [name], |row| row.get(0)).ok()
                }));
            }
        }
    }

    fn store_kept(&mut self) -> rusqlite::Result<()> {
        if self.database.is_none() {
            self.open()?;
        }
        if let Some(database) = self.database.as_mut() {
            let transaction = database.transaction()?;
            for (name, text) in &self.unkept {
                let keep = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)";
                transaction.execute(keep, params![name, text])?;
            }
            transaction.commit()?;
        }
        self.unkept.clear();
        Ok(())
    }

    /// Numbers, stores and then announces events; with none, stores what could not be stored before.
    fn commit(&mut self, events: Vec<NewEvent>, announce: &watch::Sender<u64>) {
        if events.is_empty() && !self.is_failing() {
            return;
        }
        if self.is_failing() {
            // The earlier ones first, so that the order in the database is that of the numbers.
            if let Err(error) = self.store_rest() {
                self.fail(&error);
            }
        }
        let events: Vec<NewEvent> = events
            .into_iter()
            .filter(|event| self.is_new(event))
            .collect();
        let mut rows = number(&events, self.head);
        if !self.is_failing()
            && let Err(error) = self.store(&rows)
        {
            self.fail(&error);
        }
        if self.is_failing() && !self.beyond {
            let clock = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
            self.head = self.head.max(clock);
            self.beyond = true;
            rows = number(&events, self.head);
        }
        if events.is_empty() {
            return;
        }
        let stored = !self.is_failing();
        if let Some(last) = rows.last() {
            self.head = last.seq;
        }
        if stored {
            self.unstored.clear();
        }
        {
            let mut recent = locked(&self.shared.recent);
            for row in rows {
                recent.push(row);
            }
            if stored {
                recent.stored = self.head;
            }
            recent.shrink();
        }
        for event in events {
            self.metrics.announced(event.at);
            // Nobody listens any longer where the daemon ends.
            let _ = self.told.send(self.registry.apply(event));
        }
        announce.send_replace(self.head);
        if stored {
            self.prune();
        }
    }

    /// Whether it was not mirrored before; notes its position.
    fn is_new(&mut self, event: &NewEvent) -> bool {
        let Some(origin) = event.origin else {
            if let Some(status) = &event.status {
                let position = self.positions.get(&event.terminal).copied();
                let position = position.unwrap_or(Position {
                    incarnation: 0,
                    seq: 0,
                });
                self.note(&event.terminal, position, status);
            } else {
                self.positions.remove(&event.terminal);
                self.unstored.insert(event.terminal.clone(), None);
            }
            return true;
        };
        let before = self.positions.get(&event.terminal);
        if before.is_some_and(|before| {
            before.incarnation == origin.incarnation && before.seq >= origin.seq
        }) {
            return false;
        }
        match &event.status {
            Some(status) => {
                self.positions.insert(event.terminal.clone(), origin);
                self.note(&event.terminal, origin, status);
            }
            None => {
                self.positions.remove(&event.terminal);
                self.unstored.insert(event.terminal.clone(), None);
            }
        }
        true
    }

    fn note(&mut self, terminal: &str, position: Position, status: &Status) {
        // A status is plain data: it always has a JSON form.
        let status = serde_json::to_string(status).unwrap_or_default();
        self.unstored
            .insert(terminal.to_owned(), Some((position, status)));
    }

    fn store(&mut self, rows: &[Arc<Row>]) -> rusqlite::Result<()> {
        if self.database.is_none() {
            self.open()?;
        }
        let Some(database) = self.database.as_mut() else {
            return Ok(());
        };
        let transaction = database.transaction()?;
        {
            let mut insert =
                transaction.prepare_cached("INSERT INTO events (seq, line) VALUES (?1, ?2)")?;
            for row in rows {
                insert.execute(params![row.seq, row.line])?;
            }
            let mut note = transaction.prepare_cached(
                "INSERT OR REPLACE INTO terminals (id, incarnation, seq, status) \
                 VALUES (?1, ?2, ?3, ?4)",
            )?;
            let mut forget = transaction.prepare_cached("DELETE FROM terminals WHERE id = ?1")?;
            for (id, known) in &self.unstored {
                match known {
                    Some((position, status)) => {
                        note.execute(params![id, position.incarnation, position.seq, status])?
                    }
                    None => forget.execute([id])?,
                };
            }
        }
        transaction.commit()
    }

    /// Stores what is only in memory.
    fn store_rest(&mut self) -> rusqlite::Result<()> {
        let rows: Vec<Arc<Row>> = {
            let recent = locked(&self.shared.recent);
            let start = recent.rows.partition_point(|row| row.seq <= recent.stored);
            recent.rows.iter().skip(start).cloned().collect()
        };
        // Tried anew: a connection that saw the disk fail may go on failing.
        self.database = None;
        self.store(&rows)?;
        self.store_kept()?;
        let mut recent = locked(&self.shared.recent);
        recent.stored = self.head;
        recent.shrink();
        *locked(&self.shared.failure) = None;
        self.beyond = false;
        self.unstored.clear();
        tracing::info!("the journal is stored again");
        Ok(())
    }

    fn is_failing(&self) -> bool {
        locked(&self.shared.failure).is_some()
    }

    fn fail(&mut self, error: &rusqlite::Error) {
        let message = format!("{}: {error}", self.path.display());
        let mut failure = locked(&self.shared.failure);
        if failure.is_none() {
            tracing::error!(
                "cannot store the journal, events go on from memory and are stored later: {message}"
            );
        }
        *failure = Some(message);
    }

    fn read(&mut self, after: u64, limit: usize) -> Page {
        let lost = locked(&self.shared.recent).lost;
        // 0 asks for whatever is kept.
        let gap = after > 0 && after < self.pruned.max(lost);
        if gap {
            return Page {
                gap,
                ..Page::default()
            };
        }
        let read = self.database.as_ref().map(|database| {
            let mut select = database.prepare_cached(
                "SELECT seq, line FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2",
            )?;
            let rows = select.query_map(params![after, limit], |row| {
                Ok(Arc::new(Row {
                    seq: row.get(0)?,
                    line: row.get(1)?,
                }))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        });
        match read {
            Some(Ok(rows)) if !rows.is_empty() => Page { rows, gap: false },
            Some(Err(error)) => {
                tracing::error!("cannot read the journal: {error}");
                self.memory(after, limit)
            }
            _ => self.memory(after, limit),
        }
    }

    /// The database has nothing (more): what memory has.
    fn memory(&self, after: u64, limit: usize) -> Page {
        let recent = locked(&self.shared.recent);
        if after > 0 && self.database.is_none() && after < recent.floor {
            return Page {
                gap: true,
                ..Page::default()
            };
        }
        recent
            .page(after.max(recent.floor), limit)
            .unwrap_or_default()
    }

    fn prune(&mut self) {
        self.since_prune += 1;
        if self.since_prune % PRUNE_EVERY != 1 {
            return;
        }
        let Some(database) = self.database.as_mut() else {
            return;
        };
        match prune(database) {
            Ok(Some(pruned)) => self.pruned = pruned,
            Ok(None) => {}
            Err(error) => tracing::warn!("cannot prune the journal: {error}"),
        }
    }
}

fn number(events: &[NewEvent], head: u64) -> Vec<Arc<Row>> {
    let numbers = head + 1..;
    let rows = events.iter().zip(numbers).map(|(event, seq)| {
        let line = Line {
            seq,
            at: event.at,
            terminal: &event.terminal,
            event: event.event,
            status: event.status.as_ref(),
        };
        Arc::new(Row {
            seq,
            // A status is plain data: it always has a JSON form.
            line: serde_json::to_string(&line).unwrap_or_default(),
        })
    });
    rows.collect()
}
