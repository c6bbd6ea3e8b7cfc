//! What the terminal answers to the questions of signals.md.
//!
//! An answer depends on the emulator's state and on what was learned of the outer terminal's
//! colours, never on who is attached. It ends as its question did. Nothing a program sent is
//! echoed: names in an XTGETTCAP answer are the question's own hexadecimal digits, and only
//! of names that are known.

use std::fmt::Write as _;

use signals::{ColorSlot, Query, QueryKind, Terminator};

use crate::modes::Mode;
use crate::palette::{default_indexed, spec};
use crate::sgr::{Style, write_attributes};
use crate::terminal::Terminal;
use crate::{Colors, Rgb, Scheme, Size};

/// Cell size where nobody told one: that of a common font, so that the answer is sane.
const DEFAULT_CELL_PIXELS: (u16, u16) = (8, 16);
/// Colours where nobody told any: light on dark.
const DEFAULT_FOREGROUND: Rgb = Rgb {
    r: 229,
    g: 229,
    b: 229,
};
const DEFAULT_BACKGROUND: Rgb = Rgb { r: 0, g: 0, b: 0 };

/// What an answer is made of.
pub(crate) struct Context<'a> {
    pub(crate) terminal: &'a Terminal,
    pub(crate) size: Size,
    pub(crate) colors: &'a Colors,
}

impl Context<'_> {
    /// The answer, `None` where there is none.
    pub(crate) fn answer(&self, query: &Query) -> Option<Vec<u8>> {
        let end = match query.terminator {
            Terminator::Bell => "\x07",
            Terminator::St => "\x1b\\",
        };
        let cursor = &self.terminal.cursor;
        let keyboard = &self.terminal.keyboard[self.terminal.screen_index()];
        let answer = match &query.kind {
            // A VT220 with colour; no sixel (4), so no graphics.
            QueryKind::PrimaryAttributes => "\x1b[?62;22c".to_owned(),
            QueryKind::SecondaryAttributes => format!("\x1b[>1;{};0c", version_number()),
            QueryKind::TertiaryAttributes => "\x1bP!|00000000\x1b\\".to_owned(),
            QueryKind::DeviceStatus => "\x1b[0n".to_owned(),
            QueryKind::CursorPosition => {
                format!("\x1b[{};{}R", self.reported_line(), cursor.col + 1)
            }
            QueryKind::ExtendedCursorPosition => {
                format!("\x1b[?{};{};1R", self.reported_line(), cursor.col + 1)
            }
            QueryKind::ColorScheme => return Some(self.scheme_report()),
            QueryKind::Mode { mode, private } => {
                let mark = if *private { "?" } else { "" };
                format!("\x1b[{mark}{mode};{}$y", self.mode(*mode, *private))
            }
            QueryKind::Setting(name) => match self.setting(name) {
                Some(setting) => format!("\x1bP1$r{setting}{end}"),
                None => format!("\x1bP0$r{end}"),
            },
            QueryKind::Version => {
                format!("\x1bP>|wigwag {}\x1b\\", env!("CARGO_PKG_VERSION"))
            }
            QueryKind::Termcap(names) => termcap(names, end),
            QueryKind::WindowPixels => {
                let (width, height) = self.cell_pixels();
                format!(
                    "\x1b[4;{};{}t",
                    u32::from(self.size.rows) * u32::from(height),
                    u32::from(self.size.cols) * u32::from(width)
                )
            }
            QueryKind::CellPixels => {
                let (width, height) = self.cell_pixels();
                format!("\x1b[6;{height};{width}t")
            }
            QueryKind::WindowCells => {
                format!("\x1b[8;{};{}t", self.size.rows, self.size.cols)
            }
            QueryKind::KeyboardFlags => format!("\x1b[?{}u", keyboard.flags()),
            QueryKind::Color(ColorSlot::Palette(index)) => {
                let color = self
                    .terminal
                    .palette
                    .indexed(*index)
                    .unwrap_or_else(|| default_indexed(*index));
                format!("\x1b]4;{index};{}{end}", spec(color))
            }
            QueryKind::Color(ColorSlot::Dynamic(number)) => {
                format!("\x1b]{number};{}{end}", spec(self.dynamic(*number)))
            }
            QueryKind::ProgramStatus
            | QueryKind::NotificationSupport(_)
            | QueryKind::NotificationsAlive(_)
            | QueryKind::Unanswered => return None,
        };
        Some(answer.into_bytes())
    }

    /// `CSI 48 ; rows ; columns ; height ; width t`: mode 2048.
    pub(crate) fn size_report(&self) -> Vec<u8> {
        let (width, height) = self.cell_pixels();
        let Size { cols, rows } = self.size;
        format!(
            "\x1b[48;{rows};{cols};{};{}t",
            u32::from(rows) * u32::from(height),
            u32::from(cols) * u32::from(width)
        )
        .into_bytes()
    }

    /// `CSI ? 997 ; 1|2 n`: mode 2031, and the answer to `?996`.
    pub(crate) fn scheme_report(&self) -> Vec<u8> {
        match self.scheme() {
            Scheme::Dark => b"\x1b[?997;1n".to_vec(),
            Scheme::Light => b"\x1b[?997;2n".to_vec(),
        }
    }

    /// Whether the background is nearer to white than to black, as the eye weighs colours.
    fn scheme(&self) -> Scheme {
        let Rgb { r, g, b } = self.colors.background.unwrap_or(DEFAULT_BACKGROUND);
        let luminance = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
        if luminance > 127_500 {
            Scheme::Light
        } else {
            Scheme::Dark
        }
    }

    fn reported_line(&self) -> usize {
        let cursor = &self.terminal.cursor;
        let first = if cursor.origin { self.terminal.top } else { 0 };
        cursor.line - first + 1
    }

    fn cell_pixels(&self) -> (u16, u16) {
        match self.colors.cell_pixels {
            (0, _) | (_, 0) => DEFAULT_CELL_PIXELS,
            pixels => pixels,
        }
    }

    fn dynamic(&self, number: u8) -> Rgb {
        if let Some(color) = self.terminal.palette.dynamic(number) {
            return color;
        }
        let foreground = self.colors.foreground.unwrap_or(DEFAULT_FOREGROUND);
        let background = self.colors.background.unwrap_or(DEFAULT_BACKGROUND);
        match number {
            12 => self.colors.cursor.unwrap_or(foreground),
            // Background, pointer background, Tektronix background, highlight background.
            11 | 14 | 16 | 17 => background,
            _ => foreground,
        }
    }

    fn mode(&self, mode: u16, private: bool) -> u8 {
        let on = match (private, mode) {
            (true, 6) => self.terminal.cursor.origin,
            (true, 47 | 1047 | 1049) => self.terminal.alternate.is_some(),
            // Saving the cursor is an act, not a state.
            (true, 1048) => return 0,
            _ => return self.terminal.modes.report(mode, private),
        };
        if on { 1 } else { 2 }
    }

    /// DECRQSS: the setting as the sequence that makes it, without its introducer.
    fn setting(&self, name: &[u8]) -> Option<String> {
        let terminal = self.terminal;
        Some(match name {
            b"m" => {
                let mut attributes = b"0".to_vec();
                write_attributes(&Style::of(&terminal.cursor.pen), &mut attributes);
                attributes.push(b'm');
                String::from_utf8(attributes).ok()?
            }
            b"r" => format!("{};{}r", terminal.top + 1, terminal.bottom),
            b" q" => {
                let style = terminal.modes.cursor_style;
                let blink = u8::from(terminal.mode(Mode::CursorBlink));
                // 1, 3 and 5 blink, 2, 4 and 6 do not.
                let style = if style == 0 { 2 } else { style + style % 2 };
                format!("{} q", style - blink)
            }
            b"t" => format!("{}t", self.size.rows),
            b"*|" => format!("{}*|", self.size.rows),
            b"$|" => format!("{}$|", self.size.cols),
            b"\"p" => "62;1\"p".to_owned(),
            b"\"q" => "0\"q".to_owned(),
            _ => return None,
        })
    }
}

