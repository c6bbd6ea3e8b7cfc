//! What one channel still has to do, what stands there, and how it went.
//!
//! Of each terminal the latest order waits, no other: a withdrawal beats a raise that is still
//! waiting, and what was never shown is never taken away. A channel that fails is tried again, ever
//! later; nobody waits for it but its own orders.
//!
//! Everything is kept for the next daemon. An order that is under way is noted before it begins: a
//! daemon that is killed in that moment leaves it as done, so that nobody is told twice.

use super::channel::{Again, Channel, Delivered, Handle, Place, Telling, Undelivered};
use super::kept::Kept;
use crate::journal::Journal;
use crate::registry::Registry;
use jiff::Timestamp;
use status::notifier::{Notice, Subject, Surface};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Until the first repetition; each further one waits twice as long.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// A server that is away for a night is asked this often.
const LAST_RETRY: Duration = Duration::from_secs(300);
/// Orders that wait, of as many terminals. More are nobody's to read: the oldest are dropped.
const WAITING: usize = 256;

/// An order for a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Order {
    /// Show this there.
    Show {
        notice: Notice,
        on: Surface,
        silent: bool,
    },
    /// Take away what stands there.
    Withdraw(Place),
}

impl Order {
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Show { notice, on, .. } => (notice.subject.clone(), on.clone()),
            Self::Withdraw(place) => place.clone(),
        }
    }
}

/// Whether a channel is used.
#[derive(Debug, Clone)]
pub(crate) enum Setup {
    On(Arc<dyn Channel>),
    /// Why not, and what would change it.
    Off(String),
}

/// How the last order went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Last {
    pub(crate) result: Result<String, String>,
    pub(crate) at: Timestamp,
}

/// How a channel is, for people.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    pub(crate) name: &'static str,
    /// Why it is not used.
    pub(crate) off: Option<String>,
    pub(crate) waiting: usize,
    pub(crate) standing: usize,
    pub(crate) last: Option<Last>,
    /// How long until the next try, where one waits.
    pub(crate) again_in: Option<Duration>,
    pub(crate) delivered: u64,
    pub(crate) failed: u64,
}

/// The outbox of one channel.
#[derive(Debug)]
pub(crate) struct Outbox {
    pub(crate) name: &'static str,
    /// The name under which it is kept.
    pub(crate) kept_as: &'static str,
    registry: Arc<Registry>,
    journal: Journal,
    inner: Mutex<Inner>,
    wake: tokio::sync::Notify,
    delivered: AtomicU64,
    failed: AtomicU64,
}

#[derive(Debug)]
struct Inner {
    setup: Setup,
    /// Takes the place of `setup` before the next order.
    next_setup: Option<Setup>,
    waiting: VecDeque<Order>,
    standing: BTreeMap<Place, Option<Handle>>,
    under_way: Option<Place>,
    last: Option<Last>,
    failures: u32,
    not_before: Option<Instant>,
}

