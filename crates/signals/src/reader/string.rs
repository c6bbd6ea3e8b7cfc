//! The reader inside a control string: its data, its end, its abort.
//!
//! The protocol is told by the first bytes of the body; it says whether the string is
//! forwarded as it comes, held back until it is known, removed, or unwrapped. Only a whole
//! string within its limit is read and drawn.

use memchr::memchr3;

use super::{BEL, CAN, Character, DEL, ESC, HELD_STRING, Reader, SUB, State, TAB};
use crate::control_string::{
    self, BODY_LIMIT, ControlString, Found, Introducer, Route, Said, Saying,
};
use crate::{Query, Rejection, Signal, Sink, Terminator, passthrough};

/// How far a control string is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct StringState {
    pub(super) introducer: Introducer,
    pub(super) found: Option<Found>,
    pub(super) route: Route,
    /// An ESC came last.
    pub(super) escaped: bool,
    /// Bytes of the whole sequence that came so far, the dropped ones included.
    pub(super) length: usize,
}

impl Reader {
    /// Reads on in a control string; returns where the next part starts.
    pub(super) fn string(
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
                    said.signal(Signal::Rejected(Rejection { reason }));
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
    pub(super) fn abort_for_escape(&mut self, sink: &mut impl Sink) {
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
