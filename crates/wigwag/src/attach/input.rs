//! What the outer terminal sends, told apart: keys, pastes, focus events, answers to our questions.
//!
//! ```text
//! CSI I, CSI O                     focus in, focus out
//! CSI ? … c                        DA1: the answer to the last question, so the end of the answers
//! CSI ? 1004 ; state $ y           whether it reports its focus
//! CSI 6 ; height ; width t         pixels of a cell
//! OSC 10|11|12 ; rgb:r/g/b ST      colours
//! OSC 7501 ; ? : … ST              the terminal understands program status
//! OSC 99 ; … : p=? ; … ST          the terminal shows OSC 99 notifications
//! DCS > | name … ST                what the terminal is
//! CSI 200 ~ … CSI 201 ~            a paste
//! ```
//!
//! Answers and focus events are never passed on, however late they come. The result does not depend
//! on where the bytes are cut, except that what is left unfinished for [`Input::patience`] was typed:
//! a lone Escape cannot be told from the beginning of a sequence in another way.

use signals::answer::answer_of;
use signals::dialect::Dialect;
use std::time::Duration;

/// A pressed Escape key waits that long for more. The bytes of one key arrive together.
const KEY_PATIENCE: Duration = Duration::from_millis(10);
/// While answers are awaited, which may arrive in pieces over a slow line.
const ANSWER_PATIENCE: Duration = Duration::from_millis(100);
/// The same for the rest of an answer whose kind is known: it is given up, not typed.
const STRING_PATIENCE: Duration = Duration::from_secs(1);
/// A paste whose end does not come for that long is over: else no key would be the prefix any more.
const PASTE_PATIENCE: Duration = Duration::from_secs(2);

/// A longer control sequence is passed as it comes.
const MAX_SEQUENCE: usize = 64;
/// No answer that we read is longer; the rest is dropped.
const MAX_STRING: usize = 1024;

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// One thing that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// Characters and control keys, one or many.
    Keys(Vec<u8>),
    /// A whole escape or control sequence: a key or the mouse.
    Sequence(Vec<u8>),
    /// A piece of a paste, its marks included.
    Paste(Vec<u8>),
    /// The window gained or lost the focus.
    Focus(bool),
    /// The answer to a question of ours.
    Answer(Answer),
}

/// Answers to our questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Foreground([u8; 3]),
    Background([u8; 3]),
    Cursor([u8; 3]),
    /// Width and height of a cell.
    CellPixels([u16; 2]),
    /// It understands OSC 7501.
    ProgramStatus,
    /// How it is told of a notification.
    Dialect(Dialect),
    /// Whether it reports its focus.
    FocusReports(bool),
    /// DA1: everything asked before has been answered, or will not be.
    Fence,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// `held` is the beginning of a sequence.
    Escape,
    /// A control string: `held` is its introducer and body.
    String { after_escape: bool },
    /// How many bytes of the end of the paste were seen.
    Paste { seen: usize },
}

/// The reader of one outer terminal.
#[derive(Debug, Default)]
pub(crate) struct Input {
    state: State,
    held: Vec<u8>,
    /// Questions were asked and the last one is not answered.
    pub(crate) answers_awaited: bool,
}

impl Input {
    /// Tells apart the next bytes.
    pub(crate) fn read(&mut self, bytes: &[u8], out: &mut Vec<Token>) {
        for &byte in bytes {
            self.step(byte, out);
        }
    }

    /// How long what is held back may wait for more; `None`: nothing is held back.
    pub(crate) fn patience(&self) -> Option<Duration> {
        match self.state {
            State::Ground => None,
            State::Paste { .. } => Some(PASTE_PATIENCE),
            State::String { .. } => Some(STRING_PATIENCE),
            State::Escape if self.answers_awaited => Some(ANSWER_PATIENCE),
            State::Escape => Some(KEY_PATIENCE),
        }
    }

