//! The program's stream as the outer terminal may have it.
//!
//! It passes as it is, except for what would reach beyond this terminal:
//!
//! ```text
//! CSI 22|23 [; 0|2] t        title pushes and pops become the title they lead to
//! CSI > … u, CSI < … u,      keyboard flags: pushes, pops and changes become `CSI = flags ; 1 u`,
//! CSI = …; … u               also after a change of the screen, which has flags of its own
//! CSI ? … h|l                without 1004: the outer terminal reports its focus to us
//! ESC c                      a soft reset and an empty screen
//! ```
//!
//! Only the beginning of such a sequence is held back until its end is there; the result does not
//! depend on where the stream is cut.

use memchr::memchr;

/// A longer control sequence is none of those above.
const MAX_SEQUENCE: usize = 256;
/// Entries of a keyboard stack and of the title stack, as the emulator has them.
const KEYBOARD_DEPTH: usize = 16;
const TITLE_DEPTH: usize = 10;
/// Bytes of a title that are remembered for a push.
const MAX_TITLE: usize = 1024;
/// The flags the kitty keyboard protocol defines.
const KEYBOARD_FLAGS: u16 = 0b1_1111;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Ground,
    /// `held` starts with ESC and is not passed on yet.
    Held,
    /// In a control sequence that was too long to be held.
    Sequence,
    /// In a control string; its bytes pass.
    String { osc: bool, after_escape: bool },
}

/// One screen's keyboard flags.
#[derive(Debug, Clone, Default)]
struct Keyboard {
    base: u16,
    pushed: Vec<u16>,
}

/// The filter of one attached terminal, from one snapshot to the next.
#[derive(Debug)]
pub(crate) struct Translator {
    state: State,
    held: Vec<u8>,
    /// The body of an OSC, as far as it may be a title or progress.
    body: Vec<u8>,
    /// What a terminal without a title is called.
    name: String,
    title: Vec<u8>,
    titles: Vec<Vec<u8>>,
    keyboards: [Keyboard; 2],
    alternate: bool,
    /// Progress was shown and not cleared.
    pub(crate) progress: bool,
    /// Written in place of RIS.
    reset: Vec<u8>,
    /// So many bytes of a character that was begun are still to come.
    open: usize,
}

impl Translator {
    /// For a fresh snapshot. `reset` brings the outer terminal to an empty screen.
    pub(crate) fn new(name: &str, reset: Vec<u8>) -> Self {
        Self {
            state: State::Ground,
            held: Vec::new(),
            body: Vec::new(),
            name: name.to_owned(),
            title: Vec::new(),
            titles: Vec::new(),
            keyboards: Default::default(),
            alternate: false,
            progress: false,
            reset,
            open: 0,
        }
    }

    /// Something of our own may be written here: neither a sequence nor a character is open in the
    /// outer terminal.
    pub(crate) fn is_between(&self) -> bool {
        matches!(self.state, State::Ground | State::Held) && self.open == 0
    }

    /// The program is on the alternate screen.
    pub(crate) fn is_alternate(&self) -> bool {
        self.alternate
    }

