//! The public face of the emulator.

use signals::Query;

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
pub struct Screen {}

impl Screen {
    /// An empty screen that keeps at most `scrollback` lines, and 32 MiB of cells.
    pub fn new(size: Size, scrollback: usize) -> Self {
        let _ = (size, scrollback);
        todo!()
    }
    /// Draws bytes as [`signals::Sink::draw`] gives them. Any bytes whatsoever are safe.
    pub fn feed(&mut self, bytes: &[u8]) {
        let _ = bytes;
        todo!()
    }
    /// Changes the size; history reflows.
    pub fn resize(&mut self, size: Size) {
        let _ = size;
        todo!()
    }
    /// The size.
    pub fn size(&self) -> Size {
        todo!()
    }
    /// The modes in force.
    pub fn modes(&self) -> Modes {
        todo!()
    }
    /// Ends a synchronized update that its program did not end.
    pub fn end_synchronized(&mut self) {
        todo!()
    }
    /// Learned colours, or the defaults.
    pub fn set_colors(&mut self, colors: Colors) {
        let _ = colors;
        todo!()
    }
    /// The number that the next line to leave the screen will get; lines are numbered from 0 and
    /// numbers only grow.
    pub fn history_end(&self) -> u64 {
        todo!()
    }
    /// A snapshot with the history lines from number `history_from` on, as far as they
    /// are still held (`u64::MAX`: none, 0: all).
    pub fn snapshot(&self, history_from: u64, extras: &SnapshotExtras<'_>) -> Snapshot {
        let _ = (history_from, extras);
        todo!()
    }
    /// Text of the screen; a line that the terminal wrapped is one line. Ends without a
    /// line feed; trailing empty lines are left out.
    pub fn capture(&self, what: Capture) -> String {
        let _ = what;
        todo!()
    }
    /// The answer to a question, `None` where there is none (also for `ProgramStatus` and
    /// OSC 99, which are answered by their own protocols).
    pub fn answer(&self, query: &Query) -> Option<Vec<u8>> {
        let _ = query;
        todo!()
    }
    /// The report a program gets with mode 2048 after a resize and when it switches it on.
    pub fn size_report(&self) -> Vec<u8> {
        todo!()
    }
}
