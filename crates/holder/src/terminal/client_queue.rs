//! What waits to be written to one client: bounded, and never in the way of anybody else
//! (architecture.md, Back-pressure).
//!
//! A client that does not read loses its queue, not its place: stream frames that wait are
//! dropped (never the rest of one that was begun), and once it has drained it gets a new
//! snapshot. Replies stay. Events that are dropped are made good by a `gap`.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::rc::Rc;

/// The most that waits for one client, in bytes.
pub(super) const MAX_QUEUE: usize = 4 << 20;

/// What a frame is, for when the queue is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A snapshot, output or a moment: made good by a new snapshot.
    Stream,
    /// An event: made good by a `gap`.
    Event,
    /// A reply, data or a bye: never dropped.
    Control,
}

#[derive(Debug)]
struct Item {
    bytes: Rc<[u8]>,
    start: usize,
    class: Class,
    /// History lines below this number have been shown once this item is written.
    history: Option<u64>,
}

/// The queue of one client.
#[derive(Debug, Default)]
pub(super) struct Queue {
    items: VecDeque<Item>,
    bytes: usize,
    /// Stream frames were dropped since the last snapshot: none is taken until the next.
    stream_lost: bool,
    /// Events were dropped since the last gap.
    events_lost: bool,
    /// How often the stream was lost.
    resyncs: u64,
    /// History lines below this number were written to the client.
    history_shown: u64,
}

impl Queue {
    /// Bytes that wait.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
    /// How often the client lost its stream.
    pub(super) fn resyncs(&self) -> u64 {
        self.resyncs
    }
    /// History lines below this number were written to the client.
    pub(super) fn history_shown(&self) -> u64 {
        self.history_shown
    }
    /// The stream was lost, and no snapshot has followed yet.
    pub(super) fn stream_is_lost(&self) -> bool {
        self.stream_lost
    }
    /// The stream was lost, and everything that still waited has been written: time for a snapshot.
    pub(super) fn wants_snapshot(&self) -> bool {
        self.stream_lost && self.items.is_empty()
    }
    /// Events were lost, and everything that still waited has been written: time for a `gap`.
    pub(super) fn wants_gap(&self) -> bool {
        self.events_lost && self.items.is_empty()
    }
    /// From here on the stream is taken again: a snapshot follows.
    pub(super) fn restart_stream(&mut self) {
        self.stream_lost = false;
    }
    /// From here on events are taken again: a gap follows.
    pub(super) fn restart_events(&mut self) {
        self.events_lost = false;
    }

    /// Takes a frame that several clients share; `shared` is made by the first that needs it.
    /// What can be written at once is written at once and not copied.
    pub(super) fn push(
        &mut self,
        frame: &[u8],
        shared: &mut Option<Rc<[u8]>>,
        class: Class,
        to: &mut impl Write,
    ) -> io::Result<()> {
        let mut start = 0;
        if self.takes(class) && self.items.is_empty() {
            start = write_some(frame, to)?;
            if start == frame.len() {
                return Ok(());
            }
        }
        if start == 0 && !self.has_room(frame.len(), class) {
            return Ok(());
        }
        let bytes = Rc::clone(shared.get_or_insert_with(|| frame.into()));
        self.put(Item {
            bytes,
            start,
            class,
            history: None,
        });
        Ok(())
    }

    /// Takes a frame of this client alone, to be written in its turn.
    pub(super) fn push_later(&mut self, frame: Vec<u8>, class: Class) {
        if self.has_room(frame.len(), class) {
            self.put(Item {
                bytes: frame.into(),
                start: 0,
                class,
                history: None,
            });
        }
    }

    /// Takes a part of a snapshot, which no bound divides.
    pub(super) fn push_snapshot(&mut self, frame: Vec<u8>) {
        if !self.stream_lost {
            self.put(Item {
                bytes: frame.into(),
                start: 0,
                class: Class::Stream,
                history: None,
            });
        }
    }

    /// Everything that was taken so far shows the history lines below `number`.
    pub(super) fn mark_history(&mut self, number: u64) {
        if self.stream_lost {
            return;
        }
        match self
            .items
            .iter_mut()
            .rev()
            .find(|item| item.class == Class::Stream)
        {
            Some(item) => item.history = Some(number),
            None => self.history_shown = number,
        }
    }

    /// Writes what the client takes now: whether anything was written.
    pub(super) fn write_to(&mut self, to: &mut impl Write) -> io::Result<bool> {
        let before = self.bytes;
        while let Some(item) = self.items.front_mut() {
            let written = write_some(&item.bytes[item.start..], to)?;
            item.start += written;
            self.bytes -= written;
            if item.start < item.bytes.len() {
                break;
            }
            if let Some(number) = item.history {
                self.history_shown = number;
            }
            self.items.pop_front();
        }
        if self.items.is_empty() && self.items.capacity() > 64 {
            self.items.shrink_to(0);
        }
        Ok(self.bytes < before)
    }

