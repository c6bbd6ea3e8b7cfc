//! Which sessions are followed: clients come, leave and are replaced.

use super::{Answer, CLIENT_LIMIT, Connection, Outcome, SESSION_PAUSE, SETTLE};
use crate::client::{Client, ClientId};
use crate::id::SessionId;
use crate::listing::{Listing, Session};
use crate::server::Error;
use crate::watch::subscription;
use std::collections::BTreeSet;
use tokio::time::Instant;

impl Connection<'_> {
    /// Leaves the sessions that are to be left, and attaches to those that are not followed.
    pub(super) async fn follow(&mut self, listing: &Listing) -> Outcome {
        let persons: BTreeSet<SessionId> = listing
            .clients
            .iter()
            .map(|client| client.viewer.session)
            .collect();
        let mut sessions: Vec<&Session> = listing
            .sessions
            .iter()
            .filter(|session| !session.ends_unattached || persons.contains(&session.id))
            .collect();
        sessions.sort_by_key(|session| (session.activity, session.id));
        let wanted: BTreeSet<SessionId> = sessions.iter().map(|session| session.id).collect();
        let leaving = |session: &&SessionId| !wanted.contains(*session);
        let leaving: Vec<SessionId> = self.clients.keys().filter(leaving).copied().collect();
        for session in leaving {
            if let Some(client) = self.clients.remove(&session) {
                self.forget(client.id);
            }
        }
        let now = Instant::now();
        self.refused
            .retain(|session, until| wanted.contains(session) && *until > now);
        for session in sessions {
            let id = session.id;
            if self.clients.contains_key(&id) || self.refused.contains_key(&id) {
                continue;
            }
            if self.clients.len() == CLIENT_LIMIT {
                tracing::warn!(
                    "more than {CLIENT_LIMIT} sessions: \"{}\" is not followed",
                    session.name
                );
                self.refused.insert(id, now + 60 * SESSION_PAUSE);
                continue;
            }
            self.clients_so_far += 1;
            let client_id = ClientId(self.clients_so_far);
            match Client::attach(self.server, id, client_id, self.say.clone()).await {
                Ok(client) => {
                    self.clients.insert(id, client);
                    self.begin_streams(listing, id, client_id);
                }
                Err(error @ (Error::Hangs(_) | Error::Program { .. })) => return Err(error.into()),
                Err(error) => {
                    // It ended meanwhile, or tmux refuses: the next listing tells.
                    tracing::debug!("session \"{}\" is not followed: {error}", session.name);
                    self.refused.insert(id, now + SESSION_PAUSE);
                    self.list_all_at(now + SETTLE);
                }
            }
        }
        if let Some(again) = self.refused.values().min().copied() {
            self.list_all_at(again);
        }
        self.subscribe().await
    }

    /// A client is no more: it answers nothing.
    pub(super) fn forget(&mut self, client: ClientId) {
        self.answers.remove(&client);
        if self
            .asked
            .as_ref()
            .is_some_and(|asked| asked.client == client)
        {
            self.asked = None;
            self.list_all();
        }
    }

    /// One client asks for what gives no notice.
    pub(super) async fn subscribe(&mut self) -> Outcome {
        let subscribed = |client: &Client| Some(client.id) == self.subscriber;
        if self.clients.values().any(subscribed) {
            return Ok(());
        }
        let Some(client) = self.clients.values_mut().next() else {
            return Ok(());
        };
        self.subscriber = Some(client.id);
        self.answers
            .entry(client.id)
            .or_default()
            .push_back(Answer::Nothing);
        client
            .command(self.server, &subscription::command())
            .await?;
        Ok(())
    }

    /// A control client without a terminal is called by its process.
    pub(super) fn is_ours(&self, name: &str) -> bool {
        let pid = name
            .strip_prefix("client-")
            .and_then(|pid| pid.parse().ok());
        let mut clients = self.clients.values();
        pid.is_some_and(|pid: u32| clients.any(|client| client.pid == pid))
    }
}
