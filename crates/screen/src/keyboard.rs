//! The kitty keyboard protocol's stack of flags, one for each screen.

/// Entries kept; the oldest is dropped beyond (architecture.md, The holder is the terminal).
const DEPTH: usize = 16;
/// The flags the protocol defines.
const KNOWN: u16 = 0b1_1111;

/// The flags in force and those beneath them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KeyboardStack {
    /// In force while nothing is pushed.
    base: u8,
    pushed: Vec<u8>,
}

impl KeyboardStack {
    /// The flags in force.
    pub(crate) fn flags(&self) -> u8 {
        self.pushed.last().copied().unwrap_or(self.base)
    }

    /// `CSI > flags u`
    pub(crate) fn push(&mut self, flags: u16) {
        if self.pushed.len() == DEPTH {
            self.pushed.remove(0);
        }
        self.pushed.push((flags & KNOWN) as u8);
    }

    /// `CSI < count u`; popping more than there are resets the flags.
    pub(crate) fn pop(&mut self, count: usize) {
        if count > self.pushed.len() {
            self.base = 0;
        }
        self.pushed
            .truncate(self.pushed.len().saturating_sub(count));
    }

    /// `CSI = flags ; how u`: replace, add, remove.
    pub(crate) fn set(&mut self, flags: u16, how: u16) {
        let flags = (flags & KNOWN) as u8;
        let entry = self.pushed.last_mut().unwrap_or(&mut self.base);
        match how {
            0 | 1 => *entry = flags,
            2 => *entry |= flags,
            3 => *entry &= !flags,
            _ => {}
        }
    }

    /// Whether it is as in a fresh terminal.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What brings a fresh stack to this one.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if self.base != 0 {
            out.extend_from_slice(format!("\x1b[={}u", self.base).as_bytes());
        }
        for flags in &self.pushed {
            out.extend_from_slice(format!("\x1b[>{flags}u").as_bytes());
        }
    }
}
