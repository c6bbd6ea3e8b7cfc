//! The journal: every event of every terminal under one number, stored before it is announced.
//!
//! One thread owns the database (SQLite in WAL mode), so that a slow disk never holds up the
//! clients. What it stored last is also kept in memory: whoever follows closely reads from there,
//! whoever lags reads pages of the database. A follower therefore costs one page, however
//! slow it is.
//!
//! A store that fails loses nothing that was announced: events go on from memory, under
//! numbers that no later daemon gives again (they start at the milliseconds of the clock, far above
//! any count), and are stored once the disk takes them. The order is that of the numbers,
//! whatever the clock does.

mod database;
mod recent;
mod store;

use crate::metrics::Metrics;
use crate::registry::Registry;
use jiff::Timestamp;
use recent::Recent;
use status::{EventKind, Status};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use store::Store;
use tokio::sync::{mpsc, oneshot, watch};

/// Orders that wait for the thread before mirrors are held up (and through them the holders' queues).
const QUEUE: usize = 1024;
/// What a holder numbers its events by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) incarnation: u64,
    pub(crate) seq: u64,
}

/// An event that is to be stored and announced.
#[derive(Debug, Clone)]
pub(crate) struct NewEvent {
    /// Where a holder has it; `None`: the daemon's own.
    pub(crate) origin: Option<Position>,
    pub(crate) at: Timestamp,
    pub(crate) terminal: String,
    pub(crate) event: EventKind,
    pub(crate) status: Option<Status>,
}

/// An event that was stored, for those in this process who follow.
#[derive(Debug, Clone)]
pub(crate) struct Announced {
    pub(crate) terminal: String,
    pub(crate) event: EventKind,
    /// `None`: the terminal is no more.
    pub(crate) status: Option<Arc<Status>>,
}

/// A stored event.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) seq: u64,
    /// The JSON line.
    pub(crate) line: String,
}

/// Some of the journal, in order.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) rows: Vec<Arc<Row>>,
    /// Events after the asked number are no longer kept: `rows` is empty.
    pub(crate) gap: bool,
}

/// What the database knew of a terminal.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) position: Position,
    pub(crate) status: Status,
}

/// The journal, as everybody but its thread sees it.
#[derive(Debug, Clone)]
pub(crate) struct Journal {
    orders: mpsc::Sender<Order>,
    shared: Arc<Shared>,
    head: watch::Receiver<u64>,
}

#[derive(Debug, Default)]
struct Shared {
    recent: Mutex<Recent>,
    /// Why nothing can be stored, while nothing can.
    failure: Mutex<Option<String>>,
}

