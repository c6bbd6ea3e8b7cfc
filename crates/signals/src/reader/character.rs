//! The unfinished UTF-8 character at the end of a stream.
//!
//! Text is passed on as it comes, also where a read cuts a character; a client that joins
//! there needs the bytes that came before the cut.

/// The unfinished UTF-8 character at the end of what was forwarded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Character {
    bytes: [u8; 3],
    length: u8,
}

impl Character {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Text was forwarded.
    #[inline]
    pub(super) fn follow(&mut self, text: &[u8]) {
        if text.last().is_none_or(u8::is_ascii) {
            self.length = 0;
        } else {
            self.follow_non_ascii(text);
        }
    }

    fn follow_non_ascii(&mut self, text: &[u8]) {
        let mut tail = [0; 6];
        let before = usize::from(self.length);
        let last = &text[text.len().saturating_sub(3)..];
        tail[..before].copy_from_slice(self.bytes());
        tail[before..before + last.len()].copy_from_slice(last);
        // What came before matters only if the text is part of the same character.
        let from = if text.len() < 3 { 0 } else { before };
        let tail = &tail[from..before + last.len()];
        *self = Self::default();
        let Some(lead) = tail.iter().rposition(|byte| *byte >= 0xc0) else {
            return;
        };
        let candidate = &tail[lead..];
        let unfinished = match std::str::from_utf8(candidate) {
            Ok(_) => false,
            Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
        };
        if unfinished && candidate.len() <= 3 {
            self.bytes[..candidate.len()].copy_from_slice(candidate);
            self.length = candidate.len() as u8;
        }
    }
}
