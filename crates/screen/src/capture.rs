//! The screen as text: what a person would copy.

use alacritty_terminal::term::cell::{Cell, Flags};

use crate::Capture;
use crate::paint::{Painter, write_cell};
use crate::sgr::Style;
use crate::terminal::{Terminal, row};

/// Lines as the program wrote them: rows that the terminal wrapped are joined, blanks at the
/// end of a line and blank lines at the end are left out.
pub(crate) fn text(terminal: &Terminal, what: Capture) -> String {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut logical: Vec<Cell> = Vec::new();
    let limit = what.lines.unwrap_or(usize::MAX);
    let mut take = |logical: &mut Vec<Cell>, cells: &[Cell]| {
        if !append(logical, cells) {
            lines.push(line(logical, what.ansi));
            logical.clear();
        }
    };
    if what.scrollback {
        let history = &terminal.history;
        let mut cells = Vec::new();
        for number in history.first()..history.end() {
            history.line(number, &mut cells);
            take(&mut logical, &cells);
        }
    }
    if terminal.alternate.is_some() && !logical.is_empty() {
        // It goes on beneath the alternate screen.
        take(&mut logical, &[]);
    }
    for at in 0..terminal.rows {
        take(&mut logical, row(terminal.grid(), at));
    }
    while lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    let skipped = lines.len().saturating_sub(limit);
    String::from_utf8_lossy(&lines[skipped..].join(&b'\n')).into_owned()
}

/// Rows looked back through for the start of a line that the terminal wrapped: what is captured
/// again and again must not cost a line without an end again and again.
const START_OF_LINE: u64 = 512;

/// Lines from history line `number` on, to the end of the screen; the whole line that `number`
/// belongs to. Lines before cost nothing.
pub(crate) fn text_since(terminal: &Terminal, number: u64) -> String {
    let history = &terminal.history;
    let mut from = number.clamp(history.first(), history.end());
    let earliest = from.saturating_sub(START_OF_LINE).max(history.first());
    while from > earliest && history.is_wrapped(from - 1) {
        from -= 1;
    }
    let mut out: Vec<u8> = Vec::new();
    let mut logical: Vec<Cell> = Vec::new();
    let mut cells = Vec::new();
    for number in from..history.end() {
        if let Some(plain) = history.plain(number).filter(|_| logical.is_empty()) {
            out.extend_from_slice(plain.trim_ascii_end());
            out.push(b'\n');
            continue;
        }
        history.line(number, &mut cells);
        if !append(&mut logical, &cells) {
            out.extend(line(&logical, false));
            out.push(b'\n');
            logical.clear();
        }
    }
    if terminal.alternate.is_some() && !logical.is_empty() {
        // It goes on beneath the alternate screen.
        out.extend(line(&logical, false));
        out.push(b'\n');
        logical.clear();
    }
    for at in 0..terminal.rows {
        if !append(&mut logical, row(terminal.grid(), at)) {
            out.extend(line(&logical, false));
            out.push(b'\n');
            logical.clear();
        }
    }
    while out.last() == Some(&b'\n') {
        out.pop();
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Adds a row to the line it belongs to; says whether the next row does, too.
fn append(line: &mut Vec<Cell>, cells: &[Cell]) -> bool {
    let Some(last) = cells.last() else {
        return false;
    };
    let spacer = last.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER);
    line.extend_from_slice(&cells[..cells.len() - usize::from(spacer)]);
    last.flags.contains(Flags::WRAPLINE)
}

fn line(cells: &[Cell], ansi: bool) -> Vec<u8> {
    let mut out = Vec::new();
    if ansi {
        let end = cells
            .iter()
            .rposition(|cell| cell.c != ' ' || !Style::default().is_of(cell))
            .map_or(0, |n| n + 1);
        let mut painter = Painter::new(&mut out);
        cells[..end].iter().for_each(|cell| painter.cell(cell));
        painter.plain();
        return out;
    }
    for cell in cells {
        if !cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            write_cell(cell, &mut out);
        }
    }
    while out.last() == Some(&b' ') {
        out.pop();
    }
    out
}
