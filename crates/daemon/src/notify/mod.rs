//! Notifications: one task that owns the decision, and one outbox for each channel.
//!
//! The task hears every event after it is stored, every change of the settings and of who is present,
//! and sleeps until the decision ([`status::notifier::Notifier`]) has something to say of its own accord.
//! What it says goes to the outboxes, which carry it out each at its own pace. The task waits for nothing
//! but the journal, and nothing waits for it.
//!
//! What was decided and what the outboxes have to do is stored in one step before anything is carried
//! out, so that the daemon after a killed one tells nothing twice and leaves nothing standing.

mod channel;
mod channels;
mod command;
mod desktop;
mod kept;
mod ntfy;
mod open;
mod outbox;
mod window;

pub(crate) use channels::Channels;
pub(crate) use outbox::Report;

use crate::journal::Announced;
use crate::service::Service;
use outbox::Order;
use status::notifier::{Decision, Notifier, Saved};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// The name under which the decision is kept.
const KEPT_AS: &str = "notifications";

/// Events taken in one step: one store for all of them.
const BATCH: usize = 64;

/// Starts the channels and the task; to be called once everything that is known is in the registry.
/// The channels end with the process.
pub(crate) async fn start(service: &Arc<Service>) -> tokio::task::JoinHandle<()> {
    let channels = Channels::restore(service).await;
    let channels = service.channels.get_or_init(|| channels);
    channels.set_up(service, &service.config().notify);
    let saved = service.journal.kept(KEPT_AS).await;
    let saved = saved
        .and_then(|text| serde_json::from_str::<Saved>(&text).ok())
        .unwrap_or_default();
    let teller = Teller {
        service: Arc::clone(service),
        notifier: Notifier::restore(saved.clone()),
        saved,
    };
    let events = service.announced();
    tokio::spawn(teller.run(events))
}

struct Teller {
    service: Arc<Service>,
    notifier: Notifier,
    /// As it is stored.
    saved: Saved,
}

impl Teller {
    async fn run(mut self, mut events: mpsc::UnboundedReceiver<Announced>) {
        let mut settings = self.service.config_changes();
        settings.mark_unchanged();
        let mut people = self.service.everybody.changes();
        // What came while the daemon looked around, in order, then what is true now.
        let mut batch = Vec::new();
        while let Ok(event) = events.try_recv() {
            batch.push(event);
        }
        let chosen = self.service.config().notify.settings;
        let mut decisions = self.notifier.settings(chosen, [], self.now());
        decisions.extend(self.look_around());
        decisions.extend(self.hear(batch));
        decisions.extend(self.take_stock());
        self.carry_out(decisions).await;
        loop {
            let due = self.notifier.deadline().map(|due| self.service.epoch + due);
            let wait = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            let mut batch = Vec::new();
            let decisions = tokio::select! {
                count = events.recv_many(&mut batch, BATCH) => match count {
                    0 => return,
                    _ => self.hear(batch),
                },
                changed = settings.changed() => match changed {
                    Err(_) => return,
                    Ok(()) => self.reconfigure(),
                },
                changed = people.changed() => match changed {
                    Err(_) => return,
                    Ok(()) => self.look_around(),
                },
                () = wait => self.notifier.tick(self.now()),
            };
            self.carry_out(decisions).await;
        }
    }

    fn now(&self) -> Duration {
        self.service.epoch.elapsed()
    }

    /// Who is present, and what they have on screen.
    fn look_around(&mut self) -> Vec<Decision> {
        let people = self.service.everybody.present(self.service.epoch);
        self.notifier.people(people, self.now())
    }

    fn hear(&mut self, events: Vec<Announced>) -> Vec<Decision> {
        let now = self.now();
        let mut decisions = Vec::new();
        for event in events {
            decisions.extend(match &event.status {
                Some(status) => self.notifier.changed(event.event, status, now),
                None => self.notifier.removed(&event.terminal, now),
            });
        }
        decisions
    }

    /// All that is known now, with the settings in force.
    fn take_stock(&mut self) -> Vec<Decision> {
        let now = self.now();
        let statuses = self.service.registry.list();
        let settings = self.service.config().notify.settings;
        let all = statuses.iter().map(AsRef::as_ref);
        let mut decisions = self.notifier.settings(settings, all, now);
        let known: HashSet<&str> = statuses.iter().map(|status| status.id.as_str()).collect();
        for id in self.notifier.terminals() {
            if !known.contains(id.as_str()) {
                decisions.extend(self.notifier.removed(&id, now));
            }
        }
        decisions
    }

    fn reconfigure(&mut self) -> Vec<Decision> {
        let decisions = self.take_stock();
        if let Some(channels) = self.service.channels.get() {
            channels.set_up(&self.service, &self.service.config().notify);
        }
        decisions
    }

    async fn carry_out(&mut self, decisions: Vec<Decision>) {
        let saved = self.notifier.saved();
        if decisions.is_empty() && saved == self.saved {
            return;
        }
        let Some(channels) = self.service.channels.get() else {
            return;
        };
        for order in decisions.into_iter().flat_map(orders) {
            tracing::debug!(?order, "notification");
            channels.push(order);
        }
        // Plain data: it always has a JSON form.
        let text = serde_json::to_string(&saved).unwrap_or_default();
        let mut texts = channels.kept();
        texts.push((KEPT_AS, text));
        self.saved = saved;
        self.service.journal.keep(texts).await;
        channels.go();
    }
}

/// What a decision asks of the channels.
fn orders(decision: Decision) -> Vec<Order> {
    match decision {
        Decision::Raise { notice, on } => shows(&notice, on, false),
        Decision::Replace { notice, on } => shows(&notice, on, true),
        Decision::Withdraw { subject, on } => on
            .into_iter()
            .map(|on| Order::Withdraw((subject.clone(), on)))
            .collect(),
    }
}

fn shows(
    notice: &status::notifier::Notice,
    on: Vec<status::notifier::Surface>,
    silent: bool,
) -> Vec<Order> {
    let show = |on| Order::Show {
        notice: notice.clone(),
        on,
        silent,
    };
    on.into_iter().map(show).collect()
}
