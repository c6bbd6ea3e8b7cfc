//! Terminals that ended are kept 7 days and at most 100 (architecture.md, Names and ids). A lost one
//! counts from the last change of its state file.
//!
//! Age is read from the wall clock, which may jump: what is too old is forgotten only if it still is
//! after the daemon has run another hour. So a clock that is set forward and corrected within that time
//! costs nothing.

use crate::api;
use crate::service::Service;
use jiff::{SignedDuration, Timestamp};
use status::{LifecycleState, Status};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How many.
const KEPT: usize = 100;
/// A terminal has to be too old for that long, on the monotonic clock.
const CONFIRMED: Duration = Duration::from_secs(3600);
/// Timers are monotonic and do not count a suspend, so the clock is looked at this often at least
/// while something is to expire.
const LOOK: Duration = Duration::from_secs(6 * 3600);

/// Forgets what is due: at the start, whenever a terminal ends, and when the next is due.
pub(crate) async fn run(service: Arc<Service>) {
    let mut journal = service.journal.announcements();
    let mut old = HashMap::new();
    loop {
        let ended = ended(&service);
        let due = due(ended, Timestamp::now()).confirmed(&mut old, Instant::now());
        for id in &due.now {
            tracing::info!("terminal {id} ended long ago, or more ended since: it is forgotten");
            if let Err(error) = api::forget(&service, id).await {
                tracing::warn!("terminal {id} cannot be forgotten: {error}");
            }
        }
        let count = count_ended(&service);
        let next = async {
            match due.next {
                Some(next) => tokio::time::sleep(next.min(LOOK)).await,
                None => std::future::pending().await,
            }
        };
        let more = async {
            while journal.changed().await.is_ok() {
                if count_ended(&service) > count {
                    return;
                }
            }
        };
        tokio::select! {
            () = next => {}
            () = more => {}
            () = service.retention.notified() => {}
        }
    }
}

fn is_ended(status: &Status) -> bool {
    matches!(
        status.lifecycle.state,
        LifecycleState::Exited | LifecycleState::Lost
    )
}

fn count_ended(service: &Service) -> usize {
    let list = service.registry.list();
    list.iter().filter(|status| is_ended(status)).count()
}

/// All that ended, with the time.
fn ended(service: &Service) -> Vec<(Timestamp, String)> {
    let list = service.registry.list();
    let ended = list.iter().filter(|status| is_ended(status));
    ended
        .map(|status| {
            let at = status.lifecycle.at.or_else(|| {
                let file = std::fs::metadata(service.paths.state_file(&status.id)).ok()?;
                Timestamp::try_from(file.modified().ok()?).ok()
            });
            (at.unwrap_or(status.created_at), status.id.clone())
        })
        .collect()
}

#[derive(Debug, PartialEq, Eq)]
struct Due {
    now: Vec<String>,
    /// Too old by the wall clock.
    old: Vec<String>,
    /// Until the next one is due.
    next: Option<Duration>,
}

impl Due {
    /// With those that are old for long enough due; `old` knows since when each is.
    fn confirmed(mut self, old: &mut HashMap<String, Instant>, now: Instant) -> Self {
        old.retain(|id, _| self.old.contains(id));
        for id in std::mem::take(&mut self.old) {
            let since = *old.entry(id.clone()).or_insert(now);
            let left = (since + CONFIRMED).saturating_duration_since(now);
            if left.is_zero() {
                self.now.push(id);
            } else {
                self.next = Some(self.next.map_or(left, |next| next.min(left)));
                self.old.push(id);
            }
        }
        self
    }
}

fn due(mut ended: Vec<(Timestamp, String)>, now: Timestamp) -> Due {
    ended.sort_by(|a, b| b.cmp(a));
    let surplus = ended.split_off(ended.len().min(KEPT));
    let surplus = surplus.into_iter().map(|(_, id)| id).collect();
    let mut old = Vec::new();
    let mut next = None;
    for (at, id) in ended {
        let left = KEPT_FOR - now.duration_since(at);
        if left <= SignedDuration::ZERO {
            old.push(id);
        } else {
            // Newest first, so the last one kept is the next.
            next = Duration::try_from(left).ok();
        }
    }
    Due {
        now: surplus,
        old,
        next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn an_exited_terminal_is_kept_seven_days() {
        let week = 7 * 24 * 3600;
        let ended = vec![(at(0), "a".to_owned()), (at(10), "b".to_owned())];
        let due = due(ended, at(week));
        assert_eq!(due.old, ["a"]);
        assert_eq!(due.next, Some(Duration::from_secs(10)));
    }

    #[test]
    fn of_more_than_a_hundred_the_oldest_go() {
        let ended = (0..103)
            .map(|number| (at(number), number.to_string()))
            .collect();
        assert_eq!(due(ended, at(200)).now, ["2", "1", "0"]);
    }

    #[test]
    fn a_clock_set_backwards_expires_nothing() {
        let due = due(vec![(at(1_000_000), "a".to_owned())], at(0));
        assert_eq!((due.now, due.old), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_clock_set_forward_and_corrected_within_an_hour_expires_nothing() {
        let hour = Duration::from_secs(3600);
        let week = 7 * 24 * 3600;
        let ended = || vec![(at(0), "a".to_owned())];
        let (mut old, start) = (HashMap::new(), Instant::now());
        let none = Vec::<String>::new();
        let forward = due(ended(), at(week)).confirmed(&mut old, start);
        assert_eq!((forward.now, forward.next), (none.clone(), Some(hour)));
        let minute = Duration::from_secs(60);
        let corrected = due(ended(), at(60)).confirmed(&mut old, start + minute);
        assert_eq!(corrected.now, none);
        // It is nothing to count on from an earlier jump.
        let again = due(ended(), at(week)).confirmed(&mut old, start + hour);
        assert_eq!((again.now, again.next), (none, Some(hour)));
        let confirmed = due(ended(), at(week)).confirmed(&mut old, start + 2 * hour);
        assert_eq!(confirmed.now, ["a"]);
    }
}
