//! The modes a program can set, what DECRQM says of them, and the sequences that set them
//! again after a reattach and undo them in the outer terminal on detach.

use crate::Modes;

/// Modes that are on or off and independent of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mode {
    /// `4`: IRM.
    Insert,
    /// `20`: LNM.
    NewLine,
    /// `?1`: DECCKM.
    CursorKeys,
    /// `?5`: DECSCNM.
    ReverseVideo,
    /// `?7`: DECAWM.
    AutoWrap,
    /// `?12`: the cursor blinks.
    CursorBlink,
    /// `?25`: DECTCEM.
    ShowCursor,
    /// `?66`, `ESC =`, `ESC >`: DECNKM.
    Keypad,
    /// `?1004`.
    FocusEvents,
    /// `?1007`.
    AlternateScroll,
    /// `?1042`.
    UrgencyHints,
    /// `?2004`.
    BracketedPaste,
    /// `?2026`.
    Synchronized,
    /// `?2031`.
    SchemeReports,
    /// `?2048`.
    SizeReports,
}

/// Mode, its number, whether it is a private one, whether a fresh terminal has it on.
const TABLE: [(Mode, u16, bool, bool); 15] = [
    (Mode::Insert, 4, false, false),
    (Mode::NewLine, 20, false, false),
    (Mode::CursorKeys, 1, true, false),
    (Mode::ReverseVideo, 5, true, false),
    (Mode::AutoWrap, 7, true, true),
    (Mode::CursorBlink, 12, true, false),
    (Mode::ShowCursor, 25, true, true),
    (Mode::Keypad, 66, true, false),
    (Mode::FocusEvents, 1004, true, false),
    (Mode::AlternateScroll, 1007, true, true),
    (Mode::UrgencyHints, 1042, true, false),
    (Mode::BracketedPaste, 2004, true, false),
    (Mode::Synchronized, 2026, true, false),
    (Mode::SchemeReports, 2031, true, false),
    (Mode::SizeReports, 2048, true, false),
];

/// What a fresh terminal has on.
const DEFAULT_BITS: u32 =
    1 << Mode::AutoWrap as u8 | 1 << Mode::ShowCursor as u8 | 1 << Mode::AlternateScroll as u8;

/// Which mouse events are reported; one at most, as in xterm.
pub(crate) const MOUSE_EVENTS: [u16; 4] = [9, 1000, 1002, 1003];
/// How they are encoded; one at most.
pub(crate) const MOUSE_ENCODINGS: [u16; 4] = [1005, 1006, 1015, 1016];

/// All modes of one terminal, but origin mode, which belongs to the cursor, and the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModeSet {
    bits: u32,
    /// One of [`MOUSE_EVENTS`], or 0.
    pub(crate) mouse_events: u16,
    /// One of [`MOUSE_ENCODINGS`], or 0.
    pub(crate) mouse_encoding: u16,
    /// DECSCUSR, 0–6.
    pub(crate) cursor_style: u8,
    /// `CSI > 4 ; n m`: modifyOtherKeys, 0–2.
    pub(crate) modify_other_keys: u8,
}

impl Default for ModeSet {
    fn default() -> Self {
        Self {
            bits: DEFAULT_BITS,
            mouse_events: 0,
            mouse_encoding: 0,
            cursor_style: 0,
            modify_other_keys: 0,
        }
    }
}

impl ModeSet {
    pub(crate) fn get(&self, mode: Mode) -> bool {
        self.bits & (1 << mode as u8) != 0
    }

    pub(crate) fn put(&mut self, mode: Mode, on: bool) {
        if on {
            self.bits |= 1 << mode as u8;
        } else {
            self.bits &= !(1 << mode as u8);
        }
    }

    /// Sets or resets a mode by its number; unknown ones do nothing.
    pub(crate) fn set(&mut self, number: u16, private: bool, on: bool) {
        if private && MOUSE_EVENTS.contains(&number) {
            self.mouse_events = if on { number } else { 0 };
        } else if private && MOUSE_ENCODINGS.contains(&number) {
            if on {
                self.mouse_encoding = number;
            } else if self.mouse_encoding == number {
                self.mouse_encoding = 0;
            }
        } else if let Some((mode, ..)) = find(number, private) {
            self.put(*mode, on);
        }
    }

    /// DECSCUSR. Other values change nothing.
    pub(crate) fn set_cursor_style(&mut self, style: u16) {
        if let Ok(style @ 0..=6) = u8::try_from(style) {
            self.cursor_style = style;
            self.put(Mode::CursorBlink, style % 2 == 1);
        }
    }

