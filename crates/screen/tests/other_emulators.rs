//! A snapshot is for any emulator, not only for ours: it is written to two independent ones,
//! which then show what they show when they are fed the stream itself.
#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::num::NonZero;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::test::TermSize;
use alacritty_terminal::term::{Config, Term, TermMode};
use screen::{Capture, Screen, Size, SnapshotExtras};
use vte::ansi::Processor;

const COLS: u16 = 80;
const ROWS: u16 = 24;
/// Between the text of a row and its attributes.
const SEPARATOR: char = '\u{1}';

const RECORDINGS: [(&str, &[u8]); 5] = [
    ("vim", include_bytes!("recordings/vim.bin")),
    ("less", include_bytes!("recordings/less.bin")),
    ("htop", include_bytes!("recordings/htop.bin")),
    ("fish", include_bytes!("recordings/fish.bin")),
    ("shell", include_bytes!("recordings/shell.bin")),
];

/// What every emulator can be asked for.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    rows: Vec<String>,
    cursor: (usize, usize),
    alternate: bool,
    cursor_shown: bool,
    bracketed_paste: bool,
    application_cursor: bool,
}

/// Rows without blanks at their ends, and for each attribute the cells that have it.
fn alacritty(bytes: &[u8]) -> Seen {
    let config = Config {
        kitty_keyboard: true,
        ..Config::default()
    };
    let size = TermSize::new(usize::from(COLS), usize::from(ROWS));
    let mut term = Term::new(config, &size, VoidListener);
    let mut processor: Processor = Processor::new();
    processor.advance(&mut term, bytes);
    processor.stop_sync(&mut term);
    let grid = term.grid();
    let rows = (0..i32::from(ROWS))
        .map(|line| {
            let mut text = String::new();
            let mut attributes = String::new();
            for col in 0..usize::from(COLS) {
                let cell = &grid[Line(line)][Column(col)];
                if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
                    continue;
                }
                text.push(if cell.c == '\t' { ' ' } else { cell.c });
                text.extend(cell.zerowidth().into_iter().flatten());
                if cell.c != ' ' && cell.c != '\t' {
                    let flags = cell.flags - Flags::WRAPLINE - Flags::LEADING_WIDE_CHAR_SPACER;
                    attributes += &format!(" {flags:?}{:?}{:?}", cell.fg, cell.bg);
                }
            }
            format!("{}{SEPARATOR}{attributes}", text.trim_end())
        })
        .collect();
    let mode = term.mode();
    Seen {
        rows,
        cursor: (
            usize::try_from(grid.cursor.point.line.0).unwrap(),
            grid.cursor.point.column.0,
        ),
        alternate: mode.contains(TermMode::ALT_SCREEN),
        cursor_shown: mode.contains(TermMode::SHOW_CURSOR),
        bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
        application_cursor: mode.contains(TermMode::APP_CURSOR),
    }
}

fn vt100(bytes: &[u8]) -> Seen {
    let mut parser =
        vt100::Parser::new(NonZero::new(ROWS).unwrap(), NonZero::new(COLS).unwrap(), 0);
    parser.process(bytes);
    let screen = parser.screen();
    let rows = (0..ROWS)
        .map(|line| {
            let mut text = String::new();
            let mut attributes = String::new();
            for col in 0..COLS {
                let cell = screen.cell(line, col).unwrap();
                if cell.is_wide_continuation() {
                    continue;
                }
                if cell.has_contents() {
                    // It does not know line drawing, and shows the letters that stand for it.
                    text += match cell.contents() {
                        "┌" => "l",
                        "─" => "q",
                        "┐" => "k",
                        contents => contents,
                    };
                } else {
                    text.push(' ');
                }
                if cell.has_contents() && cell.contents() != " " {
                    attributes += &format!(
                        " {:?}{:?}{}{}{}{}",
                        cell.fgcolor(),
                        cell.bgcolor(),
                        u8::from(cell.bold()),
                        u8::from(cell.italic()),
                        u8::from(cell.underline()),
                        u8::from(cell.inverse()),
                    );
                }
            }
            format!("{}{SEPARATOR}{attributes}", text.trim_end())
        })
        .collect();
    let (line, col) = screen.cursor_position();
    Seen {
        rows,
        cursor: (usize::from(line), usize::from(col)),
        alternate: screen.alternate_screen(),
        cursor_shown: !screen.hide_cursor(),
        bracketed_paste: screen.bracketed_paste(),
        application_cursor: screen.application_cursor(),
    }
}

/// Row by row, so that a failure can be read.
fn same(left: &Seen, right: &Seen, what: &str) {
    for (line, (left, right)) in left.rows.iter().zip(&right.rows).enumerate() {
        assert_eq!(left, right, "{what}, line {line}");
    }
    assert_eq!(left, right, "{what}");
}

fn compare(emulator: fn(&[u8]) -> Seen) {
    for (name, bytes) in RECORDINGS {
        for cut in (0..=bytes.len()).step_by(677) {
            let (now, rest) = bytes.split_at(cut);
            let mut screen = Screen::new(Size::new(COLS, ROWS), 1000);
            screen.feed(now);
            let mut joined = screen.snapshot(0, &SnapshotExtras::default()).bytes;
            same(
                &emulator(&joined),
                &emulator(now),
                &format!("{name} at {cut}"),
            );
            joined.extend_from_slice(rest);
            same(
                &emulator(&joined),
                &emulator(bytes),
                &format!("{name} after {cut}"),
            );
        }
    }
}

#[test]
fn alacritty_shows_the_snapshot_as_it_shows_the_stream() {
    compare(alacritty);
}

#[test]
fn vt100_shows_the_snapshot_as_it_shows_the_stream() {
    compare(vt100);
}

#[test]
fn our_screen_shows_what_alacritty_shows() {
    for (name, bytes) in RECORDINGS {
        for cut in (0..=bytes.len()).step_by(677) {
            let mut screen = Screen::new(Size::new(COLS, ROWS), 0);
            screen.feed(&bytes[..cut]);
            let theirs: Vec<String> = alacritty(&bytes[..cut])
                .rows
                .iter()
                .map(|row| {
                    row.split_once(SEPARATOR)
                        .map_or("", |(text, _)| text)
                        .trim_end()
                        .to_owned()
                })
                .collect();
            // Wrapped rows are joined by a capture, not by the grid: compare without breaks.
            let ours: String = screen.capture(Capture::default()).split('\n').collect();
            assert_eq!(
                ours.replace(' ', ""),
                theirs.concat().replace(' ', ""),
                "{name} at {cut}"
            );
        }
    }
}
