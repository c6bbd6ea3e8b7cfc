//! Where a stream takes text off the screen: ED, a reset, a change to the other screen.
//!
//! Not an emulator's judgement: bytes inside a string (a title) may look like one, which costs a
//! look and nothing else.

/// A longer control sequence is none that erases.
const LONGEST: usize = 16;

/// How much of the bytes is whole: all but the beginning of a control sequence at their end.
pub(super) fn whole(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(LONGEST);
    match bytes[from..].iter().rposition(|&byte| byte == 0x1b) {
        Some(at) if is_begun(&bytes[from + at..]) => from + at,
        _ => bytes.len(),
    }
}

/// The positions of the sequences that erase.
pub(super) fn positions(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(0x1b, bytes).filter(|&at| erases(&bytes[at..]))
}

fn is_begun(sequence: &[u8]) -> bool {
    match sequence {
        [0x1b] => true,
        [0x1b, b'[', rest @ ..] => rest.iter().all(|&byte| is_parameter(byte)),
        _ => false,
    }
}

fn erases(sequence: &[u8]) -> bool {
    let parameters = match sequence {
        [0x1b, b'c', ..] => return true,
        [0x1b, b'[', rest @ ..] => rest,
        _ => return false,
    };
    let end = parameters
        .iter()
        .take(LONGEST)
        .position(|&byte| !is_parameter(byte));
    match end.map(|end| (parameters[end], &parameters[..end])) {
        Some((b'J', _)) => true,
        Some((b'h' | b'l', [b'?', modes @ ..])) => modes
            .split(|&byte| byte == b';')
            .any(|mode| matches!(mode, b"47" | b"1047" | b"1049")),
        _ => false,
    }
}

fn is_parameter(byte: u8) -> bool {
    matches!(byte, b'0'..=b'?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_text_off_the_screen_is_found() {
        let at = |text: &str| positions(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(at("a\x1b[2Jb\x1b[Jc\x1bcd"), [1, 6, 10]);
        assert_eq!(at("\x1b[?1049h \x1b[?25;47l"), [0, 9]);
        assert_eq!(at("\x1b[2K\x1b[1;31m\x1b[?25h\x1b[H\x1b"), [0; 0]);
    }

    #[test]
    fn the_beginning_of_a_sequence_is_kept_until_its_rest_comes() {
        assert_eq!(whole(b"ab\x1b"), 2);
        assert_eq!(whole(b"ab\x1b[?104"), 2);
        assert_eq!(whole(b"ab\x1b[2J"), 6);
        assert_eq!(whole(b"ab"), 2);
        assert_eq!(whole(b""), 0);
        // One that is too long to be meant goes on.
        assert_eq!(whole(b"\x1b[1;2;3;4;5;6;7;8;9"), 19);
    }
}
