//! What panes print: of which client it counts, what is kept of panes that are not listed yet, what is lost.

use super::{AFTER_OUTPUT, Answer, Connection, EARLY_LIMIT, Outcome, WHILE_PRINTING};
use crate::client::ClientId;
use crate::id::{PaneId, SessionId};
use crate::listing::Listing;
use crate::quote::word;
use crate::watch::Event;
use tokio::time::Instant;

impl Connection<'_> {
    pub(super) async fn output(
        &mut self,
        client: ClientId,
        pane: PaneId,
        bytes: Vec<u8>,
    ) -> Outcome {
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
    pub(super) async fn lose(&mut self, client: ClientId, pane: PaneId) -> Outcome {
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
    pub(super) fn early(&mut self, client: ClientId, pane: PaneId, bytes: Vec<u8>) {
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

    /// A client was attached: panes of its session that are known, and that no other client follows,
    /// printed unseen until now.
    pub(super) fn begin_streams(
        &mut self,
        listing: &Listing,
        session: SessionId,
        client: ClientId,
    ) {
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

    /// Lets a pane go on that was paused.
    pub(super) async fn go_on_with(&mut self, pane: PaneId) -> Outcome {
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
}
