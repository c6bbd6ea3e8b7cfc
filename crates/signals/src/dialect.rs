//! In which words a terminal wants to be told of a notification: OSC 99 where it answers the
//! question for it, else what it is known to show by the name it gives itself (XTVERSION), else
//! a BEL.
//!
//! ```text
//! XTVERSION   DCS > | name SP version ST     foot, ghostty and kitty; name(version): iTerm2, WezTerm, …
//! ```
//!
//! A terminal shows what it does not know as text, or drops it: so only what is known is used.

use crate::notification::{encode_9, encode_99, encode_99_close, encode_777};
use crate::{Notification, Terminator};

/// How a notification is written to a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// kitty's: replaced and withdrawn by identifier.
    Osc99,
    /// rxvt's, with a title.
    Osc777,
    /// iTerm2's, one text.
    Osc9,
    /// A terminal of which nothing is known rings.
    #[default]
    Bell,
}

/// Names that terminals answer to XTVERSION with, in lower case, and what they show.
const KNOWN: &[(&str, Dialect)] = &[
    ("contour", Dialect::Osc777),
    ("foot", Dialect::Osc777),
    ("ghostty", Dialect::Osc777),
    ("iterm2", Dialect::Osc9),
    ("kitty", Dialect::Osc99),
    ("rxvt-unicode", Dialect::Osc777),
    ("warp", Dialect::Osc777),
    ("wezterm", Dialect::Osc777),
];

impl Dialect {
    /// The dialect of a terminal that calls itself so; `version` is the body of the answer to
    /// XTVERSION after `>|`.
    pub fn of_version(version: &str) -> Self {
        let end = version
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .unwrap_or(version.len());
        let name = version[..end].to_ascii_lowercase();
        let known = KNOWN.iter().find(|(known, _)| *known == name);
        known.map_or(Self::Bell, |(_, dialect)| *dialect)
    }

    /// The bytes that show a notification. One that is `silent` replaces another, and nobody is to
    /// notice: where the dialect cannot replace, there is nothing to write.
    pub fn show(self, notification: &Notification, silent: bool) -> Vec<u8> {
        match self {
            Self::Osc99 => encode_99(notification, Terminator::St),
            _ if silent => Vec::new(),
            Self::Osc777 => encode_777(notification, Terminator::St),
            Self::Osc9 => encode_9(notification, Terminator::St),
            Self::Bell => vec![0x07],
        }
    }

    /// The bytes that withdraw the notification with this identifier, where that can be.
    pub fn withdraw(self, id: &str) -> Vec<u8> {
        match self {
            Self::Osc99 => encode_99_close(id, Terminator::St).unwrap_or_default(),
            Self::Osc777 | Self::Osc9 | Self::Bell => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signal;
    use crate::reader::testing::only_signals;

    fn notification() -> Notification {
        Notification {
            title: Some("build: failed (exit 2)".into()),
            body: "make".into(),
            id: Some("wigwag-k3vq7a2m".into()),
        }
    }

    #[test]
    fn a_terminal_is_told_in_the_dialect_it_is_known_by() {
        for (version, dialect) in [
            ("ghostty 1.2.0", Dialect::Osc777),
            ("WezTerm 20240203-110809-5046fc22", Dialect::Osc777),
            ("iTerm2 3.5.0", Dialect::Osc9),
            ("foot(1.16.2)", Dialect::Osc777),
            ("kitty(0.35.1)", Dialect::Osc99),
            ("tmux 3.4", Dialect::Bell),
            ("XTerm(390)", Dialect::Bell),
            ("VTE(7600)", Dialect::Bell),
            ("footclient", Dialect::Bell),
            ("", Dialect::Bell),
        ] {
            assert_eq!(Dialect::of_version(version), dialect, "{version}");
        }
    }

    #[test]
    fn what_is_shown_reads_back_as_one_notification() {
        for dialect in [Dialect::Osc99, Dialect::Osc777] {
            let signals = only_signals(&dialect.show(&notification(), false));
            let [Signal::Notify(read)] = &signals[..] else {
                panic!("{dialect:?}: {signals:?}");
            };
            assert_eq!((&read.title, &*read.body), (&notification().title, "make"));
        }
        let signals = only_signals(&Dialect::Osc9.show(&notification(), false));
        let [Signal::Notify(read)] = &signals[..] else {
            panic!("{signals:?}");
        };
        assert_eq!(read.body, "build: failed (exit 2): make");
        assert_eq!(Dialect::Bell.show(&notification(), false), b"\x07");
    }

    #[test]
    fn only_where_it_can_be_replaced_is_something_shown_in_silence() {
        assert!(!Dialect::Osc99.show(&notification(), true).is_empty());
        for dialect in [Dialect::Osc777, Dialect::Osc9, Dialect::Bell] {
            assert_eq!(dialect.show(&notification(), true), b"", "{dialect:?}");
        }
    }

    #[test]
    fn only_osc_99_is_withdrawn() {
        let signals = only_signals(&Dialect::Osc99.withdraw("wigwag-k3vq7a2m"));
        assert_eq!(signals, [Signal::NotifyClose("wigwag-k3vq7a2m".into())]);
        for dialect in [Dialect::Osc777, Dialect::Osc9, Dialect::Bell] {
            assert_eq!(dialect.withdraw("x"), b"");
        }
    }
}