#[derive(Debug)]
enum Order {
    Append(Box<NewEvent>),
    Flush(oneshot::Sender<u64>),
    Read {
        after: u64,
        limit: usize,
        reply: oneshot::Sender<Page>,
    },
    /// The positions, to go on from.
    Known(oneshot::Sender<HashMap<String, Known>>),
    /// What other parts of the daemon keep, under names of theirs: all of it or nothing.
    Keep(Vec<(&'static str, String)>, oneshot::Sender<()>),
    Kept(&'static str, oneshot::Sender<Option<String>>),
}

impl Journal {
    /// Opens or creates the database and starts the thread. A database that cannot be used is a
    /// [`Journal::failure`], not an error: terminals are served without it.
    ///
    /// Every event of this process is also sent to `told`, after it is announced.
    pub(crate) fn start(
        path: PathBuf,
        registry: Arc<Registry>,
        metrics: Arc<Metrics>,
        told: mpsc::UnboundedSender<Announced>,
    ) -> Self {
        let (orders, inbox) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared::default());
        let mut store = Store::new(path, Arc::clone(&shared), registry, metrics, told);
        let (announce, head) = watch::channel(store.head);
        let runtime = tokio::runtime::Handle::current();
        std::thread::spawn(move || store.serve(inbox, &announce, &runtime));
        Self {
            orders,
            shared,
            head,
        }
    }

    /// Stores and announces an event, after all that came before. Waits where the store is behind.
    pub(crate) async fn append(&self, event: NewEvent) {
        // The thread ends with the process only.
        let _ = self.orders.send(Order::Append(Box::new(event))).await;
    }

    /// The number of the latest event once everything appended before is announced.
    pub(crate) async fn flush(&self) -> u64 {
        let (reply, answer) = oneshot::channel();
        let _ = self.orders.send(Order::Flush(reply)).await;
        answer.await.unwrap_or_else(|_| self.head())
    }

    /// The number of the latest event.
    pub(crate) fn head(&self) -> u64 {
        *self.head.borrow()
    }

    /// Changes with each announcement.
    pub(crate) fn announcements(&self) -> watch::Receiver<u64> {
        self.head.clone()
    }

    /// Events after this number, at most `limit`.
    pub(crate) async fn page(&self, after: u64, limit: usize) -> Page {
        if let Some(page) = locked(&self.shared.recent).page(after, limit) {
            return page;
        }
        let (reply, answer) = oneshot::channel();
        let order = Order::Read {
            after,
            limit,
            reply,
        };
        let _ = self.orders.send(order).await;
        answer.await.unwrap_or_default()
    }

    /// What was mirrored of each terminal by the daemons before.
    pub(crate) async fn known(&self) -> HashMap<String, Known> {
        let (reply, answer) = oneshot::channel();
        let _ = self.orders.send(Order::Known(reply)).await;
        answer.await.unwrap_or_default()
    }

    /// Keeps texts for the next daemon, in one step, after all that was appended before. Returns when
    /// they are stored; or, where nothing can be, at once: they are stored later.
    pub(crate) async fn keep(&self, texts: Vec<(&'static str, String)>) {
        let (reply, answer) = oneshot::channel();
        let _ = self.orders.send(Order::Keep(texts, reply)).await;
        let _ = answer.await;
    }

    /// What was last kept under this name.
    pub(crate) async fn kept(&self, name: &'static str) -> Option<String> {
        let (reply, answer) = oneshot::channel();
        let _ = self.orders.send(Order::Kept(name, reply)).await;
        answer.await.ok().flatten()
    }

    /// Why nothing can be stored at present.
    pub(crate) fn failure(&self) -> Option<String> {
        locked(&self.shared.failure).clone()
    }
}

impl Recent {
    /// `None`: the database has to be asked.
    fn page(&self, after: u64, limit: usize) -> Option<Page> {
        if after < self.floor {
            return None;
        }
        let newest = self.rows.back().map_or(self.floor, |row| row.seq);
        if after > newest {
            // A number that this journal never gave.
            return Some(Page {
                gap: true,
                ..Page::default()
            });
        }
        let start = self.rows.partition_point(|row| row.seq <= after);
        let rows = self.rows.iter().skip(start).take(limit).cloned().collect();
        Some(Page { rows, gap: false })
    }

    fn push(&mut self, row: Arc<Row>) {
        self.bytes += row.line.len();
        self.rows.push_back(row);
    }

    /// Forgets what is in the database anyway; and what is not, where it is too much.
    fn shrink(&mut self) {
        while let Some(first) = self.rows.front() {
            let stored = first.seq <= self.stored;
            let over = self.rows.len() > RECENT_EVENTS || self.bytes > RECENT_BYTES;
            if !(over && stored || self.bytes > UNSTORED_BYTES) {
                break;
            }
            if !stored {
                self.lost = first.seq;
            }
            self.floor = first.seq;
            self.bytes -= first.line.len();
            self.rows.pop_front();
        }
    }
}

/// The thread's side.
#[derive(Debug)]
struct Store {
    path: PathBuf,
    database: Option<Connection>,
    shared: Arc<Shared>,
    registry: Arc<Registry>,
    metrics: Arc<Metrics>,
    told: mpsc::UnboundedSender<Announced>,
    head: u64,
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
    fn new(
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

    fn serve(
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

fn open_database(path: &Path) -> rusqlite::Result<Connection> {
    let database = Connection::open(path)?;
    database.busy_timeout(BUSY)?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    // In WAL mode this is safe against the end of the process; power loss costs the last
    // moments, which the holders did not survive either.
    database.pragma_update(None, "synchronous", "NORMAL")?;
    database.execute_batch(
        "CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, line TEXT NOT NULL);
         CREATE TABLE IF NOT EXISTS terminals (
             id TEXT PRIMARY KEY, incarnation INTEGER NOT NULL, seq INTEGER NOT NULL,
             status TEXT NOT NULL) WITHOUT ROWID;
         CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;",
    )?;
    Ok(database)
}

fn known(database: &Connection) -> rusqlite::Result<HashMap<String, Known>> {
    let mut select = database.prepare("SELECT id, incarnation, seq, status FROM terminals")?;
    let rows = select.query_map([], |row| {
        let position = Position {
            incarnation: row.get(1)?,
            seq: row.get(2)?,
        };
        Ok((row.get::<_, String>(0)?, position, row.get::<_, String>(3)?))
    })?;
    let mut known = HashMap::new();
    for row in rows {
        let (id, position, status) = row?;
        match serde_json::from_str(&status) {
            Ok(status) => {
                known.insert(id, Known { position, status });
            }
            Err(error) => tracing::warn!("the stored status of {id} cannot be read: {error}"),
        }
    }
    Ok(known)
}

/// Deletes what is over the bounds; the highest number that is gone, where some are.
fn prune(database: &mut Connection) -> rusqlite::Result<Option<u64>> {
    let used: u64 = database.query_row(
        "SELECT (p.page_count - f.freelist_count) * s.page_size \
         FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s",
        [],
        |row| row.get(0),
    )?;
    let keep = if used > KEPT_BYTES {
        let count: u64 = database.query_row("SELECT COUNT(*) FROM events", [], |row| row.get(0))?;
        (count / 2).min(KEPT_EVENTS)
    } else {
        KEPT_EVENTS
    };
    prune_to(database, keep)
}

fn prune_to(database: &mut Connection, keep: u64) -> rusqlite::Result<Option<u64>> {
    // Numbers have holes, so they are counted.
    let last: Option<u64> = database
        .query_row(
            "SELECT seq FROM events ORDER BY seq DESC LIMIT 1 OFFSET ?1",
            [keep],
            |row| row.get(0),
        )
        .optional()?;
    let Some(last) = last else { return Ok(None) };
    let transaction = database.transaction()?;
    transaction.execute("DELETE FROM events WHERE seq <= ?1", [last])?;
    transaction.execute(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('pruned', ?1)",
        [last],
    )?;
    transaction.commit()?;
    Ok(Some(last))
}

/// A panic elsewhere leaves these values whole: they are changed in single steps.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
