//! The newest events in memory, for those who follow closely; also what could not be stored yet.

use super::{Page, Row};
use std::collections::VecDeque;
use std::sync::Arc;

/// Events kept in memory for those who follow.
const RECENT_EVENTS: usize = 4096;
/// And at most that many bytes of them.
const RECENT_BYTES: usize = 8 << 20;
/// Events that could not be stored yet may take that much more.
const UNSTORED_BYTES: usize = 32 << 20;

/// The newest events: all after `floor`.
#[derive(Debug, Default)]
pub(super) struct Recent {
    pub(super) rows: VecDeque<Arc<Row>>,
    pub(super) bytes: usize,
    pub(super) floor: u64,
    /// Events up to this number are in the database.
    pub(super) stored: u64,
    /// Events up to this number may be missing everywhere.
    pub(super) lost: u64,
}

impl Recent {
    /// `None`: the database has to be asked.
    pub(super) fn page(&self, after: u64, limit: usize) -> Option<Page> {
        if after < self.floor {
            return None;
        }
        let newest = self.rows.back().map_or(self.floor, |row| row.seq);
        if after > newest {
            // A number that this journal never gave.
            return Some(Page {
                gap: true,
                ..Page::default()
            });
        }
        let start = self.rows.partition_point(|row| row.seq <= after);
        let rows = self.rows.iter().skip(start).take(limit).cloned().collect();
        Some(Page { rows, gap: false })
    }

    pub(super) fn push(&mut self, row: Arc<Row>) {
        self.bytes += row.line.len();
        self.rows.push_back(row);
    }

    /// Forgets what is in the database anyway; and what is not, where it is too much.
    pub(super) fn shrink(&mut self) {
        while let Some(first) = self.rows.front() {
            let stored = first.seq <= self.stored;
            let over = self.rows.len() > RECENT_EVENTS || self.bytes > RECENT_BYTES;
            if !(over && stored || self.bytes > UNSTORED_BYTES) {
                break;
            }
            if !stored {
                self.lost = first.seq;
            }
            self.floor = first.seq;
            self.bytes -= first.line.len();
            self.rows.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(seq: u64) -> Arc<Row> {
        let line = format!("{{\"seq\":{seq}}}");
        Arc::new(Row { seq, line })
    }

    #[test]
    fn memory_keeps_what_is_not_stored_and_gives_pages_in_order() {
        let mut recent = Recent::default();
        for seq in 1..=RECENT_EVENTS as u64 + 10 {
            recent.push(row(seq));
        }
        recent.shrink();
        assert_eq!(recent.floor, 0, "nothing is stored yet");
        recent.stored = 20;
        recent.shrink();
        assert_eq!(recent.floor, 10);
        assert!(recent.page(9, 5).is_none(), "the database has to be asked");
        let page = recent.page(10, 2).unwrap();
        let numbers: Vec<u64> = page.rows.iter().map(|row| row.seq).collect();
        assert_eq!((numbers, page.gap), (vec![11, 12], false));
        assert!(recent.page(1 << 40, 2).unwrap().gap);
    }

    #[test]
    fn memory_is_bounded_where_nothing_can_be_stored_and_what_is_lost_is_known() {
        let mut recent = Recent::default();
        let line = "x".repeat(UNSTORED_BYTES / 4);
        for seq in 1..=6 {
            let line = line.clone();
            recent.push(Arc::new(Row { seq, line }));
        }
        recent.shrink();
        assert!(recent.bytes <= UNSTORED_BYTES);
        assert_eq!((recent.lost, recent.floor), (2, 2));
    }
}
