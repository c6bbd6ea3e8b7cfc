//! What of a client's input reaches the program (architecture.md, Size and input): keys, clicks
//! and pastes; mouse motion only from the owner of the size; never focus events or anything
//! that looks like a terminal's reply, since the holder answers and reports for the terminal as
//! a whole.
//!
//! ```text
//! CSI I, CSI O                          focus
//! CSI ? … c, CSI > … c, CSI = … c       DA replies
//! CSI 0 n, CSI 3 n, CSI ? … n           DSR replies
//! CSI r ; c R                           cursor report (not `CSI 1 ; 2…16 R`, a modified F3)
//! CSI [?] … $ y, CSI ? … u              DECRPM, kitty keyboard flags
//! CSI 4|5|6|8|9|48 ; … t                window reports, in-band size
//! OSC …, DCS …, APC … ST                colours, settings, XTVERSION
//! CSI < b ; x ; y M|m with b & 32       mouse motion; also `CSI M` with three bytes
//! ```
//!
//! The text of a bracketed paste passes as it is. The result does not depend on where the bytes
//! are cut, except that a sequence left unfinished for [`PATIENCE`] passes: it was a key.

use std::time::Duration;

/// How long an unfinished sequence is held back: a pressed Escape key must not wait longer.
pub(super) const PATIENCE: Duration = Duration::from_millis(10);

/// A CSI longer than that is no reply.
const MAX_CSI: usize = 64;

/// Of a control string only this much is needed to know that it is one.
const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// `held` is a beginning.
    Escape,
    /// Inside OSC, DCS, APC: dropped up to its end; `true` after an ESC in it.
    String(bool),
    /// Inside a bracketed paste: how many bytes of its end were seen.
    Paste(usize),
    /// After `CSI M`: the bytes of an X10 mouse report.
    X10,
}

/// The filter of one client.
#[derive(Debug, Default)]
pub(super) struct InputFilter {
    state: State,
    held: Vec<u8>,
}

impl InputFilter {
    /// The bytes that pass. `motion`: mouse motion passes too.
    pub(super) fn pass(&mut self, bytes: &[u8], motion: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + self.held.len());
        for &byte in bytes {
            self.step(byte, motion, &mut out);
        }
        out
    }

    /// An unfinished sequence is held back.
    pub(super) fn is_waiting(&self) -> bool {
        !self.held.is_empty()
    }

    /// Nothing came in time: what is held back was typed.
    pub(super) fn give_up(&mut self) -> Vec<u8> {
        self.state = State::Ground;
        std::mem::take(&mut self.held)
    }

    fn step(&mut self, byte: u8, motion: bool, out: &mut Vec<u8>) {
        match &mut self.state {
            State::Ground if byte == 0x1b => {
                self.held.push(byte);
                self.state = State::Escape;
            }
            State::Ground => out.push(byte),
            State::Escape => self.escape(byte, motion, out),
            State::String(after_escape) => {
                let ended =
                    byte == 0x07 || byte == 0x18 || byte == 0x1a || *after_escape && byte == b'\\';
                *after_escape = byte == 0x1b;
                if ended {
                    self.state = State::Ground;
                }
            }
            State::Paste(seen) => {
                out.push(byte);
                *seen = match (byte == PASTE_END[*seen], byte == PASTE_END[0]) {
                    (true, _) => *seen + 1,
                    (false, true) => 1,
                    (false, false) => 0,
                };
                if *seen == PASTE_END.len() {
                    self.state = State::Ground;
                }
            }
            State::X10 => {
                self.held.push(byte);
                if self.held.len() == 6 {
                    let is_motion = self.held[3].wrapping_sub(32) & 32 != 0;
                    self.finish(!is_motion || motion, out);
                }
            }
        }
    }

    fn escape(&mut self, byte: u8, motion: bool, out: &mut Vec<u8>) {
        if byte == 0x1b {
            // ESC ESC: the first was a key (Alt with Escape, or Escape pressed twice).
            out.append(&mut self.held);
            self.held.push(byte);
            return;
        }
        self.held.push(byte);
        match self.held.len() {
            2 => match byte {
                b'[' | b']' | b'P' | b'_' => {}
                _ => self.finish(true, out),
            },
            // Of a control string the first byte is awaited: Alt with `]`, `P` or `_` is a key.
            _ if self.held[1] != b'[' => {
                let is_reply = match self.held[1] {
                    b']' => byte.is_ascii_digit(),
                    b'P' => matches!(byte, b'0'..=b'9' | b'>' | b'!'),
                    _ => byte == b'G',
                };
                if is_reply {
                    self.held.clear();
                    self.state = State::String(false);
                } else {
                    self.held.pop();
                    self.finish(true, out);
                    self.step(byte, motion, out);
                }
            }
            3 if byte == b'M' => self.state = State::X10,
            length => match byte {
                0x20..=0x3f if length <= MAX_CSI => {}
                0x40..=0x7e => {
                    let starts_paste = self.held == PASTE_START;
                    let passes = passes(&self.held[2..], motion);
                    self.finish(passes, out);
                    if starts_paste {
                        self.state = State::Paste(0);
                    }
                }
                _ => self.finish(true, out),
            },
        }
    }

    fn finish(&mut self, passes: bool, out: &mut Vec<u8>) {
        if passes {
            out.append(&mut self.held);
        }
        self.held.clear();
        self.state = State::Ground;
    }
}

