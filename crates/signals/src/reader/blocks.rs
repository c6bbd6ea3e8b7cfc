//! Through coloured text, 64 bytes at a time.
//!
//! A run of text or a sequence is a few bytes long there, and a loop over them ends each time where
//! the processor did not expect it. Here each byte of a block first becomes a bit; where
//! sequences begin and end is then read from two registers. Only what says nothing is passed:
//! everything else is left to the reader's own way, which decides the same of every sequence; a
//! test compares the two.

use super::{BEL, ENQ, ESC};
use crate::control_sequence::may_say_something;
use crate::word::{HIGH_BITS, above_controls, outside_parameters};

const BLOCK: usize = 64;

/// What can be passed at the start of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Passed {
    /// How much it is.
    pub(super) length: usize,
    /// Where its last sequence ends; 0 where there is none.
    pub(super) last_sequence: usize,
}

/// Finds text and whole control sequences that say nothing at the start of `bytes`, as far as whole
/// blocks tell. Ends after a block of text alone, through which there is a faster way.
pub(super) fn pass(bytes: &[u8]) -> Passed {
    let mut passed = Passed::default();
    while let Some(block) = bytes[passed.length..].first_chunk::<BLOCK>() {
        let (mut controls, ends) = marks(block);
        if controls == 0 {
            passed.length += BLOCK;
            break;
        }
        let mut stopped = BLOCK;
        while controls != 0 {
            let at = controls.trailing_zeros() as usize;
            match block[at] {
                ESC => {
                    let Some(last) = end_of_sequence(block, at, ends) else {
                        stopped = at;
                        break;
                    };
                    passed.last_sequence = passed.length + last + 1;
                    // No control is within it, and its last byte is none.
                    controls &= u64::MAX << last;
                }
                BEL | ENQ => {
                    stopped = at;
                    break;
                }
                _ => controls &= controls - 1,
            }
        }
        passed.length += stopped;
        if stopped == 0 {
            break;
        }
    }
    passed
}

/// The last byte of the control sequence at `at` if it is whole in the block and says nothing.
#[inline]
fn end_of_sequence(block: &[u8; BLOCK], at: usize, ends: u64) -> Option<usize> {
    if block.get(at + 1) != Some(&b'[') || at + 2 >= BLOCK {
        return None;
    }
    let ends = ends & u64::MAX << (at + 2);
    let last = ends.trailing_zeros() as usize;
    let is_whole = (0x40..=0x7e).contains(block.get(last)?);
    (is_whole && !may_say_something(&block[at..=last])).then_some(last)
}

/// Bit n of the first: byte n is a control. Of the second: it ends parameters or breaks them.
#[inline]
fn marks(block: &[u8; BLOCK]) -> (u64, u64) {
    let (words, _) = block.as_chunks::<8>();
    let (mut controls, mut ends) = (0, 0);
    for (nth, word) in words.iter().enumerate() {
        controls |= bits(!above_controls(*word) & HIGH_BITS) << (8 * nth);
        ends |= bits(outside_parameters(*word)) << (8 * nth);
    }
    (controls, ends)
}

/// The highest bits of eight bytes side by side.
#[inline]
fn bits(high: u64) -> u64 {
    // Bit 8n times one of these powers is bit 56 + n; all other products stay below or leave at the top.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    (high >> 7).wrapping_mul(GATHER) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_sequence::complete;
    use proptest::prelude::*;

    /// The same, one by one, to the end.
    fn one_by_one(bytes: &[u8]) -> Vec<Passed> {
        let mut passed = Passed::default();
        let mut all = vec![passed];
        while let Some(&byte) = bytes.get(passed.length) {
            let rest = &bytes[passed.length..];
            match byte {
                BEL | ENQ => break,
                ESC => match complete(rest, BLOCK) {
                    Some(length) if !may_say_something(&rest[..length]) => {
                        passed.length += length;
                        passed.last_sequence = passed.length;
                    }
                    _ => break,
                },
                _ => passed.length += 1,
            }
            all.push(passed);
        }
        all
    }

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            6 => "[ -~]{1,14}".prop_map(String::into_bytes),
            6 => "\x1b\\[[0-9;:]{0,8}m".prop_map(String::into_bytes),
            1 => "\x1b\\[[ -?]{0,70}[@-~]".prop_map(String::into_bytes),
            2 => prop::sample::select(vec![&b"\r\n"[..], b"\t", b"\x1b[K", b"\xc3\xa4", b"\xff"])
                .prop_map(<[u8]>::to_vec),
            1 => prop::sample::select(vec![
                &b"\x07"[..], b"\x05", b"\x1b", b"\x1b[6n", b"\x1b[?1m", b"\x1b[3\n1m", b"\x1b]2;t\x07",
                b"\x1b[\x80m", b"\x1b[\x7f", b"\x1b7", b"\x18",
            ])
            .prop_map(<[u8]>::to_vec),
        ]
    }

    proptest! {
        #[test]
        fn blocks_pass_what_goes_one_by_one(pieces in prop::collection::vec(piece(), 0..60)) {
            let bytes = pieces.concat();
            let all = one_by_one(&bytes);
            let passed = pass(&bytes);
            prop_assert!(all.contains(&passed), "{passed:?}");
        }
    }

    #[test]
    fn coloured_text_is_passed_but_for_its_end() {
        let bytes = b"\x1b[1;34msrc\x1b[0m \x1b[38;5;200mfour words of text\x1b[39m\r\n".repeat(20);
        let passed = pass(&bytes);
        assert!(bytes.len() - passed.length < BLOCK, "{passed:?}");
        assert!(one_by_one(&bytes).contains(&passed));
    }

    #[test]
    fn every_byte_has_its_bit() {
        for at in 0..BLOCK {
            for byte in 0..=u8::MAX {
                let mut block = [b'0'; BLOCK];
                block[at] = byte;
                let (controls, ends) = marks(&block);
                assert_eq!(controls, u64::from(byte < 0x20) << at);
                assert_eq!(ends, u64::from(!(0x20..0x40).contains(&byte)) << at);
            }
        }
    }
}