    /// Nothing more came in time.
    pub(crate) fn give_up(&mut self, out: &mut Vec<Token>) {
        let state = std::mem::take(&mut self.state);
        let held = std::mem::take(&mut self.held);
        if state == State::Escape {
            match held.len() {
                1 => push_keys(&held, out),
                _ => out.push(Token::Sequence(held)),
            }
        }
    }

    fn step(&mut self, byte: u8, out: &mut Vec<Token>) {
        match &mut self.state {
            State::Ground if byte == 0x1b => {
                self.held.push(byte);
                self.state = State::Escape;
            }
            State::Ground => push_keys(&[byte], out),
            State::Escape => self.escape(byte, out),
            State::String { after_escape } => {
                let ended = byte == 0x07 || (*after_escape && byte == b'\\');
                let aborted = matches!(byte, 0x18 | 0x1a);
                *after_escape = byte == 0x1b;
                if ended || aborted {
                    self.state = State::Ground;
                    let held = std::mem::take(&mut self.held);
                    if let Some(answer) = of_string(&held).filter(|_| ended) {
                        out.push(Token::Answer(answer));
                    }
                } else if self.held.len() < MAX_STRING {
                    self.held.push(byte);
                }
            }
            State::Paste { seen } => {
                *seen = match (byte == PASTE_END[*seen], byte == PASTE_END[0]) {
                    (true, _) => *seen + 1,
                    (false, true) => 1,
                    (false, false) => 0,
                };
                if *seen == PASTE_END.len() {
                    self.state = State::Ground;
                }
                match out.last_mut() {
                    Some(Token::Paste(piece)) if !piece.ends_with(PASTE_END) => piece.push(byte),
                    _ => out.push(Token::Paste(vec![byte])),
                }
            }
        }
    }

    fn escape(&mut self, byte: u8, out: &mut Vec<Token>) {
        if byte == 0x1b {
            // The first was a key: Escape pressed twice, or Alt with Escape.
            let held = std::mem::replace(&mut self.held, vec![byte]);
            push_keys(&held, out);
            return;
        }
        self.held.push(byte);
        let second = self.held[1];
        match (second, self.held.len()) {
            (b'[' | b']' | b'P' | b'_', 2) => {}
            (b']', _) if byte.is_ascii_digit() => self.string(),
            (b'P', _) if matches!(byte, b'0'..=b'9' | b'>' | b'!') => self.string(),
            (b'_', _) if byte == b'G' => self.string(),
            (b'[', 3..=MAX_SEQUENCE) if matches!(byte, 0x20..=0x3f) => {}
            (b'[', _) => self.finish(out),
            // Alt with `]`, `P` or `_`, and the next key.
            (b']' | b'P' | b'_', _) => {
                self.held.pop();
                self.finish(out);
                self.step(byte, out);
            }
            _ => self.finish(out),
        }
    }

    fn string(&mut self) {
        self.state = State::String {
            after_escape: false,
        };
    }

    fn finish(&mut self, out: &mut Vec<Token>) {
        self.state = State::Ground;
        let held = std::mem::take(&mut self.held);
        match held.as_slice() {
            b"\x1b[I" => out.push(Token::Focus(true)),
            b"\x1b[O" => out.push(Token::Focus(false)),
            PASTE_START => {
                self.state = State::Paste { seen: 0 };
                out.push(Token::Paste(held));
            }
            [0x1b, b'[', b'?', .., b'c'] => {
                self.answers_awaited = false;
                out.push(Token::Answer(Answer::Fence));
            }
            [
                0x1b,
                b'[',
                b'?',
                b'1',
                b'0',
                b'0',
                b'4',
                b';',
                state,
                b'$',
                b'y',
            ] => {
                // 0: not recognized; 4: permanently off.
                let reports = matches!(state, b'1'..=b'3');
                out.push(Token::Answer(Answer::FocusReports(reports)));
            }
            [0x1b, b'[', body @ .., b't'] => out.extend(match cell_pixels(body) {
                Some(pixels) => Some(Token::Answer(Answer::CellPixels(pixels))),
                None => Some(Token::Sequence(held)),
            }),
            _ => out.push(Token::Sequence(held)),
        }
    }
}

