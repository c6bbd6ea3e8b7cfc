//! What is known of each terminal now, and the way to its holder.
//!
//! Statuses change here only after their event is stored (journal.rs), or when a holder says
//! at a (re)connection what is true; so a listing is never behind what was announced.

use crate::journal::{Announced, Known, NewEvent, Position};
use holder::protocol::{Op, Outcome};
use rustix::process::Pid;
use status::{LifecycleState, Status};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// An order for a holder, over the connection that mirrors it: its events up to the reply are
/// received before the reply.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) op: Op,
    pub(crate) reply: oneshot::Sender<Outcome>,
}

/// A living connection to a holder.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) socket: PathBuf,
    /// The holder's process.
    pub(crate) process: Option<Pid>,
    pub(crate) asks: mpsc::Sender<Ask>,
}

/// One terminal.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) status: Arc<Status>,
    /// The holder's event that `status` is after.
    position: Position,
    /// The holder's last event that is stored.
    mirrored: Position,
    pub(crate) link: Option<Link>,
}

impl Entry {
    /// The holder's last event that is stored: where mirroring goes on.
    pub(crate) fn mirrored(&self) -> Position {
        self.mirrored
    }
}

/// All terminals.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    entries: Mutex<BTreeMap<String, Entry>>,
}

/// Why a word does not lead to one terminal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// None has it.
    None,
    /// These have it.
    Many(Vec<String>),
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        // Entries are replaced whole: a panic elsewhere leaves none half changed.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An event was stored.
    pub(crate) fn apply(&self, event: NewEvent) -> Announced {
        let status = event.status.map(Arc::new);
        let announced = Announced {
            terminal: event.terminal.clone(),
            event: event.event,
            status: status.clone(),
        };
        let mut entries = self.lock();
        let Some(status) = status else {
            entries.remove(&event.terminal);
            return announced;
        };
        match entries.get_mut(&event.terminal) {
            Some(entry) => {
                if let Some(origin) = event.origin {
                    entry.mirrored = origin;
                    let shown = entry.position;
                    if (origin.incarnation, origin.seq) < (shown.incarnation, shown.seq) {
                        // A replay of what happened before the holder said what is true.
                        return announced;
                    }
                    entry.position = origin;
                }
                entry.status = status;
            }
            None => {
                let position = event.origin.unwrap_or(NOWHERE);
                entries.insert(
                    event.terminal,
                    Entry {
                        status,
                        position,
                        mirrored: position,
                        link: None,
                    },
                );
            }
        }
        announced
    }

    /// A holder was reached and said what is true.
    pub(crate) fn connected(&self, id: &str, status: Status, position: Position, link: Link) {
        let mut entries = self.lock();
        let mirrored = entries.get(id).map_or(NOWHERE, |entry| entry.mirrored);
        entries.insert(
            id.to_owned(),
            Entry {
                status: Arc::new(status),
                position,
                mirrored,
                link: Some(link),
            },
        );
    }

    /// The connection to a holder ended.
    pub(crate) fn disconnected(&self, id: &str) {
        if let Some(entry) = self.lock().get_mut(id) {
            entry.link = None;
        }
    }

    /// What the daemons before knew of a terminal without a holder.
    pub(crate) fn remember(&self, id: &str, known: Known) {
        self.lock().entry(id.to_owned()).or_insert(Entry {
            status: Arc::new(known.status),
            position: known.position,
            mirrored: known.position,
            link: None,
        });
    }

    pub(crate) fn get(&self, id: &str) -> Option<Entry> {
        self.lock().get(id).cloned()
    }

    /// Most urgent first, then by name.
    pub(crate) fn list(&self) -> Vec<Arc<Status>> {
        let mut list: Vec<_> = self
            .lock()
            .values()
            .map(|entry| Arc::clone(&entry.status))
            .collect();
        list.sort_by(|a, b| (a.state, &a.name, &a.id).cmp(&(b.state, &b.name, &b.id)));
        list
    }

    /// By id, name, and where allowed prefix, in this order. Of terminals with one name (after a
    /// reboot a lost one may share it) a living one is meant.
    pub(crate) fn resolve(&self, word: &str, prefix: bool) -> Result<Entry, Unresolved> {
        let entries = self.lock();
        if let Some(entry) = entries.get(word) {
            return Ok(entry.clone());
        }
        let by = |matches: &dyn Fn(&Status) -> bool| {
            let found: Vec<&Entry> = entries
                .values()
                .filter(|entry| matches(&entry.status))
                .collect();
            one_of(&found)
        };
        match by(&|status| status.name == word) {
            Err(Unresolved::None) if prefix && !word.is_empty() => {
                // Of a name only: an id is random, and would answer to any letter. A terminal
                // without a name is called by its id.
                by(&|status| status.name.starts_with(word))
            }
            other => other,
        }
    }
}

/// The position of a terminal whose holder never spoke to a daemon.
pub(crate) const NOWHERE: Position = Position {
    incarnation: 0,
    seq: 0,
};

