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

use memchr::memchr3;

use crate::control_sequence::{self, ControlSequence};
use crate::control_string::{
    self, BODY_LIMIT, ControlString, Found, Introducer, Memory, Route, Said, Saying,
};
use crate::{Query, Signal, Terminator, bell, passthrough, query, report_modes, title};

/// What the reader says, in stream order. Every method does nothing by default.
pub trait Sink {
    /// Plain text and controls that are both forwarded and drawn as they are. The hot
    /// path: one call a run. Free of ESC, BEL and ENQ; a UTF-8 character may be cut.
    fn text(&mut self, bytes: &[u8]) {
        self.forward(bytes);
        self.draw(bytes);
    }
    /// One whole escape sequence, control sequence or control string that is both
    /// forwarded and drawn as it is.
    fn sequence(&mut self, bytes: &[u8]) {
        self.forward(bytes);
        self.draw(bytes);
    }
    /// Bytes for clients that show the raw stream: everything but questions, modes that
    /// make a terminal report, BEL, notification requests, OSC 7501 and images.
    fn forward(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }
    /// Bytes for the emulator: whole control sequences and strings within limits only.
    fn draw(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }
    /// A signal; `at` is the offset of the first byte of its sequence. Everything before
    /// it has been drawn, and so has its own sequence.
    fn signal(&mut self, at: u64, signal: Signal) {
        let _ = (at, signal);
    }
    /// A question; everything before it has been drawn.
    fn query(&mut self, at: u64, query: Query) {
        let _ = (at, query);
    }
}

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

/// The bytes between two runs of text are searched one by one before the vector search
/// starts: in coloured text most runs are shorter than its set-up is worth.
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

