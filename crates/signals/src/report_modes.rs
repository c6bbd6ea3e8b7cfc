//! Modes in which a terminal reports unasked: a standing question.
//!
//! ```text
//! CSI ? modes h|l       2031 light or dark changed      2048 the size changed
//! ```
//!
//! A terminal that sees one switched on answers at once and on every change, so clients are
//! not forwarded them; the emulator is drawn them, and knows that reports are due. The
//! other modes of the same sequence are forwarded.

use crate::control_sequence::ControlSequence;

/// Light or dark, and the size in band.
const REPORTS: [&[u8]; 2] = [b"2031", b"2048"];

/// What clients are forwarded in place of a sequence that switches such a mode; empty:
/// nothing. `None`: another sequence.
pub(crate) fn forwarded(sequence: &ControlSequence<'_>) -> Option<Vec<u8>> {
    if sequence.prefix != Some(b'?')
        || !sequence.intermediates.is_empty()
        || !matches!(sequence.last, b'h' | b'l')
    {
        return None;
    }
    let modes = || sequence.parameters.split(|byte| *byte == b';');
    let reports = |mode: &&[u8]| {
        let digits = mode.iter().take_while(|byte| **byte == b'0').count();
        REPORTS.contains(&&mode[digits..])
    };
    if !modes().any(|mode| reports(&mode)) {
        return None;
    }
    let others: Vec<&[u8]> = modes().filter(|mode| !reports(mode)).collect();
    if others.is_empty() {
        return Some(Vec::new());
    }
    Some([b"\x1b[?", others.join(&b';').as_slice(), &[sequence.last]].concat())
}

#[cfg(test)]
mod tests {
    use crate::reader::testing::record;

    #[test]
    fn report_modes_are_drawn_and_not_forwarded() {
        for bytes in [
            "\x1b[?2031h",
            "\x1b[?2048h",
            "\x1b[?2048l",
            "\x1b[?2031;2048h",
            "\x1b[?02048h",
        ] {
            let seen = record(bytes.as_bytes());
            assert_eq!(
                (&seen.forwarded[..], &seen.drawn[..]),
                (&b""[..], bytes.as_bytes())
            );
            assert_eq!(seen.queries, []);
        }
    }

    #[test]
    fn the_other_modes_of_the_same_sequence_are_forwarded() {
        let seen = record(b"\x1b[?1049;2048;2004h");
        assert_eq!(seen.forwarded, b"\x1b[?1049;2004h");
        assert_eq!(seen.drawn, b"\x1b[?1049;2048;2004h");
    }

    #[test]
    fn other_modes_are_forwarded_and_drawn() {
        let bytes = b"\x1b[?2026h\x1b[?25l\x1b[2048h\x1b[?1004h\x1b[?20480h";
        let seen = record(bytes);
        assert_eq!(
            (&seen.forwarded[..], &seen.drawn[..]),
            (&bytes[..], &bytes[..])
        );
    }

    #[test]
    fn a_character_broken_for_the_emulator_is_broken_for_the_clients_too() {
        let seen = record(b"\xc3\x1b[?2031h\xa9");
        assert_eq!(seen.forwarded, b"\xc3\x1b\\\xa9");
    }
}
