//! The state as bytes: written to a fresh terminal of the same size, they reproduce it
//! (architecture.md, Snapshot, then stream). Only standard sequences, in an order in which no
//! step disturbs what an earlier one set up:
//!
//! 1. titles, palette, keyboard flags of the screen that is not in view;
//! 2. the saved cursor, while the screen is still blank;
//! 3. history and the primary screen, printed from the top, so that history scrolls away into
//!    the client's scrollback and wrapped lines stay wrapped;
//! 4. if it is in view, the alternate screen, in the same way;
//! 5. tab stops, modes, margins, the cursor with its pending wrap;
//! 6. what paints the next byte: pen, character sets, insert, autowrap;
//! 7. the status, `?2026` if a synchronized update is in progress, unfinished bytes.

use alacritty_terminal::grid::Grid;
use alacritty_terminal::term::cell::{Cell, Flags};

use crate::modes::{Mode, write_mode};
use crate::paint::{Painter, RowEnd};
use crate::sgr::Style;
use crate::terminal::{Charset, Cursor, Terminal, default_tabs, row};

/// Writes the snapshot, and says the number of its first history line.
pub(crate) fn write(
    terminal: &Terminal,
    history_from: u64,
    status: &[u8],
    unfinished: &[u8],
    out: &mut Vec<u8>,
) -> u64 {
    let first = history_from.clamp(terminal.history.first(), terminal.history.end());
    terminal.titles.write(out);
    terminal.palette.write(out);
    let [primary_keys, alternate_keys] = &terminal.keyboard;
    if terminal.alternate.is_none() && !alternate_keys.is_default() {
        out.extend_from_slice(b"\x1b[?1049h");
        alternate_keys.write(out);
        out.extend_from_slice(b"\x1b[?1049l");
    }
    primary_keys.write(out);
    write_saved(&terminal.saved[0], out);
    let mut painter = Painter::new(out);
    let end = history(terminal, first, &mut painter);
    screen(&terminal.primary, terminal.rows, end, &mut painter);
    painter.plain();
    if let Some(grid) = &terminal.alternate {
        if terminal.saved[0] == Cursor::default() {
            out.extend_from_slice(b"\x1b[H\x1b[?1049h");
        } else {
            out.extend_from_slice(b"\x1b8\x1b[?1049h");
            undo_cursor(&terminal.saved[0], out);
        }
        out.extend_from_slice(b"\x1b[H");
        alternate_keys.write(out);
        write_saved(&terminal.saved[1], out);
        let mut painter = Painter::new(out);
        screen(grid, terminal.rows, None, &mut painter);
        painter.plain();
    }
    write_tabs(terminal, out);
    terminal.modes.write(out);
    write_cursor(terminal, out);
    if terminal.mode(Mode::Insert) {
        write_mode(4, false, true, out);
    }
    if !terminal.mode(Mode::AutoWrap) {
        write_mode(7, true, false, out);
    }
    out.extend_from_slice(status);
    if terminal.mode(Mode::Synchronized) {
        write_mode(2026, true, true, out);
    }
    out.extend_from_slice(unfinished);
    first
}

fn history(terminal: &Terminal, first: u64, painter: &mut Painter<'_>) -> Option<RowEnd> {
    let history = &terminal.history;
    let mut cells: Vec<Cell> = Vec::new();
    let mut end = None;
    for number in first..history.end() {
        end = Some(match history.plain(number) {
            Some(text) => painter.plain_row(text, end),
            None => {
                history.line(number, &mut cells);
                painter.row(&cells, end)
            }
        });
    }
    end
}

fn screen(grid: &Grid<Cell>, rows: usize, mut end: Option<RowEnd>, painter: &mut Painter<'_>) {
    for line in 0..rows {
        end = Some(painter.row(row(grid, line), end));
    }
}

/// DECSC with everything that it saves, on a blank screen, which is blank and home again after.
fn write_saved(saved: &Cursor, out: &mut Vec<u8>) {
    if *saved == Cursor::default() {
        return;
    }
    if saved.origin {
        write_mode(6, true, true, out);
    }
    let mut painter = Painter::new(out);
    painter.goto(saved.line, saved.col);
    if saved.pending_wrap {
        painter.out.push(b' ');
    }
    painter.style(&Style::of(&saved.pen));
    write_charsets(saved, out);
    out.extend_from_slice(b"\x1b7");
    undo_cursor(saved, out);
    out.extend_from_slice(b"\x1b[H");
}

/// Takes a cursor's pen, character sets and origin mode back to a fresh terminal's.
fn undo_cursor(cursor: &Cursor, out: &mut Vec<u8>) {
    if cursor.active_charset != 0 {
        out.push(0x0F);
    }
    for (slot, charset) in (b'('..).zip(cursor.charsets) {
        if charset != Charset::Ascii {
            out.extend_from_slice(&[0x1B, slot, b'B']);
        }
    }
    let style = Style::of(&cursor.pen);
    crate::sgr::write_change(&style, &Style::default(), out);
    if cursor.origin {
        write_mode(6, true, false, out);
    }
}

fn write_charsets(cursor: &Cursor, out: &mut Vec<u8>) {
    for (slot, charset) in (b'('..).zip(cursor.charsets) {
        if charset == Charset::Drawing {
            out.extend_from_slice(&[0x1B, slot, b'0']);
        }
    }
    match cursor.active_charset {
        1 => out.push(0x0E),
        2 => out.extend_from_slice(b"\x1bn"),
        3 => out.extend_from_slice(b"\x1bo"),
        _ => {}
    }
}

fn write_tabs(terminal: &Terminal, out: &mut Vec<u8>) {
    if terminal.tabs == default_tabs(terminal.cols) {
        return;
    }
    out.extend_from_slice(b"\x1b[3g");
    for (col, _) in terminal.tabs.iter().enumerate().filter(|(_, on)| **on) {
        out.extend_from_slice(format!("\x1b[1;{}H\x1bH", col + 1).as_bytes());
    }
}

/// Margins, origin mode, position, the character before it, pen and character sets.
fn write_cursor(terminal: &Terminal, out: &mut Vec<u8>) {
    let cursor = &terminal.cursor;
    if (terminal.top, terminal.bottom) != (0, terminal.rows) {
        let (top, bottom) = (terminal.top + 1, terminal.bottom);
        out.extend_from_slice(format!("\x1b[{top};{bottom}r").as_bytes());
    }
    if cursor.origin {
        write_mode(6, true, true, out);
    }
    let line = if cursor.origin {
        cursor.line - terminal.top
    } else {
        cursor.line
    };
    let mut painter = Painter::new(out);
    if terminal.repeatable {
        // Printed once more in its place, the last character puts the cursor behind itself,
        // with a pending wrap in the last column, and is what REP repeats.
        let cells = row(terminal.grid(), cursor.line);
        let mut at = if cursor.pending_wrap {
            cursor.col
        } else {
            cursor.col.saturating_sub(1)
        };
        if cells[at].flags.contains(Flags::WIDE_CHAR_SPACER) && at > 0 {
            at -= 1;
        }
        painter.goto(line, at);
        painter.cell(&cells[at]);
    } else {
        painter.goto(line, cursor.col);
    }
    painter.style(&Style::of(&cursor.pen));
    write_charsets(cursor, out);
}
