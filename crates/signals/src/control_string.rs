//! Control strings: which protocol one belongs to, and what becomes of its bytes.
//!
//! ```text
//! OSC  ESC ] number [; payload] (BEL | ESC \)
//! DCS  ESC P parameters intermediates final payload ESC \
//! APC  ESC _ payload ESC \      PM  ESC ^ …      SOS  ESC X …
//! ```
//!
//! Every protocol is one [`Protocol`] in its own file and one line in [`LIST`]. The number
//! of an OSC is compared as a number: terminals disagree about `OSC 010`, and a question
//! must not slip through to one that reads it as 10.

use crate::{
    Query, QueryKind, RejectionReason, Signal, Terminator, clipboard, color, emulation, image,
    notification, passthrough, program_status, query, shell_integration, title, working_directory,
};

/// The protocols of OSC.
static LIST: &[&Protocol] = &[
    &title::TITLE,
    &working_directory::WORKING_DIRECTORY,
    &notification::OSC_9,
    &notification::OSC_777,
    &notification::OSC_99,
    &shell_integration::OSC_133,
    &shell_integration::OSC_633,
    &program_status::PROGRAM_STATUS,
    &color::COLOR,
    &color::OTHER_COLORS,
    &clipboard::CLIPBOARD,
    &image::ITERM2,
    &emulation::OSC,
];

/// The protocols of DCS and APC: the introducer and what it is told by.
static OTHER: &[(Introducer, Told, &Protocol)] = &[
    (Introducer::Dcs, Told::Final(b"$", b'q'), &query::SETTING),
    (Introducer::Dcs, Told::Final(b"+", b'q'), &query::TERMCAP),
    (Introducer::Dcs, Told::Final(b"", b'q'), &image::SIXEL),
    (Introducer::Dcs, Told::Prefix(b"tmux;"), &passthrough::TMUX),
    (Introducer::Apc, Told::Prefix(b"G"), &image::KITTY),
];

/// Longest body of a control string, in bytes, where the protocol has no other limit.
pub(crate) const BODY_LIMIT: usize = 8 * 1024;

/// Which control string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Introducer {
    Osc,
    Dcs,
    Apc,
    /// PM and SOS: nothing reads them.
    Other,
}

/// What tells a protocol of DCS and APC.
#[derive(Debug, Clone, Copy)]
enum Told {
    /// These intermediates and this final byte, after any parameters.
    Final(&'static [u8], u8),
    /// The first bytes of the body.
    Prefix(&'static [u8]),
}

/// What becomes of the bytes of a control string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// Not known yet: held back.
    Undecided,
    /// Forwarded as they come.
    Forward,
    /// Not forwarded.
    Remove,
    /// tmux passthrough: not forwarded; the inside is read as a stream of its own.
    Unwrap,
}

/// One control string protocol.
#[derive(Debug)]
pub(crate) struct Protocol {
    /// Its OSC numbers.
    pub(crate) numbers: &'static [u32],
    /// Longest body in bytes: what stands between introducer and terminator.
    pub(crate) limit: usize,
    /// Whether the emulator has a use for what is forwarded.
    pub(crate) drawn: bool,
    /// Where the bytes go, as far as the payload is known (`None`: no `;` follows the
    /// number), and whether it is complete; a complete one is never undecided. What it
    /// says of a payload, it says of every longer one.
    pub(crate) route: fn(payload: Option<&[u8]>, complete: bool) -> Route,
    /// What a complete string within the limit says.
    pub(crate) read: fn(&ControlString<'_>, &mut Memory, &mut Said),
    /// What a string over the limit is rejected for; it gets what was kept of the payload.
    pub(crate) overlong: fn(payload: &[u8]) -> Option<RejectionReason>,
}

impl Protocol {
    /// Forwarded, not drawn, says nothing.
    pub(crate) const DEFAULT: Self = Self {
        numbers: &[],
        limit: BODY_LIMIT,
        drawn: false,
        route: |_, _| Route::Forward,
        read: |_, _, _| {},
        overlong: |_| None,
    };
}

/// A string that no protocol knows. The emulator knows none of them either, and ends a DCS
/// at the byte 0x9C, in the middle of a character.
static UNKNOWN: Protocol = Protocol::DEFAULT;

/// A complete control string.
#[derive(Debug)]
pub(crate) struct ControlString<'a> {
    /// What stands between introducer and terminator.
    pub(crate) body: &'a [u8],
    /// What follows the number and its `;`, or what told the protocol; `None`: an OSC that
    /// is a number only.
    pub(crate) payload: Option<&'a [u8]>,
    /// How it ended.
    pub(crate) terminator: Terminator,
    /// The length of the whole sequence as it came, in bytes.
    pub(crate) length: usize,
}

impl ControlString<'_> {
    /// Writes an OSC. The parts must be free of controls.
    pub(crate) fn osc(parts: &[&str], terminator: Terminator) -> Vec<u8> {
        let mut bytes = b"\x1b]".to_vec();
        for part in parts {
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes.extend_from_slice(terminator.bytes());
        bytes
    }
}

/// What the protocols remember between their sequences.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) notifications: notification::Pending,
    pub(crate) command: shell_integration::Pending,
}

