//! Printing: runs of ASCII, single characters, wide characters, combining marks, wrapping.
//!
//! Two rules hold after every operation, so that a row can always be drawn again by printing
//! it: a wide character is always followed by its spacer in the same row and the same style,
//! and only the last cell of a row says that the row is wrapped.

use alacritty_terminal::grid::Row;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use unicode_width::UnicodeWidthChar as _;

use crate::modes::Mode;
use crate::packed::leading_spacer;
use crate::terminal::{Charset, Terminal};

/// Marks kept on one cell (architecture.md, memory).
pub(crate) const MAX_MARKS: usize = 16;

impl Terminal {
    /// Prints a run of printable ASCII: the hot path.
    pub(crate) fn print_ascii(&mut self, mut run: &[u8]) {
        if self.mode(Mode::Insert)
            || self.cursor.charsets[self.cursor.active_charset] != Charset::Ascii
        {
            for &byte in run {
                self.print(char::from(byte));
            }
            return;
        }
        while !run.is_empty() {
            self.wrap_if_pending();
            let (line, col, cols) = (self.cursor.line, self.cursor.col, self.cols);
            let count = run.len().min(cols - col);
            let (now, rest) = run.split_at(count);
            let grid = self.alternate.as_mut().unwrap_or(&mut self.primary);
            write_run(&mut grid[Line(line as i32)], col, now, &self.cursor.pen);
            self.advance(count);
            run = rest;
        }
    }

    /// Prints one character, mapped by the character set in use.
    pub(crate) fn print(&mut self, c: char) {
        let c = match self.cursor.charsets[self.cursor.active_charset] {
            Charset::Ascii => c,
            Charset::Drawing => drawing(c),
        };
        self.print_mapped(c);
    }

    /// Prints one character as it is.
    fn print_mapped(&mut self, c: char) {
        match c.width() {
            None => {}
            Some(0) => self.mark(c),
            Some(width) => self.put(c, width.min(2)),
        }
    }

    fn put(&mut self, c: char, width: usize) {
        self.wrap_if_pending();
        if width == 2 && self.cursor.col + 2 > self.cols {
            if !self.mode(Mode::AutoWrap) {
                // No room, and no line to go to.
                self.moved();
                return;
            }
            let (line, col) = (self.cursor.line, self.cursor.col);
            if self.has_next_line() {
                let row = self.row_mut(line);
                cut(row, col);
                row[col] = leading_spacer();
            }
            self.wrap();
        }
        let (line, col) = (self.cursor.line, self.cursor.col);
        let insert = self.mode(Mode::Insert);
        // Only as much of the row as changes: it is what a scroll has to clear later.
        let end = if insert {
            self.cols
        } else {
            (col + width + 1).min(self.cols)
        };
        let pen = &self.cursor.pen;
        let grid = self.alternate.as_mut().unwrap_or(&mut self.primary);
        let row = &mut grid[Line(line as i32)][Column(0)..Column(end)];
        cut(row, col);
        if insert {
            let keep = row.len() - width;
            cut(row, keep);
            unwrap_row(row);
            row[col..].rotate_right(width);
        } else {
            cut(row, col + width);
        }
        if width == 2 {
            paint(&mut row[col], c, Flags::WIDE_CHAR, pen);
            paint(&mut row[col + 1], ' ', Flags::WIDE_CHAR_SPACER, pen);
        } else {
            paint(&mut row[col], c, Flags::empty(), pen);
        }
        self.advance(width);
    }

