//! Changing the size: the primary screen and its history reflow, the alternate screen is cut
//! or padded.
//!
//! A line that the terminal wrapped is one line, and is wrapped anew at the new width. What
//! stood at the top of the screen stays there as long as the content fits; on a screen that
//! is full to its last line, lines leave into history or come back from it.
//!
//! Numbers of history lines: a line that a resize pushes off the screen gets the next number;
//! a line that it takes back leaves its number used, and gets a new one when it leaves again.
//! Lines that are wrapped anew are renumbered so that the last one is still the last. So
//! [`crate::Screen::history_end`] never decreases.

use alacritty_terminal::grid::Grid;
use alacritty_terminal::term::cell::{Cell, Flags};

use crate::history::History;
use crate::packed::{is_blank, leading_spacer};
use crate::terminal::{Cursor, TAB, Terminal, row, row_mut};
use crate::write::{cut, unwrap_row};

/// Where the cursor is in rows that are being laid out.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    line: usize,
    col: usize,
    pending_wrap: bool,
}

impl Terminal {
    /// Changes the size of both screens. Margins are reset.
    pub(crate) fn resize(&mut self, cols: usize, rows: usize) {
        if (cols, rows) == (self.cols, self.rows) {
            return;
        }
        let columns_changed = cols != self.cols;
        let place = if let Some(grid) = self.alternate.take() {
            let place = Place::of(&self.saved[0]);
            let (place, _) = self.resize_primary(place, cols, rows);
            place_cursor(&mut self.saved[0], place);
            let dropped = (self.cursor.line + 1).saturating_sub(rows);
            self.alternate = Some(crop(&grid, (self.cols, self.rows), (cols, rows), dropped));
            Place {
                line: self.cursor.line - dropped,
                col: self.cursor.col.min(cols - 1),
                pending_wrap: self.cursor.pending_wrap && !columns_changed,
            }
        } else {
            let place = Place::of(&self.cursor);
            let before = self.saved[0].line;
            let (new, moved_up) = self.resize_primary(place, cols, rows);
            self.saved[0].line = before.saturating_sub(moved_up).min(rows - 1);
            new
        };
        place_cursor(&mut self.cursor, place);
        self.repeatable = place.pending_wrap;
        for saved in &mut self.saved {
            saved.line = saved.line.min(rows - 1);
            saved.col = saved.col.min(cols - 1);
            saved.pending_wrap &= saved.col == cols - 1 && !columns_changed;
        }
        let old_cols = self.cols;
        self.tabs.truncate(cols);
        self.tabs.extend((old_cols..cols).map(|col| col % TAB == 0));
        self.cols = cols;
        self.rows = rows;
        self.reset_margins();
    }

    /// The cursor's new place, and by how many lines the screen's content moved up.
    fn resize_primary(&mut self, place: Place, cols: usize, rows: usize) -> (Place, usize) {
        let end = self.history.end();
        let used = used_rows(&self.primary, self.rows, place.line);
        let full = used == self.rows;
        // Lines from here on are laid out; `top` is where the screen begins among them.
        let (mut lines, top, mut place) = if cols == self.cols {
            let lines = (0..used)
                .map(|line| row(&self.primary, line).to_vec())
                .collect();
            (lines, 0, place)
        } else {
            self.reflow(used, place, cols)
        };
        let below = lines.len() - top;
        let mut new_top = top;
        if below > rows {
            // Keep the end in view, but never lose the cursor.
            new_top = (lines.len() - rows).min(place.line);
        }
        let mut moved_up = new_top - top;
        for line in lines.drain(..new_top) {
            self.history.push(&line);
        }
        // Lines before `top` were in history already: only those after it are new.
        self.history.continue_at(end + moved_up as u64);
        place.line -= new_top;
        lines.truncate(rows);
        if full && lines.len() < rows && rows > self.rows {
            let mut cells = Vec::new();
            let mut back = Vec::new();
            while lines.len() + back.len() < rows && self.history.pop(&mut cells) {
                back.push(std::mem::take(&mut cells));
            }
            place.line += back.len();
            moved_up = 0;
            back.reverse();
            back.append(&mut lines);
            lines = back;
        }
        self.primary = Grid::new(rows, cols, 0);
        for (at, cells) in lines.iter().enumerate() {
            let row = row_mut(&mut self.primary, at);
            let count = cells.len().min(cols);
            row[..count].clone_from_slice(&cells[..count]);
        }
        unwrap_row(row_mut(&mut self.primary, rows - 1));
        (place, moved_up)
    }

