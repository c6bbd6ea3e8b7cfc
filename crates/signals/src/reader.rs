//! The tokenizer: ground state, escape and control sequences, control strings.
//!
//! ```text
//! text       any byte but ESC, BEL, ENQ            forwarded and drawn as it is, never copied
//! escape     ESC *(0x20–0x2F) (0x30–0x7E)
//! CSI        ESC [ …                               see control_sequence
//! string     ESC ] | P | _ | ^ | X  …              see control_string
//! ```
//!
//! Controls are 7-bit; 0x80–0x9F are parts of UTF-8 characters. As in a VT500, a C0
//! control inside an escape or control sequence takes effect at once, CAN and SUB abort
//! it, ESC aborts it and starts a new one; DEL and bytes from 0x80 on are dropped there.
//! A control string ends with ESC `\` (an OSC also with BEL), CAN and SUB abort it, and so
//! does ESC before any other byte, which starts a new sequence. C0 controls but TAB are
//! dropped from an OSC, and from the head of a DCS; elsewhere in strings they are data.
//!
//! *Two streams.* Clients are forwarded bytes as they come. Only what may still turn out
//! a question or a removed sequence is held back across a read: 64 bytes of a sequence,
//! 512 of a string. The emulator is drawn whole sequences and strings only. Where the two
//! would mean different things, they are made to agree: a control inside a sequence is
//! moved before it in both; what clients have seen the start of and an ESC then aborts, is
//! ended for them by CAN: many terminals execute an aborted string, and the sequence that
//! the ESC starts may be one that is removed.
//!
//! *Cut anywhere.* Every decision depends on the bytes of the sequence alone, never on
//! where a read ended: the short way through complete control sequences decides as the
//! long way does.
//!
//! *Bounded.* The one buffer holds the unfinished sequence, at most the limit of its
//! protocol, and is given back after a long one.

mod blocks;
mod character;
mod string;

use memchr::memchr3;

use character::Character;
use string::StringState;

use crate::control_sequence::{self, ControlSequence};
use crate::control_string::{BODY_LIMIT, Introducer, Memory, Route};
use crate::word::{HIGH_BITS, above_controls, first_byte};
use crate::{Query, Signal, Sink, Terminator, bell, query, report_modes, title};

/// What a reader reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The source is a tmux pane, or may hold tmux passthrough: unwrap
    /// `ESC P tmux; … ESC \`, up to two levels.
    pub tmux_passthrough: bool,
}

const BEL: u8 = 0x07;
const ENQ: u8 = 0x05;
const TAB: u8 = 0x09;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const ESC: u8 = 0x1b;
const DEL: u8 = 0x7f;

/// Bytes of an escape or control sequence that are held back; no question is longer.
const HELD_SEQUENCE: usize = 64;

/// Bytes of a control string that are held back while it may be a question.
const HELD_STRING: usize = 512;

/// Longest escape or control sequence that is drawn; terminals read 32 parameters.
const SEQUENCE_LIMIT: usize = 4096;

/// Longest unfinished sequence that a snapshot ends with.
const UNFINISHED_LIMIT: usize = 4096;

/// A buffer larger than this is given back when its sequence ends.
const KEPT_CAPACITY: usize = 2 * BODY_LIMIT;

/// The first bytes of a run of text are searched word by word before the vector search
/// starts: in coloured text most runs are shorter than its set-up is worth. A multiple of
/// the eight bytes of a word.
const SHORT_RUN: usize = 16;

/// An ST that ends no string: it means nothing, but ends an unfinished character.
const NOTHING: &[u8] = b"\x1b\\";

/// Reads the output of one terminal.
#[derive(Debug)]
pub struct Reader {
    options: Options,
    /// How many wrappers of tmux this reader stands in.
    level: u8,
    /// Of the first byte not yet read; kept current between reads only.
    offset: u64,
    state: State,
    /// Of the first byte of the unfinished sequence.
    start: u64,
    /// The unfinished sequence, without what is dropped from it, up to its limit.
    buffer: Vec<u8>,
    /// How many of its bytes were forwarded, those beyond the limit included.
    forwarded: usize,
    /// The buffer does not hold all of it.
    overlong: bool,
    character: Character,
    memory: Memory,
    /// Reads what tmux passthrough holds.
    inner: Option<Box<Reader>>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Ground,
    Escape,
    Control,
    String(StringState),
}

impl Reader {
    /// A reader at offset 0.
    pub fn new(options: Options) -> Self {
        Self::at_level(options, 0)
    }

    fn at_level(options: Options, level: u8) -> Self {
        Self {
            options,
            level,
            offset: 0,
            state: State::Ground,
            start: 0,
            buffer: Vec::new(),
            forwarded: 0,
            overlong: false,
            character: Character::default(),
            memory: Memory::default(),
            inner: None,
        }
    }

    /// Reads the next bytes. Never fails; memory is bounded for any input.
    pub fn read(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let mut at = 0;
        while at < bytes.len() {
            at = match self.state {
                State::Ground => self.ground(bytes, at, sink),
                State::Escape | State::Control => self.sequence_byte(bytes, at, sink),
                State::String(string) => self.string(string, bytes, at, sink),
            };
        }
        self.offset += bytes.len() as u64;
    }

