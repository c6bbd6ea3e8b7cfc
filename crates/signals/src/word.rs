//! Eight bytes at once, in a general register.
//!
//! Runs of text and control sequences in coloured output are a few bytes long. A loop over
//! bytes ends where the processor did not expect it, which costs more than the loop itself; a
//! vector search costs more to set up. Here the first byte of a kind is found without a branch.
//!
//! A result has the highest bit of each byte that is meant, and no other.

/// The highest bit of every byte.
pub(crate) const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// The three highest bits of every byte: they tell controls from the rest.
const KIND_BITS: u64 = 0xE0E0_E0E0_E0E0_E0E0;

/// Bytes that have any of [`KIND_BITS`].
#[inline]
fn any_kind_bit(word: u64) -> u64 {
    let kinds = word & KIND_BITS;
    // What a shift carries into the next byte stays beneath its highest bit.
    (kinds | kinds << 1 | kinds << 2) & HIGH_BITS
}

/// Bytes from 0x20 on.
#[inline]
pub(crate) fn above_controls(bytes: [u8; 8]) -> u64 {
    any_kind_bit(u64::from_le_bytes(bytes))
}

/// Bytes outside 0x20–0x3F, which end a control sequence or break it.
#[inline]
pub(crate) fn outside_parameters(bytes: [u8; 8]) -> u64 {
    const PARAMETER: u64 = 0x2020_2020_2020_2020;
    any_kind_bit(u64::from_le_bytes(bytes) ^ PARAMETER)
}

/// The index of the first byte of a result that is not 0.
#[inline]
pub(crate) fn first_byte(found: u64) -> usize {
    found.trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_told_by_its_kind_whatever_stands_beside_it() {
        for byte in 0..=u8::MAX {
            for beside in [0x00, 0x1F, 0x20, 0x3F, 0x40, 0x7F, 0x80, 0xFF] {
                for at in 0..8 {
                    let mut bytes = [beside; 8];
                    bytes[at] = byte;
                    let mark = 0x80 << (8 * at);
                    let above = above_controls(bytes) & mark != 0;
                    assert_eq!(above, byte >= 0x20, "{bytes:x?}");
                    let outside = outside_parameters(bytes) & mark != 0;
                    assert_eq!(outside, !(0x20..0x40).contains(&byte), "{bytes:x?}");
                }
            }
        }
    }

    #[test]
    fn the_first_byte_is_the_one_that_came_first() {
        assert_eq!(first_byte(outside_parameters(*b"38;5;1mm")), 6);
        assert_eq!(first_byte(!above_controls(*b"ab\ncd\nef") & HIGH_BITS), 2);
    }
}
