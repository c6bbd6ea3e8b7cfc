//! Progress: OSC 9;4 (ConEmu, Windows Terminal, systemd, winget).
//!
//! ```text
//! OSC 9 ; 4 ; state [; percent]
//! state    0 clear (what follows is ignored)   1 normal   2 error
//!          3 busy (what follows is ignored)    4 paused
//! percent  1*3DIGIT, 0–100; missing or empty: unknown
//! ```
//!
//! Any other frame is invalid: it changes nothing and renews nothing. The other bodies of
//! OSC 9 are in `notification`, which hands the frames on.

use crate::control_string::{ControlString, Said};
use crate::{Progress, ProgressState, Rejection, RejectionReason, Signal, Terminator};

/// What a frame says; `fields` is what follows `9;4`, from its `;` on.
pub(crate) fn read(fields: &[u8], said: &mut Said) {
    said.signal(match parse(fields) {
        Some(progress) => Signal::Progress(progress),
        None => Signal::Rejected(Rejection {
            reason: RejectionReason::Frame,
        }),
    });
}

fn parse(fields: &[u8]) -> Option<Progress> {
    let fields = fields.strip_prefix(b";")?;
    let (&digit, rest) = fields.split_first()?;
    let rest = match rest {
        [] => None,
        [b';', percent @ ..] => Some(percent),
        _ => return None,
    };
    let state = match digit {
        b'0' => {
            return Some(Progress {
                state: ProgressState::Clear,
                percent: None,
            });
        }
        b'3' => {
            return Some(Progress {
                state: ProgressState::Busy,
                percent: None,
            });
        }
        b'1' => ProgressState::Normal,
        b'2' => ProgressState::Error,
        b'4' => ProgressState::Paused,
        _ => return None,
    };
    let percent = match rest {
        None | Some([]) => None,
        Some(digits) => Some(parse_percent(digits)?),
    };
    Some(Progress { state, percent })
}

fn parse_percent(digits: &[u8]) -> Option<u8> {
    if digits.len() > 3 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits
        .iter()
        .fold(0u16, |value, digit| value * 10 + u16::from(digit - b'0'));
    u8::try_from(value).ok().filter(|&percent| percent <= 100)
}

/// The frame that says `progress`. A percentage over 100 is sent as 100.
pub fn encode(progress: Progress, terminator: Terminator) -> Vec<u8> {
    let percent = progress.percent.map(|percent| percent.min(100));
    let fields = match (progress.state, percent) {
        (ProgressState::Clear, _) => "0".to_owned(),
        (ProgressState::Busy, _) => "3".to_owned(),
        (ProgressState::Normal, None) => "1".to_owned(),
        (ProgressState::Error, None) => "2".to_owned(),
        (ProgressState::Paused, None) => "4".to_owned(),
        (ProgressState::Normal, Some(percent)) => format!("1;{percent}"),
        (ProgressState::Error, Some(percent)) => format!("2;{percent}"),
        (ProgressState::Paused, Some(percent)) => format!("4;{percent}"),
    };
    ControlString::osc(&["9;4;", &fields], terminator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::testing::only_signals;

    fn frame(fields: &str) -> Signal {
        let bytes = format!("\x1b]9;4{fields}\x1b\\");
        let mut signals = only_signals(bytes.as_bytes());
        assert_eq!(signals.len(), 1, "{fields}");
        signals.remove(0)
    }

    fn progress(state: ProgressState, percent: Option<u8>) -> Signal {
        Signal::Progress(Progress { state, percent })
    }

    #[test]
    fn each_state_is_read_with_and_without_a_percentage() {
        use ProgressState::*;
        for (fields, expected) in [
            (";1;42", progress(Normal, Some(42))),
            (";1;0", progress(Normal, Some(0))),
            (";1;100", progress(Normal, Some(100))),
            (";1;007", progress(Normal, Some(7))),
            (";1", progress(Normal, None)),
            (";1;", progress(Normal, None)),
            (";2;100", progress(Error, Some(100))),
            (";2", progress(Error, None)),
            (";3", progress(Busy, None)),
            (";3;50", progress(Busy, None)),
            (";3;x;y", progress(Busy, None)),
            (";4;7", progress(Paused, Some(7))),
            (";4;", progress(Paused, None)),
            (";0", progress(Clear, None)),
            (";0;", progress(Clear, None)),
            (";0;101;x", progress(Clear, None)),
        ] {
            assert_eq!(frame(fields), expected, "{fields}");
        }
    }

    #[test]
    fn a_percentage_of_101_changes_nothing() {
        assert_eq!(
            frame(";1;101"),
            Signal::Rejected(Rejection {
                reason: RejectionReason::Frame
            })
        );
    }

    #[test]
    fn every_other_frame_is_invalid() {
        for fields in [
            "", ";", ";5", ";9;1", ";1;-1", ";1;42%", ";1;4.2", ";1;42;", ";1;42;0", ";1;;",
            ";1;0100", ";1; 42", ";10", ";12;3", ";x", ";01;3", ";0x", ";3x", "; 1", ";+1",
            ";1;+4",
        ] {
            let invalid = Signal::Rejected(Rejection {
                reason: RejectionReason::Frame,
            });
            assert_eq!(frame(fields), invalid, "{fields:?}");
        }
    }

    #[test]
    fn a_frame_longer_than_the_limit_is_invalid() {
        let fields = format!(";0;{}", "x".repeat(9000));
        assert_eq!(
            frame(&fields),
            Signal::Rejected(Rejection {
                reason: RejectionReason::Frame
            })
        );
    }

    #[test]
    fn systemd_and_pi_frames_are_read() {
        use ProgressState::*;
        assert_eq!(
            only_signals(b"\x1b]9;4;1;33\x1b\\"),
            [progress(Normal, Some(33))]
        );
        assert_eq!(only_signals(b"\x1b]9;4;0;\x1b\\"), [progress(Clear, None)]);
        assert_eq!(only_signals(b"\x1b]9;4;3\x07"), [progress(Busy, None)]);
    }

    #[test]
    fn an_encoded_frame_is_read_back() {
        use ProgressState::*;
        for state in [Clear, Normal, Error, Busy, Paused] {
            for percent in [None, Some(0), Some(42), Some(100)] {
                let percent = percent.filter(|_| !matches!(state, Clear | Busy));
                let sent = Progress { state, percent };
                assert_eq!(
                    only_signals(&encode(sent, Terminator::Bell)),
                    [Signal::Progress(sent)]
                );
            }
        }
    }
}
