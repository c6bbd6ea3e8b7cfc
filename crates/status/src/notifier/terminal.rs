//! What is known of one terminal: what is to be told of it, what waits, what stands.

use super::rates::{INTERVAL, SETTLE};
use super::{Notice, Surface};
use crate::{AttentionKind, Duration};

/// What is known of one terminal.
#[derive(Debug, Clone, Default)]
pub(super) struct Terminal {
    /// What a person should be told, told or not.
    pub(super) notice: Option<Notice>,
    /// It waits to be told.
    pub(super) waits: Option<Waits>,
    /// It stands on surfaces.
    pub(super) shown: Option<Shown>,
    /// It stands in the fold.
    pub(super) folded: bool,
    /// When it was last told.
    pub(super) told: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    pub(super) due: Duration,
    /// A person is to notice.
    pub(super) loud: bool,
    /// It goes into the fold: too many ask at once.
    pub(super) folds: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Shown {
    /// The entry that was told with sound.
    pub(super) seq: u64,
    pub(super) kind: AttentionKind,
    pub(super) on: Vec<Surface>,
    /// When the phone is told, if it is not.
    pub(super) phone: Option<Duration>,
}

impl Terminal {
    /// There is nothing to tell any longer. `true`: it stood in the fold.
    pub(super) fn forget(&mut self) -> bool {
        self.notice = None;
        self.waits = None;
        std::mem::take(&mut self.folded)
    }

    /// Something new waits to be told.
    pub(super) fn is_new(&self) -> bool {
        self.shown.is_none() && self.waits.is_some_and(|waits| waits.loud)
    }

    /// This is to be told.
    pub(super) fn want(&mut self, notice: Notice, now: Duration) {
        let before = self.notice.replace(notice);
        let Some(notice) = &self.notice else {
            return;
        };
        let same_entry = before
            .as_ref()
            .is_some_and(|before| before.seq == notice.seq);
        if same_entry
            && before
                .as_ref()
                .is_some_and(|before| before.says_the_same(notice))
        {
            return;
        }
        let stands = self.shown.is_some() || self.folded;
        // A bell that rings again while the first one stands says nothing new.
        let again = stands
            && notice.kind == AttentionKind::Bell
            && before.is_some_and(|before| before.kind == AttentionKind::Bell);
        if again {
            let seq = notice.seq;
            self.shown.iter_mut().for_each(|shown| shown.seq = seq);
            return;
        }
        let loud = !same_entry;
        if !loud && !stands && self.waits.is_none() {
            // It was told and taken away: other words do not bring it back.
            return;
        }
        let settled = match loud {
            true => now + SETTLE,
            false => now,
        };
        let spaced = self
            .told
            .map_or(settled, |told| settled.max(told + INTERVAL));
        self.waits = Some(match self.waits {
            // What settles already is not put off by what follows.
            Some(waits) => Waits {
                loud: waits.loud || loud,
                ..waits
            },
            None => Waits {
                due: spaced,
                loud,
                folds: false,
            },
        });
    }

    pub(super) fn is_of_use(&self, now: Duration) -> bool {
        self.notice.is_some()
            || self.shown.is_some()
            || self.told.is_some_and(|told| now < told + INTERVAL)
    }
}