/// XTGETTCAP: one answer for each name asked; unknown ones are said to be so, without the
/// name.
fn termcap(names: &[u8], end: &str) -> String {
    const KNOWN: [(&str, &str); 10] = [
        ("TN", "xterm-256color"),
        ("name", "xterm-256color"),
        ("Co", "256"),
        ("colors", "256"),
        ("RGB", "8/8/8"),
        ("Ms", "\x1b]52;%p1%s;%p2%s\x1b\\"),
        ("Se", "\x1b[2 q"),
        ("Ss", "\x1b[%p1%d q"),
        ("Smulx", "\x1b[4:%p1%dm"),
        (
            "Setulc",
            "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m",
        ),
    ];
    let mut answers = String::new();
    for name in names.split(|&b| b == b';') {
        let known = from_hex(name)
            .and_then(|name| KNOWN.iter().find(|(known, _)| known.as_bytes() == name));
        match known {
            Some((name, value)) => {
                let _ = write!(answers, "\x1bP1+r{}={}{end}", hex(name), hex(value));
            }
            None => {
                let _ = write!(answers, "\x1bP0+r{end}");
            }
        }
    }
    answers
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02X}");
        hex
    })
}

fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |b: &u8| char::from(*b).to_digit(16);
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    digits
        .chunks_exact(2)
        .map(|pair| Some((digit(&pair[0])? * 16 + digit(&pair[1])?) as u8))
        .collect()
}

/// `1.2.3` as 10203: DA2 has one number for it.
fn version_number() -> u32 {
    env!("CARGO_PKG_VERSION")
        .split('.')
        .take(3)
        .fold(0, |number, part| {
            number * 100 + part.parse::<u32>().unwrap_or(0).min(99)
        })
}
