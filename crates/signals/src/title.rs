//! Titles, and the stack they are saved on.
//!
//! ```text
//! OSC 0 ; text     title and icon name
//! OSC 2 ; text     title
//! OSC 1 ; text     icon name: ignored
//! CSI 22 [; 0|2 [; n]] t     push the title    (1: the icon name, ignored)
//! CSI 23 [; 0|2 [; n]] t     pop it
//! ```
//!
//! Text is UTF-8, cleaned, trimmed, at most 256 characters. An empty one clears the title.

use crate::control_sequence::ControlSequence;
use crate::control_string::{ControlString, Protocol, Route};
use crate::{Signal, Terminator, text};

pub(crate) static TITLE: Protocol = Protocol {
    numbers: &[0, 2],
    drawn: true,
    route: |_, _| Route::Forward,
    read: |string, _, said| {
        if let Some(payload) = string.payload {
            said.signal(Signal::Title(text::title(payload)));
        }
    },
    ..Protocol::DEFAULT
};

/// What a window operation says of the title stack.
pub(crate) fn stack(sequence: &ControlSequence<'_>) -> Option<Signal> {
    if sequence.prefix.is_some() || !sequence.intermediates.is_empty() || sequence.last != b't' {
        return None;
    }
    let signal = match sequence.parameter(0) {
        22 => Signal::TitlePush,
        23 => Signal::TitlePop,
        _ => return None,
    };
    matches!(sequence.parameter(1), 0 | 2).then_some(signal)
}

/// The sequence that sets the title to `title`, without the characters that are not shown.
pub fn encode(title: &str, terminator: Terminator) -> Vec<u8> {
    ControlString::osc(&["2;", &text::clean(title)], terminator)
}

/// The sequence that saves the title on the stack.
pub const PUSH: &[u8] = b"\x1b[22;2t";

/// The sequence that takes the title from the stack.
pub const POP: &[u8] = b"\x1b[23;2t";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::testing::only_signals;
    use crate::signals_of;

    fn title(bytes: &[u8]) -> Option<String> {
        match only_signals(bytes).as_slice() {
            [] => None,
            [Signal::Title(text)] => Some(text.clone()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn osc_0_and_osc_2_set_the_title() {
        assert_eq!(title(b"\x1b]0;a b\x07"), Some("a b".into()));
        assert_eq!(title(b"\x1b]2;PR #123; x\x1b\\"), Some("PR #123; x".into()));
    }

    #[test]
    fn osc_1_is_ignored() {
        assert_eq!(title(b"\x1b]1;icon\x07"), None);
    }

    #[test]
    fn an_empty_title_clears() {
        assert_eq!(title(b"\x1b]2;\x07"), Some(String::new()));
        assert_eq!(title(b"\x1b]0;  \x1b\\"), Some(String::new()));
    }

    #[test]
    fn a_title_without_a_text_field_says_nothing() {
        assert_eq!(title(b"\x1b]2\x07"), None);
    }

    #[test]
    fn a_title_is_trimmed_and_cleaned_and_invalid_bytes_replaced() {
        assert_eq!(
            title("\x1b]2;  a\u{202e}b \x07".as_bytes()),
            Some("ab".into())
        );
        assert_eq!(title(b"\x1b]2;a\xffb\x07"), Some("a\u{fffd}b".into()));
        assert_eq!(title(b"\x1b]2;a\nb\x01c\x07"), Some("abc".into()));
    }

    #[test]
    fn bytes_0x80_to_0x9f_in_a_title_are_utf8_never_c1() {
        assert_eq!(
            title("\x1b]2;äüœ“ \u{1f41c}\x07".as_bytes()),
            Some("äüœ“ \u{1f41c}".into())
        );
    }

    #[test]
    fn a_title_has_at_most_256_characters() {
        let long = format!("\x1b]2;{}\x07", "ü".repeat(300));
        assert_eq!(title(long.as_bytes()), Some("ü".repeat(256)));
    }

    #[test]
    fn a_title_longer_than_8_kib_is_skipped_to_its_terminator() {
        let long = format!("\x1b]2;{}\x07\x1b]2;next\x07", "x".repeat(9000));
        assert_eq!(title(long.as_bytes()), Some("next".into()));
    }

    #[test]
    fn the_title_stack_is_pushed_and_popped() {
        for push in ["22", "22;0", "22;2", "22;", "22;0;0", "22;2;3"] {
            let bytes = format!("\x1b[{push}t");
            assert_eq!(
                signals_of(bytes.as_bytes()),
                [(0, Signal::TitlePush)],
                "{push}"
            );
            let bytes = bytes.replace("22", "23");
            assert_eq!(
                signals_of(bytes.as_bytes()),
                [(0, Signal::TitlePop)],
                "{push}"
            );
        }
    }

    #[test]
    fn pushing_the_icon_name_is_ignored() {
        assert_eq!(
            signals_of(b"\x1b[22;1t\x1b[23;1t\x1b[>22t\x1b[22$t\x1b[22;3t"),
            []
        );
    }

    #[test]
    fn an_encoded_title_is_read_back_and_cannot_end_early() {
        let bytes = encode("a\x07\x1b]2;b\u{9c}é", Terminator::St);
        assert_eq!(title(&bytes), Some("a]2;bé".into()));
        assert_eq!(only_signals(PUSH), [Signal::TitlePush]);
        assert_eq!(only_signals(POP), [Signal::TitlePop]);
    }
}
