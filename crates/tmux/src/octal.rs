//! Data of `%output`: bytes below a space, the backslash and DEL as `\ooo`, everything else as it is.
//!
//! ```text
//! escape     \ (0–3) (0–7) (0–7)
//! ```
//!
//! What looks like an escape and is none stays as it is: nothing is lost, whatever wrote it.

use memchr::memchr;

/// Runs up to this length are searched byte by byte: in coloured text most are, and a vector
/// search costs more than it saves there.
const SHORT_RUN: usize = 16;

/// Decodes data that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// An escape that may go on in the next piece: the backslash and up to two digits.
    started: Vec<u8>,
}

impl Decoder {
    /// Decodes the next piece onto the end of `decoded`.
    pub(crate) fn decode(&mut self, mut piece: &[u8], decoded: &mut Vec<u8>) {
        while !self.started.is_empty() {
            let Some((&byte, rest)) = piece.split_first() else {
                return;
            };
            if !is_digit(self.started.len(), byte) {
                decoded.append(&mut self.started);
                break;
            }
            piece = rest;
            self.started.push(byte);
            if let &[_, high, middle, low] = self.started.as_slice() {
                decoded.push(value(high, middle, low));
                self.started.clear();
            }
        }
        decoded.reserve(piece.len());
        while let Some(at) = backslash(piece) {
            decoded.extend_from_slice(&piece[..at]);
            let escape = &piece[at..];
            let digits = (1..4)
                .take_while(|&place| escape.get(place).is_some_and(|&byte| is_digit(place, byte)))
                .count();
            if digits == 3 {
                decoded.push(value(escape[1], escape[2], escape[3]));
                piece = &escape[4..];
            } else if escape.len() == 1 + digits {
                self.started.extend_from_slice(escape);
                return;
            } else {
                decoded.push(b'\\');
                piece = &escape[1..];
            }
        }
        decoded.extend_from_slice(piece);
    }

    /// The data ended: what began as an escape was none.
    pub(crate) fn end(&mut self, decoded: &mut Vec<u8>) {
        decoded.append(&mut self.started);
    }
}

fn backslash(bytes: &[u8]) -> Option<usize> {
    let short = &bytes[..bytes.len().min(SHORT_RUN)];
    match short.iter().position(|&byte| byte == b'\\') {
        None => memchr(b'\\', &bytes[short.len()..]).map(|at| short.len() + at),
        found => found,
    }
}

/// Whether `byte` may be the digit at this place of an escape, from 1.
fn is_digit(place: usize, byte: u8) -> bool {
    match place {
        1 => (b'0'..=b'3').contains(&byte),
        _ => (b'0'..=b'7').contains(&byte),
    }
}

fn value(high: u8, middle: u8, low: u8) -> u8 {
    (high - b'0') << 6 | (middle - b'0') << 3 | (low - b'0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(pieces: &[&[u8]]) -> Vec<u8> {
        let mut decoder = Decoder::default();
        let mut decoded = Vec::new();
        for piece in pieces {
            decoder.decode(piece, &mut decoded);
        }
        decoder.end(&mut decoded);
        decoded
    }

    #[test]
    fn three_octal_digits_are_a_byte() {
        assert_eq!(decoded(&[br"a\033[0m\134\000\377b"]), b"a\x1b[0m\\\0\xffb");
    }

    #[test]
    fn what_is_no_escape_stays_as_it_is() {
        for kept in [
            r"\", r"\\", r"\x1b", r"\0", r"\01", r"\018", r"\400", r"a\777b", r"\8", r"\ 12",
        ] {
            assert_eq!(decoded(&[kept.as_bytes()]), kept.as_bytes(), "{kept}");
        }
        assert_eq!(decoded(&[br"\\033"]), b"\\\x1b");
        assert_eq!(decoded(&[br"\0\033"]), b"\\0\x1b");
    }

    #[test]
    fn bytes_that_are_no_utf_8_stay_as_they_are() {
        assert_eq!(decoded(&[b"\xff\xfe\\200\xc3"]), b"\xff\xfe\x80\xc3");
    }

    proptest! {
        #[test]
        fn the_cut_does_not_matter(data in "([ -~]|\\\\[0-7]{1,3}){0,40}", cuts in prop::collection::vec(0usize..60, 0..6)) {
            let data = data.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(data.len())).collect();
            cuts.push(0);
            cuts.push(data.len());
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|ends| &data[ends[0]..ends[1]]).collect();
            prop_assert_eq!(decoded(&pieces), decoded(&[data]));
        }

        #[test]
        fn what_tmux_writes_is_read_back(data in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut written = Vec::new();
            for &byte in &data {
                if byte < b' ' || byte == b'\\' {
                    written.extend(format!("\\{byte:03o}").into_bytes());
                } else {
                    written.push(byte);
                }
            }
            prop_assert_eq!(decoded(&[&written]), data);
        }
    }
}
