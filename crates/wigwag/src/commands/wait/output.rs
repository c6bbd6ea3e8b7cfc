//! Looking for a pattern in what a terminal shows: its screen at first, then everything new.

use crate::canvas::Canvas;
use crate::failure::Failure;
use crate::holder_stream::{HolderStream, Piece};
use regex::Regex;
use screen::Capture;
use status::Status;
use std::os::fd::BorrowedFd;

/// Lines kept to look through; with pieces of [`PIECE`] bytes none scrolls away unseen.
const SCROLLBACK: usize = 10_000;

/// Bytes drawn between two looks: at most that many lines scroll by.
const PIECE: usize = 8 * 1024;

/// Pieces taken in before others have their turn.
const PIECES_AT_ONCE: usize = 16;

/// What looking came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Not yet there.
    Nothing,
    /// There.
    Match,
    /// The stream ended without it.
    End,
}

/// One terminal's output.
#[derive(Debug)]
pub(super) struct Output {
    stream: HolderStream,
    patterns: Vec<Regex>,
    drawn: Drawn,
}

/// The terminal as far as it was received.
#[derive(Debug)]
struct Drawn {
    canvas: Canvas,
    /// History up to this line number was looked through.
    looked: u64,
    rows: usize,
    /// Inside a snapshot: it is looked at when it is whole.
    incomplete: bool,
}

impl Drawn {
    fn new(size: status::Size) -> Self {
        Self {
            canvas: Canvas::new(size, SCROLLBACK),
            looked: 0,
            rows: usize::from(size.rows),
            incomplete: true,
        }
    }

    /// Draws bytes and looks at what they changed.
    fn draw(&mut self, bytes: &[u8], patterns: &[Regex]) -> bool {
        for piece in bytes.chunks(PIECE) {
            self.canvas.draw(piece);
            if !self.incomplete && self.matches(patterns) {
                return true;
            }
        }
        false
    }

    fn matches(&mut self, patterns: &[Regex]) -> bool {
        let end = self.canvas.history_end();
        let new = usize::try_from(end.saturating_sub(self.looked)).unwrap_or(usize::MAX);
        self.looked = end;
        let text = self.canvas.capture(Capture {
            scrollback: new > 0,
            lines: Some(self.rows.saturating_add(new)),
            ansi: false,
        });
        patterns.iter().any(|pattern| pattern.is_match(&text))
    }
}

impl Output {
    /// Follows the output of a terminal; `None` where it has none any more.
    pub(super) fn open(status: &Status, patterns: &[Regex]) -> Result<Option<Self>, Failure> {
        let Some(stream) = HolderStream::open(status, 0)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            stream,
            patterns: patterns.to_vec(),
            drawn: Drawn::new(status.size),
        }))
    }

    /// Something is there to look at without waiting.
    pub(super) fn has_more(&self) -> bool {
        self.stream.has_more()
    }

    /// To poll on.
    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Takes in what has arrived; of a flood only so much that others have their turn.
    pub(super) fn look(&mut self) -> Result<Found, Failure> {
        for _ in 0..PIECES_AT_ONCE {
            if !self.stream.has_more() && !self.stream.is_readable()? {
                break;
            }
            let found = match self.stream.next()? {
                Piece::SnapshotStart(start) => {
                    self.drawn = Drawn::new(start.size);
                    false
                }
                Piece::Output(bytes) => self.drawn.draw(&bytes, &self.patterns),
                Piece::SnapshotEnd => {
                    self.drawn.incomplete = false;
                    self.drawn.matches(&self.patterns)
                }
                Piece::Exited | Piece::End => return Ok(Found::End),
                Piece::Resized | Piece::Other => false,
            };
            if found {
                return Ok(Found::Match);
            }
        }
        Ok(Found::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(rows: u16) -> Drawn {
        let mut drawn = Drawn::new(status::Size { cols: 20, rows });
        drawn.incomplete = false;
        drawn
    }

    #[test]
    fn a_line_that_scrolls_by_at_once_is_found() {
        let mut text = b"needle 7\r\n".to_vec();
        text.extend(b"hay\r\n".repeat(5000));
        let pattern = [Regex::new(r"needle \d").unwrap()];
        assert!(drawn(4).draw(&text, &pattern));
    }

    #[test]
    fn a_line_that_the_terminal_wrapped_is_one_line() {
        let pattern = [Regex::new("abcdefghijklmnopqrstuvwxyz").unwrap()];
        assert!(drawn(4).draw(b"abcdefghijklmnopqrstuvwxyz\r\n", &pattern));
    }

    #[test]
    fn a_pattern_that_arrives_in_two_pieces_is_found() {
        let mut drawn = drawn(4);
        let pattern = [Regex::new("needle").unwrap()];
        assert!(!drawn.draw(b"nee", &pattern));
        assert!(drawn.draw(b"dle", &pattern));
    }
}
