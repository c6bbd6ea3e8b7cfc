//! The window title and its stack.

/// Titles kept on the stack; the oldest is dropped beyond (signals.md, Titles).
const DEPTH: usize = 10;
/// Bytes of one title that are kept: four for each of the 256 characters that are ever shown.
const MAX_BYTES: usize = 1024;

/// The title in force and those pushed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Titles {
    current: String,
    stack: Vec<String>,
}

impl Titles {
    /// OSC 0 and 2; invalid bytes are replaced, controls dropped.
    pub(crate) fn set(&mut self, text: &[u8]) {
        let mut title: String = String::from_utf8_lossy(&text[..text.len().min(MAX_BYTES)])
            .chars()
            .filter(|c| !c.is_control())
            .collect();
        while title.len() > MAX_BYTES {
            title.pop();
        }
        // Cutting the bytes may have cut a character, which shows as a replacement.
        if text.len() > MAX_BYTES && title.ends_with(char::REPLACEMENT_CHARACTER) {
            title.pop();
        }
        self.current = title;
    }

    /// `CSI 22 ; 0|2 t`
    pub(crate) fn push(&mut self) {
        if self.stack.len() == DEPTH {
            self.stack.remove(0);
        }
        self.stack.push(self.current.clone());
    }

    /// `CSI 23 ; 0|2 t`
    pub(crate) fn pop(&mut self) {
        if let Some(title) = self.stack.pop() {
            self.current = title;
        }
    }

    /// What brings a fresh terminal to these titles.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut last = "";
        for title in &self.stack {
            if title != last {
                write_title(title, out);
            }
            out.extend_from_slice(b"\x1b[22;2t");
            last = title;
        }
        if self.current != last {
            write_title(&self.current, out);
        }
    }

    pub(crate) fn current(&self) -> &str {
        &self.current
    }
}

fn write_title(title: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b]2;");
    out.extend_from_slice(title.as_bytes());
    out.extend_from_slice(b"\x1b\\");
}
