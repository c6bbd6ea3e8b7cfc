//! What a terminal sends back: control sequences and strings among typed keys.

/// Bytes of one reply that are kept; a longer one is no answer to anything `probe` asks.
const LIMIT: usize = 4096;

/// One reply, or one byte that belongs to none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// `CSI`: what follows, with the final byte.
    Csi(String),
    /// `OSC`: the body.
    Osc(String),
    /// `DCS`: the body.
    Dcs(String),
    /// A typed key.
    Key(u8),
}

/// Cuts the input into replies; it may come in any pieces.
#[derive(Debug, Default)]
pub(super) struct Replies {
    pending: Vec<u8>,
}

impl Replies {
    /// The replies that are complete with these bytes.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<Reply> {
        self.pending.extend(bytes);
        let mut replies = Vec::new();
        let mut at = 0;
        while let Some((reply, length)) = first(&self.pending[at..]) {
            replies.push(reply);
            at += length;
        }
        self.pending.drain(..at);
        if self.pending.len() > LIMIT {
            self.pending.clear();
        }
        replies
    }
}

/// The first reply and its length; `None` while it is incomplete.
fn first(bytes: &[u8]) -> Option<(Reply, usize)> {
    let text = |body: &[u8]| String::from_utf8_lossy(body).into_owned();
    match bytes {
        [] | [0x1b] => None,
        [0x1b, b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            Some((Reply::Csi(text(&rest[..=end])), end + 3))
        }
        [0x1b, kind @ (b']' | b'P'), rest @ ..] => {
            let end = rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
            let terminator = match rest[end..] {
                [0x07, ..] => 1,
                [_, _, ..] => 2, // ESC and whatever follows it end the string
                _ => return None,
            };
            let body = text(&rest[..end]);
            let reply = match kind {
                b']' => Reply::Osc(body),
                _ => Reply::Dcs(body),
            };
            Some((reply, end + terminator + 2))
        }
        [byte, ..] => Some((Reply::Key(*byte), 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] = b"a\x1b[?1;2c\x1b]10;x\x07\x1bP>|v\x1b\\b";

    fn expected() -> Vec<Reply> {
        vec![
            Reply::Key(b'a'),
            Reply::Csi("?1;2c".into()),
            Reply::Osc("10;x".into()),
            Reply::Dcs(">|v".into()),
            Reply::Key(b'b'),
        ]
    }

    #[test]
    fn replies_are_the_same_however_they_are_cut() {
        for cut in 0..STREAM.len() {
            let mut replies = Replies::default();
            let mut found = replies.read(&STREAM[..cut]);
            found.extend(replies.read(&STREAM[cut..]));
            assert_eq!(found, expected(), "cut at {cut}");
        }
    }

    #[test]
    fn a_reply_without_an_end_is_dropped_and_later_ones_are_read() {
        let mut replies = Replies::default();
        assert_eq!(replies.read(b"\x1b]10;"), []);
        assert_eq!(replies.read(&[b'x'; LIMIT]), []);
        assert_eq!(replies.read(b"\x1b[?1c"), [Reply::Csi("?1c".into())]);
    }
}
