//! A terminal drawn in a window of another size: on an emulator, and from there, cropped, on the
//! outer terminal's alternate screen, above a line that says so.

use screen::{Modes, Screen};
use signals::{Query, QueryKind, Terminator};
use status::Size;

/// The terminal as it is, and what of its modes the window has.
#[derive(Debug)]
pub(crate) struct Fitted {
    screen: Screen,
    /// It must be drawn.
    pub(crate) dirty: bool,
    /// The window's modes that keys and pastes depend on.
    told: Option<(bool, bool, u8, String)>,
}

impl Fitted {
    /// An empty terminal; a snapshot follows.
    pub(crate) fn new(size: Size) -> Self {
        Self {
            screen: Screen::new(screen::Size::new(size.cols, size.rows), 0),
            dirty: true,
            told: None,
        }
    }

    /// The next bytes of the snapshot or the stream.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.screen.feed(bytes);
        self.dirty = true;
    }

    /// Draws it into a window of `cols` and `rows`.
    pub(crate) fn render(&mut self, (cols, rows): (u16, u16), line: &str, out: &mut Vec<u8>) {
        self.dirty = false;
        self.mirror_modes(out);
        let rows = if rows > 1 {
            out.extend_from_slice(format!("\x1b[{rows};1H\x1b[0;7m\x1b[?7l").as_bytes());
            out.extend(
                line.chars()
                    .take(usize::from(cols))
                    .collect::<String>()
                    .as_bytes(),
            );
            out.extend_from_slice(b"\x1b[K\x1b[0m");
            rows - 1
        } else {
            rows
        };
        self.screen.render(screen::Size::new(cols, rows), out);
    }

    /// Keys and pastes must arrive as the program expects them, and the title is the program's.
    fn mirror_modes(&mut self, out: &mut Vec<u8>) {
        let Modes {
            application_cursor,
            bracketed_paste,
            ..
        } = self.screen.modes();
        let now = (
            application_cursor,
            bracketed_paste,
            self.keyboard_flags(),
            self.screen.title().to_owned(),
        );
        if self.told.as_ref() == Some(&now) {
            return;
        }
        let set = |on: bool| if on { 'h' } else { 'l' };
        let (keys, paste, flags, title) = &now;
        let modes = format!(
            "\x1b[?1{}\x1b[?2004{}\x1b[={flags};1u\x1b]2;{title}\x1b\\",
            set(*keys),
            set(*paste),
        );
        out.extend_from_slice(modes.as_bytes());
        self.told = Some(now);
    }

    fn keyboard_flags(&self) -> u8 {
        let question = Query {
            kind: QueryKind::KeyboardFlags,
            terminator: Terminator::St,
        };
        // The answer is `CSI ? flags u`.
        let answer = self.screen.answer(&question).unwrap_or_default();
        let digits = answer.iter().filter(|byte| byte.is_ascii_digit());
        let digits: String = digits.map(|byte| char::from(*byte)).collect();
        digits.parse().unwrap_or(0)
    }
}