/// Whether a whole CSI (without its introducer) passes.
fn passes(csi: &[u8], motion: bool) -> bool {
    let Some((&last, body)) = csi.split_last() else {
        return true;
    };
    let private = body
        .first()
        .copied()
        .filter(|byte| matches!(byte, b'<'..=b'?'));
    let mut parameters = body.split(|&byte| byte == b';').map(|part| {
        std::str::from_utf8(part)
            .ok()
            .and_then(|part| part.parse::<u32>().ok())
    });
    match (private, last) {
        (None, b'I' | b'O') => !body.is_empty(),
        (Some(b'?' | b'>' | b'='), b'c') => false,
        (Some(b'?'), b'n' | b'u') => false,
        (None, b'n') => !matches!(body, b"0" | b"3"),
        (None, b'R') => {
            let first = parameters.next().flatten();
            let second = parameters.next().flatten();
            body.is_empty() || first == Some(1) && matches!(second, Some(2..=16))
        }
        (_, b'y') => !body.ends_with(b"$"),
        (None, b't') => !matches!(parameters.next().flatten(), Some(4 | 5 | 6 | 8 | 9 | 48)),
        (Some(b'<'), b'M' | b'm') => {
            let button = body[1..]
                .split(|&byte| byte == b';')
                .next()
                .unwrap_or_default();
            let button = std::str::from_utf8(button)
                .ok()
                .and_then(|button| button.parse::<u32>().ok());
            motion || button.is_none_or(|button| button & 32 == 0)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result for every way to cut the bytes in pieces of one length.
    fn passed(bytes: &[u8], motion: bool) -> Vec<u8> {
        let whole = InputFilter::default().pass(bytes, motion);
        for step in 1..=bytes.len() {
            let mut filter = InputFilter::default();
            let cut: Vec<u8> = bytes
                .chunks(step)
                .flat_map(|piece| filter.pass(piece, motion))
                .collect();
            assert_eq!(
                cut,
                whole,
                "{:?} in pieces of {step}",
                bytes.escape_ascii().to_string()
            );
        }
        whole
    }

    #[test]
    fn keys_clicks_and_text_pass() {
        for bytes in [
            &b"ls -l\r"[..],
            "é漢".as_bytes(),
            b"\x1b[A",
            b"\x1bOP",
            b"\x1b[1;5C",
            b"\x1b[3~",
            b"\x1bx",
            b"\x1b[1;2R",
            b"\x1b[99;5u",
            b"\x1b[<0;10;20M",
            b"\x1b[<0;10;20m",
            b"\x1b[M !!",
            b"\x1b[Z",
        ] {
            assert_eq!(passed(bytes, false), bytes, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn focus_events_and_replies_never_pass() {
        for bytes in [
            &b"\x1b[I"[..],
            b"\x1b[O",
            b"\x1b[?62;22c",
            b"\x1b[>0;1;0c",
            b"\x1b[0n",
            b"\x1b[?997;1n",
            b"\x1b[24;80R",
            b"\x1b[1;80R",
            b"\x1b[?2026;2$y",
            b"\x1b[?1u",
            b"\x1b[4;600;800t",
            b"\x1b[48;24;80;600;800t",
            b"\x1b]11;rgb:00/00/00\x07",
            b"\x1b]10;rgb:00/00/00\x1b\\",
            b"\x1bP>|xterm\x1b\\",
            b"\x1b_Gi=1;OK\x1b\\",
        ] {
            let mixed = [b"a", bytes, b"b"].concat();
            assert_eq!(passed(&mixed, true), b"ab", "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn mouse_motion_passes_from_the_owner_of_the_size_only() {
        for bytes in [&b"\x1b[<35;10;20M"[..], b"\x1b[MC!!"] {
            assert_eq!(passed(bytes, false), b"");
            assert_eq!(passed(bytes, true), bytes);
        }
    }

    #[test]
    fn the_text_of_a_paste_passes_as_it_is() {
        let paste = b"\x1b[200~\x1b[I and \x1b[0n\x1b[201~";
        assert_eq!(passed(paste, false), paste);
        let after = [&paste[..], b"\x1b[I"].concat();
        assert_eq!(passed(&after, false), paste);
    }

    #[test]
    fn alt_with_the_start_of_a_control_string_is_a_key() {
        for keys in [&b"\x1b]x"[..], b"\x1bPx", b"\x1b_x", b"\x1b]\x1b[A"] {
            assert_eq!(passed(keys, false), keys);
        }
        let mut filter = InputFilter::default();
        assert_eq!(filter.pass(b"\x1b]", false), b"");
        assert!(filter.is_waiting());
        assert_eq!(filter.give_up(), b"\x1b]");
    }

    #[test]
    fn a_lone_escape_is_held_and_given_back() {
        let mut filter = InputFilter::default();
        assert_eq!(filter.pass(b"\x1b", false), b"");
        assert!(filter.is_waiting());
        assert_eq!(filter.give_up(), b"\x1b");
        assert_eq!(filter.pass(b"[I", false), b"[I");
        assert_eq!(passed(b"\x1b\x1b[A", false), b"\x1b\x1b[A");
    }
}