fn push_keys(bytes: &[u8], out: &mut Vec<Token>) {
    match out.last_mut() {
        Some(Token::Keys(keys)) => keys.extend_from_slice(bytes),
        _ => out.push(Token::Keys(bytes.to_vec())),
    }
}

/// `6 ; height ; width`
fn cell_pixels(body: &[u8]) -> Option<[u16; 2]> {
    let mut parts = std::str::from_utf8(body).ok()?.split(';');
    if parts.next() != Some("6") {
        return None;
    }
    let height = parts.next()?.parse().ok()?;
    let width = parts.next()?.parse().ok()?;
    Some([width, height])
}

/// The answer in a control string, from its introducer up to its terminator.
fn of_string(string: &[u8]) -> Option<Answer> {
    let string = string.strip_suffix(b"\x1b").unwrap_or(string);
    if let Some(version) = string.strip_prefix(b"\x1bP>|") {
        let version = String::from_utf8_lossy(version);
        return Some(Answer::Dialect(Dialect::of_version(&version)));
    }
    let body = std::str::from_utf8(string.strip_prefix(b"\x1b]")?).ok()?;
    let (number, rest) = body.split_once(';')?;
    match number {
        "10" => color(rest).map(Answer::Foreground),
        "11" => color(rest).map(Answer::Background),
        "12" => color(rest).map(Answer::Cursor),
        _ => Some(match answer_of(body)? {
            signals::answer::Answer::ProgramStatus(_) => Answer::ProgramStatus,
            signals::answer::Answer::Notifications(_) => Answer::Dialect(Dialect::Osc99),
        }),
    }
}

