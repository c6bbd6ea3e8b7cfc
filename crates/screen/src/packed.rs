//! A row as bytes: its text, and a few bytes where the style changes.
//!
//! ```text
//! row     kind text *(change text)
//! kind    WRAPPED | LEADING_SPACER | STYLED
//! text    UTF-8 in the style before it, the default one at first; no control among it
//! change  a byte below 0x20 that says what follows, then the new style
//! ```
//!
//! A wide character stands for its spacer, too; blanks at the end in the default style are left out
//! where the row is not wrapped. Rows come from cells ([`pack`]), or straight from printed
//! text ([`Rows`]).

use std::sync::Arc;

use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use alacritty_terminal::vte::ansi::{Color, NamedColor, Rgb};
use unicode_width::UnicodeWidthChar as _;

use crate::sgr::{ATTRIBUTES, DEFAULT_BACKGROUND, DEFAULT_FOREGROUND, Style, named_color};

/// The row went on in the next one.
const WRAPPED: u8 = 1;
/// Its last cell was left empty because a wide character did not fit.
const LEADING_SPACER: u8 = 2;
/// Its text has changes of style.
const STYLED: u8 = 4;

/// The default style follows.
const DEFAULT: u8 = 1;
/// Attributes and the two colours follow.
const PLAIN: u8 = 2;
/// The same, then the colour of the underline.
const UNDERLINE_COLOR: u8 = 3;
/// The same, then a link.
const LINK: u8 = 4;

/// Bytes of most words of a text, and of a vector register.
const WORD: usize = 16;

/// A style without colour of the underline and link, as all but the rarest are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlainStyle {
    flags: u16,
    fg: [u8; 4],
    bg: [u8; 4],
}

impl PlainStyle {
    pub(crate) const DEFAULT: Self = Self {
        flags: 0,
        fg: color_bytes(Some(DEFAULT_FOREGROUND)),
        bg: color_bytes(Some(DEFAULT_BACKGROUND)),
    };

    /// Of a cell, whatever else it has.
    #[inline]
    pub(crate) fn of(cell: &Cell) -> Self {
        Self {
            flags: (cell.flags & ATTRIBUTES).bits(),
            fg: color_bytes(Some(cell.fg)),
            bg: color_bytes(Some(cell.bg)),
        }
    }

    /// The bytes of a change to this style.
    #[inline]
    fn change(self, kind: u8) -> [u8; 11] {
        let [low, high] = self.flags.to_le_bytes();
        let (fg, bg) = (self.fg, self.bg);
        [
            kind, low, high, fg[0], fg[1], fg[2], fg[3], bg[0], bg[1], bg[2], bg[3],
        ]
    }

    #[inline]
    fn write_change(self, out: &mut Vec<u8>) {
        if self == Self::DEFAULT {
            out.push(DEFAULT);
        } else {
            out.extend_from_slice(&self.change(PLAIN));
        }
    }
}

/// Rows one after the other, written from text.
#[derive(Debug)]
pub(crate) struct Rows {
    bytes: Vec<u8>,
    /// Where each begins.
    starts: Vec<usize>,
    /// The style of what was written last.
    style: PlainStyle,
    /// Where the last change of style stands, and what was written before it in the row ends.
    change_at: usize,
    /// Where the text after it begins.
    text_at: usize,
}

impl Rows {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            starts: Vec::new(),
            style: PlainStyle::DEFAULT,
            change_at: 0,
            text_at: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// One row, packed.
    pub(crate) fn row(&self, index: usize) -> &[u8] {
        let start = self.starts[index];
        let end = self.starts.get(index + 1);
        &self.bytes[start..end.map_or(self.bytes.len(), |&end| end)]
    }

