//! Control mode, as a client reads it: bytes in, events out.
//!
//! ```text
//! stream         [ ESC "P1000p" ] *( block / output / notification )
//! block          "%begin" triple LF *( any line ) ( "%end" / "%error" ) triple LF
//! triple         SP time SP number SP flags          flags 1: the answer to this client's command
//! output         "%output" SP %pane SP data LF
//!                "%extended-output" SP %pane SP age *( SP argument ) SP ":" SP data LF
//! notification   see notification
//! ```
//!
//! *Text inside a block is data.* Only a line that is exactly `%end` or `%error` with the triple
//! of the block's `%begin` ends it. Lines outside blocks that do not begin with `%` are skipped.
//! A triple can be guessed: text that programs choose freely (the screen of a pane) is not asked for
//! in control mode, and what is asked for never has a `%` at the beginning of a line (quote).
//!
//! *Bounded.* Data of output streams through, however long its line is. Other lines end at
//! [`LINE_LIMIT`], bodies of blocks at [`BLOCK_LIMIT`]; the rest is skipped, and what follows is read
//! normally.
//!
//! *The end.* The client process writes `%exit` when it is let go, maybe before the last `%end` that
//! the server wrote: killing the last pane then ends in `%begin`, `%exit` and the end of the stream,
//! and was a success. Inside a block it is text all the same; [`Reader::finish`] tells the two apart.
//!
//! *Versions.* 3.2 has `pause-after`, `%extended-output`, `%pause`, `%continue` and subscriptions, and no
//! `%client-detached` (3.3). 3.3 has `pane_dead_signal`. 3.4 adds `%config-error`, `%message`,
//! `%paste-buffer-changed` and `%paste-buffer-deleted`, of which none is needed. Before 3.4 the flags of a
//! block are 0 or 1 only; later ones may have more bits, of which the lowest counts.
//! The preamble comes with `-CC` only.

use crate::id::PaneId;
use crate::notification::Notification;
use crate::octal::Decoder;
use memchr::{memchr, memmem};

/// Longest line that is read as a guard or a notification. The value of a subscription to all panes of
/// a large server is the longest there is.
pub const LINE_LIMIT: usize = 256 * 1024;

/// Longest body of a block that is kept: a listing of some ten thousand panes, or 10,000 coloured
/// lines of a screen.
pub const BLOCK_LIMIT: usize = 16 * 1024 * 1024;

/// No guard of a block is longer: two words and three numbers.
const GUARD_LIMIT: usize = 128;

/// Longest head of an output line, up to its data.
const HEAD_LIMIT: usize = 1024;

/// Buffers that grew beyond this are given back.
const KEPT_CAPACITY: usize = 64 * 1024;

/// What `tmux -CC` writes first.
const PREAMBLE: &[u8] = b"\x1bP1000p";

/// What control mode said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<'a> {
    /// The answer to a command.
    Block(Block<'a>),
    /// A pane printed this. What it prints at once may come in several events.
    Output {
        /// The pane.
        pane: PaneId,
        /// The bytes, decoded.
        bytes: &'a [u8],
    },
    /// Something happened.
    Notification(Notification),
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// To a command of this client; otherwise to its start.
    pub own: bool,
    /// Whether it succeeded.
    pub success: bool,
    /// What it printed, each line with its line feed.
    pub body: &'a [u8],
    /// The body was longer than [`BLOCK_LIMIT`] and is cut.
    pub cut: bool,
}

/// Where control mode begins in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// At once (`tmux -C`), maybe after a preamble.
    AtOnce,
    /// With the preamble (`tmux -CC`): all before it is a banner or the noise of a login.
    AtPreamble,
}

/// Reads one connection.
#[derive(Debug)]
pub struct Reader {
    state: State,
    /// The beginning of a line that is not read yet, of at most a limit.
    line: Vec<u8>,
    block: Option<Open>,
    decoder: Decoder,
    decoded: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// Before the preamble.
    Before,
    /// At the beginning of a line, or in one whose kind is not known yet.
    Line,
    /// In the data of output.
    Output(PaneId),
    /// In a line outside blocks that is too long to mean anything.
    Skip,
    /// In a line of a block that is too long for a guard.
    Text,
}

