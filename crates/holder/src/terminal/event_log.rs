//! The last events of this terminal, numbered, ready to be sent: a daemon that was away gets what
//! it missed.

use crate::frame::encode;
use crate::protocol::{MAX_BODY, kind};
use jiff::Timestamp;
use status::{EventKind, JournalEvent, Status};
use std::collections::VecDeque;
use std::rc::Rc;

/// Events kept.
const KEPT: usize = 256;

/// And at most that many bytes of them: a status with many records is large.
const KEPT_BYTES: usize = 1 << 20;

/// Text of records in a status on the wire: with all of it (256 records of 2 kB, escaped) a frame
/// would be too long. The least recently changed lose theirs first.
const MAX_RECORD_TEXT: usize = 400 * 1024;

#[derive(Debug, Default)]
pub(super) struct EventLog {
    seq: u64,
    kept: VecDeque<Rc<[u8]>>,
    bytes: usize,
}

impl EventLog {
    /// The number of the latest event.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// Numbers an event and keeps it: its frame.
    pub(super) fn add(&mut self, kind: EventKind, status: &Status, at: Timestamp) -> Rc<[u8]> {
        self.seq += 1;
        let shown = (kind != EventKind::Removed).then(|| status.clone());
        let frame: Rc<[u8]> = frame(self.seq, kind, &status.id, shown, at).into();
        self.bytes += frame.len();
        self.kept.push_back(Rc::clone(&frame));
        while self.kept.len() > KEPT || self.bytes > KEPT_BYTES && self.kept.len() > 1 {
            self.bytes -= self.kept.pop_front().map_or(0, |frame| frame.len());
        }
        frame
    }

    /// The frames after `since`; the number before the first of them, where some are no longer kept.
    pub(super) fn after(&self, since: u64) -> (Option<u64>, impl Iterator<Item = &Rc<[u8]>>) {
        let first = self.seq + 1 - self.kept.len() as u64;
        let gap = (since + 1 < first).then(|| first - 1);
        let skip = (since + 1)
            .saturating_sub(first)
            .min(self.kept.len() as u64) as usize;
        (gap, self.kept.iter().skip(skip))
    }
}

/// The frame that says that events up to `seq` were lost, with the whole status.
pub(super) fn gap(seq: u64, status: Status, at: Timestamp) -> Vec<u8> {
    let id = status.id.clone();
    frame(seq, EventKind::Gap, &id, Some(status), at)
}

fn frame(seq: u64, event: EventKind, id: &str, status: Option<Status>, at: Timestamp) -> Vec<u8> {
    let status = status.map(fit);
    let event = JournalEvent {
        seq,
        at,
        terminal: id.to_owned(),
        event,
        status,
    };
    // A status is plain data: it always has a JSON form.
    let body = serde_json::to_vec(&event).unwrap_or_default();
    debug_assert!(body.len() <= MAX_BODY);
    encode(kind::EVENT, &body)
}

/// A status that fits into a frame.
pub(super) fn fit(mut status: Status) -> Status {
    let text = |record: &status::Record| {
        record.msg.as_ref().map_or(0, String::len) + record.title.as_ref().map_or(0, String::len)
    };
    let mut total: usize = status.reports.iter().map(text).sum();
    if total <= MAX_RECORD_TEXT {
        return status;
    }
    let mut oldest: Vec<usize> = (0..status.reports.len()).collect();
    oldest.sort_by_key(|&index| status.reports[index].updated_at);
    for index in oldest {
        if total <= MAX_RECORD_TEXT {
            break;
        }
        total -= text(&status.reports[index]);
        status.reports[index].msg = None;
        status.reports[index].title = None;
    }
    status
}
