//! SGR: from parameters to the pen, and from the pen back to bytes.
//!
//! The pen is a [`Cell`] whose colours and attributes the next printed cell takes. Blink has
//! no flag in the grid's cells, so it lives in the bit they leave free.

use std::io::Write as _;

use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use alacritty_terminal::vte::ansi::{Color, NamedColor, Rgb};

use crate::parser::Csi;

/// SGR 5 and 6.
pub(crate) const BLINK: Flags = Flags::from_bits_retain(1 << 15);

/// The flags that SGR sets; the others say how a cell stands in its row.
pub(crate) const ATTRIBUTES: Flags = Flags::INVERSE
    .union(Flags::BOLD)
    .union(Flags::ITALIC)
    .union(Flags::DIM)
    .union(Flags::HIDDEN)
    .union(Flags::STRIKEOUT)
    .union(Flags::ALL_UNDERLINES)
    .union(BLINK);

pub(crate) const DEFAULT_FOREGROUND: Color = Color::Named(NamedColor::Foreground);
pub(crate) const DEFAULT_BACKGROUND: Color = Color::Named(NamedColor::Background);

/// Everything SGR and OSC 8 say about a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) fg: Color,
    pub(crate) bg: Color,
    pub(crate) flags: Flags,
    pub(crate) underline: Option<Color>,
    pub(crate) link: Option<Hyperlink>,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            fg: DEFAULT_FOREGROUND,
            bg: DEFAULT_BACKGROUND,
            flags: Flags::empty(),
            underline: None,
            link: None,
        }
    }
}

impl Style {
    pub(crate) fn of(cell: &Cell) -> Self {
        let (underline, link) = match &cell.extra {
            None => (None, None),
            Some(_) => (cell.underline_color(), cell.hyperlink()),
        };
        Self {
            fg: cell.fg,
            bg: cell.bg,
            flags: cell.flags & ATTRIBUTES,
            underline,
            link,
        }
    }

    /// Whether `cell` has this style, without building another.
    pub(crate) fn is_of(&self, cell: &Cell) -> bool {
        self.fg == cell.fg
            && self.bg == cell.bg
            && self.flags == cell.flags & ATTRIBUTES
            && match &cell.extra {
                None => self.underline.is_none() && self.link.is_none(),
                Some(_) => {
                    self.underline == cell.underline_color() && self.link == cell.hyperlink()
                }
            }
    }

    /// A blank cell in this style.
    pub(crate) fn cell(&self) -> Cell {
        let mut cell = Cell {
            fg: self.fg,
            bg: self.bg,
            flags: self.flags,
            ..Cell::default()
        };
        if self.underline.is_some() {
            cell.set_underline_color(self.underline);
        }
        if self.link.is_some() {
            cell.set_hyperlink(self.link.clone());
        }
        cell
    }
}

/// Applies the parameters of one `CSI … m` to the pen.
pub(crate) fn apply(csi: &Csi, pen: &mut Cell) {
    let params = csi.params();
    if params.is_empty() {
        reset(pen);
        return;
    }
    let mut at = 0;
    while at < params.len() {
        // A parameter and its colon-separated parts.
        let mut end = at + 1;
        while csi.is_subparam(end) {
            end += 1;
        }
        let parts = &params[at..end];
        at = end;
        match parts[0] {
            38 | 48 | 58 => {
                let color = if parts.len() > 1 {
                    colon_color(&parts[1..])
                } else {
                    let (color, used) = semicolon_color(csi, at);
                    at += used;
                    color
                };
                if let Some(color) = color {
                    match parts[0] {
                        38 => pen.fg = color,
                        48 => pen.bg = color,
                        _ => pen.set_underline_color(Some(color)),
                    }
                }
            }
            4 if parts.len() > 1 => underline(
                pen,
                match parts[1] {
                    0 => Flags::empty(),
                    2 => Flags::DOUBLE_UNDERLINE,
                    3 => Flags::UNDERCURL,
                    4 => Flags::DOTTED_UNDERLINE,
                    5 => Flags::DASHED_UNDERLINE,
                    _ => Flags::UNDERLINE,
                },
            ),
            _ if parts.len() > 1 => {}
            code => simple(code, pen),
        }
    }
}