    /// Writes the next bytes of the stream as the outer terminal may have them.
    pub(crate) fn pass(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Ground => {
                    let until = memchr(0x1b, bytes).unwrap_or(bytes.len());
                    out.extend_from_slice(&bytes[..until]);
                    if until == bytes.len() {
                        self.open = open_after(self.open, bytes);
                        return;
                    }
                    self.open = 0;
                    self.state = State::Held;
                    self.held.clear();
                    self.held.push(0x1b);
                    self.short_way(&bytes[until + 1..], out)
                }
                State::Held => {
                    self.step(bytes[0], out);
                    &bytes[1..]
                }
                State::Sequence => {
                    let byte = bytes[0];
                    match byte {
                        0x1b => {
                            self.state = State::Held;
                            self.held.clear();
                            self.held.push(byte);
                        }
                        0x18 | 0x1a | 0x40..=0x7e => {
                            out.push(byte);
                            self.state = State::Ground;
                        }
                        _ => out.push(byte),
                    }
                    &bytes[1..]
                }
                State::String { osc, after_escape } => self.string(bytes, osc, after_escape, out),
            };
        }
    }

    /// The most common sequence, colours, in one go; returns what is left.
    fn short_way<'a>(&mut self, bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        if bytes.first() != Some(&b'[') {
            return bytes;
        }
        let length = bytes[1..]
            .iter()
            .take(MAX_SEQUENCE / 2)
            .position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'));
        match length {
            Some(length) if !matches!(bytes[length + 1], b't' | b'u' | 0..=0x3f | 0x7f..) => {
                out.push(0x1b);
                out.extend_from_slice(&bytes[..length + 2]);
                self.state = State::Ground;
                &bytes[length + 2..]
            }
            _ => bytes,
        }
    }

    /// The next byte of a held sequence.
    fn step(&mut self, byte: u8, out: &mut Vec<u8>) {
        match (self.held.get(1).copied(), byte) {
            (_, 0x1b) => {
                // Aborted; another begins.
                out.append(&mut self.held);
                self.held.push(byte);
            }
            (_, 0x18 | 0x1a) => {
                self.held.push(byte);
                self.release(out);
            }
            // Other controls take effect at once, within the sequence.
            (_, 0..=0x1f) => out.push(byte),
            (None, b'[') => self.held.push(byte),
            (None, b']' | b'P' | b'_' | b'^' | b'X') => {
                self.held.push(byte);
                self.release(out);
                self.body.clear();
                self.state = State::String {
                    osc: byte == b']',
                    after_escape: false,
                };
            }
            (None, b'c') => self.full_reset(out),
            (None | Some(0x20..=0x2f), 0x20..=0x2f) if self.held.len() < MAX_SEQUENCE => {
                self.held.push(byte);
            }
            (Some(b'['), 0x40..=0x7e) => {
                self.held.push(byte);
                self.control_sequence(out);
            }
            (Some(b'['), _) => {
                self.held.push(byte);
                if self.held.len() > MAX_SEQUENCE {
                    self.release(out);
                    self.state = State::Sequence;
                }
            }
            _ => {
                self.held.push(byte);
                self.release(out);
            }
        }
    }

    fn release(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.held);
        self.state = State::Ground;
    }

    /// The next bytes of a control string; returns what is left.
    fn string<'a>(
        &mut self,
        bytes: &'a [u8],
        osc: bool,
        after_escape: bool,
        out: &mut Vec<u8>,
    ) -> &'a [u8] {
        if after_escape {
            if bytes[0] == b'\\' {
                out.extend_from_slice(b"\x1b\\");
                self.end_of_string(osc);
                self.state = State::Ground;
                return &bytes[1..];
            }
            // Aborted; another begins.
            self.held.clear();
            self.held.push(0x1b);
            self.state = State::Held;
            return bytes;
        }
        let end = bytes
            .iter()
            .position(|byte| matches!(byte, 0x1b | 0x18 | 0x1a) || osc && *byte == 0x07);
        let until = end.unwrap_or(bytes.len());
        if osc && self.body.len() <= MAX_TITLE {
            let room = (MAX_TITLE + 1 - self.body.len()).min(until);
            self.body.extend_from_slice(&bytes[..room]);
        }
        out.extend_from_slice(&bytes[..until]);
        let Some(end) = end else { return &[] };
        match bytes[end] {
            0x1b => {
                self.state = State::String {
                    osc,
                    after_escape: true,
                };
            }
            byte => {
                out.push(byte);
                if byte == 0x07 {
                    self.end_of_string(osc);
                }
                self.state = State::Ground;
            }
        }
        &bytes[end + 1..]
    }

    /// Remembers a title, and whether progress is shown.
    fn end_of_string(&mut self, osc: bool) {
        if !osc {
            return;
        }
        let title = self
            .body
            .strip_prefix(b"0;")
            .or(self.body.strip_prefix(b"2;"));
        if let Some(title) = title {
            self.title = title.to_vec();
        } else if let Some(progress) = self.body.strip_prefix(b"9;4;") {
            self.progress = progress.first() != Some(&b'0');
        }
    }

    fn full_reset(&mut self, out: &mut Vec<u8>) {
        self.held.clear();
        self.state = State::Ground;
        out.extend_from_slice(&self.reset);
        self.titles.clear();
        self.title.clear();
        self.keyboards = Default::default();
        self.alternate = false;
        self.write_title(out);
    }

    /// A whole control sequence that is held.
    fn control_sequence(&mut self, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        self.state = State::Ground;
        let body = &held[2..held.len() - 1];
        let done = match (body.first(), held[held.len() - 1]) {
            (Some(b'<' | b'=' | b'>'), b'u') => self.keyboard(body, out),
            (_, b't') => self.title_stack(body, out),
            (Some(b'?'), last @ (b'h' | b'l')) => self.modes(&body[1..], last, out),
            _ => false,
        };
        if !done {
            out.extend_from_slice(&held);
        }
        // Its memory is used again.
        self.held = held;
        self.held.clear();
    }

    fn keyboard(&mut self, body: &[u8], out: &mut Vec<u8>) -> bool {
        let Some(parameters) = parameters(&body[1..]) else {
            return false;
        };
        let parameter = |index: usize| parameters.get(index).copied().flatten();
        let keyboard = &mut self.keyboards[usize::from(self.alternate)];
        match body[0] {
            b'>' => {
                if keyboard.pushed.len() == KEYBOARD_DEPTH {
                    keyboard.pushed.remove(0);
                }
                let flags = parameter(0).unwrap_or(0) & KEYBOARD_FLAGS;
                keyboard.pushed.push(flags);
            }
            b'<' => {
                let count = usize::from(parameter(0).unwrap_or(1).max(1));
                if count > keyboard.pushed.len() {
                    keyboard.base = 0;
                }
                let left = keyboard.pushed.len().saturating_sub(count);
                keyboard.pushed.truncate(left);
            }
            _ => {
                let flags = parameter(0).unwrap_or(0) & KEYBOARD_FLAGS;
                let entry = keyboard.pushed.last_mut().unwrap_or(&mut keyboard.base);
                match parameter(1).unwrap_or(1) {
                    0 | 1 => *entry = flags,
                    2 => *entry |= flags,
                    3 => *entry &= !flags,
                    _ => {}
                }
            }
        }
        self.write_keyboard(out);
        true
    }

    fn write_keyboard(&self, out: &mut Vec<u8>) {
        let keyboard = &self.keyboards[usize::from(self.alternate)];
        let flags = keyboard.pushed.last().copied().unwrap_or(keyboard.base);
        out.extend_from_slice(format!("\x1b[={flags};1u").as_bytes());
    }

    fn title_stack(&mut self, body: &[u8], out: &mut Vec<u8>) -> bool {
        let Some(parameters) = parameters(body) else {
            return false;
        };
        let parameter = |index: usize| parameters.get(index).copied().flatten().unwrap_or(0);
        match (parameter(0), parameter(1)) {
            (22, 0 | 2) => {
                if self.titles.len() == TITLE_DEPTH {
                    self.titles.remove(0);
                }
                self.titles.push(self.title.clone());
                true
            }
            (23, 0 | 2) => {
                if let Some(title) = self.titles.pop() {
                    self.title = title;
                    self.write_title(out);
                }
                true
            }
            // The icon's title: nobody shows it, and nothing is to be left on the stack.
            (22 | 23, _) => true,
            _ => false,
        }
    }

    fn write_title(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b]2;");
        if self.title.is_empty() {
            out.extend_from_slice(self.name.as_bytes());
        } else {
            out.extend_from_slice(&self.title);
        }
        out.extend_from_slice(b"\x1b\\");
    }

    fn modes(&mut self, body: &[u8], last: u8, out: &mut Vec<u8>) -> bool {
        let Some(parameters) = parameters(body) else {
            return false;
        };
        let modes: Vec<u16> = parameters.into_iter().flatten().collect();
        let others: Vec<String> = modes
            .iter()
            .filter(|mode| **mode != 1004)
            .map(u16::to_string)
            .collect();
        let without_focus = others.len() != modes.len();
        if without_focus && !others.is_empty() {
            let modes = others.join(";");
            out.extend_from_slice(format!("\x1b[?{modes}{}", char::from(last)).as_bytes());
        }
        let switches = modes.iter().any(|mode| matches!(mode, 47 | 1047 | 1049));
        if switches && self.alternate != (last == b'h') {
            if !without_focus {
                out.extend_from_slice(
                    format!("\x1b[?{}{}", others.join(";"), char::from(last)).as_bytes(),
                );
            }
            self.alternate = last == b'h';
            if self
                .keyboards
                .iter()
                .any(|keyboard| !keyboard.pushed.is_empty() || keyboard.base != 0)
            {
                self.write_keyboard(out);
            }
            return true;
        }
        without_focus
    }
}

