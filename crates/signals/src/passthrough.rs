//! tmux passthrough: what a program inside tmux sends to the terminal around it.
//!
//! ```text
//! DCS tmux ; bytes ST        every ESC in the bytes is doubled
//! ```
//!
//! Read only where the source is a tmux pane, and up to two levels (tmux in tmux); a deeper
//! one is skipped. What is
//! inside says its signals; it was never meant for the pane's own screen, so it is neither
//! forwarded nor drawn. Elsewhere the string is an unknown one, and the doubled ESC aborts
//! it as it does in any terminal.

use crate::control_string::{Protocol, Route};

/// How many wrappers are taken off.
pub(crate) const LEVELS: u8 = 2;

pub(crate) static TMUX: Protocol = Protocol {
    route: |_, _| Route::Unwrap,
    ..Protocol::DEFAULT
};

/// `bytes` wrapped for one tmux around the program.
pub fn wrap(bytes: &[u8]) -> Vec<u8> {
    let mut wrapped = b"\x1bPtmux;".to_vec();
    for &byte in bytes {
        if byte == 0x1b {
            wrapped.push(byte);
        }
        wrapped.push(byte);
    }
    wrapped.extend_from_slice(b"\x1b\\");
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::testing::{record, record_with};
    use crate::{Options, QueryKind, Signal};

    const PANE: Options = Options {
        tmux_passthrough: true,
    };

    #[test]
    fn passthrough_is_unwrapped_with_every_inner_escape_doubled() {
        let wrapped = wrap(b"\x1b]2;a\x1b\\\x07");
        assert_eq!(wrapped, b"\x1bPtmux;\x1b\x1b]2;a\x1b\x1b\\\x07\x1b\\");
        let seen = record_with(PANE, &wrapped);
        assert_eq!(
            seen.signals,
            [(7, Signal::Title("a".into())), (16, Signal::Bell)]
        );
        assert_eq!((seen.forwarded.len(), seen.drawn.len()), (0, 0));
    }

    #[test]
    fn passthrough_is_unwrapped_up_to_two_levels() {
        let twice = wrap(&wrap(b"\x1b]2;a\x07"));
        assert_eq!(record_with(PANE, &twice).signals.len(), 1);
        let thrice = wrap(&twice);
        assert_eq!(record_with(PANE, &thrice).signals, []);
    }

    #[test]
    fn what_follows_a_passthrough_is_read_normally() {
        let bytes = [wrap(b"\x1b]2;never ended").as_slice(), b"x\x1b]2;b\x07"].concat();
        let seen = record_with(PANE, &bytes);
        assert_eq!(seen.forwarded, b"x\x1b]2;b\x07");
        let titles: Vec<_> = seen.signals.into_iter().map(|(_, signal)| signal).collect();
        assert_eq!(titles, [Signal::Title("b".into())]);
    }

    #[test]
    fn a_chunked_notification_may_come_in_wrappers_of_its_own() {
        let bytes = [
            wrap(b"\x1b]99;i=1:d=0;a\x1b\\"),
            wrap(b"\x1b]99;i=1:p=body;b\x1b\\"),
        ]
        .concat();
        assert_eq!(record_with(PANE, &bytes).signals.len(), 1);
    }

    #[test]
    fn questions_inside_are_told() {
        let seen = record_with(PANE, &wrap(b"\x1b]7501;?\x07"));
        assert_eq!(seen.queries[0].1.kind, QueryKind::ProgramStatus);
    }

    #[test]
    fn without_the_option_the_doubled_escape_aborts_the_string() {
        let seen = record(&wrap(b"\x1b]2;a\x07"));
        assert_eq!(seen.signals, [(8, Signal::Title("a".into()))]);
    }
}
