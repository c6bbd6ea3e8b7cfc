//! What the daemon is while it runs: the parts, and how terminals are found.

use crate::config::Config;
use crate::journal::{Announced, Journal, NewEvent};
use crate::metrics::Metrics;
use crate::mirror::{self, Found, Loss, Stamp, without_holder};
use crate::notify::Channels;
use crate::people::Everybody;
use crate::registry::Registry;
use holder::paths::Paths;
use jiff::Timestamp;
use status::{EventKind, Status};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, watch};

/// A listing waits at most that long for holders that were just found.
const FOUND_WAIT: Duration = Duration::from_secs(2);

/// How often a listing looks again where a terminal is started again at the same moment.
const LOOKS: usize = 3;

/// The parts.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) paths: Paths,
    pub(crate) registry: Arc<Registry>,
    pub(crate) journal: Journal,
    /// Who is attached to the terminals.
    pub(crate) everybody: Everybody,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) started_at: Timestamp,
    /// When that was, for monotonic times.
    pub(crate) epoch: tokio::time::Instant,
    /// Something may have become old enough to be forgotten.
    pub(crate) retention: Notify,
    /// A mirror ended: another holder may be at its place already.
    pub(crate) mirror_gone: Notify,
    /// Something was removed from the runtime directory: the socket, perhaps.
    pub(crate) runtime_changed: Notify,
    /// The channels of notifications, once they are started.
    pub(crate) channels: OnceLock<Channels>,
    config: Mutex<(Config, Option<String>)>,
    config_changed: watch::Sender<()>,
    /// Held while the file is changed.
    pub(crate) config_edits: tokio::sync::Mutex<()>,
    announced: Mutex<Option<mpsc::UnboundedReceiver<Announced>>>,
    mirrors: Mutex<Mirrors>,
}

#[derive(Debug, Default)]
struct Mirrors {
    living: HashMap<String, watch::Receiver<Found>>,
    /// Sockets that nobody listens on, so that they are not tried again and again.
    dead: HashMap<String, Option<Stamp>>,
}

impl Service {
    pub(crate) fn start(paths: Paths) -> Arc<Self> {
        let registry = Arc::new(Registry::default());
        let metrics = Arc::new(Metrics::default());
        let database = paths.state.join("wigwag.db");
        let (told, announced) = mpsc::unbounded_channel();
        let (shared, counted) = (Arc::clone(&registry), Arc::clone(&metrics));
        let journal = Journal::start(database, shared, counted, told);
        let service = Arc::new(Self {
            paths,
            registry,
            journal,
            everybody: Everybody::default(),
            metrics,
            started_at: Timestamp::now(),
            epoch: tokio::time::Instant::now(),
            retention: Notify::new(),
            mirror_gone: Notify::new(),
            runtime_changed: Notify::new(),
            channels: OnceLock::new(),
            config: Mutex::default(),
            config_changed: watch::Sender::default(),
            config_edits: tokio::sync::Mutex::default(),
            announced: Mutex::new(Some(announced)),
            mirrors: Mutex::default(),
        });
        service.reload_config();
        service
    }

    /// Learns what the daemons before knew, what the state files say, and finds the living holders.
    pub(crate) async fn recover(self: &Arc<Self>) {
        let known = self.journal.known().await;
        for (id, known) in &known {
            self.registry.remember(id, known.clone());
        }
        self.scan_holders().await;
        let mut rest: Vec<String> = known.into_keys().collect();
        match self.paths.state_ids() {
            Ok(ids) => rest.extend(ids),
            Err(error) => tracing::warn!("cannot list the state files: {error}"),
        }
        rest.sort();
        rest.dedup();
        self.journal.flush().await;
        for id in rest {
            if self.has_mirror(&id) {
                continue;
            }
            let known = self.registry.get(&id);
            if known.is_some() && !self.paths.state_file(&id).exists() {
                self.own_event(&id, EventKind::Removed, None).await;
                continue;
            }
            let file = self.paths.read_state(&id);
            if let Err(error) = &file {
                tracing::warn!("a state file cannot be read: {error}");
            }
            let known = known.map(|entry| Status::clone(&entry.status));
            let file = file.ok().map(|file| file.status);
            let loss = Loss::found(&self.paths.state_file(&id));
            if let Some((status, true)) = without_holder(known, file, loss) {
                self.own_event(&id, EventKind::Lifecycle, Some(status))
                    .await;
            }
        }
        self.journal.flush().await;
    }

    /// Finds terminals: every holder that lives when this begins is in the registry when it returns (those
    /// that do not answer excepted), and what a state file alone tells of.
    pub(crate) async fn scan(self: &Arc<Self>) {
        self.scan_holders().await;
        self.look_at_state_files().await;
    }

