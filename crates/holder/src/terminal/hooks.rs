//! Named points at which a test can hold the holder, so that races are tested without sleeping.
//! Only with `WIGWAG_TEST_HOOKS=1` in the holder's environment.
//!
//! `pause NAME`: stop when the point is reached; clients are served meanwhile. `resume NAME`, or the end of
//! the connection that paused: go on.
//! `wait NAME`: answered when the point is reached (at once while it stands there).

use std::collections::BTreeMap;

/// The points there are.
pub(super) const POINTS: &[&str] = &[
    "before_exit_announced",
    "exit_noticed",
    "pty_read",
    "snapshot_taken",
];

/// Who waits, and what is paused.
#[derive(Debug, Default)]
pub(super) struct Hooks {
    enabled: bool,
    /// By point: the client that paused it.
    paused: BTreeMap<&'static str, u64>,
    standing: Option<&'static str>,
    waiters: BTreeMap<&'static str, Vec<(u64, u64)>>,
}

/// What a command comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Done.
    Done,
    /// The reply comes when the point is reached.
    Later,
    /// Refused, and why.
    Refused(String),
}

impl Hooks {
    /// As the environment of this process says.
    pub(super) fn from_env() -> Self {
        Self {
            enabled: std::env::var_os("WIGWAG_TEST_HOOKS").is_some_and(|on| on == "1"),
            ..Self::default()
        }
    }

    /// A command of request `request` of client `client`.
    pub(super) fn command(&mut self, command: &str, client: u64, request: u64) -> Answer {
        if !self.enabled {
            return Answer::Refused(
                "test hooks are off: start the holder with WIGWAG_TEST_HOOKS=1".into(),
            );
        }
        let (verb, name) = command.split_once(' ').unwrap_or((command, ""));
        let Some(&point) = POINTS.iter().find(|point| **point == name) else {
            return Answer::Refused(format!(
                "there is no point \"{name}\": use one of {}",
                POINTS.join(" ")
            ));
        };
        match verb {
            "pause" => {
                self.paused.insert(point, client);
                Answer::Done
            }
            "resume" => {
                self.paused.remove(point);
                Answer::Done
            }
            "wait" if self.standing == Some(point) => Answer::Done,
            "wait" => {
                self.waiters
                    .entry(point)
                    .or_default()
                    .push((client, request));
                Answer::Later
            }
            _ => Answer::Refused(format!(
                "there is no test command \"{verb}\": use pause, resume or wait"
            )),
        }
    }

    /// The point is reached: who waited for it (client and request).
    pub(super) fn reached(&mut self, point: &'static str) -> Vec<(u64, u64)> {
        debug_assert!(POINTS.contains(&point));
        self.waiters.remove(point).unwrap_or_default()
    }

    /// Whether to stand at this point.
    pub(super) fn stands_at(&mut self, point: &'static str) -> bool {
        self.standing = self.paused.contains_key(point).then_some(point);
        self.standing.is_some()
    }

    /// A client is gone, and its pauses with it.
    pub(super) fn forget(&mut self, client: u64) {
        self.paused.retain(|_, pausing| *pausing != client);
    }

    /// Nothing to do at any point.
    pub(super) fn is_off(&self) -> bool {
        !self.enabled
    }
}