    /// The stream is void: a snapshot follows once the client has drained.
    pub(super) fn lose_stream(&mut self) {
        if !self.stream_lost {
            self.stream_lost = true;
            self.resyncs += 1;
        }
        self.drop_class(Class::Stream);
    }

    fn takes(&self, class: Class) -> bool {
        match class {
            Class::Stream => !self.stream_lost,
            Class::Event => !self.events_lost,
            Class::Control => true,
        }
    }

    fn has_room(&mut self, length: usize, class: Class) -> bool {
        if !self.takes(class) {
            return false;
        }
        if self.bytes + length > MAX_QUEUE {
            match class {
                Class::Stream => self.lose_stream(),
                Class::Event => {
                    self.events_lost = true;
                    self.drop_class(Class::Event);
                }
                Class::Control => {}
            }
        }
        self.takes(class)
    }

    fn put(&mut self, item: Item) {
        self.bytes += item.bytes.len() - item.start;
        self.items.push_back(item);
    }

    fn drop_class(&mut self, class: Class) {
        // The first stays, begun or not: that it is written shows that the client reads again.
        let mut first = true;
        self.items
            .retain(|item| std::mem::take(&mut first) || item.class != class);
        self.bytes = self
            .items
            .iter()
            .map(|item| item.bytes.len() - item.start)
            .sum();
    }
}

/// Writes until the client takes no more: how much it took.
fn write_some(mut bytes: &[u8], to: &mut impl Write) -> io::Result<usize> {
    let whole = bytes.len();
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => bytes = &bytes[n..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(whole - bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client that takes `room` more bytes.
    struct Window {
        room: usize,
        got: Vec<u8>,
    }

    impl Write for Window {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let n = bytes.len().min(self.room);
            if n == 0 {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.room -= n;
            self.got.extend_from_slice(&bytes[..n]);
            Ok(n)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn window(room: usize) -> Window {
        Window {
            room,
            got: Vec::new(),
        }
    }

    #[test]
    fn a_frame_that_was_begun_is_finished_and_the_others_dropped_when_the_stream_is_lost() {
        let mut queue = Queue::default();
        let mut to = window(3);
        let big = vec![b'x'; MAX_QUEUE];
        queue
            .push(b"abcdef", &mut None, Class::Stream, &mut to)
            .unwrap();
        queue
            .push(b"ghi", &mut None, Class::Stream, &mut to)
            .unwrap();
        queue.push_later(b"reply".to_vec(), Class::Control);
        queue.push(&big, &mut None, Class::Stream, &mut to).unwrap();
        assert_eq!(queue.resyncs(), 1);
        assert!(!queue.wants_snapshot());
        queue
            .push(b"dropped", &mut None, Class::Stream, &mut to)
            .unwrap();
        to.room = 100;
        assert!(queue.write_to(&mut to).unwrap());
        assert_eq!(
            to.got, b"abcdefreply",
            "the frame that was begun, and the reply"
        );
        assert!(queue.wants_snapshot());
        assert_eq!(queue.bytes(), 0);
        queue.restart_stream();
        queue
            .push(b"again", &mut None, Class::Stream, &mut to)
            .unwrap();
        assert_eq!(to.got, b"abcdefreplyagain");
    }

    #[test]
    fn a_client_that_reads_nothing_is_not_sent_one_snapshot_after_the_other() {
        let mut queue = Queue::default();
        let mut to = window(0);
        queue
            .push(b"next", &mut None, Class::Stream, &mut to)
            .unwrap();
        queue.lose_stream();
        assert!(!queue.wants_snapshot());
        to.room = 4;
        queue.write_to(&mut to).unwrap();
        assert!(queue.wants_snapshot());
    }

    #[test]
    fn history_counts_as_shown_when_its_bytes_are_written() {
        let mut queue = Queue::default();
        let mut to = window(2);
        queue
            .push(b"ab", &mut None, Class::Stream, &mut to)
            .unwrap();
        queue.mark_history(5);
        assert_eq!(queue.history_shown(), 5);
        queue
            .push(b"cd", &mut None, Class::Stream, &mut to)
            .unwrap();
        queue.mark_history(9);
        assert_eq!(queue.history_shown(), 5);
        to.room = 2;
        queue.write_to(&mut to).unwrap();
        assert_eq!(queue.history_shown(), 9);
    }

    #[test]
    fn lost_events_ask_for_a_gap_and_replies_are_never_dropped() {
        let mut queue = Queue::default();
        queue.push_later(vec![0; MAX_QUEUE - 1], Class::Control);
        queue.push_later(b"event".to_vec(), Class::Event);
        queue.push_later(b"reply".to_vec(), Class::Control);
        assert!(!queue.wants_gap());
        let mut to = window(usize::MAX);
        queue.write_to(&mut to).unwrap();
        assert!(queue.wants_gap());
        assert!(to.got.ends_with(b"reply"));
    }
}
