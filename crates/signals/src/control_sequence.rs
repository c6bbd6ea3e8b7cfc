//! Control sequences (CSI).
//!
//! ```text
//! ESC [ parameters intermediates final
//! parameters     *(0x30–0x3F)   a first byte of < = > ? is the private prefix
//! intermediates  *(0x20–0x2F)
//! final          0x40–0x7E
//! ```

use crate::word::{first_byte, outside_parameters};

/// One complete sequence, taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ControlSequence<'a> {
    /// `<`, `=`, `>` or `?`.
    pub(crate) prefix: Option<u8>,
    /// What stands between prefix and intermediates.
    pub(crate) parameters: &'a [u8],
    /// The bytes before the final one.
    pub(crate) intermediates: &'a [u8],
    /// The final byte.
    pub(crate) last: u8,
}

impl<'a> ControlSequence<'a> {
    /// Takes `ESC [ … final` apart. `None` for a sequence that terminals ignore: a
    /// parameter after an intermediate, a private byte among the parameters.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (&last, body) = bytes.strip_prefix(b"\x1b[")?.split_last()?;
        let (prefix, body) = match body {
            [prefix @ b'<'..=b'?', rest @ ..] => (Some(*prefix), rest),
            _ => (None, body),
        };
        let middle = body
            .iter()
            .position(|byte| *byte < 0x30)
            .unwrap_or(body.len());
        let (parameters, intermediates) = body.split_at(middle);
        let ignored = parameters.iter().any(|byte| *byte > b';')
            || intermediates.iter().any(|byte| *byte >= 0x30);
        (!ignored).then_some(Self {
            prefix,
            parameters,
            intermediates,
            last,
        })
    }

    /// The parameter at `index`; a missing or empty one is 0, a huge one `u16::MAX`.
    /// Subparameters (`:`) are left out.
    pub(crate) fn parameter(&self, index: usize) -> u16 {
        let field = self
            .parameters
            .split(|byte| *byte == b';')
            .nth(index)
            .unwrap_or_default();
        field
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .fold(0u16, |value, digit| {
                value
                    .saturating_mul(10)
                    .saturating_add((digit - b'0').into())
            })
    }
}

/// The length of the complete sequence that `bytes` (at an ESC) starts with, if it is one
/// of at most `limit` bytes without controls and foreign bytes in it.
#[inline]
pub(crate) fn complete(bytes: &[u8], limit: usize) -> Option<usize> {
    if bytes.get(1) != Some(&b'[') {
        return None;
    }
    let window = &bytes[..bytes.len().min(limit)];
    let mut at = 2;
    while let Some(word) = window.get(at..).and_then(<[u8]>::first_chunk) {
        let outside = outside_parameters(*word);
        if outside != 0 {
            at += first_byte(outside);
            break;
        }
        at += word.len();
    }
    while let Some(&byte) = window.get(at) {
        at += 1;
        if !(0x20..0x40).contains(&byte) {
            return (0x40..=0x7e).contains(&byte).then_some(at);
        }
    }
    None
}

/// Whether a complete sequence may be a question or a signal. Most are colours and cursor
/// moves, which this tells at a glance.
#[inline]
pub(crate) fn may_say_something(bytes: &[u8]) -> bool {
    match bytes[bytes.len() - 1] {
        b'm' | b'S' | b'h' | b'l' => bytes[2] == b'?',
        b'c' | b'n' | b'p' | b'q' | b't' | b'u' | b'x' | b'y' | b'w' | b'|' | b'R' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_taken_apart() {
        let sequence = ControlSequence::parse(b"\x1b[?12;;7$p").unwrap();
        assert_eq!((sequence.prefix, sequence.last), (Some(b'?'), b'p'));
        assert_eq!(sequence.intermediates, b"$");
        assert_eq!(
            [0, 1, 2, 3].map(|index| sequence.parameter(index)),
            [12, 0, 7, 0]
        );
    }

    #[test]
    fn a_huge_parameter_saturates() {
        let sequence = ControlSequence::parse(b"\x1b[99999999999999n").unwrap();
        assert_eq!(sequence.parameter(0), u16::MAX);
    }

    #[test]
    fn what_terminals_ignore_is_no_sequence() {
        assert!(ControlSequence::parse(b"\x1b[ 6n").is_none());
        assert!(ControlSequence::parse(b"\x1b[6?n").is_none());
    }

    #[test]
    fn only_a_complete_sequence_without_controls_takes_the_short_way() {
        assert_eq!(complete(b"\x1b[38;5;1mx", 64), Some(9));
        assert_eq!(complete(b"\x1b[38;5;1m", 9), Some(9));
        assert_eq!(complete(b"\x1b[38;5;1m", 8), None);
        assert_eq!(complete(b"\x1b[38;5", 64), None);
        assert_eq!(complete(b"\x1b[3\n8m", 64), None);
        assert_eq!(complete(b"\x1b[3\xc3m", 64), None);
        assert_eq!(complete(b"\x1b]2;", 64), None);
        assert_eq!(complete(b"\x1b", 64), None);
    }
}