    /// A character without width goes onto the cell before the cursor; where there is none,
    /// it is dropped.
    fn mark(&mut self, c: char) {
        let (line, mut col) = (self.cursor.line, self.cursor.col);
        if !self.cursor.pending_wrap {
            let Some(before) = col.checked_sub(1) else {
                return;
            };
            col = before;
        }
        let row = self.row_mut(line);
        if row[col].flags.contains(Flags::WIDE_CHAR_SPACER) && col > 0 {
            col -= 1;
        }
        let cell = &mut row[col];
        let marks = cell.zerowidth().map_or(0, <[char]>::len);
        if marks < MAX_MARKS && !cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) {
            cell.push_zerowidth(c);
        }
    }

    /// REP: the last character again, at most as often as there are cells.
    pub(crate) fn repeat(&mut self, count: usize) {
        if !self.repeatable {
            return;
        }
        let (line, col) = (self.cursor.line, self.cursor.col);
        let at = if self.cursor.pending_wrap {
            col
        } else {
            col.saturating_sub(1)
        };
        let row = self.row_mut(line);
        let at = if row[at].flags.contains(Flags::WIDE_CHAR_SPACER) && at > 0 {
            at - 1
        } else {
            at
        };
        let c = row[at].c;
        // More only scrolls the same again.
        for _ in 0..count.min(2 * self.cols * self.rows) {
            self.print_mapped(c);
        }
    }

    fn advance(&mut self, count: usize) {
        let col = self.cursor.col + count;
        if col < self.cols {
            self.cursor.col = col;
        } else {
            self.cursor.col = self.cols - 1;
            self.cursor.pending_wrap = true;
        }
        self.repeatable = true;
    }

    #[inline]
    fn wrap_if_pending(&mut self) {
        if self.cursor.pending_wrap {
            if self.mode(Mode::AutoWrap) {
                self.wrap();
            } else {
                self.cursor.pending_wrap = false;
            }
        }
    }

    /// False only in the last line beneath a scroll region: wrapping stays there.
    fn has_next_line(&self) -> bool {
        self.cursor.line + 1 == self.bottom || self.cursor.line + 1 < self.rows
    }

    /// Goes on in the next line, and marks this one as wrapped.
    fn wrap(&mut self) {
        let line = self.cursor.line;
        let scrolls = line + 1 == self.bottom;
        if self.has_next_line() {
            let cols = Column(self.cols - 1);
            self.grid_mut()[Line(line as i32)][cols]
                .flags
                .insert(Flags::WRAPLINE);
        }
        if scrolls {
            self.scroll_up(1);
        } else if line + 1 < self.rows {
            self.cursor.line += 1;
        }
        self.cursor.col = 0;
        self.cursor.pending_wrap = false;
    }
}

/// Writes ASCII into cells that are in one row; not empty.
pub(crate) fn write_run(row: &mut Row<Cell>, col: usize, text: &[u8], pen: &Cell) {
    let end = col + text.len();
    if end < row.len() && row[Column(end)].flags.contains(Flags::WIDE_CHAR_SPACER) {
        cut(&mut row[Column(0)..Column(end + 1)], end);
    }
    if row[Column(col)].flags.contains(Flags::WIDE_CHAR_SPACER) {
        cut(&mut row[Column(0)..Column(end)], col);
    }
    let cells = &mut row[Column(col)..Column(end)];
    let (fg, bg, flags) = (pen.fg, pen.bg, pen.flags);
    if let Some(extra) = &pen.extra {
        for (cell, &byte) in cells.iter_mut().zip(text) {
            cell.c = char::from(byte);
            cell.fg = fg;
            cell.bg = bg;
            cell.flags = flags;
            cell.extra = Some(extra.clone());
        }
    } else {
        for (cell, &byte) in cells.iter_mut().zip(text) {
            cell.c = char::from(byte);
            cell.fg = fg;
            cell.bg = bg;
            cell.flags = flags;
            if cell.extra.is_some() {
                cell.extra = None;
            }
        }
    }
}

/// One cell in the pen's style.
#[inline]
fn paint(cell: &mut Cell, c: char, kind: Flags, pen: &Cell) {
    cell.c = c;
    cell.fg = pen.fg;
    cell.bg = pen.bg;
    cell.flags = pen.flags | kind;
    if cell.extra.is_some() || pen.extra.is_some() {
        cell.extra.clone_from(&pen.extra);
    }
}

/// Makes column `at` a boundary: a wide character across it becomes two blanks in its style.
#[inline]
pub(crate) fn cut(row: &mut [Cell], at: usize) {
    if at == 0 || at >= row.len() || !row[at].flags.contains(Flags::WIDE_CHAR_SPACER) {
        return;
    }
    for cell in &mut row[at - 1..=at] {
        blank_half(cell);
    }
}

fn blank_half(cell: &mut Cell) {
    cell.flags
        .remove(Flags::WIDE_CHAR | Flags::WIDE_CHAR_SPACER);
    cell.c = ' ';
    if cell.zerowidth().is_some_and(|marks| !marks.is_empty()) {
        let (underline, link) = (cell.underline_color(), cell.hyperlink());
        cell.extra = None;
        if underline.is_some() {
            cell.set_underline_color(underline);
        }
        if link.is_some() {
            cell.set_hyperlink(link);
        }
    }
}

/// The row is no longer continued by the next one: its cells are about to move.
pub(crate) fn unwrap_row(row: &mut [Cell]) {
    if let Some(cell) = row.last_mut() {
        cell.flags
            .remove(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER);
    }
}

/// DEC special graphics.
fn drawing(c: char) -> char {
    const FROM_UNDERSCORE: [char; 32] = [
        ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻',
        '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
    ];
    match c {
        '_'..='~' => FROM_UNDERSCORE[c as usize - '_' as usize],
        _ => c,
    }
}
