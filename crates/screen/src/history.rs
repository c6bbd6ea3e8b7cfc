//! Lines that left the screen, packed.
//!
//! The grid's own history keeps every row at full width, 24 bytes a cell: two megabytes for
//! the first line that scrolls away, and 19 for 10,000 lines of 80 columns. Here a line costs
//! its text and a few bytes for each change of style, nothing for empty cells, and pushing a
//! line touches memory that is in the cache, which is also what makes scrolling fast.
//!
//! Lines are numbered from 0 in the order they left; numbers only grow.

use std::collections::VecDeque;
use std::sync::Arc;

use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use alacritty_terminal::vte::ansi::{Color, NamedColor, Rgb};
use unicode_width::UnicodeWidthChar as _;

use crate::sgr::{ATTRIBUTES, DEFAULT_BACKGROUND, DEFAULT_FOREGROUND, Style, named_color};

/// Bytes of all packed lines together, whatever their number (architecture.md, memory).
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// A page is closed once it is that large; pages are freed as a whole.
const PAGE: usize = 64 * 1024;

/// The row went on in the next one.
const WRAPPED: u8 = 1;
/// Its last cell was left empty because a wide character did not fit.
const LEADING_SPACER: u8 = 2;
/// Styles follow; otherwise the rest is text in the default style.
const STYLED: u8 = 4;

#[derive(Debug)]
struct Page {
    bytes: Vec<u8>,
    /// Where each line starts.
    starts: Vec<u32>,
    /// The number of the page's first line.
    first: u64,
}

/// The scrollback of one primary screen.
#[derive(Debug)]
pub(crate) struct History {
    pages: VecDeque<Page>,
    limit: usize,
    bytes: usize,
    /// The first line still held, the line after the last, in the pages' own count.
    first: u64,
    end: u64,
    /// What turns the pages' count into numbers: lines that a resize took back onto the screen
    /// leave their numbers used.
    shift: u64,
}

/// Bytes that the place of a line costs, beside its text.
const PER_LINE: usize = size_of::<u32>();

impl History {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            pages: VecDeque::new(),
            limit,
            bytes: 0,
            first: 0,
            end: 0,
            shift: 0,
        }
    }

    /// The number of the first line still held.
    pub(crate) fn first(&self) -> u64 {
        self.first + self.shift
    }

    /// The number the next line will get.
    pub(crate) fn end(&self) -> u64 {
        self.end + self.shift
    }

    /// How many lines are held.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.end - self.first).unwrap_or(usize::MAX)
    }

    /// Forgets all lines; numbering goes on.
    pub(crate) fn clear(&mut self) {
        self.pages.clear();
        self.bytes = 0;
        self.first = self.end;
    }

    /// Lets numbering go on at `end` at least, for the next line.
    pub(crate) fn continue_at(&mut self, end: u64) {
        self.shift += end.saturating_sub(self.end());
    }

    /// An empty history with the same limit, numbered from 0.
    pub(crate) fn successor(&self) -> Self {
        Self::new(self.limit)
    }

    /// Adds a row that left the screen.
    pub(crate) fn push(&mut self, row: &[Cell]) {
        self.push_with(|out| pack(row, out));
    }

    /// Adds a row of printable ASCII in the default style.
    pub(crate) fn push_text(&mut self, text: &[u8], wrapped: bool) {
        self.push_with(|out| {
            out.push(if wrapped { WRAPPED } else { 0 });
            let end = if wrapped {
                text.len()
            } else {
                text.iter().rposition(|&b| b != b' ').map_or(0, |n| n + 1)
            };
            out.extend_from_slice(&text[..end]);
        });
    }

    /// Adds a line of another history as it is.
    pub(crate) fn push_line_of(&mut self, other: &Self, number: u64) {
        if let Some(packed) = other.packed(number) {
            self.push_with(|out| out.extend_from_slice(packed));
        }
    }

    fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.limit == 0 {
            self.end += 1;
            self.first = self.end;
            return;
        }
        if self
            .pages
            .back()
            .is_none_or(|page| page.bytes.len() >= PAGE)
        {
            self.pages.push_back(Page {
                bytes: Vec::new(),
                starts: Vec::new(),
                first: self.end,
            });
        }
        let Some(page) = self.pages.back_mut() else {
            return;
        };
        let start = page.bytes.len();
        page.starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        write(&mut page.bytes);
        self.bytes += page.bytes.len() - start + PER_LINE;
        self.end += 1;
        if self.len() > self.limit {
            self.first += 1;
        }
        while self.pages.len() > 1 && (self.bytes > MAX_BYTES || self.pages[1].first <= self.first)
        {
            if let Some(page) = self.pages.pop_front() {
                self.bytes -= page.bytes.len() + page.starts.len() * PER_LINE;
            }
            self.first = self.first.max(self.pages[0].first);
        }
    }

    /// Takes the last line back; the number the next line will get stays.
    pub(crate) fn pop(&mut self, cells: &mut Vec<Cell>) -> bool {
        if self.len() == 0 {
            return false;
        }
        self.line(self.end() - 1, cells);
        self.end -= 1;
        self.shift += 1;
        if let Some(page) = self.pages.back_mut()
            && let Some(start) = page.starts.pop()
        {
            self.bytes -= page.bytes.len() - start as usize + PER_LINE;
            page.bytes.truncate(start as usize);
            if page.starts.is_empty() {
                self.pages.pop_back();
            }
        }
        true
    }

    fn packed(&self, number: u64) -> Option<&[u8]> {
        let number = number.checked_sub(self.shift)?;
        if number < self.first || number >= self.end {
            return None;
        }
        let at = self.pages.partition_point(|page| page.first <= number);
        let page = self.pages.get(at.checked_sub(1)?)?;
        let index = usize::try_from(number - page.first).ok()?;
        let start = *page.starts.get(index)? as usize;
        let end = page
            .starts
            .get(index + 1)
            .map_or(page.bytes.len(), |&end| end as usize);
        page.bytes.get(start..end)
    }

    /// Line `number` as cells, without the empty ones at its end; the buffer is reused.
    pub(crate) fn line(&self, number: u64, cells: &mut Vec<Cell>) {
        cells.clear();
        if let Some(packed) = self.packed(number) {
            unpack(packed, cells);
        }
    }

    /// The text of a line that is in the default style throughout and not wrapped. One column
    /// for each byte only where it is ASCII.
    pub(crate) fn plain(&self, number: u64) -> Option<&[u8]> {
        match self.packed(number)? {
            [0, text @ ..] => Some(text),
            _ => None,
        }
    }
}

