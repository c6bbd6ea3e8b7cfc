//! What waits to be typed into the PTY: bounded (1 MiB), in order, at the pace the program reads.
//!
//! Answers of the holder to the program's questions go before what people typed, but never
//! into the middle of one piece of it.

use std::collections::VecDeque;
use std::time::Duration;

/// The most that waits for the program, in bytes: a program that does not read gets no more.
pub(super) const MAX_INPUT: usize = 1 << 20;

/// Between a text and the Enter after it: many programs take a fast Enter for pasted text.
pub(super) const ENTER_PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug)]
enum Item {
    Bytes { bytes: Vec<u8>, start: usize },
    Pause,
}

/// The queue towards the program.
#[derive(Debug, Default)]
pub(super) struct InputQueue {
    items: VecDeque<Item>,
    answers: Vec<u8>,
    bytes: usize,
    paused_until: Option<Duration>,
    progress_at: Duration,
}

impl InputQueue {
    /// Whether `length` more bytes may wait.
    pub(super) fn has_room(&self, length: usize) -> bool {
        self.bytes + length <= MAX_INPUT
    }

    /// When the program last took something (or had nothing to take).
    pub(super) fn progress_at(&self) -> Duration {
        self.progress_at
    }

    /// Takes one piece of input, whole or not at all.
    pub(super) fn type_in(&mut self, bytes: Vec<u8>, now: Duration) -> bool {
        if !self.has_room(bytes.len()) {
            return false;
        }
        if self.bytes == 0 {
            self.progress_at = now;
        }
        if !bytes.is_empty() {
            self.bytes += bytes.len();
            self.items.push_back(Item::Bytes { bytes, start: 0 });
        }
        true
    }

    /// Waits a little between what was typed before and what is typed after.
    pub(super) fn pause(&mut self) {
        self.items.push_back(Item::Pause);
    }

    /// Takes an answer of the holder. One that a program does not read is worth nothing.
    pub(super) fn answer(&mut self, bytes: &[u8]) {
        if self.has_room(bytes.len()) {
            self.bytes += bytes.len();
            self.answers.extend_from_slice(bytes);
        }
    }

    /// There is something to write now.
    pub(super) fn wants_write(&self) -> bool {
        !self.answers.is_empty() || (!self.items.is_empty() && self.paused_until.is_none())
    }

    /// When the pause ends, if there is one.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.paused_until
    }

    /// Writes as much as `write` takes.
    pub(super) fn write(&mut self, now: Duration, mut write: impl FnMut(&[u8]) -> usize) {
        if self.paused_until.is_some_and(|until| until <= now) {
            self.paused_until = None;
        }
        loop {
            let begun = matches!(self.items.front(), Some(Item::Bytes { start: 1.., .. }));
            if !self.answers.is_empty() && !begun {
                let written = write(&self.answers);
                self.took(written, now);
                self.answers.drain(..written);
                if !self.answers.is_empty() {
                    return;
                }
            }
            if self.paused_until.is_some() {
                return;
            }
            let written = match self.items.front_mut() {
                None => return,
                Some(Item::Pause) => {
                    self.items.pop_front();
                    self.paused_until = Some(now + ENTER_PAUSE);
                    return;
                }
                Some(Item::Bytes { bytes, start }) => {
                    let written = write(&bytes[*start..]);
                    *start += written;
                    if *start == bytes.len() {
                        self.items.pop_front();
                    }
                    written
                }
            };
            self.took(written, now);
            if written == 0 {
                return;
            }
        }
    }

    /// Forgets everything: there is no program to type to.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn took(&mut self, written: usize, now: Duration) {
        self.bytes -= written;
        if written > 0 {
            self.progress_at = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(1);

    #[test]
    fn a_piece_is_taken_whole_or_not_at_all() {
        let mut queue = InputQueue::default();
        assert!(queue.type_in(vec![b'x'; MAX_INPUT], NOW));
        assert!(!queue.type_in(vec![b'y'], NOW));
        let mut got = Vec::new();
        queue.write(NOW, |bytes| {
            got.extend_from_slice(bytes);
            bytes.len()
        });
        assert_eq!(got.len(), MAX_INPUT);
        assert!(queue.type_in(vec![b'y'], NOW));
    }

    #[test]
    fn enter_waits_after_the_text_and_nothing_passes_it() {
        let mut queue = InputQueue::default();
        queue.type_in(b"text".to_vec(), NOW);
        queue.pause();
        queue.type_in(b"\r".to_vec(), NOW);
        let mut got = Vec::new();
        let mut take = |bytes: &[u8]| {
            got.extend_from_slice(bytes);
            bytes.len()
        };
        queue.write(NOW, &mut take);
        queue.type_in(b"more".to_vec(), NOW);
        assert!(!queue.wants_write());
        assert_eq!(queue.deadline(), Some(NOW + ENTER_PAUSE));
        queue.write(NOW + ENTER_PAUSE / 2, &mut take);
        queue.write(NOW + ENTER_PAUSE, &mut take);
        assert_eq!(got, b"text\rmore");
    }

    #[test]
    fn an_answer_goes_before_other_input_but_not_into_it() {
        let mut queue = InputQueue::default();
        queue.type_in(b"abcd".to_vec(), NOW);
        queue.type_in(b"efgh".to_vec(), NOW);
        let mut got = Vec::new();
        let mut room = 2;
        let mut take = |bytes: &[u8]| {
            let n = bytes.len().min(room);
            room -= n;
            got.extend_from_slice(&bytes[..n]);
            n
        };
        queue.write(NOW, &mut take);
        queue.answer(b"ANSWER");
        assert_eq!(got, b"ab");
        queue.write(NOW, |bytes| {
            got.extend_from_slice(bytes);
            bytes.len()
        });
        assert_eq!(got, b"abcdANSWERefgh");
        assert!(!queue.wants_write());
    }
}