fn one_of(found: &[&Entry]) -> Result<Entry, Unresolved> {
    match found {
        [] => Err(Unresolved::None),
        [entry] => Ok((*entry).clone()),
        several => {
            let same_name = several
                .iter()
                .all(|entry| entry.status.name == several[0].status.name);
            let mut living = several.iter().filter(|entry| {
                let state = entry.status.lifecycle.state;
                matches!(state, LifecycleState::Starting | LifecycleState::Running)
            });
            match (living.next(), living.next()) {
                (Some(entry), None) if same_name => Ok((*entry).clone()),
                _ => Err(Unresolved::Many(
                    several
                        .iter()
                        .map(|entry| {
                            let status = &entry.status;
                            if same_name {
                                status.id.clone()
                            } else {
                                status.name.clone()
                            }
                        })
                        .collect(),
                )),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use status::{EventKind, Facts, Now, Size, Terminal};

    fn status(id: &str, name: &str) -> Status {
        let now = Now {
            mono: std::time::Duration::ZERO,
            wall: "2026-11-30T22:00:00Z".parse().unwrap(),
        };
        let facts = Facts {
            id: id.to_owned(),
            name: name.to_owned(),
            created_at: now.wall,
            initial_command: None,
            size: Size { cols: 80, rows: 24 },
            cwd: None,
            attention_after: 0,
            own_aid: None,
        };
        Terminal::new(facts, now).status()
    }

    fn event(status: Status, seq: u64) -> NewEvent {
        NewEvent {
            origin: Some(Position {
                incarnation: 1,
                seq,
            }),
            at: status.created_at,
            terminal: status.id.clone(),
            event: EventKind::Title,
            status: Some(status),
        }
    }

    fn registry(terminals: &[(&str, &str)]) -> Registry {
        let registry = Registry::default();
        for (id, name) in terminals {
            registry.apply(event(status(id, name), 1));
        }
        registry
    }

    fn found(registry: &Registry, word: &str, prefix: bool) -> Result<String, Unresolved> {
        let entry = registry.resolve(word, prefix)?;
        Ok(entry.status.id.clone())
    }

    #[test]
    fn an_id_goes_before_a_name_and_a_name_before_a_prefix() {
        let registry = registry(&[("aaaaaaaa", "build"), ("bbbbbbbb", "build-2")]);
        assert_eq!(found(&registry, "aaaaaaaa", false).unwrap(), "aaaaaaaa");
        assert_eq!(found(&registry, "build", true).unwrap(), "aaaaaaaa");
        assert_eq!(found(&registry, "build-", true).unwrap(), "bbbbbbbb");
        assert_eq!(found(&registry, "build-", false), Err(Unresolved::None));
        assert_eq!(found(&registry, "", true), Err(Unresolved::None));
        let both = vec!["build".to_owned(), "build-2".to_owned()];
        assert_eq!(found(&registry, "bui", true), Err(Unresolved::Many(both)));
    }

    #[test]
    fn a_prefix_is_one_of_a_name_not_of_an_id() {
        let registry = registry(&[("zfqannlv", "fishy"), ("qqqqqqqq", "qqqqqqqq")]);
        assert_eq!(found(&registry, "z", true), Err(Unresolved::None));
        assert_eq!(found(&registry, "fi", true).unwrap(), "zfqannlv");
        assert_eq!(found(&registry, "qq", true).unwrap(), "qqqqqqqq");
    }

    #[test]
    fn of_one_name_the_living_terminal_is_meant() {
        let registry = registry(&[("aaaaaaaa", "work"), ("bbbbbbbb", "work")]);
        registry.apply(event(
            status("aaaaaaaa", "work").into_lost(Timestamp::UNIX_EPOCH),
            2,
        ));
        assert_eq!(found(&registry, "work", false).unwrap(), "bbbbbbbb");
        registry.apply(event(
            status("bbbbbbbb", "work").into_lost(Timestamp::UNIX_EPOCH),
            2,
        ));
        let both = vec!["aaaaaaaa".to_owned(), "bbbbbbbb".to_owned()];
        assert_eq!(found(&registry, "work", false), Err(Unresolved::Many(both)));
    }

    #[test]
    fn a_replayed_event_does_not_take_a_status_back() {
        let registry = registry(&[("aaaaaaaa", "old")]);
        let (asks, _inbox) = mpsc::channel(1);
        let link = Link {
            process: None,
            socket: PathBuf::new(),
            asks,
        };
        let position = Position {
            incarnation: 1,
            seq: 9,
        };
        registry.connected("aaaaaaaa", status("aaaaaaaa", "new"), position, link);
        registry.apply(event(status("aaaaaaaa", "between"), 5));
        let entry = registry.get("aaaaaaaa").unwrap();
        assert_eq!(
            (entry.status.name.as_str(), entry.mirrored().seq),
            ("new", 5)
        );
        registry.apply(event(status("aaaaaaaa", "newest"), 10));
        assert_eq!(registry.get("aaaaaaaa").unwrap().status.name, "newest");
    }
}
