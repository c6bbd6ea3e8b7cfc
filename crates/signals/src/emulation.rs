//! Sequences that only an emulator reads: hyperlinks, pointer shape, font, colour resets.
//!
//! ```text
//! OSC 8 ; parameters ; uri     OSC 22 ; shape     OSC 50 ; font
//! OSC 104 [; index …]          OSC 110 … 119
//! ```
//!
//! They say nothing here; they are listed because the emulator is fed only what it has a
//! use for, whole and within the limit.

use crate::control_string::{Protocol, Route};

pub(crate) static OSC: Protocol = Protocol {
    numbers: &[
        8, 22, 50, 104, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119,
    ],
    drawn: true,
    route: |_, _| Route::Forward,
    ..Protocol::DEFAULT
};

#[cfg(test)]
mod tests {
    use crate::reader::testing::record;

    #[test]
    fn a_hyperlink_is_forwarded_and_drawn_whole() {
        let link = b"\x1b]8;id=1;https://example.org\x1b\\x\x1b]8;;\x07";
        let seen = record(link);
        assert_eq!(seen.forwarded, link);
        assert_eq!(seen.drawn, link);
    }

    #[test]
    fn an_aborted_hyperlink_is_not_drawn() {
        let seen = record(b"\x1b]8;;https://example.org\x1b[0mx");
        assert_eq!(seen.drawn, b"\x1b[0mx");
    }

    #[test]
    fn an_unknown_osc_is_forwarded_and_not_drawn() {
        let bytes = b"\x1b]1;icon\x07\x1b]5522;x\x1b\\\x1b]Lold\x07";
        let seen = record(bytes);
        assert_eq!(seen.forwarded, bytes);
        assert_eq!(seen.drawn, b"");
    }
}
