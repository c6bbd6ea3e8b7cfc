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

/// A panic elsewhere leaves these values whole: they are changed in single steps.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
