//! The public face of the emulator.

use signals::Query;

use crate::answers::Context;
use crate::modes::{Mode, RESET};
use crate::parser::Parser;
use crate::terminal::Terminal;
use crate::{capture, render, snapshot};

/// A size in cells. [`Size::new`] clamps to 1…1000 × 1…500; the emulator's own width is at least 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-evident")]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

impl Size {
    /// Clamped to the limits.
    pub fn new(cols: u16, rows: u16) -> Self {
        Self {
            cols: cols.clamp(1, 1000),
            rows: rows.clamp(1, 500),
        }
    }
}

/// A colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-evident")]
pub struct Rgb {
    pub r: u8,
    pub g: u8,
    pub b: u8,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-evident")]
pub enum Scheme {
    Light,
    Dark,
}

/// What the outer terminal looks like, learned from the client that owns the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Colors {
    /// Default foreground.
    pub foreground: Option<Rgb>,
    /// Default background.
    pub background: Option<Rgb>,
    /// Cursor.
    pub cursor: Option<Rgb>,
    /// Pixels of one cell, width and height; 0 when unknown.
    pub cell_pixels: (u16, u16),
}

/// Modes that others need to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modes {
    /// `?1049`, `?1047`, `?47`.
    pub alternate_screen: bool,
    /// `?1004`.
    pub focus_events: bool,
    /// `?2004`.
    pub bracketed_paste: bool,
    /// `?1`.
    pub application_cursor: bool,
    /// `?2026`; the holder ends it after 150 ms with [`Screen::end_synchronized`].
    pub synchronized: bool,
    /// `?2048`: in-band size reports.
    pub size_reports: bool,
    /// `?2031`: colour-scheme reports.
    pub scheme_reports: bool,
    /// Any of the mouse modes.
    pub mouse: bool,
}

/// What the emulator does not hold and a snapshot must say (architecture.md, Snapshot, 7).
#[derive(Debug, Clone, Default)]
pub struct SnapshotExtras<'a> {
    /// Sequences that restore progress and program records, ready to send.
    pub status: &'a [u8],
    /// [`signals::Reader::unfinished`].
    pub unfinished: &'a [u8],
}

/// A byte string that, written to a fresh terminal of the same size, reproduces the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The size it is for.
    pub size: Size,
    /// The number of the first history line in `bytes`.
    pub history_first: u64,
    /// The number that the next line to leave the screen will get.
    pub history_end: u64,
    /// History lines, then the screen.
    pub bytes: Vec<u8>,
}

/// What to capture.
#[derive(Debug, Clone, Copy, Default)]
pub struct Capture {
    /// History too, oldest first.
    pub scrollback: bool,
    /// At most that many lines, the last ones.
    pub lines: Option<usize>,
    /// With colours and attributes as SGR sequences.
    pub ansi: bool,
}

/// One emulated screen.
///
/// ```
/// use screen::{Capture, Screen, Size, SnapshotExtras};
///
/// let mut screen = Screen::new(Size::new(80, 24), 1000);
/// screen.feed(b"hello \x1b[1mworld\x1b[0m");
/// assert_eq!(screen.capture(Capture::default()), "hello world");
///
/// // Another screen continues where this one is.
/// let snapshot = screen.snapshot(0, &SnapshotExtras::default());
/// let mut other = Screen::new(snapshot.size, 1000);
/// other.feed(&snapshot.bytes);
/// other.feed(b"!");
/// assert_eq!(other.capture(Capture::default()), "hello world!");
/// ```
#[derive(Debug)]
pub struct Screen {
    size: Size,
    pub(crate) parser: Parser,
    pub(crate) terminal: Terminal,
    colors: Colors,
}

/// A wide character needs two columns: the emulator is never narrower.
const MIN_COLS: u16 = 2;

