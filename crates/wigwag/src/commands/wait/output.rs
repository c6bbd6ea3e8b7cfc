//! Looking for a pattern in what a terminal shows: its screen at first, then everything new.
//!
//! Everything is drawn, and the text is looked at seldom: when nothing more waits, when as many
//! lines scrolled by as would make the screen a small part of what is looked at, and before the
//! screen is erased. Each look takes only the lines that are new and the screen, so a flood costs
//! each line once.

mod erasure;

use crate::canvas::Canvas;
use crate::failure::Failure;
use crate::holder_stream::{HolderStream, Piece};
use regex::Regex;
use status::Status;
use std::io::Write as _;
use std::os::fd::BorrowedFd;

/// Lines kept to look through.
const SCROLLBACK: usize = 10_000;

/// Bytes drawn before the lines that scrolled by are counted: so few that none of them leaves
/// [`SCROLLBACK`] unseen.
const STEP: usize = 8 * 1024;

/// Lines that scroll by between two looks, at least as many as the screen has.
const LOOK_LINES: u64 = 256;

/// Looks before erasures in one step. A program that erases more often shows none of it.
const ERASURES: usize = 8;

/// Pieces taken in before others have their turn.
const PIECES_AT_ONCE: usize = 64;

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
    name: String,
}

/// The terminal as far as it was received.
#[derive(Debug)]
struct Drawn {
    canvas: Canvas,
    /// History up to this line number was looked through.
    looked: u64,
    rows: u64,
    /// Something was drawn since the last look.
    changed: bool,
    /// The beginning of a control sequence, until the rest comes.
    cut: Vec<u8>,
    /// Inside a snapshot: it is looked at when it is whole.
    incomplete: bool,
    #[cfg(test)]
    bytes_looked_at: usize,
}

impl Drawn {
    /// An empty one; `history` lines come with the snapshot that fills it.
    fn new(size: status::Size, history: u64) -> Self {
        let history = usize::try_from(history).unwrap_or(usize::MAX);
        Self {
            canvas: Canvas::new(size, history.saturating_add(SCROLLBACK)),
            looked: 0,
            rows: size.rows.into(),
            changed: true,
            cut: Vec::new(),
            incomplete: true,
            #[cfg(test)]
            bytes_looked_at: 0,
        }
    }

    /// Draws bytes, and looks where something would be gone before the next look.
    fn draw(&mut self, bytes: &[u8], patterns: &[Regex]) -> bool {
        if self.incomplete {
            self.canvas.draw(bytes);
            return false;
        }
        let mut joined = std::mem::take(&mut self.cut);
        joined.extend_from_slice(bytes);
        let (whole, cut) = joined.split_at(erasure::whole(&joined));
        self.cut = cut.to_vec();
        whole
            .chunks(STEP)
            .any(|piece| self.draw_step(piece, patterns))
    }

    fn draw_step(&mut self, piece: &[u8], patterns: &[Regex]) -> bool {
        let mut drawn = 0;
        for at in erasure::positions(piece).take(ERASURES) {
            self.put(&piece[drawn..at]);
            drawn = at;
            if self.look(patterns) {
                return true;
            }
        }
        self.put(&piece[drawn..]);
        let new = self.canvas.history_end().saturating_sub(self.looked);
        new >= self.rows.max(LOOK_LINES) && self.look(patterns)
    }

