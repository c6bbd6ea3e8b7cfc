//! What modes that the program switched on ask of the holder: reports of focus, size and colour
//! scheme, and an end to a synchronized update.

use super::clock;
use super::holder::Holder;
use crate::frame::HEADER;
use signals::{Query, QueryKind, Terminator};
use std::time::Duration;

/// A synchronized update that its program does not end is ended after that.
const SYNCHRONIZED_LIMIT: Duration = Duration::from_millis(150);

impl Holder {
    /// Tells the program what it asked to be told: focus, size, light or dark.
    pub(super) fn watch_modes(&mut self) {
        let modes = self.screen.modes();
        let focused = self.clients.iter().any(|client| {
            client
                .attached
                .as_ref()
                .is_some_and(|attached| attached.person && attached.focused)
        });
        if let Some(report) = self.focus.update(modes.focus_events, focused) {
            self.input.answer(report);
        }
        if modes.size_reports && !self.size_reports {
            let report = self.screen.size_report();
            self.input.answer(&report);
        }
        self.size_reports = modes.size_reports;
        let scheme = Query {
            kind: QueryKind::ColorScheme,
            terminator: Terminator::St,
        };
        let scheme = if modes.scheme_reports {
            self.screen.answer(&scheme)
        } else {
            None
        };
        if let Some(report) = scheme.as_ref().filter(|report| {
            self.scheme_told
                .as_ref()
                .is_some_and(|told| told != *report)
        }) {
            self.input.answer(report);
        }
        self.scheme_told = scheme;
    }

    /// A synchronized update has a time limit, counted from its last beginning.
    pub(super) fn watch_synchronized(&mut self, read: &[u8]) {
        const BEGIN: &[u8] = b"?2026h";
        if !self.screen.modes().synchronized {
            self.synchronized_until = None;
        } else if self.synchronized_until.is_none()
            || read.windows(BEGIN.len()).any(|at| at == BEGIN)
        {
            self.synchronized_until = Some(clock::mono() + SYNCHRONIZED_LIMIT);
        }
    }

    pub(super) fn end_synchronized(&mut self) {
        self.synchronized_until = None;
        self.screen.end_synchronized();
        // Clients end it too, unless they are inside another sequence.
        if self.reader.unfinished().is_some_and(<[u8]>::is_empty) {
            self.forward_frame(&mut [&[0; HEADER][..], b"\x1b[?2026l"].concat());
        }
    }
}