/// How far a control string is known.
#[derive(Debug, Clone, Copy)]
struct StringState {
    introducer: Introducer,
    found: Option<Found>,
    route: Route,
    /// An ESC came last.
    escaped: bool,
    /// Bytes of the whole sequence that came so far, the dropped ones included.
    length: usize,
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
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let run = text_length(rest);
            if run > 0 {
                let text = &rest[..run];
                self.character.follow(text);
                sink.text(text);
                at += run;
            }
            match rest.get(run) {
                None => return at,
                Some(&ESC) => {
                    let rest = &rest[run..];
                    let Some(length) = control_sequence::complete(rest, HELD_SEQUENCE) else {
                        self.begin(at);
                        return at + 1;
                    };
                    let sequence = &rest[..length];
                    if control_sequence::may_say_something(sequence) {
                        self.start = self.offset + at as u64;
                        self.control_sequence(sequence, sink);
                    } else {
                        self.character = Character::default();
                        sink.sequence(sequence);
                    }
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
        }
        at
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

    // Escape and control sequences, byte by byte: those that are cut or interrupted.

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

    // Control strings.

    fn string(
        &mut self,
        mut string: StringState,
        bytes: &[u8],
        at: usize,
        sink: &mut impl Sink,
    ) -> usize {
        let offset = self.offset + at as u64;
        let rest = &bytes[at..];
        if string.escaped {
            string.escaped = false;
            string.length += 1;
            self.state = State::String(string);
            if rest[0] == b'\\' {
                self.end_string(string, Terminator::St, sink);
                return at + 1;
            }
            if string.route == Route::Unwrap && rest[0] == ESC {
                self.unwrap(&rest[..1], offset - 1, sink);
                return at + 1;
            }
            self.abort_for_escape(sink);
            self.begin_at(offset - 1);
            return at;
        }
        let osc = string.introducer == Introducer::Osc;
        let length = if osc {
            osc_data_length(rest)
        } else {
            string_data_length(rest)
        };
        if length > 0 {
            string.length += length;
            self.string_data(&mut string, &rest[..length], offset, sink);
            self.state = State::String(string);
        }
        let Some(&byte) = rest.get(length) else {
            return at + length;
        };
        string.length += 1;
        match byte {
            ESC => {
                string.escaped = true;
                self.state = State::String(string);
            }
            BEL if osc => self.end_string(string, Terminator::Bell, sink),
            CAN | SUB => {
                self.end();
                self.text_byte(&rest[length..=length], sink);
            }
            // A C0 control in an OSC.
            _ => self.state = State::String(string),
        }
        at + length + 1
    }

    /// The next bytes of the body.
    fn string_data(
        &mut self,
        string: &mut StringState,
        mut data: &[u8],
        mut offset: u64,
        sink: &mut impl Sink,
    ) {
        // Until the protocol is known, byte by byte: a number, or a few parameters.
        while string.found.is_none() {
            let Some((&byte, rest)) = data.split_first() else {
                return;
            };
            (data, offset) = (rest, offset + 1);
            if string.introducer == Introducer::Dcs && !(0x20..DEL).contains(&byte) {
                // Terminals skip it in the head of a DCS: it must not hide a question.
                continue;
            }
            self.buffer.push(byte);
            let complete = self.buffer.len() >= HELD_STRING;
            string.found = control_string::find(string.introducer, &self.buffer[2..], complete);
            if string.found.is_some() {
                self.decide(string, sink);
            }
        }
        if string.route == Route::Unwrap {
            self.unwrap(data, offset, sink);
            return;
        }
        if string.route == Route::Undecided {
            let (held, rest) = data.split_at(
                data.len()
                    .min(HELD_STRING - self.buffer.len().min(HELD_STRING)),
            );
            self.buffer.extend_from_slice(held);
            self.decide(string, sink);
            if string.route == Route::Undecided {
                if rest.is_empty() {
                    return;
                }
                // Longer than any question.
                string.route = Route::Forward;
                self.forward_buffer(sink);
            }
            data = rest;
        }
        let limit = string
            .found
            .map_or(BODY_LIMIT, |found| found.protocol.limit)
            + 2;
        let (kept, beyond) = data.split_at(data.len().min(limit.saturating_sub(self.buffer.len())));
        self.buffer.extend_from_slice(kept);
        self.overlong |= !beyond.is_empty();
        if string.route == Route::Forward {
            self.forward_buffer(sink);
            if !beyond.is_empty() {
                self.forward_only(beyond, sink);
                self.forwarded = self.forwarded.saturating_add(beyond.len());
            }
        }
    }

    /// Asks the protocol where the bytes go, and sends off what was held back for it.
    fn decide(&mut self, string: &mut StringState, sink: &mut impl Sink) {
        let Some(found) = string.found else { return };
        let payload = found.payload.map(|start| &self.buffer[2 + start..]);
        string.route = (found.protocol.route)(payload, false);
        match string.route {
            Route::Unwrap if !self.options.tmux_passthrough => {
                string.route = Route::Forward;
                self.forward_buffer(sink);
            }
            // A deeper wrapper is skipped to its end.
            Route::Unwrap if self.level >= passthrough::LEVELS => {}
            Route::Unwrap => {
                let inner = self.inner.get_or_insert_with(|| {
                    Box::new(Reader::at_level(self.options, self.level + 1))
                });
                inner.end();
                inner.character = Character::default();
            }
            Route::Forward => self.forward_buffer(sink),
            Route::Remove | Route::Undecided => {}
        }
    }

    fn end_string(&mut self, string: StringState, terminator: Terminator, sink: &mut impl Sink) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let complete = control_string::find(string.introducer, &buffer[2..], true);
        if let Some(found) = string.found.or(complete) {
            let protocol = found.protocol;
            let payload = found.payload.map(|start| &buffer[2 + start..]);
            let asked = (protocol.route)(payload, true);
            let route = if string.route == Route::Undecided {
                asked
            } else {
                string.route
            };
            // What was forwarded although it would have been removed is too long for a
            // question; the emulator must not answer it either.
            let misrouted = route == Route::Forward && asked == Route::Remove;
            let whole = !self.overlong && !misrouted;
            let body_length = buffer.len();
            buffer.extend_from_slice(terminator.bytes());
            if route == Route::Forward {
                let drawn = whole && protocol.drawn;
                if drawn && self.forwarded == 0 {
                    self.character = Character::default();
                    sink.sequence(&buffer);
                } else {
                    // Of an overlong string only the terminator is left to forward.
                    self.forward_only(&buffer[self.forwarded.min(body_length)..], sink);
                    if drawn {
                        sink.draw(&buffer);
                    }
                }
            }
            let mut said = Said::default();
            let body = &buffer[2..body_length];
            let payload = found.payload.map(|start| &body[start..]);
            if whole && route != Route::Unwrap {
                let length = string.length;
                let whole = ControlString {
                    body,
                    payload,
                    terminator,
                    length,
                };
                (protocol.read)(&whole, &mut self.memory, &mut said);
            } else if self.overlong {
                let reason = (protocol.overlong)(payload.unwrap_or_default());
                if let Some(reason) = reason {
                    said.signal(Signal::Rejected(crate::Rejection { reason }));
                }
            }
            self.say(said, sink);
        }
        self.buffer = buffer;
        self.end();
    }

