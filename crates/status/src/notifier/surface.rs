//! Where a person can be told, and where they are (status.md, Presence).

use crate::Duration;
use serde::{Deserialize, Serialize};

/// Where a notification is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// The outer terminal of an attached client.
    Window {
        /// The terminal it shows.
        terminal: String,
        /// The holder's number for it.
        client: u64,
    },
    /// The desktop of this machine.
    Desktop,
    /// What a person carries: push and ntfy.
    Phone,
    /// The command that a person set up.
    Command,
}

/// Somebody who is present: focused, and active within the last two minutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The nearest place to tell them.
    pub at: Surface,
    /// The terminal they have on screen.
    pub sees: Option<String>,
    /// When they last did something, monotonic.
    pub active: Duration,
}

/// Everybody who is present.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct People(pub Vec<Person>);

impl People {
    /// Whether somebody has this terminal on screen.
    pub fn see(&self, terminal: &str) -> bool {
        let sees = |person: &Person| person.sees.as_deref() == Some(terminal);
        self.0.iter().any(sees)
    }

    pub(super) fn nobody_is_present(&self) -> bool {
        self.0.is_empty()
    }

    /// Where something is told first, and when the phone follows.
    pub(super) fn first_surfaces(
        &self,
        now: Duration,
        phone_after: Duration,
    ) -> (Vec<Surface>, Option<Duration>) {
        let nearest = self.0.iter().max_by_key(|person| person.active);
        match nearest {
            Some(person) => (
                vec![person.at.clone(), Surface::Command],
                Some(now + phone_after),
            ),
            None => (
                vec![Surface::Desktop, Surface::Phone, Surface::Command],
                None,
            ),
        }
    }
}
