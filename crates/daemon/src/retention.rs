//! Terminals that ended are kept 7 days and at most 100 (architecture.md, Names and ids). A lost one
//! counts from the last change of its state file.

use crate::api;
use crate::service::Service;
use jiff::{SignedDuration, Timestamp};
use status::{LifecycleState, Status};
use std::sync::Arc;
use std::time::Duration;

/// How long.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How many.
const KEPT: usize = 100;
/// Timers are monotonic and do not count a suspend, so the clock is looked at this often at least
/// while something is to expire.
const LOOK: Duration = Duration::from_secs(6 * 3600);

/// Forgets what is due: at the start, whenever a terminal ends, and when the next is due.
pub(crate) async fn run(service: Arc<Service>) {
    let mut journal = service.journal.announcements();
    loop {
        let ended = ended(&service);
        let due = due(ended, Timestamp::now());
        for id in &due.now {
            tracing::info!("terminal {id} ended long ago: it is forgotten");
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
    /// Until the next one is due.
    next: Option<Duration>,
}

fn due(mut ended: Vec<(Timestamp, String)>, now: Timestamp) -> Due {
    ended.sort_by(|a, b| b.cmp(a));
    let surplus = ended.split_off(ended.len().min(KEPT));
    let mut due: Vec<String> = surplus.into_iter().map(|(_, id)| id).collect();
    let mut next = None;
    for (at, id) in ended {
        let left = KEPT_FOR - now.duration_since(at);
        if left <= SignedDuration::ZERO {
            due.push(id);
        } else {
            // Newest first, so the last one kept is the next.
            next = Duration::try_from(left).ok();
        }
    }
    Due { now: due, next }
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
        assert_eq!(due.now, ["a"]);
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
        assert_eq!(due.now, Vec::<String>::new());
    }
}