    /// How many bytes were read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes of an unfinished sequence or UTF-8 character that were already
    /// forwarded: a snapshot taken now ends with them. `None`: the unfinished sequence
    /// is longer than 4 KiB (the client gets nothing until its end). Controls inside the
    /// sequence took effect already and are not among them.
    pub fn unfinished(&self) -> Option<&[u8]> {
        match self.forwarded {
            0 => Some(self.character.bytes()),
            forwarded if forwarded > UNFINISHED_LIMIT => None,
            forwarded => self.buffer.get(..forwarded),
        }
    }

    /// Reads on in ground state; returns where a sequence goes on, or the end.
    fn ground(&mut self, bytes: &[u8], mut at: usize, sink: &mut impl Sink) -> usize {
        // What is passed on as it is goes out in one piece: its start, and that of its last text.
        let mut passed = at;
        let mut text = at;
        loop {
            let rest = &bytes[at..];
            let run = text_length(rest);
            let rest = &rest[run..];
            at += run;
            let length = match rest.first() {
                Some(&ESC) => control_sequence::complete(rest, HELD_SEQUENCE),
                _ => None,
            };
            if let Some(length) = length
                && !control_sequence::may_say_something(&rest[..length])
            {
                at += length;
                text = at;
                // Where there is one, more follow.
                let more = blocks::pass(&bytes[at..]);
                if more.last_sequence > 0 {
                    text = at + more.last_sequence;
                }
                at += more.length;
                continue;
            }
            if text > passed {
                // A sequence ends an unfinished character.
                self.character = Character::default();
            }
            if at > text {
                self.character.follow(&bytes[text..at]);
            }
            if at > passed {
                sink.stretch(&bytes[passed..at]);
            }
            match rest.first() {
                None => return at,
                Some(&ESC) => {
                    let Some(length) = length else {
                        self.begin(at);
                        return at + 1;
                    };
                    self.start = self.offset + at as u64;
                    self.control_sequence(&rest[..length], sink);
                    at += length;
                }
                Some(&BEL) => {
                    sink.signal(self.offset + at as u64, bell::signal());
                    at += 1;
                }
                Some(_) => {
                    sink.query(self.offset + at as u64, query::ENQUIRY);
                    at += 1;
                }
            }
            (passed, text) = (at, at);
        }
    }

    /// Starts a sequence with the ESC at `at` of the bytes being read.
    fn begin(&mut self, at: usize) {
        self.begin_at(self.offset + at as u64);
    }

    fn begin_at(&mut self, start: u64) {
        self.state = State::Escape;
        self.start = start;
        self.buffer.clear();
        self.buffer.push(ESC);
        self.forwarded = 0;
        self.overlong = false;
    }

    /// Leaves a sequence: nothing is unfinished.
    fn end(&mut self) {
        self.state = State::Ground;
        self.forwarded = 0;
        self.overlong = false;
        if self.buffer.capacity() > KEPT_CAPACITY {
            self.buffer = Vec::new();
        }
        self.buffer.clear();
    }

    fn sequence_byte(&mut self, bytes: &[u8], at: usize, sink: &mut impl Sink) -> usize {
        let offset = self.offset + at as u64;
        match bytes[at] {
            BEL => sink.signal(offset, bell::signal()),
            ENQ => sink.query(offset, query::ENQUIRY),
            CAN | SUB => {
                self.end();
                self.text_byte(&bytes[at..=at], sink);
            }
            ESC => {
                self.abort_for_escape(sink);
                self.begin(at);
            }
            0..0x20 => self.text_byte(&bytes[at..=at], sink),
            DEL.. => {}
            byte => self.sequence_part(byte, sink),
        }
        at + 1
    }

    /// A control on its own, outside or inside a sequence.
    fn text_byte(&mut self, byte: &[u8], sink: &mut impl Sink) {
        self.character = Character::default();
        sink.text(byte);
    }

    fn sequence_part(&mut self, byte: u8, sink: &mut impl Sink) {
        if matches!(self.state, State::Escape) && self.buffer.len() == 1 {
            let introducer = match byte {
                b'[' => {
                    self.buffer.push(byte);
                    self.state = State::Control;
                    return;
                }
                b']' => Some(Introducer::Osc),
                b'P' => Some(Introducer::Dcs),
                b'_' => Some(Introducer::Apc),
                b'^' | b'X' => Some(Introducer::Other),
                _ => None,
            };
            if let Some(introducer) = introducer {
                self.buffer.push(byte);
                self.state = State::String(StringState {
                    introducer,
                    found: None,
                    route: Route::Undecided,
                    escaped: false,
                    length: 2,
                });
                return;
            }
        }
        if self.buffer.len() < SEQUENCE_LIMIT {
            self.buffer.push(byte);
        } else {
            self.overlong = true;
        }
        let ended = match self.state {
            State::Control => (0x40..=0x7e).contains(&byte),
            _ => byte >= 0x30,
        };
        if ended {
            self.end_sequence(byte, sink);
        } else if self.overlong {
            self.forward_only(&[byte], sink);
            self.forwarded += 1;
        } else if self.buffer.len() > HELD_SEQUENCE {
            self.forward_buffer(sink);
        }
    }

