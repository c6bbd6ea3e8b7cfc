//! The state of the emulator: two grids, one cursor, modes; and what moves the cursor.
//!
//! The grids, cells and their attributes are `alacritty_terminal`'s. Its `Term` is not used:
//! half of what a snapshot must say is private in it (the grid beneath, tab stops, scroll
//! region, keyboard stacks, titles), its guards would have to stand around every call (see
//! architecture.md, The holder is the terminal), and it handles one character at a time.
//! Keeping the grids ourselves, every bound stands where the state is.
//!
//! Where emulators differ, xterm decides, unless that could not be reproduced by sequences:
//!
//! - The alternate screen is cleared when it is left; entering it twice does nothing.
//! - REP repeats a character only until the cursor is moved by anything else: then it would
//!   repeat what is no longer there (ECMA-48 leaves it undefined).
//! - A tab only moves the cursor; it leaves no mark in the cells.

use alacritty_terminal::grid::{Dimensions as _, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Cell;

use crate::history::History;
use crate::keyboard::KeyboardStack;
use crate::modes::{Mode, ModeSet};
use crate::palette::Palette;
use crate::titles::Titles;
use crate::write::unwrap_row;

/// Tab stops of a fresh terminal.
pub(crate) const TAB: usize = 8;

/// A set of characters that G0–G3 can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Charset {
    #[default]
    Ascii,
    /// DEC special graphics: line drawing.
    Drawing,
}

/// Where and how the next character is painted; DECSC saves all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) line: usize,
    pub(crate) col: usize,
    /// The last column was just written: the next character wraps first.
    pub(crate) pending_wrap: bool,
    /// Colours and attributes; its character is a space.
    pub(crate) pen: Cell,
    pub(crate) charsets: [Charset; 4],
    /// Which of `charsets` is in use.
    pub(crate) active_charset: usize,
    /// DECOM: lines count from the top of the scroll region.
    pub(crate) origin: bool,
}

/// Everything a program can see or change.
#[derive(Debug)]
pub(crate) struct Terminal {
    pub(crate) cols: usize,
    pub(crate) rows: usize,
    pub(crate) primary: Grid<Cell>,
    /// Present while it is the active one.
    pub(crate) alternate: Option<Grid<Cell>>,
    pub(crate) history: History,
    pub(crate) cursor: Cursor,
    /// Saved by DECSC on the primary and on the alternate screen.
    pub(crate) saved: [Cursor; 2],
    /// The cell before the cursor (or under it, at a pending wrap) was the last thing that
    /// happened to the screen: REP repeats it.
    pub(crate) repeatable: bool,
    /// Scroll region: first line, and the line after the last.
    pub(crate) top: usize,
    pub(crate) bottom: usize,
    pub(crate) tabs: Vec<bool>,
    pub(crate) modes: ModeSet,
    /// Of the primary and of the alternate screen.
    pub(crate) keyboard: [KeyboardStack; 2],
    pub(crate) titles: Titles,
    pub(crate) palette: Palette,
    /// Bytes of hyperlinks made since the cells were last searched for them.
    pub(crate) link_bytes: usize,
}

impl Terminal {
    pub(crate) fn new(cols: usize, rows: usize, scrollback: usize) -> Self {
        Self {
            cols,
            rows,
            primary: Grid::new(rows, cols, 0),
            alternate: None,
            history: History::new(scrollback),
            cursor: Cursor::default(),
            saved: Default::default(),
            repeatable: false,
            top: 0,
            bottom: rows,
            tabs: default_tabs(cols),
            modes: ModeSet::default(),
            keyboard: Default::default(),
            titles: Titles::default(),
            palette: Palette::default(),
            link_bytes: 0,
        }
    }

    /// RIS. Lines keep their numbers; all else is as new.
    pub(crate) fn reset(&mut self) {
        self.alternate = None;
        self.primary = Grid::new(self.rows, self.cols, 0);
        self.history.clear();
        self.cursor = Cursor::default();
        self.saved = Default::default();
        self.repeatable = false;
        self.reset_margins();
        self.tabs = default_tabs(self.cols);
        self.modes = ModeSet::default();
        self.keyboard = Default::default();
        self.titles = Titles::default();
        self.palette = Palette::default();
    }