/// A block that was begun.
#[derive(Debug)]
struct Open {
    triple: Triple,
    body: Vec<u8>,
    cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Triple {
    time: u64,
    number: u64,
    flags: u64,
}

impl Reader {
    /// A reader of a new connection.
    pub fn new(start: Start) -> Self {
        Self {
            state: match start {
                Start::AtOnce => State::Line,
                Start::AtPreamble => State::Before,
            },
            line: Vec::new(),
            block: None,
            decoder: Decoder::default(),
            decoded: Vec::new(),
        }
    }

    /// Reads the next bytes. Never fails; memory is bounded for any input. What is told does not
    /// depend on where the bytes were cut, except that output may be split differently.
    pub fn read(&mut self, mut bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Before => self.before(bytes),
                State::Line => self.line(bytes, sink),
                State::Output(pane) => self.output(pane, bytes, sink),
                State::Skip => self.skip(bytes),
                State::Text => self.text(bytes),
            };
        }
    }

    /// The connection ended. An open block whose last line is an exit was a success; any other is lost.
    pub fn finish(mut self, sink: &mut impl FnMut(Event<'_>)) {
        if let State::Output(pane) = self.state {
            self.decoder.end(&mut self.decoded);
            self.emit(pane, sink);
        }
        let line = std::mem::take(&mut self.line);
        let Some(mut block) = self.block.take() else {
            self.whole_line(&line, sink);
            return;
        };
        if matches!(self.state, State::Line) && !line.is_empty() {
            block.append(&line);
            block.append(b"\n");
        }
        let text = block.body.strip_suffix(b"\n").unwrap_or(&block.body);
        let last = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        if let Some(exit @ Notification::Exit { .. }) = Notification::parse(trimmed(&text[last..]))
        {
            sink(Event::Block(Block {
                own: block.triple.flags & 1 == 1,
                success: true,
                body: &block.body[..last],
                cut: block.cut,
            }));
            sink(Event::Notification(exit));
        }
    }

    fn before<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        // The bytes kept are a beginning of the preamble, shorter than it.
        let kept = self.line.len();
        self.line
            .extend_from_slice(&bytes[..bytes.len().min(PREAMBLE.len())]);
        if let Some(at) = memmem::find(&self.line, PREAMBLE) {
            self.line.clear();
            self.state = State::Line;
            return &bytes[at + PREAMBLE.len() - kept..];
        }
        if let Some(at) = memmem::find(bytes, PREAMBLE) {
            self.line.clear();
            self.state = State::Line;
            return &bytes[at + PREAMBLE.len()..];
        }
        if bytes.len() > PREAMBLE.len() {
            self.line.clear();
            self.line
                .extend_from_slice(&bytes[bytes.len() - PREAMBLE.len()..]);
        }
        while !PREAMBLE.starts_with(&self.line) || self.line.len() == PREAMBLE.len() {
            self.line.remove(0);
        }
        &[]
    }

    fn line<'b>(&mut self, bytes: &'b [u8], sink: &mut impl FnMut(Event<'_>)) -> &'b [u8] {
        if self.line.is_empty()
            && self.block.is_none()
            && let Head::Complete { pane, length } = Head::of(bytes)
        {
            self.state = State::Output(pane);
            return &bytes[length..];
        }
        let limit = match self.block {
            Some(_) => GUARD_LIMIT,
            None => LINE_LIMIT,
        };
        let end = memchr(b'\n', bytes);
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        let kept = self.line.len();
        if self.block.is_none() && HEAD_LIMIT > kept {
            // Whether it is output is known within the first bytes of the line.
            let more = &piece[..piece.len().min(HEAD_LIMIT - kept)];
            self.line.extend_from_slice(more);
            if let Head::Complete { pane, length } = Head::of(&self.line) {
                self.line.clear();
                self.state = State::Output(pane);
                return &bytes[length - kept..];
            }
            self.line.truncate(kept);
        }
        if kept + piece.len() > limit {
            self.too_long();
            return bytes;
        }
        let Some(end) = end else {
            self.line.extend_from_slice(piece);
            return &[];
        };
        if kept == 0 {
            self.whole_line(piece, sink);
        } else {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(piece);
            self.whole_line(&line, sink);
            line.clear();
            if line.capacity() <= KEPT_CAPACITY {
                self.line = line;
            }
        }
        &bytes[end + 1..]
    }

    /// What is kept of the line is no guard and no notification.
    fn too_long(&mut self) {
        match &mut self.block {
            Some(block) => {
                block.append(&self.line);
                self.state = State::Text;
            }
            None => self.state = State::Skip,
        }
        self.line = Vec::new();
    }

    fn skip<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        match memchr(b'\n', bytes) {
            Some(end) => {
                self.state = State::Line;
                &bytes[end + 1..]
            }
            None => &[],
        }
    }

    fn text<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let end = memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
        if let Some(block) = &mut self.block {
            block.append(&bytes[..end]);
            if bytes[end - 1] == b'\n' {
                self.state = State::Line;
            }
        }
        &bytes[end..]
    }

    fn output<'b>(
        &mut self,
        pane: PaneId,
        bytes: &'b [u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> &'b [u8] {
        let end = memchr(b'\n', bytes);
        self.decoder
            .decode(&bytes[..end.unwrap_or(bytes.len())], &mut self.decoded);
        if end.is_some() {
            self.decoder.end(&mut self.decoded);
            self.state = State::Line;
        }
        self.emit(pane, sink);
        end.map_or(&[], |end| &bytes[end + 1..])
    }

    fn emit(&mut self, pane: PaneId, sink: &mut impl FnMut(Event<'_>)) {
        if !self.decoded.is_empty() {
            sink(Event::Output {
                pane,
                bytes: &self.decoded,
            });
        }
        self.decoded.clear();
        self.decoded.shrink_to(KEPT_CAPACITY);
    }

    /// A line without its line feed.
    fn whole_line(&mut self, line: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        if let Some(mut block) = self.block.take() {
            match guard(trimmed(line)) {
                Some((end, triple)) if end != Guard::Begin && triple == block.triple => {
                    sink(Event::Block(Block {
                        own: triple.flags & 1 == 1,
                        success: end == Guard::End,
                        body: &block.body,
                        cut: block.cut,
                    }));
                }
                _ => {
                    block.append(line);
                    block.append(b"\n");
                    self.block = Some(block);
                }
            }
            return;
        }
        // The preamble of a client that was told to begin at once.
        let line = trimmed(line.strip_prefix(PREAMBLE).unwrap_or(line));
        if let Some((Guard::Begin, triple)) = guard(line) {
            self.block = Some(Open {
                triple,
                body: Vec::new(),
                cut: false,
            });
        } else if let Some(notification) = Notification::parse(line) {
            sink(Event::Notification(notification));
        }
    }
}