impl Screen {
    /// An empty screen that keeps at most `scrollback` lines, and 32 MiB of them.
    pub fn new(size: Size, scrollback: usize) -> Self {
        let size = Size::new(size.cols, size.rows);
        Self {
            size,
            parser: Parser::new(),
            terminal: Terminal::new(
                usize::from(size.cols.max(MIN_COLS)),
                usize::from(size.rows),
                scrollback,
            ),
            colors: Colors::default(),
        }
    }
    /// Draws bytes as [`signals::Sink::draw`] gives them. Any bytes whatsoever are safe.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(bytes, &mut self.terminal);
    }
    /// Changes the size; history reflows. A line that this pushes off the screen counts as
    /// one that left it; a line that it takes back gets a new number when it leaves again.
    pub fn resize(&mut self, size: Size) {
        self.size = Size::new(size.cols, size.rows);
        self.terminal.resize(
            usize::from(self.size.cols.max(MIN_COLS)),
            usize::from(self.size.rows),
        );
    }
    /// The size.
    pub fn size(&self) -> Size {
        self.size
    }
    /// The modes in force.
    pub fn modes(&self) -> Modes {
        let alternate = self.terminal.alternate.is_some();
        self.terminal.modes.summary(alternate)
    }
    /// The title a program set, as it sent it but for control characters; empty if none.
    pub fn title(&self) -> &str {
        self.terminal.titles.current()
    }
    /// Ends a synchronized update that its program did not end.
    pub fn end_synchronized(&mut self) {
        self.terminal.modes.put(Mode::Synchronized, false);
    }
    /// Learned colours, or the defaults.
    pub fn set_colors(&mut self, colors: Colors) {
        self.colors = colors;
    }
    /// The number that the next line to leave the screen will get; lines are numbered from 0 and
    /// numbers only grow.
    pub fn history_end(&self) -> u64 {
        self.terminal.history.end()
    }
    /// A snapshot with the history lines from number `history_from` on, as far as they
    /// are still held (`u64::MAX`: none, 0: all).
    ///
    /// Without `extras.unfinished`, it ends with the bytes of a sequence that this screen was
    /// fed in part.
    pub fn snapshot(&self, history_from: u64, extras: &SnapshotExtras<'_>) -> Snapshot {
        let unfinished = if extras.unfinished.is_empty() {
            self.parser.unfinished().unwrap_or_default()
        } else {
            extras.unfinished
        };
        let mut bytes = Vec::new();
        let history_first = snapshot::write(
            &self.terminal,
            history_from,
            extras.status,
            unfinished,
            &mut bytes,
        );
        Snapshot {
            size: self.size,
            history_first,
            history_end: self.history_end(),
            bytes,
        }
    }
    /// Draws the screen into a window of another size, cropped so that the cursor is in view,
    /// and erases the rest of the window. The window needs no state beforehand but a terminal
    /// without margins, insert and origin mode; it has a plain pen and autowrap after.
    pub fn render(&self, window: Size, out: &mut Vec<u8>) {
        render::write(&self.terminal, window, out);
    }
    /// Undoes every mode that any program may have set, for the outer terminal of a client
    /// that detaches. The text on the screen, the cursor's line and the title stay.
    pub fn reset_sequence() -> &'static [u8] {
        RESET
    }
    /// Text of the screen; a line that the terminal wrapped is one line. Ends without a
    /// line feed; trailing empty lines are left out.
    pub fn capture(&self, what: Capture) -> String {
        capture::text(&self.terminal, what)
    }
    /// Text of the history from line `number` on, as far as it is still held, and of the screen;
    /// what is before costs nothing, so that a stream can be looked through as it comes.
    pub fn text_since(&self, number: u64) -> String {
        capture::text_since(&self.terminal, number)
    }
    /// The answer to a question, `None` where there is none (also for `ProgramStatus` and
    /// OSC 99, which are answered by their own protocols).
    pub fn answer(&self, query: &Query) -> Option<Vec<u8>> {
        self.context().answer(query)
    }
    /// The report a program gets with mode 2048 after a resize and when it switches it on.
    pub fn size_report(&self) -> Vec<u8> {
        self.context().size_report()
    }
    /// The report a program gets with mode 2031 when the scheme changes.
    pub fn scheme_report(&self) -> Vec<u8> {
        self.context().scheme_report()
    }

    fn context(&self) -> Context<'_> {
        Context {
            terminal: &self.terminal,
            size: self.size,
            colors: &self.colors,
        }
    }
}
