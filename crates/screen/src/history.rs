//! Lines that left the screen, packed.
//!
//! The grid's own history keeps every row at full width, 24 bytes a cell: two megabytes for
//! the first line that scrolls away, and 19 for 10,000 lines of 80 columns. Here a line costs
//! its text and a few bytes for each change of style, nothing for empty cells, and pushing a
//! line touches memory that is in the cache, which is also what makes scrolling fast.
//!
//! Lines are numbered from 0 in the order they left; numbers only grow.

use std::collections::VecDeque;

use alacritty_terminal::term::cell::Cell;

use crate::packed::{is_wrapped, pack, plain_text, unpack};

/// Bytes of all packed lines together, whatever their number (architecture.md, memory).
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// A page is closed once it is that large; pages are freed as a whole.
const PAGE: usize = 64 * 1024;

#[derive(Debug)]
struct Page {
    bytes: Vec<u8>,
    /// Where each line starts.
    starts: Vec<u32>,
    /// The number of the page's first line.
    first: u64,
}

/// The scrollback of one primary screen.
#[derive(Debug)]
pub(crate) struct History {
    pages: VecDeque<Page>,
    limit: usize,
    bytes: usize,
    /// The first line still held, the line after the last, in the pages' own count.
    first: u64,
    end: u64,
    /// What turns the pages' count into numbers: lines that a resize took back onto the screen
    /// leave their numbers used.
    shift: u64,
}

/// Bytes that the place of a line costs, beside its text.
const PER_LINE: usize = size_of::<u32>();

impl History {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            pages: VecDeque::new(),
            limit,
            bytes: 0,
            first: 0,
            end: 0,
            shift: 0,
        }
    }

    /// The number of the first line still held.
    pub(crate) fn first(&self) -> u64 {
        self.first + self.shift
    }

    /// The number the next line will get.
    pub(crate) fn end(&self) -> u64 {
        self.end + self.shift
    }

    /// How many lines are held.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.end - self.first).unwrap_or(usize::MAX)
    }

    /// Forgets all lines; numbering goes on.
    pub(crate) fn clear(&mut self) {
        self.pages.clear();
        self.bytes = 0;
        self.first = self.end;
    }

    /// Lets numbering go on at `end` at least, for the next line.
    pub(crate) fn continue_at(&mut self, end: u64) {
        self.shift += end.saturating_sub(self.end());
    }

    /// An empty history with the same limit, numbered from 0.
    pub(crate) fn successor(&self) -> Self {
        Self::new(self.limit)
    }

    /// Adds a row that left the screen.
    pub(crate) fn push(&mut self, row: &[Cell]) {
        self.push_with(|out| pack(row, out));
    }

    /// Adds a row that is packed already.
    pub(crate) fn push_packed(&mut self, row: &[u8]) {
        self.push_with(|out| out.extend_from_slice(row));
    }

    /// Adds a line of another history as it is.
    pub(crate) fn push_line_of(&mut self, other: &Self, number: u64) {
        if let Some(packed) = other.packed(number) {
            self.push_packed(packed);
        }
    }

    fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.limit == 0 {
            self.end += 1;
            self.first = self.end;
            return;
        }
        if self
            .pages
            .back()
            .is_none_or(|page| page.bytes.len() >= PAGE)
        {
            self.pages.push_back(Page {
                bytes: Vec::new(),
                starts: Vec::new(),
                first: self.end,
            });
        }
        let Some(page) = self.pages.back_mut() else {
            return;
        };
        let start = page.bytes.len();
        page.starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        write(&mut page.bytes);
        self.bytes += page.bytes.len() - start + PER_LINE;
        self.end += 1;
        if self.len() > self.limit {
            self.first += 1;
        }
        while self.pages.len() > 1 && (self.bytes > MAX_BYTES || self.pages[1].first <= self.first)
        {
            if let Some(page) = self.pages.pop_front() {
                self.bytes -= page.bytes.len() + page.starts.len() * PER_LINE;
            }
            self.first = self.first.max(self.pages[0].first);
        }
    }

    /// Takes the last line back; the number the next line will get stays.
    pub(crate) fn pop(&mut self, cells: &mut Vec<Cell>) -> bool {
        if self.len() == 0 {
            return false;
        }
        self.line(self.end() - 1, cells);
        self.end -= 1;
        self.shift += 1;
        if let Some(page) = self.pages.back_mut()
            && let Some(start) = page.starts.pop()
        {
            self.bytes -= page.bytes.len() - start as usize + PER_LINE;
            page.bytes.truncate(start as usize);
            if page.starts.is_empty() {
                self.pages.pop_back();
            }
        }
        true
    }

    fn packed(&self, number: u64) -> Option<&[u8]> {
        let number = number.checked_sub(self.shift)?;
        if number < self.first || number >= self.end {
            return None;
        }
        let at = self.pages.partition_point(|page| page.first <= number);
        let page = self.pages.get(at.checked_sub(1)?)?;
        let index = usize::try_from(number - page.first).ok()?;
        let start = *page.starts.get(index)? as usize;
        let end = page
            .starts
            .get(index + 1)
            .map_or(page.bytes.len(), |&end| end as usize);
        page.bytes.get(start..end)
    }

    /// Line `number` as cells, without the empty ones at its end; the buffer is reused.
    pub(crate) fn line(&self, number: u64, cells: &mut Vec<Cell>) {
        cells.clear();
        if let Some(packed) = self.packed(number) {
            unpack(packed, cells);
        }
    }

    /// Whether a line goes on in the next one.
    pub(crate) fn is_wrapped(&self, number: u64) -> bool {
        self.packed(number).is_some_and(is_wrapped)
    }

    /// The text of a line that is in the default style throughout and not wrapped. One column
    /// for each byte only where it is ASCII.
    pub(crate) fn plain(&self, number: u64) -> Option<&[u8]> {
        plain_text(self.packed(number)?)
    }
}
