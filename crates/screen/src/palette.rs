//! Colours a program set with OSC 4, 10–19, and the defaults that questions are answered with.

use crate::Rgb;

/// The first and last dynamic colours (OSC 10–19).
const DYNAMIC_FIRST: u16 = 10;
const DYNAMIC_COUNT: usize = 10;

/// What a program changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Palette {
    /// Sorted by index; at most 256 entries, usually none.
    indexed: Vec<(u8, Rgb)>,
    dynamic: [Option<Rgb>; DYNAMIC_COUNT],
}

impl Palette {
    /// Palette entry `index`, if a program set it.
    pub(crate) fn indexed(&self, index: u8) -> Option<Rgb> {
        let at = self.indexed.binary_search_by_key(&index, |e| e.0).ok()?;
        Some(self.indexed[at].1)
    }

    /// The dynamic colour OSC `number` sets, if a program set it.
    pub(crate) fn dynamic(&self, number: u8) -> Option<Rgb> {
        *self
            .dynamic
            .get(usize::from(number).checked_sub(usize::from(DYNAMIC_FIRST))?)?
    }

    /// `OSC 4 ; index ; color ; …`
    pub(crate) fn set_indexed(&mut self, body: &[u8]) {
        let mut fields = body.split(|&b| b == b';');
        while let (Some(index), Some(color)) = (fields.next(), fields.next()) {
            if let (Some(index), Some(color)) = (parse_index(index), parse_color(color)) {
                match self.indexed.binary_search_by_key(&index, |e| e.0) {
                    Ok(at) => self.indexed[at].1 = color,
                    Err(at) => self.indexed.insert(at, (index, color)),
                }
            }
        }
    }

    /// `OSC number ; color ; …`: each further colour is for the next number.
    pub(crate) fn set_dynamic(&mut self, number: u16, body: &[u8]) {
        let first = usize::from(number.saturating_sub(DYNAMIC_FIRST));
        for (slot, color) in self.dynamic[first.min(DYNAMIC_COUNT)..]
            .iter_mut()
            .zip(body.split(|&b| b == b';'))
        {
            if let Some(color) = parse_color(color) {
                *slot = Some(color);
            }
        }
    }

    /// `OSC 104 [; index …]`
    pub(crate) fn reset_indexed(&mut self, body: &[u8]) {
        if body.is_empty() {
            self.indexed.clear();
        }
        for index in body.split(|&b| b == b';').filter_map(parse_index) {
            self.indexed.retain(|entry| entry.0 != index);
        }
    }

    /// `OSC 110`–`119`
    pub(crate) fn reset_dynamic(&mut self, number: u16) {
        let slot = usize::from(number.saturating_sub(DYNAMIC_FIRST + 100));
        if let Some(color) = self.dynamic.get_mut(slot) {
            *color = None;
        }
    }

    /// What brings a fresh terminal to these colours.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for (index, color) in &self.indexed {
            out.extend_from_slice(format!("\x1b]4;{index};{}\x1b\\", spec(*color)).as_bytes());
        }
        for (number, color) in (DYNAMIC_FIRST..).zip(&self.dynamic) {
            if let Some(color) = color {
                out.extend_from_slice(format!("\x1b]{number};{}\x1b\\", spec(*color)).as_bytes());
            }
        }
    }
}

/// `rgb:rrrr/gggg/bbbb`, as terminals answer.
pub(crate) fn spec(Rgb { r, g, b }: Rgb) -> String {
    format!("rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}")
}

/// Entry `index` of the palette that xterm-256color programs expect.
pub(crate) fn default_indexed(index: u8) -> Rgb {
    const BASE: [(u8, u8, u8); 16] = [
        (0, 0, 0),
        (205, 0, 0),
        (0, 205, 0),
        (205, 205, 0),
        (0, 0, 238),
        (205, 0, 205),
        (0, 205, 205),
        (229, 229, 229),
        (127, 127, 127),
        (255, 0, 0),
        (0, 255, 0),
        (255, 255, 0),
        (92, 92, 255),
        (255, 0, 255),
        (0, 255, 255),
        (255, 255, 255),
    ];
    let (r, g, b) = match index {
        0..16 => BASE[usize::from(index)],
        16..232 => {
            // A cube of six steps a side.
            let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = index - 16;
            (step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    };
    Rgb { r, g, b }
}

fn parse_index(text: &[u8]) -> Option<u8> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// `rgb:h/h/h` with one to four digits each, `#rgb` to `#rrrrggggbbbb`.
fn parse_color(text: &[u8]) -> Option<Rgb> {
    let text = std::str::from_utf8(text).ok()?;
    let parts: Vec<&str> = if let Some(parts) = text.strip_prefix("rgb:") {
        parts.split('/').collect()
    } else {
        let digits = text.strip_prefix('#').filter(|d| d.is_ascii())?;
        if digits.is_empty() || !digits.len().is_multiple_of(3) {
            return None;
        }
        let (r, rest) = digits.split_at(digits.len() / 3);
        let (g, b) = rest.split_at(digits.len() / 3);
        vec![r, g, b]
    };
    let [r, g, b] = parts[..] else { return None };
    let channel = |part: &str| {
        if part.is_empty() || part.len() > 4 || !part.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(part, 16).ok()?;
        let most = (1 << (4 * part.len())) - 1;
        u8::try_from((value * 255 + most / 2) / most).ok()
    };
    Some(Rgb {
        r: channel(r)?,
        g: channel(g)?,
        b: channel(b)?,
    })
}
