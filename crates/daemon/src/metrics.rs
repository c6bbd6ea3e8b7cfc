//! What `GET /metrics` shows (OpenMetrics).

use crate::notify::Report;
use jiff::Timestamp;
use status::Status;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Upper bounds of the latency histogram, in microseconds: around the figures to reach (1 and
/// 5 ms), and what a busy machine or a daemon that was away makes of them.
const BUCKETS: [u64; 8] = [
    500, 1_000, 2_000, 5_000, 20_000, 100_000, 1_000_000, 60_000_000,
];

/// Counted since the daemon started.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    latency: [AtomicU64; BUCKETS.len()],
    events: AtomicU64,
    latency_micros: AtomicU64,
    /// Open connections of clients.
    pub(crate) connections: AtomicU64,
    /// Times an attached WebSocket lost its queue and got a new snapshot.
    pub(crate) resyncs: AtomicU64,
    /// Times a follower asked for events that are no longer kept.
    pub(crate) gaps: AtomicU64,
}

impl Metrics {
    /// An event that happened at this time is announced now.
    pub(crate) fn announced(&self, at: Timestamp) {
        let micros = Timestamp::now().as_microsecond() - at.as_microsecond();
        // A clock that was set back counts as no time.
        let micros = u64::try_from(micros).unwrap_or(0);
        self.events.fetch_add(1, Ordering::Relaxed);
        self.latency_micros.fetch_add(micros, Ordering::Relaxed);
        if let Some(bucket) = BUCKETS.iter().position(|bound| micros <= *bound) {
            self.latency[bucket].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The text of the exposition.
    pub(crate) fn text(&self, terminals: &[Arc<Status>], channels: &[Report]) -> String {
        let mut text = String::new();
        let mut by_state: BTreeMap<status::State, usize> = BTreeMap::new();
        let mut attached = 0;
        for status in terminals {
            *by_state.entry(status.state).or_default() += 1;
            attached += u64::from(status.clients);
        }
        text.push_str(
            "# TYPE wigwag_terminals gauge\n# HELP wigwag_terminals Terminals by state.\n",
        );
        for state in STATES {
            let count = by_state.get(&state).copied().unwrap_or(0);
            let word = serde_json::to_value(state).unwrap_or_default();
            let word = word.as_str().unwrap_or_default();
            let _ = writeln!(text, "wigwag_terminals{{state=\"{word}\"}} {count}");
        }
        let load = |value: &AtomicU64| value.load(Ordering::Relaxed);
        let mut one = |name: &str, kind: &str, help: &str, suffix: &str, value: u64| {
            let _ = writeln!(
                text,
                "# TYPE {name} {kind}\n# HELP {name} {help}\n{name}{suffix} {value}"
            );
        };
        one(
            "wigwag_attached_clients",
            "gauge",
            "Clients attached to terminals.",
            "",
            attached,
        );
        one(
            "wigwag_connections",
            "gauge",
            "Open connections to the daemon.",
            "",
            load(&self.connections),
        );
        one(
            "wigwag_queue_drops",
            "counter",
            "Queues of attached sockets that were dropped and replaced by a snapshot.",
            "_total",
            load(&self.resyncs),
        );
        one(
            "wigwag_event_gaps",
            "counter",
            "Followers that asked for events no longer kept.",
            "_total",
            load(&self.gaps),
        );
        notifications(channels, &mut text);
        text.push_str(
            "# TYPE wigwag_event_latency_seconds histogram\n# UNIT wigwag_event_latency_seconds seconds\n\
             # HELP wigwag_event_latency_seconds From the event in the terminal to its announcement.\n",
        );
        let mut sum = 0;
        for (bound, bucket) in BUCKETS.iter().zip(&self.latency) {
            sum += load(bucket);
            let bound = *bound as f64 / 1e6;
            let _ = writeln!(
                text,
                "wigwag_event_latency_seconds_bucket{{le=\"{bound:?}\"}} {sum}"
            );
        }
        let events = load(&self.events);
        let seconds = load(&self.latency_micros) as f64 / 1e6;
        let _ = write!(
            text,
            "wigwag_event_latency_seconds_bucket{{le=\"+Inf\"}} {events}\n\
             wigwag_event_latency_seconds_sum {seconds}\n\
             wigwag_event_latency_seconds_count {events}\n# EOF\n"
        );
        text
    }
}

/// What the channels did, and what waits for them.
fn notifications(channels: &[Report], text: &mut String) {
    text.push_str(
        "# TYPE wigwag_notifications counter\n\
         # HELP wigwag_notifications Notifications shown, replaced or taken away.\n",
    );
    for Report {
        name,
        delivered,
        failed,
        ..
    } in channels
    {
        for (result, count) in [("delivered", delivered), ("failed", failed)] {
            let _ = writeln!(
                text,
                "wigwag_notifications_total{{channel=\"{name}\",result=\"{result}\"}} {count}"
            );
        }
    }
    text.push_str(
        "# TYPE wigwag_notifications_waiting gauge\n\
         # HELP wigwag_notifications_waiting Notifications that wait for their channel.\n",
    );
    for Report { name, waiting, .. } in channels {
        let _ = writeln!(
            text,
            "wigwag_notifications_waiting{{channel=\"{name}\"}} {waiting}"
        );
    }
}

const STATES: [status::State; 9] = [
    status::State::Waiting,
    status::State::Failed,
    status::State::Attention,
    status::State::Finished,
    status::State::Working,
    status::State::Running,
    status::State::Idle,
    status::State::Exited,
    status::State::Lost,
];
