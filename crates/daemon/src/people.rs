//! Who is attached and present, as the holders tell: where a person can be told something.

use crate::registry::Ask;
use crate::service::Service;
use holder::protocol::{Op, Outcome, Person, WindowNotice};
use status::notifier::{self, Surface};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

/// A holder answers in microseconds; a stopped one is not waited for.
const ANSWER: Duration = Duration::from_secs(5);

/// The people of all terminals.
#[derive(Debug, Default)]
pub(crate) struct Everybody {
    attached: Mutex<BTreeMap<String, Vec<Attached>>>,
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct Attached {
    client: u64,
    present: bool,
    active: Instant,
}

impl Everybody {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Attached>>> {
        // A list is replaced whole: a panic elsewhere leaves none half changed.
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A holder told who is attached to its terminal.
    pub(crate) fn told(&self, terminal: &str, people: &[Person]) {
        let now = Instant::now();
        let attached = people.iter().map(|person| Attached {
            client: person.client,
            present: person.present,
            active: now
                .checked_sub(Duration::from_millis(person.idle_ms))
                .unwrap_or(now),
        });
        match people {
            [] => drop(self.lock().remove(terminal)),
            _ => drop(self.lock().insert(terminal.to_owned(), attached.collect())),
        }
        self.changed.send_replace(());
    }

    /// Who is present, with times since `epoch`.
    pub(crate) fn present(&self, epoch: Instant) -> notifier::People {
        let attached = self.lock();
        let people = attached.iter().flat_map(|(terminal, people)| {
            let present = people.iter().filter(|person| person.present);
            present.map(|person| notifier::Person {
                at: Surface::Window {
                    terminal: terminal.clone(),
                    client: person.client,
                },
                sees: Some(terminal.clone()),
                active: person.active.saturating_duration_since(epoch),
            })
        });
        notifier::People(people.collect())
    }

    /// Notes each change of [`Everybody::present`].
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}

impl Service {
    /// Shows a notification in the window of somebody attached, or withdraws it there. The error says
    /// why it is not shown.
    pub(crate) async fn tell_window(
        &self,
        terminal: &str,
        client: u64,
        notice: WindowNotice,
    ) -> Result<(), String> {
        let link = self.registry.get(terminal).and_then(|entry| entry.link);
        let Some(link) = link else {
            return Err(format!("terminal {terminal} is gone"));
        };
        let (reply, answer) = oneshot::channel();
        let op = Op::Notify { client, notice };
        let asked = tokio::time::timeout(ANSWER, async {
            link.asks.send(Ask { op, reply }).await.ok()?;
            answer.await.ok()
        });
        match asked.await {
            Ok(Some(Outcome::Error { message, .. })) => Err(message),
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(format!("the holder of {terminal} went away")),
            Err(_) => Err(format!("the holder of {terminal} does not answer")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(client: u64, present: bool, idle_ms: u64) -> Person {
        Person {
            client,
            present,
            idle_ms,
        }
    }

    #[test]
    fn those_present_are_known_with_their_terminal_and_when_they_were_active() {
        let ago = Duration::from_secs(100);
        let epoch = Instant::now().checked_sub(ago).unwrap();
        let everybody = Everybody::default();
        let mut changes = everybody.changes();
        everybody.told("aaaaaaaa", &[person(1, true, 4000), person(2, false, 0)]);
        assert!(changes.has_changed().unwrap());
        changes.mark_unchanged();
        let present = everybody.present(epoch).0;
        assert_eq!(present.len(), 1);
        assert_eq!(present[0].sees.as_deref(), Some("aaaaaaaa"));
        assert!((96..126).contains(&present[0].active.as_secs()));
        everybody.told("aaaaaaaa", &[]);
        assert!(changes.has_changed().unwrap());
        assert!(everybody.present(epoch).0.is_empty());
    }

    #[test]
    fn an_absurd_idle_time_is_no_panic() {
        let everybody = Everybody::default();
        everybody.told("aaaaaaaa", &[person(1, true, u64::MAX)]);
        assert_eq!(everybody.present(Instant::now()).0.len(), 1);
    }
}
