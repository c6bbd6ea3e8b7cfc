//! A listing came: who is followed by now, and what is another than before.

use super::{Connection, Outcome, SETTLE, WITHOUT_NOTICE};
use crate::id::{PaneId, SessionId};
use crate::listing::{Listing, Session};
use crate::watch::Event;
use std::collections::BTreeSet;
use tokio::time::Instant;

impl Connection<'_> {
    pub(super) async fn listed(&mut self, mut listing: Listing) -> Outcome {
        let options = self.options;
        let left_out = |session: &Session| options.leave_out.contains(&session.name);
        let left_out: BTreeSet<SessionId> = listing
            .sessions
            .iter()
            .filter(|session| left_out(session))
            .map(|session| session.id)
            .collect();
        listing
            .sessions
            .retain(|session| !left_out.contains(&session.id));
        for pane in listing.panes.values_mut() {
            pane.places
                .retain(|place| !left_out.contains(&place.session));
        }
        listing.panes.retain(|_, pane| !pane.places.is_empty());
        listing.clients.retain(|client| !client.watches);
        self.follow(&listing).await?;
        self.tell_panes(&listing).await?;
        let mut viewers: Vec<_> = listing
            .clients
            .into_iter()
            .map(|client| client.viewer)
            .collect();
        if listing.partial {
            // Only some panes are listed, but which a window shows changes with a notice only.
            for viewer in &mut viewers {
                let before = self.known.viewers.iter().find(|before| {
                    before.client == viewer.client && before.window == viewer.window
                });
                match before {
                    Some(before) => viewer.shows.clone_from(&before.shows),
                    None => self.list_all_at(Instant::now() + SETTLE),
                }
            }
        }
        if viewers != self.known.viewers {
            self.known.viewers.clone_from(&viewers);
            self.tell(Event::Viewers(viewers)).await?;
        }
        if self.clients.is_empty() {
            self.list_all_at(Instant::now() + WITHOUT_NOTICE);
        }
        Ok(())
    }

    pub(super) async fn tell_panes(&mut self, listing: &Listing) -> Outcome {
        if !listing.partial {
            let gone: Vec<PaneId> = self.known.panes.keys().copied().collect();
            for pane in gone
                .into_iter()
                .filter(|pane| !listing.panes.contains_key(pane))
            {
                self.known.panes.remove(&pane);
                self.sources.remove(&pane);
                self.lost.remove(&pane);
                self.tell(Event::PaneRemoved(pane)).await?;
            }
        }
        for pane in listing.panes.values() {
            let mut pane = pane.clone();
            pane.watched = pane
                .places
                .iter()
                .any(|place| self.clients.contains_key(&place.session));
            let id = pane.id;
            if self.lost.remove(&id) {
                self.tell(Event::Gap(id)).await?;
            }
            match self.known.panes.get(&id) {
                Some(before) if *before == pane => {}
                Some(_) => {
                    self.known.panes.insert(id, pane.clone());
                    self.tell(Event::PaneChanged(pane)).await?;
                }
                None => {
                    self.known.panes.insert(id, pane.clone());
                    self.tell(Event::PaneAdded(pane)).await?;
                }
            }
            if !listing.partial {
                self.go_on_with(id).await?;
            }
            if let Some(early) = self.early.remove(&id)
                && let Some(source) = early.source
            {
                self.output(source, id, early.bytes).await?;
            }
        }
        if !listing.partial {
            // Gone again, or in a session that is left out.
            self.early.retain(|_, early| !early.asked);
        }
        Ok(())
    }
}
