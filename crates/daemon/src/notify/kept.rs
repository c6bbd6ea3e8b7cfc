//! What a channel keeps for the next daemon, as JSON: what waits, what stands.

use super::channel::{Handle, Place};
use super::outbox::Order;
use serde::{Deserialize, Serialize};
use status::AttentionKind;
use status::notifier::{Notice, Subject, Surface, Urgency};
use std::collections::{BTreeMap, VecDeque};

/// As it is written. What cannot be read is as if there had been nothing.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Kept {
    waiting: Vec<Waits>,
    standing: Vec<Stands>,
}

#[derive(Debug, Serialize, Deserialize)]
struct At {
    /// `None`: several.
    terminal: Option<String>,
    on: Surface,
}

#[derive(Debug, Serialize, Deserialize)]
struct Waits {
    at: At,
    /// `None`: it is withdrawn.
    show: Option<Show>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Show {
    seq: u64,
    kind: AttentionKind,
    urgency: String,
    title: String,
    body: Option<String>,
    silent: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stands {
    at: At,
    handle: Option<Handle>,
}

impl Kept {
    pub(crate) fn read(text: Option<&str>) -> Self {
        let Some(text) = text else {
            return Self::default();
        };
        serde_json::from_str(text).unwrap_or_else(|error| {
            tracing::warn!("what a daemon before kept of its notifications is lost: {error}");
            Self::default()
        })
    }

    pub(crate) fn text(
        waiting: &VecDeque<Order>,
        standing: &BTreeMap<Place, Option<Handle>>,
    ) -> String {
        let waits = |order: &Order| Waits {
            at: at(&order.place()),
            show: match order {
                Order::Withdraw(_) => None,
                Order::Show { notice, silent, .. } => Some(Show {
                    seq: notice.seq,
                    kind: notice.kind,
                    urgency: urgency_word(notice.urgency).to_owned(),
                    title: notice.title.clone(),
                    body: notice.body.clone(),
                    silent: *silent,
                }),
            },
        };
        let stands = |(place, handle): (&Place, &Option<Handle>)| Stands {
            at: at(place),
            handle: handle.clone(),
        };
        let kept = Self {
            waiting: waiting.iter().map(waits).collect(),
            standing: standing.iter().map(stands).collect(),
        };
        // Plain data: it always has a JSON form.
        serde_json::to_string(&kept).unwrap_or_default()
    }

    pub(crate) fn orders(&self) -> Vec<Order> {
        let order = |waits: &Waits| {
            let (subject, on) = place(&waits.at);
            let Some(show) = &waits.show else {
                return Order::Withdraw((subject, on));
            };
            Order::Show {
                notice: Notice {
                    subject,
                    seq: show.seq,
                    kind: show.kind,
                    urgency: urgency_of(&show.urgency),
                    title: show.title.clone(),
                    body: show.body.clone(),
                },
                on,
                silent: show.silent,
            }
        };
        self.waiting.iter().map(order).collect()
    }

    pub(crate) fn standing(&self) -> BTreeMap<Place, Option<Handle>> {
        let stands = |stands: &Stands| (place(&stands.at), stands.handle.clone());
        self.standing.iter().map(stands).collect()
    }
}

fn at((subject, on): &Place) -> At {
    At {
        terminal: match subject {
            Subject::Terminal(id) => Some(id.clone()),
            Subject::Fold => None,
        },
        on: on.clone(),
    }
}

fn place(at: &At) -> Place {
    let subject = match &at.terminal {
        Some(id) => Subject::Terminal(id.clone()),
        None => Subject::Fold,
    };
    (subject, at.on.clone())
}

/// The word for how much something presses, also for commands and listings.
pub(crate) fn urgency_word(urgency: Urgency) -> &'static str {
    match urgency {
        Urgency::High => "high",
        Urgency::Normal => "normal",
        Urgency::Low => "low",
    }
}

fn urgency_of(word: &str) -> Urgency {
    match word {
        "high" => Urgency::High,
        "low" => Urgency::Low,
        _ => Urgency::Normal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let notice = Notice {
            subject: Subject::Terminal("k3vq7a2m".to_owned()),
            seq: 7,
            kind: AttentionKind::Waiting,
            urgency: Urgency::High,
            title: "pi: waiting for approval".to_owned(),
            body: Some("Apply?".to_owned()),
        };
        let waiting = VecDeque::from([
            Order::Show {
                notice,
                on: Surface::Phone,
                silent: true,
            },
            Order::Withdraw((Subject::Fold, Surface::Desktop)),
        ]);
        let window = Surface::Window {
            terminal: "aaaaaaaa".to_owned(),
            client: 3,
        };
        let standing = BTreeMap::from([
            ((Subject::Fold, Surface::Desktop), Some("9".to_owned())),
            ((Subject::Fold, window), None),
        ]);
        let kept = Kept::read(Some(&Kept::text(&waiting, &standing)));
        assert_eq!(VecDeque::from(kept.orders()), waiting);
        assert_eq!(kept.standing(), standing);
    }

    #[test]
    fn nonsense_is_as_nothing() {
        assert!(Kept::read(Some("{\"waiting\": 3}")).orders().is_empty());
        assert!(Kept::read(None).standing().is_empty());
    }
}