/// Whether a cell is as a fresh terminal has it.
pub(crate) fn is_blank(cell: &Cell) -> bool {
    cell.c == ' ' && cell.flags.is_empty() && has_default_colors(cell)
}

#[inline]
fn has_default_colors(cell: &Cell) -> bool {
    matches!(cell.fg, Color::Named(NamedColor::Foreground))
        && matches!(cell.bg, Color::Named(NamedColor::Background))
        && cell.extra.is_none()
}

/// Whether SGR and OSC 8 say the same of both.
#[inline]
fn same_style(a: &Cell, b: &Cell) -> bool {
    let extra = match (&a.extra, &b.extra) {
        (None, None) => true,
        (Some(x), Some(y)) if Arc::ptr_eq(x, y) => true,
        _ => a.underline_color() == b.underline_color() && a.hyperlink() == b.hyperlink(),
    };
    extra && a.fg == b.fg && a.bg == b.bg && ((a.flags ^ b.flags) & ATTRIBUTES).is_empty()
}

fn pack(row: &[Cell], out: &mut Vec<u8>) {
    let end = row
        .iter()
        .rposition(|cell| !is_blank(cell))
        .map_or(0, |n| n + 1);
    let mut row = &row[..end];
    let last = row.last().map_or(Flags::empty(), |cell| cell.flags);
    let mut kind = 0;
    if last.contains(Flags::WRAPLINE) {
        kind |= WRAPPED;
    }
    if last.contains(Flags::LEADING_WIDE_CHAR_SPACER) {
        kind |= LEADING_SPACER;
        row = &row[..end - 1];
    }
    let unstyled = |cell: &Cell| has_default_colors(cell) && !cell.flags.intersects(ATTRIBUTES);
    if row.iter().all(unstyled) {
        out.push(kind);
        pack_texts(row, out);
        return;
    }
    out.push(kind | STYLED);
    let mut rest = row;
    while let Some(first) = rest.first() {
        let end = rest[1..]
            .iter()
            .position(|cell| !same_style(first, cell))
            .map_or(rest.len(), |n| n + 1);
        let (run, after) = rest.split_at(end);
        pack_style(first, out);
        let length_at = out.len();
        out.extend_from_slice(&[0; 4]);
        pack_texts(run, out);
        let length = u32::try_from(out.len() - length_at - 4).unwrap_or(u32::MAX);
        out[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
        rest = after;
    }
}

/// The text of a run. Where every cell is one ASCII character, as nearly always, it is
/// written at once: byte by byte was the greater part of scrolling coloured text.
#[inline]
fn pack_texts(run: &[Cell], out: &mut Vec<u8>) {
    let simple = run.iter().fold(true, |all, cell| {
        all & cell.c.is_ascii()
            & cell.extra.is_none()
            & !cell.flags.contains(Flags::WIDE_CHAR_SPACER)
    });
    if simple {
        out.extend(run.iter().map(|cell| cell.c as u8));
    } else {
        run.iter().for_each(|cell| pack_text(cell, out));
    }
}

fn pack_text(cell: &Cell, out: &mut Vec<u8>) {
    if cell.c.is_ascii() {
        // A spacer is a space, but the character before it stands for both.
        if !cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            out.push(cell.c as u8);
        }
    } else {
        // Four bytes are one store, fewer are a call.
        let mut bytes = [0; 4];
        let excess = bytes.len() - cell.c.encode_utf8(&mut bytes).len();
        out.extend_from_slice(&bytes);
        out.truncate(out.len() - excess);
    }
    if cell.extra.is_some() && !cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
        for mark in cell.zerowidth().into_iter().flatten() {
            out.extend_from_slice(mark.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

fn pack_style(cell: &Cell, out: &mut Vec<u8>) {
    let flags = (cell.flags & ATTRIBUTES).bits().to_le_bytes();
    let (fg, bg) = (color_bytes(Some(cell.fg)), color_bytes(Some(cell.bg)));
    let link = cell.hyperlink();
    let extra = u8::from(cell.extra.is_some()) + u8::from(link.is_some());
    out.extend_from_slice(&[
        flags[0], flags[1], fg[0], fg[1], fg[2], fg[3], bg[0], bg[1], bg[2], bg[3], extra,
    ]);
    if extra == 0 {
        return;
    }
    out.extend_from_slice(&color_bytes(cell.underline_color()));
    if let Some(link) = link {
        for text in [link.id(), link.uri()] {
            out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(0).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
    }
}

fn color_bytes(color: Option<Color>) -> [u8; 4] {
    match color {
        None => [0; 4],
        Some(Color::Named(name)) => {
            let [low, high] = (name as u16).to_le_bytes();
            [1, low, high, 0]
        }
        Some(Color::Indexed(index)) => [2, index, 0, 0],
        Some(Color::Spec(Rgb { r, g, b })) => [3, r, g, b],
    }
}

/// Reads what [`pack`] wrote.
fn unpack(packed: &[u8], cells: &mut Vec<Cell>) {
    let mut reader = Reader(packed);
    let kind = reader.byte();
    if kind & STYLED == 0 {
        unpack_text(reader.0, &Cell::default(), cells);
    } else {
        while !reader.0.is_empty() {
            let style = reader.style();
            let length = reader.length();
            unpack_text(reader.take(length), &style.cell(), cells);
        }
    }
    if kind & LEADING_SPACER != 0 {
        cells.push(leading_spacer());
    }
    if kind & WRAPPED != 0
        && let Some(cell) = cells.last_mut()
    {
        cell.flags.insert(Flags::WRAPLINE);
    }
}

/// The cell at the end of a row in which a wide character did not fit.
pub(crate) fn leading_spacer() -> Cell {
    Cell {
        flags: Flags::LEADING_WIDE_CHAR_SPACER,
        ..Cell::default()
    }
}

fn unpack_text(text: &[u8], template: &Cell, cells: &mut Vec<Cell>) {
    // Packed from `char`s; anything else cannot be.
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    for c in text.chars() {
        let width = c.width().unwrap_or(1);
        if width == 0 {
            let back = match cells.last() {
                Some(cell) if cell.flags.contains(Flags::WIDE_CHAR_SPACER) => 2,
                _ => 1,
            };
            if let Some(at) = cells.len().checked_sub(back) {
                cells[at].push_zerowidth(c);
            }
            continue;
        }
        let mut cell = template.clone();
        cell.c = c;
        if width == 2 {
            cell.flags.insert(Flags::WIDE_CHAR);
            cells.push(cell);
            let mut spacer = template.clone();
            spacer.flags.insert(Flags::WIDE_CHAR_SPACER);
            cells.push(spacer);
        } else {
            cells.push(cell);
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    fn length(&mut self) -> usize {
        self.take(4)
            .iter()
            .rev()
            .fold(0, |n, &byte| n << 8 | usize::from(byte))
    }

    fn short(&mut self) -> u16 {
        u16::from(self.byte()) | u16::from(self.byte()) << 8
    }

    fn color(&mut self) -> Option<Color> {
        match *self.take(4) {
            [1, low, high, _] => Some(named_color(u16::from_le_bytes([low, high]))),
            [2, index, ..] => Some(Color::Indexed(index)),
            [3, r, g, b] => Some(Color::Spec(Rgb { r, g, b })),
            _ => None,
        }
    }

    fn text(&mut self) -> String {
        let length = self.length();
        String::from_utf8_lossy(self.take(length)).into_owned()
    }

    fn style(&mut self) -> Style {
        let flags = Flags::from_bits_retain(self.short()) & ATTRIBUTES;
        let fg = self.color().unwrap_or(DEFAULT_FOREGROUND);
        let bg = self.color().unwrap_or(DEFAULT_BACKGROUND);
        let extra = self.byte();
        let underline = if extra > 0 { self.color() } else { None };
        let link = (extra == 2).then(|| {
            let id = self.text();
            Hyperlink::new(Some(id), self.text())
        });
        Style {
            fg,
            bg,
            flags,
            underline,
            link,
        }
    }
}
