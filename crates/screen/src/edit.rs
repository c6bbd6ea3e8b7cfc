//! Erasing, inserting, deleting, scrolling.

use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::Cell;

use crate::terminal::{Terminal, row, row_mut};
use crate::write::{cut, unwrap_row};

/// As `fill`, but without counting references for cells that have nothing to share.
fn blank_out(cells: &mut [Cell], blank: &Cell) {
    for cell in cells {
        cell.c = ' ';
        cell.fg = blank.fg;
        cell.bg = blank.bg;
        cell.flags = blank.flags;
        if cell.extra.is_some() {
            cell.extra = None;
        }
    }
}

impl Terminal {
    /// What erased cells become: blank, with the pen's background.
    fn erased(&self) -> Cell {
        Cell {
            bg: self.cursor.pen.bg,
            ..Cell::default()
        }
    }

    fn erase_cells(&mut self, line: usize, from: usize, to: usize) {
        let blank = self.erased();
        let row = self.row_mut(line);
        let (from, to) = (from.min(row.len()), to.min(row.len()));
        cut(row, from);
        cut(row, to);
        blank_out(&mut row[from..to], &blank);
    }

    /// Whole lines, as scrolling brings them in.
    fn erase_lines(&mut self, from: usize, to: usize) {
        let bg = self.cursor.pen.bg;
        let grid = self.grid_mut();
        grid.cursor.template.bg = bg;
        if from < to {
            grid.reset_region(Line(from as i32)..Line(to as i32));
        }
    }

    /// EL. At a pending wrap, erasing to the right erases nothing: the cursor stands behind
    /// the last column.
    pub(crate) fn erase_in_line(&mut self, how: u16) {
        let (line, col) = (self.cursor.line, self.cursor.col);
        match how {
            0 if self.cursor.pending_wrap => return,
            0 => self.erase_cells(line, col, self.cols),
            1 => self.erase_cells(line, 0, col + 1),
            2 => self.erase_cells(line, 0, self.cols),
            _ => return,
        }
        self.moved();
    }

    /// ED.
    pub(crate) fn erase_in_display(&mut self, how: u16) {
        let (line, col) = (self.cursor.line, self.cursor.col);
        match how {
            0 => {
                self.erase_lines(line + 1, self.rows);
                if self.cursor.pending_wrap {
                    return;
                }
                self.erase_cells(line, col, self.cols);
            }
            1 => {
                self.erase_lines(0, line);
                self.erase_cells(line, 0, col + 1);
            }
            2 => self.erase_lines(0, self.rows),
            3 => {
                self.history.clear();
                return;
            }
            _ => return,
        }
        self.moved();
    }

    /// ECH.
    pub(crate) fn erase_chars(&mut self, count: usize) {
        let (line, col) = (self.cursor.line, self.cursor.col);
        self.erase_cells(line, col, col + count);
        self.moved();
    }

    /// ICH.
    pub(crate) fn insert_chars(&mut self, count: usize) {
        let (line, col) = (self.cursor.line, self.cursor.col);
        let count = count.min(self.cols - col);
        let blank = self.erased();
        let row = self.row_mut(line);
        cut(row, col);
        let keep = row.len() - count;
        cut(row, keep);
        unwrap_row(row);
        row[col..].rotate_right(count);
        blank_out(&mut row[col..col + count], &blank);
        self.moved();
    }

    /// DCH.
    pub(crate) fn delete_chars(&mut self, count: usize) {
        let (line, col) = (self.cursor.line, self.cursor.col);
        let count = count.min(self.cols - col);
        let blank = self.erased();
        let row = self.row_mut(line);
        cut(row, col);
        cut(row, col + count);
        unwrap_row(row);
        row[col..].rotate_left(count);
        let keep = row.len() - count;
        blank_out(&mut row[keep..], &blank);
        self.moved();
    }

    /// IL.
    pub(crate) fn insert_lines(&mut self, count: usize) {
        let line = self.cursor.line;
        if (self.top..self.bottom).contains(&line) {
            self.shift_down(line, count);
            self.cursor.col = 0;
            self.moved();
        }
    }

    /// DL. What it deletes is gone, it does not enter history.
    pub(crate) fn delete_lines(&mut self, count: usize) {
        let line = self.cursor.line;
        if (self.top..self.bottom).contains(&line) {
            self.shift_up(line, count);
            self.cursor.col = 0;
            self.moved();
        }
    }

    /// SU, and LF at the bottom margin. Lines leave into history where the region starts at the
    /// top of the primary screen.
    pub(crate) fn scroll_up(&mut self, count: usize) {
        let count = count.min(self.bottom - self.top);
        if self.top == 0 && self.alternate.is_none() {
            for line in 0..count {
                self.history.push(row(&self.primary, line));
            }
        }
        self.shift_up(self.top, count);
    }

    /// SD, and RI at the top margin.
    pub(crate) fn scroll_down(&mut self, count: usize) {
        self.shift_down(self.top, count);
    }

    /// Moves the lines from `from` to the bottom margin up, blank ones in at the bottom.
    fn shift_up(&mut self, from: usize, count: usize) {
        let (bottom, bg) = (self.bottom, self.cursor.pen.bg);
        let count = count.min(bottom - from);
        if count == 0 {
            return;
        }
        let grid = self.grid_mut();
        grid.cursor.template.bg = bg;
        grid.scroll_up(&(Line(from as i32)..Line(bottom as i32)), count);
    }

    /// Moves the lines from `from` to the bottom margin down, blank ones in at `from`.
    fn shift_down(&mut self, from: usize, count: usize) {
        let (bottom, rows, bg) = (self.bottom, self.rows, self.cursor.pen.bg);
        let count = count.min(bottom - from);
        if count == 0 {
            return;
        }
        let grid = self.grid_mut();
        grid.cursor.template.bg = bg;
        grid.scroll_down(&(Line(from as i32)..Line(bottom as i32)), count);
        if bottom == rows {
            // The line that continued this one is gone.
            unwrap_row(row_mut(grid, rows - 1));
        }
    }

    /// DECALN: the screen full of E, margins reset, cursor home.
    pub(crate) fn alignment_test(&mut self) {
        self.reset_margins();
        for line in 0..self.rows {
            self.row_mut(line).fill(Cell {
                c: 'E',
                ..Cell::default()
            });
        }
        self.cursor.origin = false;
        self.goto(0, 0);
    }
}
