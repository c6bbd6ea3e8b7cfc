//! What a reader calls.

use memchr::memchr;

use crate::control_sequence::complete;
use crate::{Query, Signal};

/// What the reader says, in stream order. Every method does nothing by default.
pub trait Sink {
    /// Text and whole control sequences in a row that are both forwarded and drawn as they are.
    /// The hot path: one call for as much of a read as it is true of. Gives them to
    /// [`Sink::text`] and [`Sink::sequence`] by default.
    fn stretch(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let sequence = complete(rest, rest.len());
            let text = || memchr(0x1b, &rest[1..]).map(|escape| escape + 1);
            let end = sequence.or_else(text).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            if sequence.is_some() {
                self.sequence(piece);
            } else {
                self.text(piece);
            }
            rest = after;
        }
    }
    /// Plain text and controls that are both forwarded and drawn as they are. Free of ESC, BEL
    /// and ENQ; a UTF-8 character may be cut.
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