/// What one control string says, in order.
#[derive(Debug, Default)]
pub(crate) struct Said(pub(crate) Vec<Saying>);

/// One thing said.
#[derive(Debug)]
pub(crate) enum Saying {
    Signal(Signal),
    Query(Query),
    /// A sequence that takes the place of a removed one: forwarded and drawn.
    Sequence(Vec<u8>),
}

impl Said {
    pub(crate) fn signal(&mut self, signal: Signal) {
        self.0.push(Saying::Signal(signal));
    }
    pub(crate) fn query(&mut self, kind: QueryKind, terminator: Terminator) {
        self.0.push(Saying::Query(Query { kind, terminator }));
    }
    pub(crate) fn sequence(&mut self, bytes: Vec<u8>) {
        self.0.push(Saying::Sequence(bytes));
    }
}

/// A protocol that was told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) protocol: &'static Protocol,
    /// Where the payload starts in the body; `None`: an OSC that is a number only.
    pub(crate) payload: Option<usize>,
}

/// The protocol of a body that starts with `body`; `None`: not known yet.
pub(crate) fn find(introducer: Introducer, body: &[u8], complete: bool) -> Option<Found> {
    match introducer {
        Introducer::Osc => find_osc(body, complete),
        Introducer::Dcs | Introducer::Apc => find_other(introducer, body, complete),
        Introducer::Other => Some(Found {
            protocol: &UNKNOWN,
            payload: Some(0),
        }),
    }
}

fn find_osc(body: &[u8], complete: bool) -> Option<Found> {
    let digits = body.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let payload = match body.get(digits) {
        None if !complete => return None,
        None => None,
        Some(b';') => Some(digits + 1),
        Some(_) => {
            return Some(Found {
                protocol: &UNKNOWN,
                payload: Some(0),
            });
        }
    };
    let number = body[..digits].iter().fold(0u32, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add((digit - b'0').into())
    });
    // `OSC ; …` has no number; xterm would read it as 0, most do not.
    let known = LIST
        .iter()
        .find(|protocol| digits > 0 && protocol.numbers.contains(&number));
    Some(Found {
        protocol: known.copied().unwrap_or(&UNKNOWN),
        payload,
    })
}

fn find_other(introducer: Introducer, body: &[u8], complete: bool) -> Option<Found> {
    let mut undecided = false;
    for (kind, told, protocol) in OTHER {
        if *kind != introducer {
            continue;
        }
        match told.by(body) {
            Some(Some(payload)) => {
                return Some(Found {
                    protocol,
                    payload: Some(payload),
                });
            }
            Some(None) => undecided = true,
            None => {}
        }
    }
    (complete || !undecided).then_some(Found {
        protocol: &UNKNOWN,
        payload: Some(0),
    })
}

impl Told {
    /// `None`: no. `Some(None)`: perhaps. Else where the payload starts.
    fn by(self, body: &[u8]) -> Option<Option<usize>> {
        match self {
            Self::Prefix(prefix) if body.starts_with(prefix) => Some(Some(prefix.len())),
            Self::Prefix(prefix) => prefix.starts_with(body).then_some(None),
            Self::Final(intermediates, last) => {
                let count = |low: u8, high: u8, bytes: &[u8]| {
                    bytes
                        .iter()
                        .take_while(|byte| (low..=high).contains(byte))
                        .count()
                };
                let parameters = count(0x30, 0x3f, body);
                let rest = &body[parameters..];
                let middle = count(0x20, 0x2f, rest);
                match rest.get(middle) {
                    None => Some(None),
                    Some(&byte) if byte == last && &rest[..middle] == intermediates => {
                        Some(Some(parameters + middle + 1))
                    }
                    Some(_) => None,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_protocols_claim_one_number() {
        let mut numbers: Vec<u32> = LIST
            .iter()
            .flat_map(|protocol| protocol.numbers)
            .copied()
            .collect();
        let all = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
    }

    #[test]
    fn a_number_with_leading_zeros_is_that_number() {
        let found = find(Introducer::Osc, b"0007501;?", false).unwrap();
        assert_eq!(
            (found.protocol.numbers, found.payload),
            (&[7501][..], Some(8))
        );
    }

    #[test]
    fn what_is_told_of_a_prefix_is_told_of_every_longer_one() {
        let bodies: [(Introducer, &[u8]); 6] = [
            (Introducer::Osc, b"7501;state=idle"),
            (Introducer::Osc, b"l;x"),
            (Introducer::Dcs, b"1;2$qm"),
            (Introducer::Dcs, b"tmux;\x1b"),
            (Introducer::Dcs, b"0;1q\"1"),
            (Introducer::Apc, b"Ga=q;"),
        ];
        for (introducer, body) in bodies {
            let mut told: Option<Found> = None;
            for end in 0..=body.len() {
                let now = find(introducer, &body[..end], false);
                if let Some(before) = told {
                    let now = now.expect("told once, told always");
                    assert!(std::ptr::eq(before.protocol, now.protocol));
                    assert_eq!(before.payload, now.payload);
                }
                told = now;
            }
        }
    }
}