impl Open {
    fn append(&mut self, bytes: &[u8]) {
        let room = BLOCK_LIMIT - self.body.len();
        self.cut |= bytes.len() > room;
        self.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    Begin,
    End,
    Error,
}

fn guard(line: &[u8]) -> Option<(Guard, Triple)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split(' ');
    let guard = match words.next()? {
        "%begin" => Guard::Begin,
        "%end" => Guard::End,
        "%error" => Guard::Error,
        _ => return None,
    };
    let mut number = || {
        let word = words.next()?;
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        word.parse().ok().filter(|_| digits)
    };
    let triple = Triple {
        time: number()?,
        number: number()?,
        flags: number()?,
    };
    words.next().is_none().then_some((guard, triple))
}

/// A PTY on the way turns line feeds into two bytes.
fn trimmed(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The head of an output line.
enum Head {
    /// It may be one; or it is none.
    Unknown,
    Complete {
        pane: PaneId,
        length: usize,
    },
}

impl Head {
    fn of(line: &[u8]) -> Self {
        Self::parse(line).unwrap_or(Self::Unknown)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let short = b"%output %";
        let long = b"%extended-output %";
        let (start, extended) = match line {
            _ if line.starts_with(short) => (short.len(), false),
            _ if line.starts_with(long) => (long.len(), true),
            _ => return None,
        };
        let head = &line[..line.len().min(HEAD_LIMIT)];
        let digits = head[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let number = std::str::from_utf8(&head[start..start + digits]).ok()?;
        let pane = PaneId(number.parse().ok()?);
        let after = start + digits;
        if !extended {
            return (head.get(after) == Some(&b' ')).then_some(Self::Complete {
                pane,
                length: after + 1,
            });
        }
        // The age and whatever later versions add, up to a colon on its own.
        let rest = &head[after..];
        let colon = rest.windows(3).position(|three| three == b" : ")?;
        (!rest[..colon].contains(&b'\n')).then_some(Self::Complete {
            pane,
            length: after + colon + 3,
        })
    }
}

#[cfg(test)]
mod tests;