    /// DECSTR.
    pub(crate) fn soft_reset(&mut self) {
        self.modes.soft_reset();
        self.reset_margins();
        let (line, col) = (self.cursor.line, self.cursor.col);
        self.cursor = Cursor {
            line,
            col,
            ..Cursor::default()
        };
        let screen = self.screen_index();
        self.saved[screen] = Cursor::default();
        self.moved();
    }

    pub(crate) fn reset_margins(&mut self) {
        self.top = 0;
        self.bottom = self.rows;
    }

    /// The grid in view.
    pub(crate) fn grid(&self) -> &Grid<Cell> {
        self.alternate.as_ref().unwrap_or(&self.primary)
    }

    pub(crate) fn grid_mut(&mut self) -> &mut Grid<Cell> {
        self.alternate.as_mut().unwrap_or(&mut self.primary)
    }

    /// One row in view.
    pub(crate) fn row_mut(&mut self, line: usize) -> &mut [Cell] {
        row_mut(self.grid_mut(), line)
    }

    /// 0 on the primary screen, 1 on the alternate one.
    pub(crate) fn screen_index(&self) -> usize {
        usize::from(self.alternate.is_some())
    }

    /// The cursor was moved or the screen changed other than by printing.
    pub(crate) fn moved(&mut self) {
        self.cursor.pending_wrap = false;
        self.repeatable = false;
    }

    /// Absolute position, clamped to the screen.
    fn place(&mut self, line: usize, col: usize) {
        self.moved();
        self.cursor.line = line.min(self.rows - 1);
        self.cursor.col = col.min(self.cols - 1);
    }

    /// CUP: position from 0, relative to the scroll region in origin mode.
    pub(crate) fn goto(&mut self, line: usize, col: usize) {
        if self.cursor.origin {
            self.place((self.top + line).min(self.bottom - 1), col);
        } else {
            self.place(line, col);
        }
    }

    /// VPA.
    pub(crate) fn goto_line(&mut self, line: usize) {
        self.goto(line, self.cursor.col);
    }

    /// CHA.
    pub(crate) fn goto_col(&mut self, col: usize) {
        self.place(self.cursor.line, col);
    }

    /// CUU: stops at the top margin if it starts beneath it.
    pub(crate) fn up(&mut self, count: usize) {
        let stop = if self.cursor.line >= self.top {
            self.top
        } else {
            0
        };
        let line = self.cursor.line.saturating_sub(count).max(stop);
        self.place(line, self.cursor.col);
    }

    /// CUD: stops at the bottom margin if it starts above it.
    pub(crate) fn down(&mut self, count: usize) {
        let stop = if self.cursor.line < self.bottom {
            self.bottom - 1
        } else {
            self.rows - 1
        };
        let line = (self.cursor.line + count).min(stop);
        self.place(line, self.cursor.col);
    }

    pub(crate) fn forward(&mut self, count: usize) {
        self.place(self.cursor.line, self.cursor.col + count);
    }

    pub(crate) fn backward(&mut self, count: usize) {
        self.place(self.cursor.line, self.cursor.col.saturating_sub(count));
    }

    pub(crate) fn carriage_return(&mut self) {
        self.place(self.cursor.line, 0);
    }

    pub(crate) fn backspace(&mut self) {
        self.backward(1);
    }

    /// HT, CHT.
    pub(crate) fn tab(&mut self, count: usize) {
        let mut col = self.cursor.col;
        for _ in 0..count.min(self.cols) {
            col = (col + 1..self.cols)
                .find(|&at| self.tabs[at])
                .unwrap_or(self.cols - 1);
        }
        self.place(self.cursor.line, col);
    }

    /// CBT.
    pub(crate) fn back_tab(&mut self, count: usize) {
        let mut col = self.cursor.col;
        for _ in 0..count.min(self.cols) {
            col = (0..col).rev().find(|&at| self.tabs[at]).unwrap_or(0);
        }
        self.place(self.cursor.line, col);
    }

    /// HTS, TBC 0.
    pub(crate) fn set_tab(&mut self, on: bool) {
        let col = self.cursor.col;
        self.tabs[col] = on;
    }

    /// TBC 3.
    pub(crate) fn clear_tabs(&mut self) {
        self.tabs.fill(false);
    }