impl Outbox {
    /// With what an earlier daemon left.
    pub(crate) fn new(
        name: &'static str,
        kept_as: &'static str,
        kept: Kept,
        registry: Arc<Registry>,
        journal: Journal,
    ) -> Arc<Self> {
        Arc::new(Self {
            name,
            kept_as,
            registry,
            journal,
            inner: Mutex::new(Inner {
                setup: Setup::Off("starting".to_owned()),
                next_setup: None,
                waiting: kept.orders().into(),
                standing: kept.standing(),
                under_way: None,
                last: None,
                failures: 0,
                not_before: None,
            }),
            wake: tokio::sync::Notify::new(),
            delivered: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Changed in single steps: a panic elsewhere leaves it whole.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on this channel, or none. What stands is taken away by the one before.
    pub(crate) fn set_up(&self, setup: Setup) {
        let mut inner = self.lock();
        if let Setup::Off(_) = setup {
            inner.waiting.clear();
        }
        inner.next_setup = Some(setup);
        inner.not_before = None;
        inner.failures = 0;
        drop(inner);
        self.wake.notify_one();
    }

    /// Takes an order; it is carried out after [`Outbox::go`].
    pub(crate) fn push(&self, order: Order) {
        let mut inner = self.lock();
        let setup = inner.next_setup.as_ref().unwrap_or(&inner.setup);
        if matches!(setup, Setup::Off(_)) {
            return;
        }
        inner.push(order, self.name);
    }

    /// There may be something to do.
    pub(crate) fn go(&self) {
        self.wake.notify_one();
    }

    /// What the next daemon must know, as a text.
    pub(crate) fn kept(&self) -> String {
        let inner = self.lock();
        let mut standing = inner.standing.clone();
        if let Some(place) = &inner.under_way {
            standing.entry(place.clone()).or_default();
        }
        Kept::text(&inner.waiting, &standing)
    }

    async fn keep(&self) {
        self.journal.keep(vec![(self.kept_as, self.kept())]).await;
    }

    /// How it is.
    pub(crate) fn report(&self) -> Report {
        let inner = self.lock();
        let setup = inner.next_setup.as_ref().unwrap_or(&inner.setup);
        let waits = !inner.waiting.is_empty();
        let again_in = inner.not_before.filter(|_| waits);
        Report {
            name: self.name,
            off: match setup {
                Setup::On(_) => None,
                Setup::Off(why) => Some(why.clone()),
            },
            waiting: inner.waiting.len(),
            standing: inner.standing.len(),
            last: inner.last.clone(),
            again_in: again_in.map(|at| at.saturating_duration_since(Instant::now())),
            delivered: self.delivered.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }

    /// Shows this at once, beside all orders, and says what came of it.
    pub(crate) async fn test(&self, notice: Notice, on: Surface) -> Result<String, String> {
        let channel = {
            let inner = self.lock();
            match inner.next_setup.as_ref().unwrap_or(&inner.setup) {
                Setup::On(channel) => Arc::clone(channel),
                Setup::Off(why) => return Err(why.clone()),
            }
        };
        let telling = Telling {
            notice,
            on,
            status: None,
            silent: false,
            standing: None,
        };
        let result = channel.show(&telling).await;
        let result = result
            .map(|delivered| delivered.said)
            .map_err(|undelivered| undelivered.reason);
        let works = result.is_ok();
        self.count(&result);
        let mut inner = self.lock();
        inner.note(result.clone());
        if works {
            // What waits need wait no longer.
            inner.not_before = None;
            inner.failures = 0;
            drop(inner);
            self.wake.notify_one();
        }
        result
    }

    fn count(&self, result: &Result<String, String>) {
        let counter = match result {
            Ok(_) => &self.delivered,
            Err(_) => &self.failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Carries out orders for as long as the daemon runs.
    pub(crate) async fn work(self: Arc<Self>) {
        loop {
            self.exchange().await;
            let (channel, order, until) = self.next();
            let (Some(channel), Some(order)) = (channel, order) else {
                let again = async {
                    match until {
                        Some(until) => tokio::time::sleep_until(until).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = self.wake.notified() => {}
                    () = again => {}
                }
                continue;
            };
            self.keep().await;
            let result = self.carry_out(channel.as_ref(), &order).await;
            let said = self.ended(order, result);
            self.keep().await;
            // What is said to be done is stored.
            self.say(said);
        }
    }

    /// Another channel takes over: the old one leaves nothing standing.
    async fn exchange(&self) {
        let (old, standing) = {
            let mut inner = self.lock();
            let Some(next) = inner.next_setup.take() else {
                return;
            };
            let old = std::mem::replace(&mut inner.setup, next);
            let standing: Vec<_> = inner.standing.clone().into_iter().collect();
            (old, standing)
        };
        match old {
            Setup::On(old) => {
                for (place, handle) in &standing {
                    if let Err(error) = old.withdraw(place, handle.as_deref()).await {
                        tracing::info!(
                            "{}: what stands is left there: {}",
                            self.name,
                            error.reason
                        );
                        break;
                    }
                }
                self.lock().standing.clear();
                self.keep().await;
            }
            // This daemon begins: what stands is the one's before.
            Setup::Off(_) => {
                let found = standing
                    .into_iter()
                    .filter_map(|(place, handle)| Some((place, handle?)));
                let found: Vec<_> = found.collect();
                if let Setup::On(channel) = &self.lock().setup {
                    channel.resume(&found);
                }
            }
        }
    }

    /// The next order, marked as under way; or how long there is none.
    fn next(&self) -> (Option<Arc<dyn Channel>>, Option<Order>, Option<Instant>) {
        let mut inner = self.lock();
        let Setup::On(channel) = &inner.setup else {
            return (None, None, None);
        };
        let channel = Arc::clone(channel);
        if inner.waiting.is_empty() {
            return (Some(channel), None, None);
        }
        if let Some(at) = inner.not_before.filter(|at| *at > Instant::now()) {
            return (Some(channel), None, Some(at));
        }
        let order = inner.waiting.pop_front();
        inner.under_way = order.as_ref().map(Order::place);
        (Some(channel), order, None)
    }

    async fn carry_out(
        &self,
        channel: &dyn Channel,
        order: &Order,
    ) -> Result<Delivered, Undelivered> {
        let place = order.place();
        let standing = self.lock().standing.get(&place).cloned().flatten();
        match order {
            Order::Withdraw(place) => channel.withdraw(place, standing.as_deref()).await,
            Order::Show { notice, on, silent } => {
                let status = match &notice.subject {
                    Subject::Terminal(id) => self.registry.get(id).map(|entry| entry.status),
                    Subject::Fold => None,
                };
                let telling = Telling {
                    notice: notice.clone(),
                    on: on.clone(),
                    status,
                    silent: *silent,
                    standing,
                };
                channel.show(&telling).await
            }
        }
    }

    fn say(&self, said: Result<String, String>) {
        self.count(&said);
        let mut inner = self.lock();
        if let Err(reason) = &said
            && inner.last.as_ref().is_none_or(|last| last.result.is_ok())
        {
            tracing::warn!("{}: {reason}", self.name);
        }
        inner.note(said);
    }

    fn ended(
        &self,
        order: Order,
        result: Result<Delivered, Undelivered>,
    ) -> Result<String, String> {
        let place = order.place();
        let said = match &result {
            Ok(delivered) => Ok(delivered.said.clone()),
            Err(undelivered) => Err(undelivered.reason.clone()),
        };
        let mut inner = self.lock();
        inner.under_way = None;
        let withdraws = matches!(order, Order::Withdraw(_));
        match result {
            Ok(_) if withdraws => {
                inner.standing.remove(&place);
                inner.went_well();
            }
            Ok(delivered) => {
                inner.standing.insert(place, delivered.handle);
                inner.went_well();
            }
            Err(Undelivered {
                again: Again::Never,
                ..
            }) => {
                if withdraws {
                    inner.standing.remove(&place);
                }
                inner.went_well();
            }
            Err(Undelivered { again, .. }) => inner.try_again(order, again),
        }
        said
    }
}

impl Inner {
    fn push(&mut self, order: Order, name: &str) {
        let place = order.place();
        let before = self.waiting.iter().position(|waits| waits.place() == place);
        match order {
            Order::Withdraw(_) => {
                if let Some(index) = before {
                    self.waiting.remove(index);
                }
                let shown = self.standing.contains_key(&place);
                if shown || self.under_way.as_ref() == Some(&place) {
                    self.waiting.push_back(order);
                }
            }
            Order::Show { notice, on, silent } => match before {
                Some(index) => {
                    // A person who was not told yet is to notice.
                    let waits = &self.waiting[index];
                    let silent = silent && !matches!(waits, Order::Show { silent: false, .. });
                    self.waiting[index] = Order::Show { notice, on, silent };
                }
                None => self.waiting.push_back(Order::Show { notice, on, silent }),
            },
        }
        while self.waiting.len() > WAITING {
            let oldest = self.waiting.iter();
            let show = oldest.map(|waits| matches!(waits, Order::Show { .. }));
            let index = show
                .enumerate()
                .find_map(|(index, show)| show.then_some(index));
            tracing::warn!("{name}: too many notifications wait, the oldest is dropped");
            self.waiting.remove(index.unwrap_or(0));
        }
    }

    fn note(&mut self, result: Result<String, String>) {
        self.last = Some(Last {
            result,
            at: Timestamp::now(),
        });
    }

    fn went_well(&mut self) {
        self.failures = 0;
        self.not_before = None;
    }

    fn try_again(&mut self, order: Order, again: Again) {
        self.failures = self.failures.saturating_add(1);
        let doubled = FIRST_RETRY * 2u32.saturating_pow(self.failures.min(16) - 1);
        let pause = match again {
            Again::After(pause) => pause,
            _ => doubled,
        };
        self.not_before = Some(Instant::now() + pause.min(LAST_RETRY));
        let place = order.place();
        let newer = self.waiting.iter_mut().find(|waits| waits.place() == place);
        match (newer, &order) {
            (None, _) => self.waiting.push_front(order),
            (Some(Order::Show { silent, .. }), Order::Show { silent: before, .. }) => {
                *silent &= before;
            }
            (Some(_), _) => {}
        }
    }
}

#[cfg(test)]
#[path = "outbox_tests.rs"]
mod tests;
