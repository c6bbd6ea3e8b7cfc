//! The questions that a program can ask its terminal. All are removed from the forwarded
//! bytes; [`crate::Sink::query`] gets each in stream order.
//!
//! ```text
//! CSI [0] c    CSI > [0] c    CSI = [0] c       attributes
//! CSI 5 n      CSI 6 n        CSI ? 6 n         status, cursor
//! CSI ? 996 n                                   light or dark
//! CSI [?] mode $ p                              DECRQM
//! CSI > [0] q                                   XTVERSION
//! CSI 14 t     CSI 16 t       CSI 18 t          sizes
//! CSI ? u                                       kitty keyboard flags
//! DCS $ q setting ST                            DECRQSS
//! DCS + q names ST                              XTGETTCAP
//! ENQ
//! ```
//!
//! Not answered, but removed, so that no outer terminal answers in our place: titles
//! (`CSI 20 t`, `21 t`) and the other reports of xterm (further `n`, `CSI 11|13|15|19 t`,
//! `CSI x`, `* y`, `$ w`, `? m`, `? S`, `# |`, `# R`). The questions of OSC are in the
//! files of their protocols: `color`, `clipboard`, `program_status`, `notification`; of
//! graphics in `image`.

use crate::control_sequence::ControlSequence;
use crate::control_string::{Protocol, Route};

/// How a control string ended; the answer ends the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminator {
    /// BEL.
    Bell,
    /// ESC `\`.
    St,
}

impl Terminator {
    /// The bytes that end the string.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Bell => b"\x07",
            Self::St => b"\x1b\\",
        }
    }
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What is asked.
    pub kind: QueryKind,
    /// Of control strings; [`Terminator::St`] for the others.
    pub terminator: Terminator,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryKind {
    /// `CSI c`, `CSI 0 c`
    PrimaryAttributes,
    /// `CSI > c`
    SecondaryAttributes,
    /// `CSI = c`
    TertiaryAttributes,
    /// `CSI 5 n`
    DeviceStatus,
    /// `CSI 6 n`
    CursorPosition,
    /// `CSI ? 6 n`
    ExtendedCursorPosition,
    /// `CSI ? 996 n`
    ColorScheme,
    /// `CSI [?] Ps $ p`
    Mode {
        /// `Ps`
        mode: u16,
        /// With `?`.
        private: bool,
    },
    /// `DCS $ q Pt ST`; the setting asked for, at most 8 bytes.
    Setting(Vec<u8>),
    /// `CSI > q`
    Version,
    /// `DCS + q Pt ST`: hexadecimal names as asked, at most 512 bytes.
    Termcap(Vec<u8>),
    /// `CSI 14 t`
    WindowPixels,
    /// `CSI 16 t`
    CellPixels,
    /// `CSI 18 t`
    WindowCells,
    /// `CSI ? u`
    KeyboardFlags,
    /// OSC 4, 10–19 with `?`.
    Color(ColorSlot),
    /// OSC 7501 `?`
    ProgramStatus,
    /// OSC 99 `p=?`, with its `i=` (`0` if none).
    NotificationSupport(String),
    /// OSC 99 `p=alive`, with its `i=` (`0` if none).
    NotificationsAlive(String),
    /// Removed and not answered: title and icon reports, OSC 52 reads, ENQ, kitty graphics.
    Unanswered,
}

/// The colour that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorSlot {
    /// OSC 4: palette index.
    Palette(u8),
    /// OSC 10–19: the number of the OSC.
    Dynamic(u8),
}

/// Longest setting that DECRQSS is answered for, in bytes; terminals know none longer.
const SETTING_LIMIT: usize = 8;

/// Longest list of names that XTGETTCAP is answered for, in bytes.
const TERMCAP_LIMIT: usize = 512;

pub(crate) static SETTING: Protocol = Protocol {
    route: |_, _| Route::Remove,
    read: |string, _, said| {
        let setting = string.payload.unwrap_or_default();
        // A longer one is cut: still no setting that anybody knows.
        let setting = &setting[..setting.len().min(SETTING_LIMIT)];
        said.query(QueryKind::Setting(setting.to_vec()), string.terminator);
    },
    ..Protocol::DEFAULT
};

pub(crate) static TERMCAP: Protocol = Protocol {
    route: |_, _| Route::Remove,
    read: |string, _, said| {
        let mut names = string.payload.unwrap_or_default();
        if names.len() > TERMCAP_LIMIT {
            // Whole names only.
            let within = &names[..TERMCAP_LIMIT];
            names = &within[..within.iter().rposition(|byte| *byte == b';').unwrap_or(0)];
        }
        said.query(QueryKind::Termcap(names.to_vec()), string.terminator);
    },
    ..Protocol::DEFAULT
};