/// `rgb:r/g/b`, `rgba:r/g/b/a` with one to four hexadecimal digits each, `#rrggbb`.
fn color(text: &str) -> Option<[u8; 3]> {
    if let Some(hex) = text.strip_prefix('#') {
        let parts = [hex.get(0..2)?, hex.get(2..4)?, hex.get(4..6)?];
        let [r, g, b] = parts.map(|part| u8::from_str_radix(part, 16).ok());
        return Some([r?, g?, b?]).filter(|_| hex.len() == 6);
    }
    let parts = text.strip_prefix("rgb:").or(text.strip_prefix("rgba:"))?;
    let mut channels = parts.split('/').map(|part| {
        let value = u32::from_str_radix(part, 16).ok()?;
        let max = (1u32 << (4 * part.len().clamp(1, 4))) - 1;
        u8::try_from((value * 255 + max / 2) / max).ok()
    });
    Some([channels.next()??, channels.next()??, channels.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<Token> {
        let mut input = Input::default();
        let mut out = Vec::new();
        for piece in pieces {
            input.read(piece, &mut out);
        }
        input.give_up(&mut out);
        out
    }

    const CASES: [&[u8]; 10] = [
        b"plain\x1b[Imore\x1b[O",
        b"a\x1b]11;rgb:1e1e/2020/30ff\x1b\\b",
        b"\x1b]10;rgb:ff/80/0\x07\x1b]12;#102030\x1b\\",
        b"\x1b[6;17;8t\x1b[?1004;2$y\x1b[?62;22cx",
        b"\x1b]7501;?:states=idle,working\x1b\\y",
        b"\x1bP>|ghostty 1.2\x1b\\\x1b]99;i=wigwag:p=?;p=title,body\x1b\\",
        b"\x1b[200~pa\x1b[Iste \x1c \x1b[201~z\x1b[200~2\x1b[201~",
        b"\x1b[1;5A\x1bOP\x1b\x1b[A\x1bx",
        b"\x1b]q\x1b_\x1bPz",
        b"\x1b[<35;10;10M\x1b[92;5u",
    ];

    #[test]
    fn the_tokens_are_the_same_wherever_the_bytes_are_cut() {
        for case in CASES {
            let whole = read(&[case]);
            for cut in 0..=case.len() {
                assert_eq!(
                    read(&[&case[..cut], &case[cut..]]),
                    whole,
                    "{case:?} at {cut}"
                );
            }
            let single: Vec<&[u8]> = case.chunks(1).collect();
            assert_eq!(read(&single), whole, "{case:?}");
        }
    }

    #[test]
    fn focus_events_and_answers_are_no_keys() {
        assert_eq!(
            read(&[b"a\x1b[Ib\x1b[O\x1b[?62;22c"]),
            [
                Token::Keys(b"a".into()),
                Token::Focus(true),
                Token::Keys(b"b".into()),
                Token::Focus(false),
                Token::Answer(Answer::Fence),
            ]
        );
    }

    #[test]
    fn colours_are_read_in_every_notation() {
        assert_eq!(
            read(&[b"\x1b]10;rgb:ffff/8080/0000\x1b\\\x1b]11;rgb:f/8/0\x07\x1b]12;#102030\x07"]),
            [
                Token::Answer(Answer::Foreground([255, 128, 0])),
                Token::Answer(Answer::Background([255, 136, 0])),
                Token::Answer(Answer::Cursor([16, 32, 48])),
            ]
        );
        for wrong in [
            "rgb:",
            "rgb:1/2",
            "rgb:12345/1/1",
            "#12",
            "#1234567",
            "#äöü",
            "red",
        ] {
            assert_eq!(color(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn pixels_of_a_cell_and_program_status_are_learned() {
        assert_eq!(
            read(&[b"\x1b[6;17;8t\x1b]7501;?:states=idle\x1b\\"]),
            [
                Token::Answer(Answer::CellPixels([8, 17])),
                Token::Answer(Answer::ProgramStatus)
            ]
        );
    }

    #[test]
    fn a_paste_is_passed_whole_whatever_is_in_it() {
        let paste = b"\x1b[200~a\x1b[Ib\x1cc\x1b[?1c\x1b[201~";
        assert_eq!(read(&[paste]), [Token::Paste(paste.to_vec())]);
    }

    #[test]
    fn a_lone_escape_was_typed() {
        let mut input = Input::default();
        let mut out = Vec::new();
        input.read(b"\x1b", &mut out);
        assert_eq!(out, []);
        assert_eq!(input.patience(), Some(KEY_PATIENCE));
        input.give_up(&mut out);
        assert_eq!(out, [Token::Keys(b"\x1b".into())]);
        assert_eq!(input.patience(), None);
    }

    #[test]
    fn alt_with_the_start_of_a_string_is_a_key() {
        assert_eq!(
            read(&[b"\x1b]q"]),
            [Token::Sequence(b"\x1b]".into()), Token::Keys(b"q".into())]
        );
    }

    #[test]
    fn a_string_without_an_end_is_dropped_and_bounded() {
        let mut input = Input::default();
        let mut out = Vec::new();
        input.read(b"\x1b]11;", &mut out);
        input.read(&[b'x'; 100_000], &mut out);
        assert!(input.held.len() <= MAX_STRING);
        input.give_up(&mut out);
        assert_eq!(out, []);
    }

    #[test]
    fn a_paste_whose_end_never_comes_is_over_after_a_while() {
        let mut input = Input::default();
        let mut tokens = Vec::new();
        input.read(b"\x1b[200~pasted", &mut tokens);
        assert_eq!(input.patience(), Some(PASTE_PATIENCE));
        input.give_up(&mut tokens);
        assert_eq!(input.patience(), None);
        tokens.clear();
        input.read(b"\x1cd", &mut tokens);
        assert_eq!(tokens, [Token::Keys(b"\x1cd".to_vec())]);
    }
}
