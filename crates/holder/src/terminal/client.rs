//! One connection to the holder, as the holder sees it.

use super::client_queue::{Class, Queue};
use super::input_filter::InputFilter;
use crate::frame::{Frame, FrameReader, TooLong, encode};
use crate::protocol::{Attach, Bye, Colors, kind};
use serde::Serialize;
use status::Size;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A person who was not active for that long is not present (status.md, Presence).
const PRESENCE: Duration = Duration::from_secs(120);

/// The same where the window does not report its focus: the person may have turned to another.
const PRESENCE_UNREPORTED: Duration = Duration::from_secs(10);

/// A client that is being closed gets that long to take its last words.
pub(super) const CLOSING_LIMIT: Duration = Duration::from_secs(1);

/// One client.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) id: u64,
    pub(super) stream: UnixStream,
    frames: FrameReader,
    pub(super) queue: Queue,
    /// From its hello; `None` before it.
    pub(super) program: Option<String>,
    pub(super) attached: Option<Attached>,
    pub(super) subscribed: bool,
    /// Which state of the people it knows.
    pub(super) people_told: u64,
    /// It shows another terminal inside this one: the name of that.
    pub(super) carries: Option<String>,
    /// Input for which there was no room; nothing more is read from the client meanwhile.
    pub(super) held: Option<Vec<u8>>,
    /// No more is read; it is closed once it has what waits for it, or at this moment.
    pub(super) closing: Option<Duration>,
    /// The connection is over.
    pub(super) gone: bool,
}

/// What an attached client is.
#[derive(Debug)]
pub(super) struct Attached {
    pub(super) window: (u16, u16),
    pub(super) view: bool,
    pub(super) person: bool,
    pub(super) focused: bool,
    /// The window does not report its focus.
    pub(super) unreported: bool,
    pub(super) active_at: Duration,
    /// Whether it was present, and when active, as subscribers know.
    pub(super) presence_told: Option<(bool, Duration)>,
    pub(super) colors: Colors,
    /// What carries it, for those who ask which terminals are within each other.
    pub(super) carrier: Option<String>,
    pub(super) filter: InputFilter,
    /// When the filter gives up waiting.
    pub(super) filter_until: Option<Duration>,
    /// History lines asked for with the first snapshot.
    pub(super) history: u32,
    /// History lines below this number are in what was taken for the client so far; `None` before
    /// the first snapshot.
    pub(super) history_sent: Option<u64>,
    /// A snapshot is due.
    pub(super) wants_snapshot: bool,
    /// It joined inside a sequence too long to repeat: it gets nothing until that has ended.
    pub(super) waits_for_end: bool,
    /// The size and whose it is, as the client knows.
    pub(super) told: Option<(Size, SizeOwner)>,
}

/// Who owns the size of the terminal, as one client sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SizeOwner {
    /// That client.
    Itself,
    Another,
    Nobody,
}

impl Attached {
    pub(super) fn new(attach: Attach, now: Duration) -> Self {
        Self {
            window: (attach.cols, attach.rows),
            view: attach.view,
            person: attach.person,
            focused: attach.focused,
            unreported: false,
            active_at: now,
            presence_told: None,
            colors: attach.colors,
            carrier: attach.carrier,
            filter: InputFilter::default(),
            filter_until: None,
            history: attach.history,
            history_sent: None,
            wants_snapshot: true,
            waits_for_end: false,
            told: None,
        }
    }

    /// A person looks at the terminal here and now.
    pub(super) fn is_present(&self, now: Duration) -> bool {
        self.person && self.focused && now < self.present_until()
    }

    /// When a person who does nothing is no longer present.
    pub(super) fn present_until(&self) -> Duration {
        let lasts = match self.unreported {
            true => PRESENCE_UNREPORTED,
            false => PRESENCE,
        };
        self.active_at + lasts
    }
}

impl Client {
    pub(super) fn new(id: u64, stream: UnixStream) -> Self {
        Self {
            id,
            stream,
            frames: FrameReader::default(),
            queue: Queue::default(),
            program: None,
            attached: None,
            subscribed: false,
            people_told: 0,
            carries: None,
            held: None,
            closing: None,
            gone: false,
        }
    }

    /// Whether more is read from it now: not while its input waits, it is leaving, or its
    /// replies pile up.
    pub(super) fn is_read(&self) -> bool {
        const REPLIES: usize = super::client_queue::MAX_QUEUE + (1 << 20);
        !self.gone && self.closing.is_none() && self.held.is_none() && self.queue.bytes() < REPLIES
    }

    /// It gets the raw stream.
    pub(super) fn streams(&self) -> bool {
        !self.gone
            && self.closing.is_none()
            && self
                .attached
                .as_ref()
                .is_some_and(|attached| attached.history_sent.is_some() && !attached.waits_for_end)
    }

    /// Reads once; at the end of the connection the client is gone.
    pub(super) fn read(&mut self, scratch: &mut [u8]) {
        match (&self.stream).read(scratch) {
            Ok(0) => self.gone = true,
            Ok(n) => self.frames.push(&scratch[..n]),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(_) => self.gone = true,
        }
    }

    /// The next whole frame.
    pub(super) fn next_frame(&mut self) -> Result<Option<Frame>, TooLong> {
        self.frames.next()
    }

    /// Sends a frame in its turn.
    pub(super) fn send(&mut self, kind: u8, body: &impl Serialize, class: Class) {
        // Everything that is sent is plain data: it always has a JSON form.
        let body = serde_json::to_vec(body).unwrap_or_default();
        self.queue.push_later(encode(kind, &body), class);
    }

    /// Sends something at this point of the stream.
    pub(super) fn send_moment(&mut self, moment: &crate::protocol::Moment) {
        self.send(kind::MOMENT, moment, Class::Stream);
    }

    /// The last frame to this client: it is closed after it.
    pub(super) fn bye(&mut self, bye: &Bye, now: Duration) {
        if self.closing.is_none() {
            self.send(kind::BYE, bye, Class::Control);
            self.closing = Some(now + CLOSING_LIMIT);
            self.flush();
        }
    }

    /// Writes what it takes now. A client that cannot be written is gone.
    pub(super) fn flush(&mut self) {
        if self.queue.write_to(&mut &self.stream).is_err() {
            self.gone = true;
        }
        if self.closing.is_some() && self.queue.bytes() == 0 {
            self.gone = true;
        }
    }
}