/// Numbers between semicolons; `None` where it is something else.
fn parameters(body: &[u8]) -> Option<Vec<Option<u16>>> {
    let number = |part: &[u8]| match part {
        [] => Some(None),
        _ => std::str::from_utf8(part).ok()?.parse().ok().map(Some),
    };
    body.split(|byte| *byte == b';').map(number).collect()
}

/// How many bytes of a UTF-8 character are still to come after this text, if `open` were before it.
fn open_after(open: usize, text: &[u8]) -> usize {
    let is_continuation = |byte: &&u8| matches!(byte, 0x80..=0xbf);
    let continuations = text
        .iter()
        .rev()
        .take(3)
        .take_while(is_continuation)
        .count();
    let lead = text.len().checked_sub(continuations + 1).map(|at| text[at]);
    match lead {
        None => open.saturating_sub(continuations),
        Some(0xc2..=0xdf) => 1usize.saturating_sub(continuations),
        Some(0xe0..=0xef) => 2usize.saturating_sub(continuations),
        Some(0xf0..=0xf4) => 3usize.saturating_sub(continuations),
        Some(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(pieces: &[&[u8]]) -> String {
        let mut translator = Translator::new("box", b"<RESET>".to_vec());
        let mut out = Vec::new();
        for piece in pieces {
            translator.pass(piece, &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    /// The result, the same for every cut.
    fn passed(stream: &str) -> String {
        let bytes = stream.as_bytes();
        let whole = pass(&[bytes]);
        for cut in 1..bytes.len() {
            assert_eq!(
                pass(&[&bytes[..cut], &bytes[cut..]]),
                whole,
                "{stream:?} at {cut}"
            );
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(pass(&single), whole, "{stream:?}");
        whole
    }

    #[test]
    fn own_bytes_may_come_between_sequences_and_characters_only() {
        let is_between = |pieces: &[&[u8]]| {
            let mut translator = Translator::new("x", Vec::new());
            for piece in pieces {
                translator.pass(piece, &mut Vec::new());
            }
            translator.is_between()
        };
        for open in [
            &b"\x1b]2;tit"[..],
            b"\x1b]52;c;AAAA\x1b",
            b"\x1bPq",
            b"\xe2\x82",
            b"\xf0\x9f\x92",
            "é".as_bytes().split_at(1).0,
        ] {
            assert!(!is_between(&[open]), "{open:?}");
            let bytes: Vec<&[u8]> = open.chunks(1).collect();
            assert!(!is_between(&bytes), "{open:?} byte by byte");
        }
        for closed in [
            &b"text"[..],
            b"\x1b]2;title\x07",
            b"\x1b[31m",
            // Held back as a whole: the outer terminal has nothing of it.
            b"\x1b[3",
            "é€💒".as_bytes(),
            b"\x80\x80\x80\x80",
            b"\xe2\x1b[m",
        ] {
            assert!(is_between(&[closed]), "{closed:?}");
            let bytes: Vec<&[u8]> = closed.chunks(1).collect();
            assert!(is_between(&bytes), "{closed:?} byte by byte");
        }
    }

    #[test]
    fn text_colours_and_other_sequences_pass_as_they_are() {
        for stream in [
            "plain",
            "\x1b[1;38:2::1:2:3mred\x1b[0m\x1b[2J\x1b[?25l\x1b[?2004h\x1b[?1000;1006h",
            "\x1b(0lqk\x1b(B\x1b7\x1b8\x1b=\x1b>",
            "\x1b]8;;http://x\x1b\\link\x1b]8;;\x07",
            "\x1bP+q544e\x1b\\\x1b_Gx\x1b\\",
            "\x1b[8;24;80t\x1b[u\x1b[s",
            "\x1b[?1049hfull\x1b[?1049l",
            "\x1b[12\x1b[3mx\x1b[1\x18y",
            "a\x1b]2;x\x18b",
        ] {
            assert_eq!(passed(stream), stream);
        }
    }

    #[test]
    fn title_pushes_and_pops_become_titles() {
        assert_eq!(
            passed("\x1b]2;one\x07\x1b[22;0t\x1b]0;two\x1b\\\x1b[23;0t"),
            "\x1b]2;one\x07\x1b]0;two\x1b\\\x1b]2;one\x1b\\"
        );
        assert_eq!(passed("\x1b[22t\x1b[22;2;1t\x1b[22;1t\x1b[23;1t"), "");
        assert_eq!(passed("\x1b[23t"), "", "nothing of ours is popped");
        assert_eq!(
            passed("\x1b[22t\x1b]2;x\x07\x1b[23t"),
            "\x1b]2;x\x07\x1b]2;box\x1b\\",
            "without a title it is the terminal's name"
        );
    }

    #[test]
    fn keyboard_pushes_and_pops_become_flags() {
        assert_eq!(
            passed("\x1b[>1u\x1b[>5u\x1b[<u\x1b[<u\x1b[<9u"),
            "\x1b[=1;1u\x1b[=5;1u\x1b[=1;1u\x1b[=0;1u\x1b[=0;1u"
        );
        assert_eq!(
            passed("\x1b[=1u\x1b[=4;2u\x1b[=1;3u"),
            "\x1b[=1;1u\x1b[=5;1u\x1b[=4;1u"
        );
    }

    #[test]
    fn each_screen_has_keyboard_flags_of_its_own() {
        assert_eq!(
            passed("\x1b[>1u\x1b[?1049h\x1b[>7u\x1b[?1049l"),
            "\x1b[=1;1u\x1b[?1049h\x1b[=0;1u\x1b[=7;1u\x1b[?1049l\x1b[=1;1u"
        );
    }

    #[test]
    fn focus_reports_are_ours() {
        assert_eq!(passed("\x1b[?1004h\x1b[?1004l"), "");
        assert_eq!(passed("\x1b[?1000;1004;2004h"), "\x1b[?1000;2004h");
        assert_eq!(passed("\x1b[?1004;1049hx"), "\x1b[?1049hx");
    }

    #[test]
    fn a_full_reset_becomes_a_soft_one() {
        assert_eq!(
            passed("\x1b]2;t\x07\x1b[>1u\x1bcx\x1b[?1049h"),
            "\x1b]2;t\x07\x1b[=1;1u<RESET>\x1b]2;box\x1b\\x\x1b[?1049h"
        );
    }

    #[test]
    fn nothing_inside_a_control_string_is_a_sequence() {
        for stream in ["\x1b]52;c;c\x07", "\x1bPc[22t\x1b\\", "\x1b_\x07[23t\x1b\\"] {
            assert_eq!(passed(stream), stream);
        }
    }

    #[test]
    fn whether_progress_is_shown_is_known() {
        let mut translator = Translator::new("box", Vec::new());
        let mut out = Vec::new();
        translator.pass(b"\x1b]9;4;1;42\x07", &mut out);
        assert!(translator.progress);
        translator.pass(b"\x1b]9;4;0;\x1b\\", &mut out);
        assert!(!translator.progress);
    }

    #[test]
    fn memory_is_bounded() {
        let mut translator = Translator::new("box", Vec::new());
        let mut out = Vec::new();
        translator.pass(b"\x1b]2;", &mut out);
        for _ in 0..100 {
            translator.pass(&[b'x'; 10_000], &mut out);
            out.clear();
        }
        assert!(translator.body.len() <= MAX_TITLE + 1);
        translator.pass(b"\x07\x1b[", &mut out);
        translator.pass(&[b'1'; 100_000], &mut out);
        assert!(translator.held.len() <= MAX_SEQUENCE + 1);
    }
}