    /// The answer to DECRQM: 0 unknown, 1 set, 2 reset, 4 permanently reset. Origin mode and
    /// the screens are answered by the caller.
    pub(crate) fn report(&self, number: u16, private: bool) -> u8 {
        let answer = |on: bool| if on { 1 } else { 2 };
        if private && MOUSE_EVENTS.contains(&number) {
            answer(self.mouse_events == number)
        } else if private && MOUSE_ENCODINGS.contains(&number) {
            answer(self.mouse_encoding == number)
        } else if let Some((mode, ..)) = find(number, private) {
            answer(self.get(*mode))
        } else if private && matches!(number, 3 | 45 | 69 | 2027) {
            // Known, never on: 132 columns, reverse wrap, left and right margins, grapheme
            // clusters.
            4
        } else {
            0
        }
    }

    /// DECSTR.
    pub(crate) fn soft_reset(&mut self) {
        self.put(Mode::Insert, false);
        self.put(Mode::CursorKeys, false);
        self.put(Mode::Keypad, false);
        self.put(Mode::ShowCursor, true);
        self.put(Mode::AutoWrap, true);
    }

    /// For the holder and its clients.
    pub(crate) fn summary(&self, alternate_screen: bool) -> Modes {
        Modes {
            alternate_screen,
            focus_events: self.get(Mode::FocusEvents),
            bracketed_paste: self.get(Mode::BracketedPaste),
            application_cursor: self.get(Mode::CursorKeys),
            synchronized: self.get(Mode::Synchronized),
            size_reports: self.get(Mode::SizeReports),
            scheme_reports: self.get(Mode::SchemeReports),
            mouse: self.mouse_events != 0,
        }
    }

    /// What brings a fresh terminal to these modes. Insert and autowrap are left to the
    /// caller, who must draw first; `?2026` comes at the very end of a snapshot.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if self.cursor_style != 0 {
            out.extend_from_slice(format!("\x1b[{} q", self.cursor_style).as_bytes());
        }
        let fresh = {
            let mut fresh = Self::default();
            fresh.set_cursor_style(u16::from(self.cursor_style));
            fresh
        };
        for (mode, number, private, _) in &TABLE {
            if matches!(mode, Mode::Insert | Mode::AutoWrap | Mode::Synchronized) {
                continue;
            }
            if *mode == Mode::Keypad && self.get(*mode) {
                // More widely understood than `?66`.
                out.extend_from_slice(b"\x1b=");
            } else if self.get(*mode) != fresh.get(*mode) {
                write_mode(*number, *private, self.get(*mode), out);
            }
        }
        if self.mouse_events != 0 {
            write_mode(self.mouse_events, true, true, out);
        }
        if self.mouse_encoding != 0 {
            write_mode(self.mouse_encoding, true, true, out);
        }
        if self.modify_other_keys != 0 {
            out.extend_from_slice(format!("\x1b[>4;{}m", self.modify_other_keys).as_bytes());
        }
    }
}

fn find(number: u16, private: bool) -> Option<&'static (Mode, u16, bool, bool)> {
    TABLE
        .iter()
        .find(|entry| entry.1 == number && entry.2 == private)
}

/// `CSI [?] number h|l`.
pub(crate) fn write_mode(number: u16, private: bool, on: bool, out: &mut Vec<u8>) {
    let mark = if private { "?" } else { "" };
    let last = if on { 'h' } else { 'l' };
    out.extend_from_slice(format!("\x1b[{mark}{number}{last}").as_bytes());
}

/// Undoes every mode that a program may have set, for the outer terminal of a client that
/// detaches: leaves the alternate screen, and resets mouse, paste, focus, keys, kitty
/// keyboard flags, cursor, character sets, scroll region, origin, insert, autowrap, pen,
/// hyperlink, synchronized output, reports and palette. The text on the screen, the cursor's
/// line and the title stay.
///
/// In xterm `?1049l` restores the saved cursor even on the primary screen, so it is saved
/// first. Margins and origin mode home the cursor, so it is saved before and restored after
/// them; restoring it may bring origin mode back, which DECSTR ends without moving it.
pub(crate) const RESET: &[u8] = b"\x1b\\\
\x1b[?2026l\
\x1b[<99u\x1b[=0u\
\x1b7\x1b[?1049l\
\x1b[<99u\x1b[=0u\
\x1b[>4;0m\
\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\
\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l\x1b[?1042l\x1b[?1007h\
\x1b[?1l\x1b[?66l\x1b>\x1b[?5l\
\x1b[4l\x1b[20l\x1b[?7h\
\x1b(B\x1b)B\x1b*B\x1b+B\x0f\
\x1b[0m\x1b]8;;\x1b\\\
\x1b7\x1b[r\x1b[?6l\x1b8\x1b[!p\
\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\
\x1b[?12l\x1b[0 q\x1b[?25h";