fn simple(code: u16, pen: &mut Cell) {
    match code {
        0 => reset(pen),
        1 => pen.flags.insert(Flags::BOLD),
        2 => pen.flags.insert(Flags::DIM),
        3 => pen.flags.insert(Flags::ITALIC),
        4 => underline(pen, Flags::UNDERLINE),
        5 | 6 => pen.flags.insert(BLINK),
        7 => pen.flags.insert(Flags::INVERSE),
        8 => pen.flags.insert(Flags::HIDDEN),
        9 => pen.flags.insert(Flags::STRIKEOUT),
        21 => underline(pen, Flags::DOUBLE_UNDERLINE),
        22 => pen.flags.remove(Flags::BOLD | Flags::DIM),
        23 => pen.flags.remove(Flags::ITALIC),
        24 => underline(pen, Flags::empty()),
        25 => pen.flags.remove(BLINK),
        27 => pen.flags.remove(Flags::INVERSE),
        28 => pen.flags.remove(Flags::HIDDEN),
        29 => pen.flags.remove(Flags::STRIKEOUT),
        30..=37 => pen.fg = named(code - 30),
        39 => pen.fg = DEFAULT_FOREGROUND,
        40..=47 => pen.bg = named(code - 40),
        49 => pen.bg = DEFAULT_BACKGROUND,
        59 => pen.set_underline_color(None),
        90..=97 => pen.fg = named(code - 90 + 8),
        100..=107 => pen.bg = named(code - 100 + 8),
        _ => {}
    }
}

/// SGR 0: everything but the hyperlink.
pub(crate) fn reset(pen: &mut Cell) {
    pen.fg = DEFAULT_FOREGROUND;
    pen.bg = DEFAULT_BACKGROUND;
    pen.flags = Flags::empty();
    if pen.extra.is_some() {
        pen.set_underline_color(None);
    }
}

fn underline(pen: &mut Cell, style: Flags) {
    pen.flags.remove(Flags::ALL_UNDERLINES);
    pen.flags.insert(style);
}

const NAMED: [NamedColor; 16] = [
    NamedColor::Black,
    NamedColor::Red,
    NamedColor::Green,
    NamedColor::Yellow,
    NamedColor::Blue,
    NamedColor::Magenta,
    NamedColor::Cyan,
    NamedColor::White,
    NamedColor::BrightBlack,
    NamedColor::BrightRed,
    NamedColor::BrightGreen,
    NamedColor::BrightYellow,
    NamedColor::BrightBlue,
    NamedColor::BrightMagenta,
    NamedColor::BrightCyan,
    NamedColor::BrightWhite,
];

fn named(index: u16) -> Color {
    Color::Named(NAMED[usize::from(index & 15)])
}

/// The colour with this number in [`NamedColor`]; only those that SGR can set.
pub(crate) fn named_color(number: u16) -> Color {
    match number {
        0..16 => named(number),
        257 => DEFAULT_BACKGROUND,
        _ => DEFAULT_FOREGROUND,
    }
}

/// `5:n`, `2:r:g:b`, `2:space:r:g:b`.
fn colon_color(parts: &[u16]) -> Option<Color> {
    match parts {
        [5, index, ..] => Some(Color::Indexed(u8::try_from(*index).ok()?)),
        [2, _, r, g, b, ..] | [2, r, g, b] => rgb(*r, *g, *b),
        _ => None,
    }
}