    /// DECST8C.
    pub(crate) fn reset_tabs(&mut self) {
        self.tabs = default_tabs(self.cols);
    }

    /// IND, LF.
    pub(crate) fn index(&mut self) {
        if self.cursor.line + 1 == self.bottom {
            self.scroll_up(1);
        } else if self.cursor.line + 1 < self.rows {
            self.cursor.line += 1;
        }
        self.moved();
    }

    /// RI.
    pub(crate) fn reverse_index(&mut self) {
        if self.cursor.line == self.top {
            self.scroll_down(1);
        } else {
            self.cursor.line = self.cursor.line.saturating_sub(1);
        }
        self.moved();
    }

    /// DECSTBM with lines from 1; `bottom` 0 is the last one. Homes the cursor.
    pub(crate) fn set_margins(&mut self, top: usize, bottom: usize) {
        let top = top.max(1) - 1;
        let bottom = if bottom == 0 {
            self.rows
        } else {
            bottom.min(self.rows)
        };
        // A region has at least two lines, except on a screen of one.
        if top + 1 < bottom || (top, bottom) == (0, self.rows) {
            self.top = top;
            self.bottom = bottom;
            self.goto(0, 0);
        }
    }

    /// DECOM; homes the cursor.
    pub(crate) fn set_origin(&mut self, on: bool) {
        self.cursor.origin = on;
        self.goto(0, 0);
    }

    /// DECSC.
    pub(crate) fn save_cursor(&mut self) {
        let screen = self.screen_index();
        self.saved[screen] = self.cursor.clone();
    }

    /// DECRC. A pending wrap comes back with it: then the cell in the last column counts as
    /// just printed.
    pub(crate) fn restore_cursor(&mut self) {
        self.cursor = self.saved[self.screen_index()].clone();
        if self.cursor.origin {
            self.cursor.line = self.cursor.line.clamp(self.top, self.bottom - 1);
        }
        self.repeatable = self.cursor.pending_wrap;
        if self.cursor.pending_wrap {
            let line = self.cursor.line;
            unwrap_row(self.row_mut(line));
        }
    }

    /// `?47`, `?1047`, `?1049` set. The cursor stays where it is.
    pub(crate) fn enter_alternate(&mut self) {
        if self.alternate.is_none() {
            if self.saved[0].pending_wrap {
                // As restoring it would: a snapshot restores it before it comes here.
                unwrap_row(row_mut(&mut self.primary, self.saved[0].line));
            }
            self.alternate = Some(Grid::new(self.rows, self.cols, 0));
            self.saved[1] = Cursor::default();
            self.moved();
        }
    }

    /// `?47`, `?1047`, `?1049` reset.
    pub(crate) fn leave_alternate(&mut self) {
        if self.alternate.take().is_some() {
            self.saved[1] = Cursor::default();
            self.moved();
        }
    }

    /// A mode by its number, ANSI or private.
    pub(crate) fn set_mode(&mut self, number: u16, private: bool, on: bool) {
        match (private, number) {
            (true, 6) => self.set_origin(on),
            (true, 47 | 1047) if on => self.enter_alternate(),
            (true, 47 | 1047) => self.leave_alternate(),
            (true, 1048) if on => self.save_cursor(),
            (true, 1048) => self.restore_cursor(),
            (true, 1049) if on => {
                if self.alternate.is_none() {
                    self.save_cursor();
                    self.enter_alternate();
                }
            }
            (true, 1049) => {
                if self.alternate.is_some() {
                    self.leave_alternate();
                    self.restore_cursor();
                }
            }
            _ => self.modes.set(number, private, on),
        }
    }

    pub(crate) fn mode(&self, mode: Mode) -> bool {
        self.modes.get(mode)
    }
}

/// One row of a grid, writable as a whole.
pub(crate) fn row_mut(grid: &mut Grid<Cell>, line: usize) -> &mut [Cell] {
    let end = Column(grid.columns());
    &mut grid[Line(line as i32)][Column(0)..end]
}

/// One row of a grid.
pub(crate) fn row(grid: &Grid<Cell>, line: usize) -> &[Cell] {
    &grid[Line(line as i32)][..]
}

/// A stop every eight columns.
pub(crate) fn default_tabs(cols: usize) -> Vec<bool> {
    (0..cols).map(|col| col % TAB == 0).collect()
}
