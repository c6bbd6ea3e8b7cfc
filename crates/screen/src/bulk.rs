//! Many lines at once: `cat` of a large file, the output of a build.
//!
//! Of a chunk of hundreds of lines only the last screenful can be seen when it ends; the
//! others only pass through. Where nothing but text and colours is involved (whole screen
//! scrolling, cursor in a blank bottom line), lines are packed as history holds them straight
//! from the bytes, without being written into the grid, and only the last ones are drawn. The
//! result is the same as drawing them one by one; a test compares the two.

use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Cell;

use crate::modes::Mode;
use crate::packed::{PlainStyle, Rows, is_blank, unpack};
use crate::parser::{Csi, printable_prefix};
use crate::sgr::{self, DEFAULT_BACKGROUND};
use crate::terminal::{Charset, Terminal, row};

/// Fewer bytes are not worth looking at.
const MIN_BYTES: usize = 1024;
/// Rows collected at once: bounds the memory for it.
const MAX_ROWS: usize = 1024;
/// What a tab skips is blank.
const BLANKS: &[u8; 32] = &[b' '; 32];

/// What became of an attempt.
pub(crate) enum Bulk {
    /// That many bytes are drawn.
    Taken(usize),
    /// Nothing is drawn, and there is no use in trying again before that offset.
    Refused(usize),
}

impl Terminal {
    /// Takes whole lines from the start of `bytes`, which are in ground state.
    pub(crate) fn draw_lines(&mut self, bytes: &[u8]) -> Bulk {
        if bytes.len() < MIN_BYTES || !self.scrolls_plainly() {
            return Bulk::Refused(MIN_BYTES);
        }
        let mut lines = Lines {
            cols: self.cols,
            tabs: &self.tabs,
            new_line: self.mode(Mode::NewLine),
            pen: self.cursor.pen.clone(),
            rows: Rows::with_capacity(bytes.len()),
            csi: Csi::new(),
        };
        let taken = lines.take(bytes);
        let Lines { pen, rows, .. } = lines;
        if taken == 0 {
            return Bulk::Refused(MIN_BYTES);
        }
        // The bottom line stays blank: the cursor stands there.
        let seen = rows.len().min(self.rows - 1);
        let gone = rows.len() - seen;
        self.scroll_up(seen);
        for index in 0..gone {
            self.history.push_packed(rows.row(index));
        }
        let mut cells = Vec::with_capacity(self.cols);
        for index in 0..seen {
            unpack(rows.row(gone + index), &mut cells);
            let line = self.rows - 1 - seen + index;
            let row = &mut self.primary[Line(line as i32)];
            let drawn = &mut row[Column(0)..Column(cells.len())];
            for (cell, new) in drawn.iter_mut().zip(cells.drain(..)) {
                *cell = new;
            }
        }
        self.cursor.pen = pen;
        self.moved();
        Bulk::Taken(taken)
    }

    /// Whether a line of text and its line feed do nothing but scroll.
    fn scrolls_plainly(&self) -> bool {
        let cursor = &self.cursor;
        self.alternate.is_none()
            && cursor.line + 1 == self.rows
            && cursor.col == 0
            && !cursor.pending_wrap
            && (self.top, self.bottom) == (0, self.rows)
            && self.mode(Mode::AutoWrap)
            && !self.mode(Mode::Insert)
            && cursor.charsets[cursor.active_charset] == Charset::Ascii
            && scrolls_in_blanks(&cursor.pen)
            && cursor.pen.extra.is_none()
            && row(&self.primary, cursor.line).iter().all(is_blank)
    }
}

/// Whether a line that comes in at the bottom is as a fresh terminal has it.
#[inline]
fn scrolls_in_blanks(pen: &Cell) -> bool {
    pen.bg == DEFAULT_BACKGROUND
}

/// Lines on their way from bytes to packed rows.
struct Lines<'a> {
    cols: usize,
    tabs: &'a [bool],
    new_line: bool,
    pen: Cell,
    rows: Rows,
    csi: Csi,
}

impl Lines<'_> {
    /// Takes the whole lines at the start of `bytes`; says where they end.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0;
        while self.rows.len() < MAX_ROWS {
            let (pen, rows) = (self.pen.clone(), self.rows.len());
            let Some(length) = self.line(&bytes[taken..]) else {
                // The rest is for the slow way.
                self.pen = pen;
                self.rows.truncate(rows);
                break;
            };
            taken += length;
        }
        taken
    }

    /// Takes one line; says how long it is, `None` where it has no end or something is in it
    /// that does more than show.
    fn line(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut style = PlainStyle::of(&self.pen);
        let (mut at, mut col) = (0, 0);
        self.rows.begin();
        loop {
            let mut run = printable_prefix(&bytes[at..]);
            while run > self.cols - col {
                if !scrolls_in_blanks(&self.pen) {
                    return None;
                }
                let count = self.cols - col;
                self.rows.text(style, &bytes[at..], count);
                self.rows.end(true);
                self.rows.begin();
                (at, run, col) = (at + count, run - count, 0);
            }
            self.rows.text(style, &bytes[at..], run);
            (at, col) = (at + run, col + run);
            match bytes[at..] {
                [0x1B, ..] => {
                    let length = self.csi.read(&bytes[at..]);
                    if length == 0 || !self.csi.is_sgr() {
                        return None;
                    }
                    at += length;
                    sgr::apply(&self.csi, &mut self.pen);
                    if self.pen.extra.is_some() {
                        return None;
                    }
                    style = PlainStyle::of(&self.pen);
                }
                [b'\t', ..] => {
                    // At the right margin, where no stop follows, tabs are for the slow way.
                    let next = (col + 1..self.cols).find(|&stop| self.tabs[stop])?;
                    while col < next {
                        let blanks = (next - col).min(BLANKS.len());
                        self.rows.text(PlainStyle::DEFAULT, BLANKS, blanks);
                        col += blanks;
                    }
                    at += 1;
                }
                [b'\r', b'\n', ..] => return self.end_of_line(at + 2),
                [b'\n', ..] if self.new_line => return self.end_of_line(at + 1),
                _ => return None,
            }
        }
    }

    fn end_of_line(&mut self, length: usize) -> Option<usize> {
        self.rows.end(false);
        scrolls_in_blanks(&self.pen).then_some(length)
    }
}