    /// Forgets rows from number `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        if let Some(&end) = self.starts.get(len) {
            self.bytes.truncate(end);
            self.starts.truncate(len);
        }
    }

    /// Begins a row.
    pub(crate) fn begin(&mut self) {
        self.starts.push(self.bytes.len());
        self.bytes.push(0);
        self.style = PlainStyle::DEFAULT;
        self.text_at = self.bytes.len();
        self.change_at = self.text_at;
    }

    /// Adds the first `count` of `bytes` in a style. They are UTF-8 of characters that take
    /// columns.
    #[inline]
    pub(crate) fn text(&mut self, style: PlainStyle, bytes: &[u8], count: usize) {
        if count == 0 {
            return;
        }
        if style != self.style {
            if let Some(&start) = self.starts.last() {
                self.bytes[start] |= STYLED;
            }
            self.change_at = self.bytes.len();
            style.write_change(&mut self.bytes);
            self.text_at = self.bytes.len();
            self.style = style;
        }
        match bytes.first_chunk::<WORD>() {
            // As many bytes as a register has are one store, fewer are a call.
            Some(word) if count <= WORD => {
                let end = self.bytes.len() + count;
                self.bytes.extend_from_slice(word);
                self.bytes.truncate(end);
            }
            _ => self.bytes.extend_from_slice(&bytes[..count]),
        }
    }

    /// Ends the row.
    pub(crate) fn end(&mut self, wrapped: bool) {
        if wrapped {
            if let Some(&start) = self.starts.last() {
                self.bytes[start] |= WRAPPED;
            }
        } else if self.style == PlainStyle::DEFAULT {
            let text = &self.bytes[self.text_at..];
            let end = match text.iter().rposition(|&byte| byte != b' ') {
                Some(last) => self.text_at + last + 1,
                None => self.change_at,
            };
            self.bytes.truncate(end);
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

/// Packs a row of cells.
pub(crate) fn pack(row: &[Cell], out: &mut Vec<u8>) {
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
    let kind_at = out.len();
    out.push(kind);
    let mut rest = row;
    while let Some(first) = rest.first() {
        let end = rest[1..]
            .iter()
            .position(|cell| !same_style(first, cell))
            .map_or(rest.len(), |n| n + 1);
        let (run, after) = rest.split_at(end);
        if rest.len() < row.len() || !is_unstyled(first) {
            out[kind_at] |= STYLED;
            pack_change(first, out);
        }
        pack_texts(run, out);
        rest = after;
    }
}

#[inline]
fn is_unstyled(cell: &Cell) -> bool {
    has_default_colors(cell) && !cell.flags.intersects(ATTRIBUTES)
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

fn pack_change(cell: &Cell, out: &mut Vec<u8>) {
    let style = PlainStyle::of(cell);
    if cell.extra.is_none() {
        style.write_change(out);
        return;
    }
    let link = cell.hyperlink();
    let kind = if link.is_some() {
        LINK
    } else {
        UNDERLINE_COLOR
    };
    out.extend_from_slice(&style.change(kind));
    out.extend_from_slice(&color_bytes(cell.underline_color()));
    if let Some(link) = link {
        for text in [link.id(), link.uri()] {
            out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(0).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
    }
}

const fn color_bytes(color: Option<Color>) -> [u8; 4] {
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

/// Whether the row goes on in the next one.
pub(crate) fn is_wrapped(packed: &[u8]) -> bool {
    packed.first().is_some_and(|kind| kind & WRAPPED != 0)
}

/// The text of a row that is in the default style throughout and not wrapped. One column for each
/// byte only where it is ASCII.
pub(crate) fn plain_text(packed: &[u8]) -> Option<&[u8]> {
    match packed {
        [0, text @ ..] => Some(text),
        _ => None,
    }
}

/// Adds the cells of a row, without the empty ones at its end.
pub(crate) fn unpack(packed: &[u8], cells: &mut Vec<Cell>) {
    let mut reader = Reader(packed);
    let kind = reader.byte();
    let mut template = Cell::default();
    loop {
        unpack_text(reader.text(), &template, cells);
        if reader.0.is_empty() {
            break;
        }
        template = reader.style().cell();
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
    if text.is_ascii() {
        cells.extend(text.iter().map(|&byte| Cell {
            c: char::from(byte),
            ..template.clone()
        }));
        return;
    }
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

/// Reads what was packed.
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

    fn short(&mut self) -> u16 {
        u16::from(self.byte()) | u16::from(self.byte()) << 8
    }

    /// Up to the next change of style.
    fn text(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|&byte| byte < b' ');
        self.take(end.unwrap_or(self.0.len()))
    }

    fn color(&mut self) -> Option<Color> {
        match *self.take(4) {
            [1, low, high, _] => Some(named_color(u16::from_le_bytes([low, high]))),
            [2, index, ..] => Some(Color::Indexed(index)),
            [3, r, g, b] => Some(Color::Spec(Rgb { r, g, b })),
            _ => None,
        }
    }

    fn string(&mut self) -> String {
        let length = self
            .take(4)
            .iter()
            .rev()
            .fold(0, |n, &byte| n << 8 | usize::from(byte));
        String::from_utf8_lossy(self.take(length)).into_owned()
    }

    fn style(&mut self) -> Style {
        let kind = self.byte();
        if kind == DEFAULT {
            return Style::default();
        }
        let flags = Flags::from_bits_retain(self.short()) & ATTRIBUTES;
        let fg = self.color().unwrap_or(DEFAULT_FOREGROUND);
        let bg = self.color().unwrap_or(DEFAULT_BACKGROUND);
        let underline = if kind == PLAIN { None } else { self.color() };
        let link = (kind == LINK).then(|| {
            let id = self.string();
            Hyperlink::new(Some(id), self.string())
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