/// What a control sequence asks.
pub(crate) fn of_sequence(sequence: &ControlSequence<'_>) -> Option<QueryKind> {
    use QueryKind::*;
    let first = sequence.parameter(0);
    let kind = match (sequence.prefix, sequence.intermediates, sequence.last) {
        (None, b"", b'c') if first == 0 => PrimaryAttributes,
        (Some(b'>'), b"", b'c') if first == 0 => SecondaryAttributes,
        (Some(b'='), b"", b'c') if first == 0 => TertiaryAttributes,
        (None, b"", b'n') if first == 5 => DeviceStatus,
        (None, b"", b'n') if first == 6 => CursorPosition,
        (Some(b'?'), b"", b'n') if first == 6 => ExtendedCursorPosition,
        (Some(b'?'), b"", b'n') if first == 996 => ColorScheme,
        (None, b"$", b'p') => Mode {
            mode: first,
            private: false,
        },
        (Some(b'?'), b"$", b'p') => Mode {
            mode: first,
            private: true,
        },
        (Some(b'>'), b"", b'q') if first == 0 => Version,
        (None, b"", b't') => match first {
            14 => WindowPixels,
            16 => CellPixels,
            18 => WindowCells,
            11 | 13 | 15 | 19 | 20 | 21 => Unanswered,
            _ => return None,
        },
        (Some(b'?'), b"", b'u') => KeyboardFlags,
        (None | Some(b'?'), b"", b'n') | (None, b"", b'x') | (None, b"*", b'y') => Unanswered,
        (Some(b'?'), b"", b'm' | b'S') | (None, b"$", b'w') | (None, b"#", b'|' | b'R') => {
            Unanswered
        }
        _ => return None,
    };
    Some(kind)
}

/// ENQ: the answerback is empty here.
pub(crate) const ENQUIRY: Query = Query {
    kind: QueryKind::Unanswered,
    terminator: Terminator::St,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::testing::{queries, record};

    fn assert_question(bytes: &str, kind: QueryKind) {
        assert_eq!(queries(bytes.as_bytes()), [kind], "{bytes:?}");
        let seen = record(format!("a{bytes}b").as_bytes());
        assert_eq!(
            (seen.forwarded, seen.drawn),
            (b"ab".to_vec(), b"ab".to_vec()),
            "{bytes:?}"
        );
    }

    #[test]
    fn every_question_is_recognised_and_removed() {
        use QueryKind::*;
        for (bytes, kind) in [
            ("\x1b[c", PrimaryAttributes),
            ("\x1b[0c", PrimaryAttributes),
            ("\x1b[>c", SecondaryAttributes),
            ("\x1b[>0c", SecondaryAttributes),
            ("\x1b[=c", TertiaryAttributes),
            ("\x1b[5n", DeviceStatus),
            ("\x1b[6n", CursorPosition),
            ("\x1b[?6n", ExtendedCursorPosition),
            ("\x1b[?996n", ColorScheme),
            (
                "\x1b[4$p",
                Mode {
                    mode: 4,
                    private: false,
                },
            ),
            (
                "\x1b[?2026$p",
                Mode {
                    mode: 2026,
                    private: true,
                },
            ),
            ("\x1b[>q", Version),
            ("\x1b[>0q", Version),
            ("\x1b[14t", WindowPixels),
            ("\x1b[14;2t", WindowPixels),
            ("\x1b[16t", CellPixels),
            ("\x1b[18t", WindowCells),
            ("\x1b[?u", KeyboardFlags),
            ("\x1bP$qm\x1b\\", Setting(b"m".to_vec())),
            ("\x1bP$q q\x1b\\", Setting(b" q".to_vec())),
            ("\x1bP+q544e;524742\x1b\\", Termcap(b"544e;524742".to_vec())),
        ] {
            assert_question(bytes, kind);
        }
    }

    #[test]
    fn title_and_icon_reports_and_enq_are_removed_and_not_answered() {
        for bytes in ["\x1b[20t", "\x1b[21t", "\x05"] {
            assert_question(bytes, QueryKind::Unanswered);
        }
    }

    #[test]
    fn reports_that_only_an_outer_terminal_would_answer_are_removed() {
        for bytes in [
            "\x1b[?15n",
            "\x1b[7n",
            "\x1b[13t",
            "\x1b[19t",
            "\x1b[x",
            "\x1b[1;1;1;1;1;1*y",
            "\x1b[1$w",
            "\x1b[?4m",
            "\x1b[?1;1;0S",
            "\x1b[#|",
        ] {
            assert_question(bytes, QueryKind::Unanswered);
        }
    }

    #[test]
    fn what_sets_is_no_question() {
        let bytes = "\x1b[1c\x1b[>4;2m\x1b[>4n\x1b[2 q\x1b[!p\x1b[62;1\"p\x1b[8;24;80t\x1b[u\x1b[>1u\x1b[=1;1u\
            \x1b[<u\x1b[2S\x1b[3;1$}\x1b[ 6n\x1b[4m\x1b[1;2r\x1b[2;5R";
        let seen = record(bytes.as_bytes());
        assert_eq!(seen.queries, []);
        assert_eq!(seen.forwarded, bytes.as_bytes());
        assert_eq!(seen.drawn, bytes.as_bytes());
    }

    #[test]
    fn questions_come_in_the_order_asked_and_with_their_terminators() {
        let seen = record(b"\x1b]7501;?\x07\x1b[c\x1bP$qr\x1b\\\x1b]10;?\x1b\\\x1b]11;?\x07");
        let seen: Vec<_> = seen
            .queries
            .into_iter()
            .map(|(at, query)| (at, query.terminator))
            .collect();
        use Terminator::*;
        assert_eq!(seen, [(0, Bell), (9, St), (12, St), (19, St), (27, Bell)]);
    }

    #[test]
    fn a_long_setting_and_long_names_are_bounded() {
        let long = format!("\x1bP$q{}\x1b\\", "m".repeat(100));
        assert_eq!(
            queries(long.as_bytes()),
            [QueryKind::Setting(b"mmmmmmmm".to_vec())]
        );
        let long = format!("\x1bP+q{}\x1b\\", "544e;".repeat(200));
        let [QueryKind::Termcap(names)] = &queries(long.as_bytes())[..] else {
            panic!()
        };
        assert!(names.len() <= 512 && names.ends_with(b"544e"));
    }
}
