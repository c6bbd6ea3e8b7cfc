//! The questions that a program can ask its terminal (signals.md, Questions). All are removed from the forwarded
//! bytes; [`crate::Sink::query`] gets each in stream order.

/// How a control string ended; the answer ends the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminator {
    /// BEL.
    Bell,
    /// ESC `\`.
    St,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What is asked.
    pub kind: QueryKind,
    /// Of control strings; [`Terminator::St`] for the others.
    pub terminator: Terminator,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryKind {
    /// `CSI c`, `CSI 0 c`
    PrimaryAttributes,
    /// `CSI > c`
    SecondaryAttributes,
    /// `CSI = c`
    TertiaryAttributes,
    /// `CSI 5 n`
    DeviceStatus,
    /// `CSI 6 n`
    CursorPosition,
    /// `CSI ? 6 n`
    ExtendedCursorPosition,
    /// `CSI ? 996 n`
    ColorScheme,
    /// `CSI [?] Ps $ p`
    Mode {
        /// `Ps`
        mode: u16,
        /// With `?`.
        private: bool,
    },
    /// `DCS $ q Pt ST`; the setting asked for, at most 8 bytes.
    Setting(Vec<u8>),
    /// `CSI > q`
    Version,
    /// `DCS + q Pt ST`: hexadecimal names as asked, at most 512 bytes.
    Termcap(Vec<u8>),
    /// `CSI 14 t`
    WindowPixels,
    /// `CSI 16 t`
    CellPixels,
    /// `CSI 18 t`
    WindowCells,
    /// `CSI ? u`
    KeyboardFlags,
    /// OSC 4, 10–19 with `?`.
    Color(ColorSlot),
    /// OSC 7501 `?`
    ProgramStatus,
    /// OSC 99 `p=?`, with its `i=` (`0` if none).
    NotificationSupport(String),
    /// OSC 99 `p=alive`, with its `i=` (`0` if none).
    NotificationsAlive(String),
    /// Removed and not answered: title and icon reports, OSC 52 reads, ENQ, kitty graphics.
    Unanswered,
}

/// The colour that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorSlot {
    /// OSC 4: palette index.
    Palette(u8),
    /// OSC 10–19: the number of the OSC.
    Dynamic(u8),
}
