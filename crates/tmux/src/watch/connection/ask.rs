//! Asking for listings: through the client that subscribed, or by a process where there is none.

use super::{Answer, Asked, Connection, NAMED_PANES, Outcome, SESSION_PAUSE, SETTLE};
use crate::client::ClientId;
use crate::id::PaneId;
use crate::listing::{self, Listing};
use crate::quote::word;
use crate::server::ANSWER_LIMIT;
use std::collections::VecDeque;
use tokio::time::Instant;

impl Connection<'_> {
    /// When to begin the next listing; none while one is under way.
    pub(super) fn next_listing(&self) -> Option<Instant> {
        if !self.listing.is_empty() || self.asked.is_some() {
            return None;
        }
        self.all_due.into_iter().chain(self.printed_due).min()
    }

    /// Something changed: everything is listed soon.
    pub(super) fn list_all(&mut self) {
        self.list_all_at(Instant::now() + SETTLE);
    }

    pub(super) fn list_all_at(&mut self, at: Instant) {
        self.all_due = Some(self.all_due.map_or(at, |due| due.min(at)));
    }

    pub(super) async fn list(&mut self) -> Outcome {
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
    pub(super) async fn answered(&mut self, client: ClientId, answer: Option<Vec<u8>>) -> Outcome {
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
}
