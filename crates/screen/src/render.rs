//! The screen drawn into a window of another size, for a client that does not own the size.

use alacritty_terminal::term::cell::{Cell, Flags};

use crate::Size;
use crate::modes::{Mode, write_mode};
use crate::paint::Painter;
use crate::terminal::{Terminal, row};

/// Draws what is in view into a window of `size`, cropped so that the cursor stays in it,
/// every row at its absolute position, nothing wrapping. Rows beyond the screen are erased.
pub(crate) fn write(terminal: &Terminal, size: Size, out: &mut Vec<u8>) {
    let (cols, rows) = (usize::from(size.cols), usize::from(size.rows));
    let cursor = &terminal.cursor;
    // The first line and column in view: as little moved as the cursor allows.
    let top = (cursor.line + 1).saturating_sub(rows);
    let left = (cursor.col + 1).saturating_sub(cols);
    // Hidden while drawing, and no wrapping at the right edge.
    out.extend_from_slice(b"\x1b[?25l\x1b[?7l\x1b[0m");
    for line in 0..rows {
        let mut painter = Painter::new(out);
        painter.goto(line, 0);
        let mut filled = 0;
        if let Some(at) = (top + line < terminal.rows).then_some(top + line) {
            let cells = row(terminal.grid(), at);
            let end = cells
                .iter()
                .rposition(|cell| !crate::packed::is_blank(cell))
                .map_or(0, |n| n + 1)
                .clamp(left, left + cols);
            let end = end.min(cells.len());
            for (at, cell) in cells.iter().enumerate().take(end).skip(left.min(end)) {
                paint(&mut painter, cells, cell, at, left, left + cols);
            }
            filled = end.saturating_sub(left);
        }
        painter.plain();
        if filled < cols {
            out.extend_from_slice(b"\x1b[K");
        }
    }
    out.extend_from_slice(b"\x1b[?7h");
    Painter::new(out).goto(cursor.line - top, cursor.col - left);
    if terminal.mode(Mode::ShowCursor) {
        write_mode(25, true, true, out);
    }
}

/// One cell; half a wide character at an edge is a blank in its style.
fn paint(
    painter: &mut Painter<'_>,
    row: &[Cell],
    cell: &Cell,
    at: usize,
    left: usize,
    right: usize,
) {
    let halved = (at == left && cell.flags.contains(Flags::WIDE_CHAR_SPACER))
        || (at + 1 == right && at + 1 < row.len() && cell.flags.contains(Flags::WIDE_CHAR));
    if halved || cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) {
        let mut blank = crate::sgr::Style::of(cell).cell();
        blank.c = ' ';
        painter.cell(&blank);
    } else {
        painter.cell(cell);
    }
}
