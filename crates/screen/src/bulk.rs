//! Many lines of plain text at once: `cat` of a large file.
//!
//! Of a chunk of hundreds of lines only the last screenful can be seen when it ends; the
//! others only pass through. Where nothing but plain text is involved (default pen, whole
//! screen scrolling, cursor in a blank bottom line), they are packed into history straight
//! from the bytes, without being written into the grid, and the last ones are drawn. The
//! result is the same as drawing them one by one; a test compares the two.

use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};

use crate::history::is_blank;
use crate::modes::Mode;
use crate::parser::printable_prefix;
use crate::terminal::{Charset, Terminal, row};
use crate::write::write_run;

/// Fewer bytes are not worth looking at.
const MIN_BYTES: usize = 1024;
/// Rows collected at once: bounds the memory for it.
const MAX_ROWS: usize = 1024;

/// One row of text in the chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    start: usize,
    end: usize,
    /// Longer than the screen is wide: the next row continues it.
    wrapped: bool,
    tabs: bool,
}

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
        let mut spans = Vec::new();
        let taken = self.collect(bytes, &mut spans);
        if spans.is_empty() || spans.len() + 1 < self.rows {
            return Bulk::Refused(taken.max(MIN_BYTES));
        }
        let kept = self.rows - 1;
        for line in 0..kept {
            self.history.push(row(&self.primary, line));
        }
        let (gone, seen) = spans.split_at(spans.len() - kept);
        let mut text = Vec::new();
        for span in gone {
            self.expand(bytes, *span, &mut text);
            self.history.push_text(&text, span.wrapped);
        }
        self.primary.cursor.template.bg = Cell::default().bg;
        self.primary.reset_region(..);
        let pen = Cell::default();
        for (line, span) in seen.iter().enumerate() {
            self.expand(bytes, *span, &mut text);
            let row = &mut self.primary[Line(line as i32)];
            if !text.is_empty() {
                write_run(row, 0, &text, &pen);
            }
            if span.wrapped {
                row[Column(self.cols - 1)].flags.insert(Flags::WRAPLINE);
            }
        }
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
            && is_blank(&cursor.pen)
            && row(&self.primary, cursor.line).iter().all(is_blank)
    }

    /// Finds the rows of whole lines at the start of `bytes`; says where they end.
    fn collect(&self, bytes: &[u8], spans: &mut Vec<Span>) -> usize {
        let new_line = self.mode(Mode::NewLine);
        let mut taken = 0;
        while spans.len() < MAX_ROWS {
            let start = taken;
            let mut at = start;
            let mut width = 0;
            let mut tabs = false;
            loop {
                let run = printable_prefix(&bytes[at..]);
                at += run;
                width += run;
                if bytes.get(at) != Some(&b'\t') {
                    break;
                }
                let Some(stop) = self.tabs.iter().skip(width + 1).position(|&stop| stop) else {
                    // Tabs at the right margin are for the slow way.
                    return taken;
                };
                width += 1 + stop;
                tabs = true;
                at += 1;
            }
            let end = at;
            taken = match bytes[at..] {
                [b'\r', b'\n', ..] => at + 2,
                [b'\n', ..] if new_line => at + 1,
                _ => return taken,
            };
            if tabs && width > self.cols {
                return start;
            }
            let mut from = start;
            while !tabs && end - from > self.cols {
                spans.push(Span {
                    start: from,
                    end: from + self.cols,
                    wrapped: true,
                    tabs: false,
                });
                from += self.cols;
            }
            spans.push(Span {
                start: from,
                end,
                wrapped: false,
                tabs,
            });
        }
        taken
    }

    /// The text of a row, tabs as blanks.
    fn expand(&self, bytes: &[u8], span: Span, text: &mut Vec<u8>) {
        text.clear();
        let bytes = &bytes[span.start..span.end];
        if !span.tabs {
            text.extend_from_slice(bytes);
            return;
        }
        for &byte in bytes {
            if byte == b'\t' {
                text.push(b' ');
                while text.len() < self.cols && !self.tabs[text.len()] {
                    text.push(b' ');
                }
            } else {
                text.push(byte);
            }
        }
    }
}