    fn put(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.canvas.draw(bytes);
            self.changed = true;
        }
    }

    /// Looks at what is new and at the screen.
    fn look(&mut self, patterns: &[Regex]) -> bool {
        if self.incomplete || !std::mem::take(&mut self.changed) {
            return false;
        }
        let text = self.canvas.text_since(self.looked);
        self.looked = self.canvas.history_end();
        #[cfg(test)]
        {
            self.bytes_looked_at += text.len();
        }
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
            drawn: Drawn::new(status.size, 0),
            name: status.name.clone(),
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
                    if start.skipped > 0 {
                        let (name, skipped) = (&self.name, start.skipped);
                        // Not into the answer. Nobody reads it where standard error is closed.
                        let _ = writeln!(
                            std::io::stderr(),
                            "wigwag: output of {name} came faster than it was read: {skipped} lines were not looked at"
                        );
                    }
                    // What was drawn and not looked at is void only after this look.
                    let found = self.drawn.look(&self.patterns);
                    self.drawn = Drawn::new(start.size, start.history_lines);
                    found
                }
                Piece::Output(bytes) => self.drawn.draw(&bytes, &self.patterns),
                Piece::SnapshotEnd => {
                    self.drawn.incomplete = false;
                    self.drawn.look(&self.patterns)
                }
                Piece::Exited | Piece::End => {
                    let found = self.drawn.look(&self.patterns);
                    return Ok(if found { Found::Match } else { Found::End });
                }
                Piece::Resized | Piece::Other => false,
            };
            if found {
                return Ok(Found::Match);
            }
        }
        Ok(if self.drawn.look(&self.patterns) {
            Found::Match
        } else {
            Found::Nothing
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(rows: u16) -> Drawn {
        let mut drawn = Drawn::new(status::Size { cols: 20, rows }, 0);
        drawn.incomplete = false;
        drawn
    }

    fn pattern(pattern: &str) -> [Regex; 1] {
        let mut builder = regex::RegexBuilder::new(pattern);
        [builder.multi_line(true).build().unwrap()]
    }

    /// Draws all of it as one piece that came, and looks as when nothing more waits.
    fn finds(drawn: &mut Drawn, bytes: &[u8], patterns: &[Regex]) -> bool {
        drawn.draw(bytes, patterns) || drawn.look(patterns)
    }

    #[test]
    fn a_line_that_scrolls_by_at_once_is_found_wherever_it_is() {
        for before in [0, 1, 3, 255, 256, 1000, 9000, 20_000] {
            let mut text = b"hay\r\n".repeat(before);
            text.extend(b"needle 7\r\n");
            text.extend(b"\n".repeat(30_000));
            assert!(
                finds(&mut drawn(4), &text, &pattern(r"^needle \d$")),
                "{before}"
            );
        }
    }

    #[test]
    fn a_line_that_the_terminal_wrapped_is_one_line() {
        let alphabet = pattern("abcdefghijklmnopqrstuvwxyz");
        assert!(finds(
            &mut drawn(4),
            b"abcdefghijklmnopqrstuvwxyz\r\n",
            &alphabet
        ));
        // Also where its beginning left the screen before a look.
        let mut drawn = drawn(2);
        assert!(!finds(
            &mut drawn,
            b"\r\nabcdefghijklmnopqrstuvwxyz0123456789",
            &pattern("9x")
        ));
        assert!(finds(
            &mut drawn,
            b"abcdefghijklmnopqrstuvwxyz\r\n",
            &pattern("9abc.*z$")
        ));
    }

    #[test]
    fn a_pattern_that_arrives_in_two_pieces_is_found() {
        let mut drawn = drawn(4);
        assert!(!finds(&mut drawn, b"nee", &pattern("needle")));
        assert!(finds(&mut drawn, b"dle", &pattern("needle")));
    }

    #[test]
    fn text_that_is_erased_at_once_is_found() {
        for erase in [
            "\x1b[2J",
            "\x1b[H\x1b[2J\x1b[3J",
            "\x1bc",
            "\x1b[?1049h",
            "\x1b[H\x1b[J",
        ] {
            let text = format!("needle\r\n{erase}hay");
            assert!(
                finds(&mut drawn(4), text.as_bytes(), &pattern("needle")),
                "{erase:?}"
            );
            // Also where the sequence comes in pieces.
            for cut in 8..8 + erase.len() {
                let mut drawn = drawn(4);
                let (first, second) = text.as_bytes().split_at(cut);
                let found = drawn.draw(first, &pattern("needle"))
                    || finds(&mut drawn, second, &pattern("needle"));
                assert!(found, "{erase:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn each_line_of_a_flood_is_looked_at_about_once() {
        let mut drawn = drawn(24);
        let line = b"0123456789\r\n";
        for _ in 0..100 {
            assert!(!drawn.draw(&line.repeat(340), &pattern("needle")));
        }
        assert!(drawn.bytes_looked_at > 34_000 * (line.len() - 1));
        assert!(drawn.bytes_looked_at < 34_000 * line.len() * 5 / 4);
    }
}
