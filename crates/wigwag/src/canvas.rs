//! A screen that draws what a holder sends: snapshots and the stream after them.

use screen::{Capture, Screen, Size};
use signals::{Options, Reader, Sink};

/// The terminal as far as it was received.
pub(crate) struct Canvas {
    reader: Reader,
    drawing: Drawing,
}

struct Drawing(Screen);

impl Sink for Drawing {
    fn draw(&mut self, bytes: &[u8]) {
        self.0.feed(bytes);
    }
}

impl Canvas {
    /// An empty one of this size that keeps that many lines above the screen.
    pub(crate) fn new(size: status::Size, scrollback: usize) -> Self {
        let size = Size::new(size.cols, size.rows);
        Self {
            reader: Reader::new(Options::default()),
            drawing: Drawing(Screen::new(size, scrollback)),
        }
    }

    /// Draws what came.
    pub(crate) fn draw(&mut self, bytes: &[u8]) {
        self.reader.read(bytes, &mut self.drawing);
    }

    /// Its text.
    pub(crate) fn capture(&self, what: Capture) -> String {
        self.drawing.0.capture(what)
    }

    /// Its text, with the history from line `number` on.
    pub(crate) fn text_since(&self, number: u64) -> String {
        self.drawing.0.text_since(number)
    }

    /// The number of the next line to leave the screen.
    pub(crate) fn history_end(&self) -> u64 {
        self.drawing.0.history_end()
    }
}

impl std::fmt::Debug for Canvas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Canvas").finish_non_exhaustive()
    }
}
