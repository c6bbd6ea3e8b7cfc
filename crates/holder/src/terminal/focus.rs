//! Focus events for programs that ask for them (mode 1004), for the terminal as a whole
//! (status.md, Presence): in when the first focused client shows it, out when the last one
//! leaves, loses focus or dies, and the present state when the mode is switched on.

/// What the program was told.
#[derive(Debug, Default)]
pub(super) struct Focus {
    told: Option<bool>,
}

impl Focus {
    /// What to tell the program now: nothing that is not true, nothing twice.
    pub(super) fn update(&mut self, asked_for: bool, focused: bool) -> Option<&'static [u8]> {
        if !asked_for {
            self.told = None;
            return None;
        }
        if self.told == Some(focused) {
            return None;
        }
        self.told = Some(focused);
        Some(if focused { b"\x1b[I" } else { b"\x1b[O" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_the_present_state_and_then_changes_only() {
        let mut focus = Focus::default();
        assert_eq!(focus.update(false, true), None);
        assert_eq!(focus.update(true, true), Some(&b"\x1b[I"[..]));
        assert_eq!(focus.update(true, true), None);
        assert_eq!(focus.update(true, false), Some(&b"\x1b[O"[..]));
        assert_eq!(focus.update(true, false), None);
        assert_eq!(focus.update(false, true), None);
        assert_eq!(focus.update(true, false), Some(&b"\x1b[O"[..]));
    }
}