/// `5;n`, `2;r;g;b` from parameter `at` on; also how many parameters that took.
fn semicolon_color(csi: &Csi, at: usize) -> (Option<Color>, usize) {
    let left = csi.params().len() - at;
    match csi.param(at) {
        5 if left >= 2 => (u8::try_from(csi.param(at + 1)).ok().map(Color::Indexed), 2),
        2 if left >= 4 => (
            rgb(csi.param(at + 1), csi.param(at + 2), csi.param(at + 3)),
            4,
        ),
        // Cut short: nothing after it can be told apart from its parts.
        2 | 5 => (None, left),
        _ => (None, left.min(1)),
    }
}

fn rgb(r: u16, g: u16, b: u16) -> Option<Color> {
    Some(Color::Spec(Rgb {
        r: u8::try_from(r).ok()?,
        g: u8::try_from(g).ok()?,
        b: u8::try_from(b).ok()?,
    }))
}

/// Writes what turns the style `from` into `to`: SGR, and OSC 8 where the link changes.
pub(crate) fn write_change(from: &Style, to: &Style, out: &mut Vec<u8>) {
    if from.fg != to.fg
        || from.bg != to.bg
        || from.flags != to.flags
        || from.underline != to.underline
    {
        out.extend_from_slice(b"\x1b[0");
        write_attributes(to, out);
        out.push(b'm');
    }
    if from.link != to.link {
        write_link(to.link.as_ref(), out);
    }
}

/// OSC 8. An anonymous link has an empty id.
pub(crate) fn write_link(link: Option<&Hyperlink>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b]8;");
    if let Some(link) = link {
        if !link.id().is_empty() {
            out.extend_from_slice(b"id=");
            out.extend_from_slice(link.id().as_bytes());
        }
        out.push(b';');
        out.extend_from_slice(link.uri().as_bytes());
    } else {
        out.push(b';');
    }
    out.extend_from_slice(b"\x1b\\");
}

/// `;1;4:3;38;5;9`: the attributes of `style` after a reset, each led by a semicolon.
pub(crate) fn write_attributes(style: &Style, out: &mut Vec<u8>) {
    const SIMPLE: [(Flags, &[u8]); 12] = [
        (Flags::BOLD, b";1"),
        (Flags::DIM, b";2"),
        (Flags::ITALIC, b";3"),
        (Flags::UNDERLINE, b";4"),
        (Flags::DOUBLE_UNDERLINE, b";21"),
        (Flags::UNDERCURL, b";4:3"),
        (Flags::DOTTED_UNDERLINE, b";4:4"),
        (Flags::DASHED_UNDERLINE, b";4:5"),
        (BLINK, b";5"),
        (Flags::INVERSE, b";7"),
        (Flags::HIDDEN, b";8"),
        (Flags::STRIKEOUT, b";9"),
    ];
    for (flag, code) in SIMPLE {
        if style.flags.contains(flag) {
            out.extend_from_slice(code);
        }
    }
    if style.fg != DEFAULT_FOREGROUND {
        write_color(style.fg, 30, out);
    }
    if style.bg != DEFAULT_BACKGROUND {
        write_color(style.bg, 40, out);
    }
    match style.underline {
        Some(Color::Indexed(index)) => {
            let _ = write!(out, ";58:5:{index}");
        }
        Some(Color::Spec(Rgb { r, g, b })) => {
            let _ = write!(out, ";58:2::{r}:{g}:{b}");
        }
        Some(Color::Named(_)) | None => {}
    }
}

/// `base` is 30 for the foreground, 40 for the background. Writing to a `Vec` cannot fail.
fn write_color(color: Color, base: u16, out: &mut Vec<u8>) {
    let _ = match color {
        Color::Named(name) => {
            let index = name as usize;
            match index {
                0..8 => write!(out, ";{}", usize::from(base) + index),
                8..16 => write!(out, ";{}", usize::from(base) + 60 + index - 8),
                _ => Ok(()),
            }
        }
        Color::Indexed(index) => write!(out, ";{};5;{index}", base + 8),
        Color::Spec(Rgb { r, g, b }) => write!(out, ";{};2;{r};{g};{b}", base + 8),
    };
}