    /// A restart that was ended half-way leaves a state file, whose terminal was told as removed.
    async fn look_at_state_files(&self) {
        let mut found = false;
        // One that cannot be read was told at the start.
        for id in self.paths.state_ids().unwrap_or_default() {
            // The directory is there before the file of a new terminal, and goes after that of an old one.
            let known =
                || self.registry.get(&id).is_some() || self.paths.terminal_directory(&id).exists();
            if known() {
                continue;
            }
            // The mirror of its old holder told of the removal, and is about to end.
            if !self.mirror_ends(&id).await || known() {
                continue;
            }
            let file = self.paths.read_state(&id).ok().map(|file| file.status);
            let loss = Loss::found(&self.paths.state_file(&id));
            if let Some((status, true)) = without_holder(None, file, loss) {
                self.own_event(&id, EventKind::Lifecycle, Some(status))
                    .await;
                found = true;
            }
        }
        if found {
            self.journal.flush().await;
        }
    }

    async fn scan_holders(self: &Arc<Self>) {
        // A mirror that ended meanwhile (its terminal was started again) is replaced by the next look.
        for _ in 0..LOOKS {
            if !self.look().await {
                return;
            }
        }
    }

    /// `true`: a mirror that was waited for ended, and another may be needed.
    async fn look(self: &Arc<Self>) -> bool {
        let found = match self.paths.scan() {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!("cannot look for terminals: {error}");
                return false;
            }
        };
        let mut awaited = Vec::new();
        for terminal in found {
            let stamp = Stamp::of(&terminal.socket);
            let mut mirrors = self.mirrors.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(mirror) = mirrors.living.get(&terminal.id) {
                let current = *mirror.borrow();
                if stamp.is_some()
                    && current != Found::Living(stamp)
                    && current != Found::Dead(stamp)
                {
                    awaited.push((mirror.clone(), stamp));
                }
                continue;
            }
            if mirrors.dead.get(&terminal.id) == Some(&stamp) {
                continue;
            }
            let (announce, mirror) = watch::channel(Found::Nothing);
            if stamp.is_some() {
                awaited.push((mirror.clone(), stamp));
            }
            mirrors.living.insert(terminal.id.clone(), mirror);
            drop(mirrors);
            tokio::spawn(mirror::run(Arc::clone(self), terminal.id, announce));
        }
        let all = async {
            let mut ended = false;
            for (mut mirror, stamp) in awaited {
                let settled = mirror.wait_for(|found| {
                    *found == Found::Living(stamp) || matches!(found, Found::Dead(_))
                });
                // An error: the mirror ended.
                ended |= settled.await.is_err();
            }
            ended
        };
        tokio::time::timeout(FOUND_WAIT, all)
            .await
            .unwrap_or_else(|_| {
                tracing::warn!("some holders do not answer");
                false
            })
    }

    pub(crate) fn mirror_ended(&self, id: &str, found: Found) {
        let mut mirrors = self.mirrors.lock().unwrap_or_else(PoisonError::into_inner);
        mirrors.living.remove(id);
        match found {
            Found::Dead(stamp) => mirrors.dead.insert(id.to_owned(), stamp),
            _ => mirrors.dead.remove(id),
        };
        drop(mirrors);
        self.retention.notify_one();
        self.mirror_gone.notify_one();
    }

    /// Looks again whenever a mirror ended.
    pub(crate) async fn look_after_mirrors(self: Arc<Self>) {
        loop {
            self.mirror_gone.notified().await;
            self.scan().await;
        }
    }

    /// Waits until a terminal has no mirror, for a while.
    async fn mirror_ends(&self, id: &str) -> bool {
        let mirror = {
            let mirrors = self.mirrors.lock().unwrap_or_else(PoisonError::into_inner);
            mirrors.living.get(id).cloned()
        };
        let Some(mut mirror) = mirror else {
            return true;
        };
        let ends = async { while mirror.changed().await.is_ok() {} };
        tokio::time::timeout(FOUND_WAIT, ends).await.is_ok() && !self.has_mirror(id)
    }

    fn has_mirror(&self, id: &str) -> bool {
        let mirrors = self.mirrors.lock().unwrap_or_else(PoisonError::into_inner);
        mirrors.living.contains_key(id)
    }

    /// An event that the daemon decides, for terminals without a holder.
    pub(crate) async fn own_event(&self, id: &str, event: EventKind, status: Option<Status>) {
        self.journal
            .append(NewEvent {
                origin: None,
                at: mirror::now(),
                terminal: id.to_owned(),
                event,
                status,
            })
            .await;
    }

    /// The settings in force.
    pub(crate) fn config(&self) -> Config {
        let config = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        config.0.clone()
    }

    /// What is wrong with the file, while the settings before it hold.
    pub(crate) fn config_error(&self) -> Option<String> {
        let config = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        config.1.clone()
    }

    pub(crate) fn reload_config(&self) {
        let read = Config::load(&self.paths.config);
        let mut config = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        match read {
            Ok(read) => *config = (read, None),
            Err(error) => {
                tracing::warn!("the settings before hold: {error}");
                config.1 = Some(error.to_string());
            }
        }
        drop(config);
        self.config_changed.send_replace(());
    }

    /// Notes each time the configuration was read.
    pub(crate) fn config_changes(&self) -> watch::Receiver<()> {
        self.config_changed.subscribe()
    }

    /// Every event since the start, in order. To be taken once: who comes later hears nothing.
    pub(crate) fn announced(&self) -> mpsc::UnboundedReceiver<Announced> {
        let mut announced = self
            .announced
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        announced
            .take()
            .unwrap_or_else(|| mpsc::unbounded_channel().1)
    }
}
