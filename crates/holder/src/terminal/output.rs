//! What one read of the PTY comes to: bytes to forward, and what to do with them afterwards.
//!
//! Forwarding comes first and emulation after, since the emulator is the greater cost; so the
//! reader's calls are written down, and played back once the clients have their bytes.

use crate::frame::HEADER;
use signals::{Query, Signal, Sink, Terminator, program_status};

/// Something between two forwarded bytes.
#[derive(Debug)]
pub(super) enum Cut {
    Bell,
    /// A report or clear as a whole sequence.
    Report(String),
}

/// One thing to do after forwarding, in stream order.
#[derive(Debug)]
pub(super) enum Step {
    /// Draw these bytes.
    Draw(Place),
    Signal(Signal),
    Query(Query),
}

/// Bytes of the read itself, or of what the reader held over from earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    held_over: bool,
    start: usize,
    end: usize,
}

/// The result of one read. Reused, so that it allocates only while it grows.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The frame to send: room for its header, then the bytes.
    pub(super) forward: Vec<u8>,
    /// What lies between, by position in `forward`.
    pub(super) cuts: Vec<(usize, Cut)>,
    /// What to do afterwards.
    pub(super) steps: Vec<Step>,
    held_over: Vec<u8>,
}

impl Batch {
    /// Forgets the last read.
    pub(super) fn begin(&mut self) {
        self.forward.clear();
        self.forward.resize(HEADER, 0);
        self.cuts.clear();
        self.steps.clear();
        self.held_over.clear();
    }

    /// The bytes of a place.
    pub(super) fn bytes<'a>(&'a self, read: &'a [u8], place: Place) -> &'a [u8] {
        let from = if place.held_over {
            &self.held_over
        } else {
            read
        };
        &from[place.start..place.end]
    }
}

/// Writes down what the reader says of `read`.
pub(super) struct Recorder<'a> {
    pub(super) batch: &'a mut Batch,
    pub(super) read: &'a [u8],
}

impl Recorder<'_> {
    fn place(&mut self, bytes: &[u8]) -> Place {
        let from = self.read.as_ptr() as usize;
        let start = (bytes.as_ptr() as usize).wrapping_sub(from);
        if start < self.read.len() && start + bytes.len() <= self.read.len() {
            return Place {
                held_over: false,
                start,
                end: start + bytes.len(),
            };
        }
        let start = self.batch.held_over.len();
        self.batch.held_over.extend_from_slice(bytes);
        Place {
            held_over: true,
            start,
            end: start + bytes.len(),
        }
    }
}

impl Sink for Recorder<'_> {
    fn stretch(&mut self, bytes: &[u8]) {
        self.forward(bytes);
        self.draw(bytes);
    }

    fn forward(&mut self, bytes: &[u8]) {
        self.batch.forward.extend_from_slice(bytes);
    }

    fn draw(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let place = self.place(bytes);
        if let Some(Step::Draw(last)) = self.batch.steps.last_mut()
            && last.held_over == place.held_over
            && last.end == place.start
        {
            last.end = place.end;
            return;
        }
        self.batch.steps.push(Step::Draw(place));
    }

    fn signal(&mut self, _at: u64, signal: Signal) {
        let sequence = match &signal {
            Signal::Bell => {
                self.batch.cuts.push((self.batch.forward.len(), Cut::Bell));
                None
            }
            Signal::Report(report) => program_status::encode(report, Terminator::St).ok(),
            Signal::Clear(clear) => program_status::encode_clear(clear, Terminator::St).ok(),
            _ => None,
        };
        if let Some(sequence) = sequence.and_then(|bytes| String::from_utf8(bytes).ok()) {
            self.batch
                .cuts
                .push((self.batch.forward.len(), Cut::Report(sequence)));
        }
        self.batch.steps.push(Step::Signal(signal));
    }

    fn query(&mut self, _at: u64, query: Query) {
        self.batch.steps.push(Step::Query(query));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_bytes_of_the_read_are_drawn_at_once_and_held_over_ones_are_copied() {
        let read = b"abcdef";
        let mut batch = Batch::default();
        batch.begin();
        let mut recorder = Recorder {
            batch: &mut batch,
            read,
        };
        recorder.text(b"held");
        recorder.text(&read[0..3]);
        recorder.text(&read[3..5]);
        recorder.signal(0, Signal::Bell);
        recorder.draw(&read[5..]);
        let drawn: Vec<&[u8]> = batch
            .steps
            .iter()
            .filter_map(|step| match step {
                Step::Draw(place) => Some(batch.bytes(read, *place)),
                _ => None,
            })
            .collect();
        assert_eq!(drawn, [&b"held"[..], b"abcde", b"f"]);
        assert_eq!(&batch.forward[HEADER..], b"heldabcde");
        assert!(matches!(batch.cuts[..], [(14, Cut::Bell)]));
    }
}