    /// Wraps history and screen anew. Returns the rows from the first line on that reaches
    /// into the screen, where the screen begins among them, and the cursor's place.
    fn reflow(&mut self, used: usize, place: Place, cols: usize) -> (Vec<Vec<Cell>>, usize, Place) {
        let old = std::mem::replace(&mut self.history, History::new(0));
        let mut history = old.successor();
        let mut logical: Vec<Cell> = Vec::new();
        let mut joined = 0usize;
        let mut cells = Vec::new();
        let mut rows = Vec::new();
        for number in old.first()..old.end() {
            if joined == 0 && old.plain(number).is_some_and(|text| text.len() <= cols) {
                history.push_line_of(&old, number);
                continue;
            }
            old.line(number, &mut cells);
            let wrapped = join(&mut logical, &mut cells);
            joined += 1;
            if !wrapped {
                wrap(&logical, cols, None, &mut rows);
                rows.drain(..).for_each(|row| history.push(&row));
                logical.clear();
                joined = 0;
            }
        }
        drop(old);
        self.history = history;
        // `logical` holds what of the screen's first line is in history.
        let anchor = logical.len();
        let mut top = None;
        let mut at = Place::default();
        for line in 0..used {
            cells.clear();
            cells.extend_from_slice(row(&self.primary, line));
            let wrapped = cells
                .last()
                .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE));
            if !wrapped {
                let mut keep = cells
                    .iter()
                    .rposition(|cell| !is_blank(cell))
                    .map_or(0, |n| n + 1);
                if line == place.line {
                    keep = keep.max(place.col + 1);
                }
                cells.truncate(keep);
            }
            if line == place.line {
                at.line = usize::MAX;
                at.col = logical.len() + place.col + usize::from(place.pending_wrap);
            }
            join(&mut logical, &mut cells);
            if !wrapped || line + 1 == used {
                let first = rows.len();
                let mark = (at.line == usize::MAX).then_some(at.col);
                let found = wrap(&logical, cols, mark, &mut rows);
                if mark.is_some() {
                    at = found;
                    at.line += first;
                }
                if top.is_none() {
                    top = Some(row_of(&rows[first..], anchor));
                }
                logical.clear();
            }
        }
        (rows, top.unwrap_or(0), at)
    }
}

impl Place {
    fn of(cursor: &Cursor) -> Self {
        Self {
            line: cursor.line,
            col: cursor.col,
            pending_wrap: cursor.pending_wrap,
        }
    }
}

fn place_cursor(cursor: &mut Cursor, place: Place) {
    cursor.line = place.line;
    cursor.col = place.col;
    cursor.pending_wrap = place.pending_wrap;
}

/// How many rows from the top hold content or the cursor.
fn used_rows(grid: &Grid<Cell>, rows: usize, cursor: usize) -> usize {
    let content = (0..rows)
        .rev()
        .find(|&line| !row(grid, line).iter().all(is_blank))
        .map_or(0, |line| line + 1);
    content.max(cursor + 1)
}

/// Appends a row to the line it belongs to; says whether the line goes on in the next row.
fn join(line: &mut Vec<Cell>, cells: &mut Vec<Cell>) -> bool {
    let Some(last) = cells.last_mut() else {
        return false;
    };
    let wrapped = last.flags.contains(Flags::WRAPLINE);
    last.flags.remove(Flags::WRAPLINE);
    if last.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) {
        if wrapped {
            cells.pop();
        } else {
            last.flags.remove(Flags::LEADING_WIDE_CHAR_SPACER);
        }
    }
    line.append(cells);
    wrapped
}

/// Wraps one line into rows of `cols`. With `mark`, an offset into the line, says where it
/// went, as a row of this line; an offset behind the end is a pending wrap in a full row.
fn wrap(line: &[Cell], cols: usize, mark: Option<usize>, rows: &mut Vec<Vec<Cell>>) -> Place {
    let mut found = Place::default();
    let mut current: Vec<Cell> = Vec::new();
    let mut count = 0;
    for (at, cell) in line.iter().enumerate() {
        let wide = cell.flags.contains(Flags::WIDE_CHAR);
        if wide && current.len() + 1 == cols {
            current.push(leading_spacer());
        }
        if current.len() == cols {
            if let Some(last) = current.last_mut() {
                last.flags.insert(Flags::WRAPLINE);
            }
            rows.push(std::mem::take(&mut current));
            count += 1;
        }
        if mark == Some(at) {
            found = Place {
                line: count,
                col: current.len(),
                pending_wrap: false,
            };
        }
        current.push(cell.clone());
    }
    if mark.is_some_and(|mark| mark >= line.len()) {
        let pending_wrap = current.len() == cols;
        found = Place {
            line: count,
            col: current.len().min(cols - 1),
            pending_wrap,
        };
    }
    rows.push(current);
    found
}

/// The row that holds offset `offset` of the line these rows are.
fn row_of(rows: &[Vec<Cell>], offset: usize) -> usize {
    let mut seen = 0;
    for (at, row) in rows.iter().enumerate() {
        let spacer = row
            .last()
            .is_some_and(|cell| cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER));
        seen += row.len() - usize::from(spacer);
        if offset < seen {
            return at;
        }
    }
    rows.len().saturating_sub(1)
}

/// The alternate screen at another size, without its first `dropped` lines.
fn crop(
    old: &Grid<Cell>,
    (old_cols, old_rows): (usize, usize),
    (cols, rows): (usize, usize),
    dropped: usize,
) -> Grid<Cell> {
    let mut grid = Grid::new(rows, cols, 0);
    for (to, from) in (dropped..old_rows).take(rows).enumerate() {
        let mut cells = row(old, from).to_vec();
        if cols != old_cols {
            cut(&mut cells, cols);
            unwrap_row(&mut cells);
        }
        cells.truncate(cols);
        row_mut(&mut grid, to)[..cells.len()].clone_from_slice(&cells);
    }
    unwrap_row(row_mut(&mut grid, rows - 1));
    grid
}
