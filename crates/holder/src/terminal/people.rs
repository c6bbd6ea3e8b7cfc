//! Who looks on (status.md, Presence): for the status, for whoever decides where a person is told
//! something, and the way to tell them.

use super::client::Attached;
use super::client_queue::Class;
use super::clock;
use super::holder::Holder;
use crate::protocol::{Moment, People, Person, WindowNotice, kind};
use status::Event;
use std::time::Duration;

/// That somebody is still active is told this often at most: it decides which of several windows
/// is the nearest, and every key press would be told otherwise.
const ACTIVE_AGAIN: Duration = Duration::from_secs(10);

/// A subscriber that is behind by that much is told when it has caught up.
const BEHIND: usize = 64 * 1024;

impl Holder {
    /// Tells the status how many people are attached, and whether one of them sees the terminal.
    pub(super) fn watch_presence(&mut self) {
        let now = clock::mono();
        let (mut count, mut seen, mut changed) = (0, false, false);
        for client in self.clients.iter_mut().filter(|client| !client.gone) {
            let Some(attached) = client.attached.as_mut().filter(|attached| attached.person) else {
                continue;
            };
            count += 1;
            let present = attached.is_present(now);
            seen |= present;
            changed |= attached.presence_is_news(present);
        }
        changed |= self.seen.0 != count;
        self.people_changes += u64::from(changed);
        if self.seen != (count, seen) {
            self.seen = (count, seen);
            self.apply(Event::Clients { count, seen });
        }
    }

    /// Brings a subscriber up to date.
    pub(super) fn tell_people(&mut self, id: u64) {
        let changes = self.people_changes;
        let due = self.clients.iter().any(|client| {
            client.id == id && client.people_told != changes && client.queue.bytes() < BEHIND
        });
        if !due {
            return;
        }
        let now = clock::mono();
        let person = |client: &super::client::Client| {
            let attached = client.attached.as_ref()?;
            (attached.person && !client.gone).then(|| Person {
                client: client.id,
                present: attached.is_present(now),
                idle_ms: now.saturating_sub(attached.active_at).as_millis() as u64,
            })
        };
        let people = People {
            people: self.clients.iter().filter_map(person).collect(),
        };
        if let Some(client) = self.client(id) {
            client.people_told = changes;
            client.send(kind::PEOPLE, &people, Class::Control);
        }
    }

    /// Tells an attached person something about another terminal.
    pub(super) fn notify(
        &mut self,
        client: u64,
        notice: WindowNotice,
    ) -> Result<(), (&'static str, String)> {
        let attached = self.client(client).filter(|client| {
            let person = client
                .attached
                .as_ref()
                .is_some_and(|attached| attached.person);
            person && !client.gone && client.closing.is_none()
        });
        let Some(client) = attached else {
            return Err(("refused", format!("client {client} is not attached here")));
        };
        client.send(kind::MOMENT, &Moment::Notify { notice }, Class::Control);
        client.flush();
        Ok(())
    }
}

impl Attached {
    /// Whether subscribers are to be told; from then on they are.
    fn presence_is_news(&mut self, present: bool) -> bool {
        let news = self.presence_told.is_none_or(|(told, active)| {
            told != present || present && self.active_at >= active + ACTIVE_AGAIN
        });
        if news {
            self.presence_told = Some((present, self.active_at));
        }
        news
    }
}