    fn say(&mut self, said: Said, sink: &mut impl Sink) {
        for saying in said.0 {
            match saying {
                Saying::Signal(signal) => sink.signal(self.start, signal),
                Saying::Query(query) => sink.query(self.start, query),
                Saying::Sequence(bytes) => {
                    self.character = Character::default();
                    sink.sequence(&bytes);
                }
            }
        }
    }

    /// Ends for the clients what an ESC aborts here.
    fn abort_for_escape(&mut self, sink: &mut impl Sink) {
        if self.forwarded > 0 {
            sink.forward(&[CAN]);
        }
        self.end();
    }

    fn unwrap(&mut self, bytes: &[u8], offset: u64, sink: &mut impl Sink) {
        if let Some(inner) = &mut self.inner {
            inner.offset = offset;
            inner.read(bytes, &mut Unwrapped(sink));
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
    let short = &bytes[..bytes.len().min(SHORT_RUN)];
    match short
        .iter()
        .position(|byte| matches!(*byte, ESC | BEL | ENQ))
    {
        Some(length) => length,
        None if short.len() < SHORT_RUN => short.len(),
        None => {
            let rest = &bytes[SHORT_RUN..];
            SHORT_RUN + memchr3(ESC, BEL, ENQ, rest).unwrap_or(rest.len())
        }
    }
}

/// The bytes of an OSC body before the next control but TAB.
fn osc_data_length(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|byte| *byte < 0x20 && *byte != TAB)
        .unwrap_or(bytes.len())
}

/// The bytes of another string's body before what may end it.
fn string_data_length(bytes: &[u8]) -> usize {
    memchr3(ESC, CAN, SUB, bytes).unwrap_or(bytes.len())
}

/// The unfinished UTF-8 character at the end of what was forwarded.
#[derive(Debug, Clone, Copy, Default)]
struct Character {
    bytes: [u8; 3],
    length: u8,
}

impl Character {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Text was forwarded.
    #[inline]
    fn follow(&mut self, text: &[u8]) {
        if text.last().is_none_or(u8::is_ascii) {
            self.length = 0;
        } else {
            self.follow_non_ascii(text);
        }
    }

    fn follow_non_ascii(&mut self, text: &[u8]) {
        let mut tail = [0; 6];
        let before = usize::from(self.length);
        let last = &text[text.len().saturating_sub(3)..];
        tail[..before].copy_from_slice(self.bytes());
        tail[before..before + last.len()].copy_from_slice(last);
        // What came before matters only if the text is part of the same character.
        let from = if text.len() < 3 { 0 } else { before };
        let tail = &tail[from..before + last.len()];
        *self = Self::default();
        let Some(lead) = tail.iter().rposition(|byte| *byte >= 0xc0) else {
            return;
        };
        let candidate = &tail[lead..];
        let unfinished = match std::str::from_utf8(candidate) {
            Ok(_) => false,
            Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
        };
        if unfinished && candidate.len() <= 3 {
            self.bytes[..candidate.len()].copy_from_slice(candidate);
            self.length = candidate.len() as u8;
        }
    }
}

/// Passes on what the inside of a passthrough says, and none of its bytes.
struct Unwrapped<'a>(&'a mut dyn Sink);

impl Sink for Unwrapped<'_> {
    fn signal(&mut self, at: u64, signal: Signal) {
        self.0.signal(at, signal);
    }
    fn query(&mut self, at: u64, query: Query) {
        self.0.query(at, query);
    }
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