    fn end_sequence(&mut self, last: u8, sink: &mut impl Sink) {
        let sequence = std::mem::take(&mut self.buffer);
        let control = matches!(self.state, State::Control);
        if self.overlong {
            // Forwarded up to here, and nothing that a terminal acts on.
            self.forward_only(&[last], sink);
        } else if self.forwarded > 0 || sequence.len() > HELD_SEQUENCE {
            // Too long for a question, and no question of this length is drawn either.
            self.forward_only(&sequence[self.forwarded..], sink);
            let parsed = ControlSequence::parse(&sequence).filter(|_| control);
            if parsed.is_none_or(|parsed| query::of_sequence(&parsed).is_none()) {
                sink.draw(&sequence);
            }
            if let Some(signal) = parsed.and_then(|parsed| title::stack(&parsed)) {
                sink.signal(self.start, signal);
            }
        } else if control {
            self.control_sequence(&sequence, sink);
        } else {
            self.character = Character::default();
            sink.sequence(&sequence);
            if sequence == b"\x1bc" {
                self.memory = Memory::default();
                sink.signal(self.start, Signal::Reset);
            }
        }
        self.buffer = sequence;
        self.end();
    }

    /// A complete control sequence that was held back so far.
    fn control_sequence(&mut self, sequence: &[u8], sink: &mut impl Sink) {
        let parsed = ControlSequence::parse(sequence);
        if let Some(kind) = parsed.and_then(|parsed| query::of_sequence(&parsed)) {
            sink.query(
                self.start,
                Query {
                    kind,
                    terminator: Terminator::St,
                },
            );
            return;
        }
        if let Some(forwarded) = parsed.and_then(|parsed| report_modes::forwarded(&parsed)) {
            self.draw_other(sequence, &forwarded, sink);
            return;
        }
        self.character = Character::default();
        sink.sequence(sequence);
        if let Some(signal) = parsed.and_then(|parsed| title::stack(&parsed)) {
            sink.signal(self.start, signal);
        }
    }

    /// Forwards what of the buffer was not.
    fn forward_buffer(&mut self, sink: &mut impl Sink) {
        let from = self.forwarded;
        if from < self.buffer.len() {
            let buffer = std::mem::take(&mut self.buffer);
            self.forward_only(&buffer[from..], sink);
            self.forwarded = buffer.len();
            self.buffer = buffer;
        }
    }

    /// Draws a sequence of which clients get only `forwarded`.
    fn draw_other(&mut self, sequence: &[u8], forwarded: &[u8], sink: &mut impl Sink) {
        if !forwarded.is_empty() {
            sink.forward(forwarded);
        } else if !self.character.bytes().is_empty() {
            // It ends an unfinished character for the emulator; for the clients, an ST does.
            sink.forward(NOTHING);
        }
        self.character = Character::default();
        sink.draw(sequence);
    }

    /// Forwards bytes that are not, or not yet, drawn.
    fn forward_only(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        if !self.character.bytes().is_empty() {
            // They end an unfinished character for the clients; for the emulator, an ST does.
            self.character = Character::default();
            sink.draw(NOTHING);
        }
        sink.forward(bytes);
    }
}

#[cfg(test)]
impl Reader {
    /// What is remembered between sequences.
    pub(crate) fn memory_for_tests(&self) -> &Memory {
        &self.memory
    }
}

/// The length of the run of text that `bytes` starts with.
#[inline]
fn text_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < SHORT_RUN {
        let Some(word) = bytes[at..].first_chunk() else {
            let rest = &bytes[at..];
            let end = rest.iter().position(|byte| ends_text(*byte));
            return at + end.unwrap_or(rest.len());
        };
        let mut controls = !above_controls(*word) & HIGH_BITS;
        while controls != 0 {
            let control = at + first_byte(controls);
            if ends_text(bytes[control]) {
                return control;
            }
            controls &= controls - 1;
        }
        at += word.len();
    }
    let rest = &bytes[at..];
    at + memchr3(ESC, BEL, ENQ, rest).unwrap_or(rest.len())
}

#[inline]
fn ends_text(byte: u8) -> bool {
    matches!(byte, ESC | BEL | ENQ)
}

/// The signals in `bytes`, with their offsets. For `decode` and tests.
pub fn signals_of(bytes: &[u8]) -> Vec<(u64, Signal)> {
    struct Signals(Vec<(u64, Signal)>);
    impl Sink for Signals {
        fn signal(&mut self, at: u64, signal: Signal) {
            self.0.push((at, signal));
        }
    }
    let mut signals = Signals(Vec::new());
    Reader::new(Options::default()).read(bytes, &mut signals);
    signals.0
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
