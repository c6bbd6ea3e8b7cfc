//! The tokenizer.

use crate::{Query, Signal};

/// What the reader says, in stream order. Every method does nothing by default.
pub trait Sink {
    /// Plain text and controls that are both forwarded and drawn as they are. The hot
    /// path: one call a run.
    fn text(&mut self, bytes: &[u8]) {
        self.forward(bytes);
        self.draw(bytes);
    }
    /// Bytes for clients that show the raw stream: everything but questions, BEL,
    /// notification requests, OSC 7501 and images.
    fn forward(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }
    /// Bytes for the emulator: whole control sequences and strings within limits only.
    fn draw(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }
    /// A signal; `at` is the offset of the first byte of its sequence.
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

/// Reads the output of one terminal.
#[derive(Debug)]
pub struct Reader {}

impl Reader {
    /// A reader at offset 0.
    pub fn new(options: Options) -> Self {
        let _ = options;
        todo!()
    }
    /// Reads the next bytes. Never fails; memory is bounded for any input.
    pub fn read(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let _ = (bytes, sink);
        todo!()
    }
    /// How many bytes were read so far.
    pub fn offset(&self) -> u64 {
        todo!()
    }
    /// The bytes of an unfinished sequence or UTF-8 character that were already
    /// forwarded: a snapshot taken now ends with them. `None`: the unfinished sequence
    /// is longer than 4 KiB (the client gets nothing until its end).
    pub fn unfinished(&self) -> Option<&[u8]> {
        todo!()
    }
}

/// The signals in `bytes`, with their offsets. For `decode` and tests.
pub fn signals_of(bytes: &[u8]) -> Vec<(u64, Signal)> {
    let _ = bytes;
    todo!()
}
