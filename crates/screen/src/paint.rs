//! Cells to bytes: rows drawn by printing them, so that a terminal of the same width ends up
//! with the same cells, the same wrapped lines, and the same scrollback.

use alacritty_terminal::term::cell::{Cell, Flags};

use crate::packed::is_blank;
use crate::sgr::{DEFAULT_BACKGROUND, Style, write_change};

/// How a painted row ended, and so how the next one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowEnd {
    /// A new line follows.
    Break,
    /// The row is full and goes on in the next one: printing there wraps.
    Wrapped,
    /// The same, but the last column was left empty for a wide character that did not fit.
    WrappedEarly,
}

/// Writes cells and keeps track of the style that the terminal has after them.
pub(crate) struct Painter<'a> {
    pub(crate) out: &'a mut Vec<u8>,
    style: Style,
}

impl<'a> Painter<'a> {
    /// For a terminal whose pen is as in a fresh one.
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            style: Style::default(),
        }
    }

    /// Turns the pen into `style`.
    pub(crate) fn style(&mut self, style: &Style) {
        write_change(&self.style, style, self.out);
        self.style = style.clone();
    }

    /// The style of a cell.
    fn style_of(&mut self, cell: &Cell) {
        if !self.style.is_of(cell) {
            self.style(&Style::of(cell));
        }
    }

    pub(crate) fn plain(&mut self) {
        if self.style != Style::default() {
            self.style(&Style::default());
        }
    }

    /// CUP, from 0.
    pub(crate) fn goto(&mut self, line: usize, col: usize) {
        self.out
            .extend_from_slice(format!("\x1b[{};{}H", line + 1, col + 1).as_bytes());
    }

    /// One cell with its marks. Spacers are not painted: their character paints them.
    pub(crate) fn cell(&mut self, cell: &Cell) {
        if cell
            .flags
            .intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER)
        {
            return;
        }
        self.style_of(cell);
        write_cell(cell, self.out);
    }

    /// Whole rows, each after the one before; `next` is how the row before them ended.
    pub(crate) fn row(&mut self, cells: &[Cell], before: Option<RowEnd>) -> RowEnd {
        let end = cells
            .iter()
            .rposition(|cell| !is_blank(cell))
            .map_or(0, |n| n + 1);
        let cells = &cells[..end];
        if let Some(before) = before {
            self.begin_row(cells, before);
        }
        for cell in cells {
            self.cell(cell);
        }
        match cells.last() {
            Some(cell) if cell.flags.contains(Flags::WRAPLINE) => {
                if cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) {
                    RowEnd::WrappedEarly
                } else {
                    RowEnd::Wrapped
                }
            }
            _ => RowEnd::Break,
        }
    }

    /// A line of plain text.
    pub(crate) fn plain_row(&mut self, text: &[u8], before: Option<RowEnd>) -> RowEnd {
        match before {
            None => {}
            Some(RowEnd::Break) => self.line_feed(),
            Some(RowEnd::Wrapped) if !text.is_empty() => {}
            Some(before) => self.begin_row(&[], before),
        }
        self.plain();
        self.out.extend_from_slice(text);
        RowEnd::Break
    }

    /// Lines that scroll in take the pen's background, which must be the default one then.
    fn begin_row(&mut self, cells: &[Cell], before: RowEnd) {
        let first = cells.first();
        let direct = first.is_some_and(|cell| cell.bg == DEFAULT_BACKGROUND);
        match before {
            RowEnd::Break => self.line_feed(),
            RowEnd::Wrapped if direct => {}
            RowEnd::Wrapped => {
                self.plain();
                self.out.extend_from_slice(b" \r");
            }
            RowEnd::WrappedEarly
                if direct && first.is_some_and(|cell| cell.flags.contains(Flags::WIDE_CHAR)) => {}
            RowEnd::WrappedEarly => {
                self.plain();
                self.out.extend_from_slice("\u{3000}\r\x1b[2K".as_bytes());
            }
        }
    }

    fn line_feed(&mut self) {
        if self.style.bg != DEFAULT_BACKGROUND {
            self.plain();
        }
        self.out.extend_from_slice(b"\r\n");
    }
}

/// The character and its marks.
pub(crate) fn write_cell(cell: &Cell, out: &mut Vec<u8>) {
    if cell.c.is_ascii() {
        out.push(cell.c as u8);
    } else {
        out.extend_from_slice(cell.c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    for mark in cell.zerowidth().into_iter().flatten() {
        out.extend_from_slice(mark.encode_utf8(&mut [0; 4]).as_bytes());
    }
}
