//! Text from a reader in pieces that a holder takes: whole characters, bounded.

use crate::failure::Failure;
use std::io::{self, Read};

/// Bytes of one piece. JSON escapes make a control character six bytes long, and a request holds
/// at most 1 MiB.
pub(super) const PIECE: usize = 128 * 1024;

/// The pieces of a text, in order.
#[derive(Debug)]
pub(super) struct Pieces<R> {
    from: R,
    /// Wait until a piece is full: a paste is not to be torn where a pipe happens to be cut.
    full: bool,
    rest: Vec<u8>,
    ended: bool,
    /// Bytes given so far.
    given: u64,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(from: R, full: bool) -> Self {
        Self {
            from,
            full,
            rest: Vec::new(),
            ended: false,
            given: 0,
        }
    }

    /// The next piece; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<String>, Failure> {
        loop {
            let enough = if self.full { PIECE } else { 1 };
            while !self.ended && self.rest.len() < enough {
                self.read()?;
            }
            let limit = self.rest.len().min(PIECE);
            let (valid, broken) = match std::str::from_utf8(&self.rest[..limit]) {
                Ok(text) => (text.len(), false),
                Err(error) => (error.valid_up_to(), error.error_len().is_some()),
            };
            if valid > 0 {
                let after = self.rest.split_off(valid);
                let piece = std::mem::replace(&mut self.rest, after);
                self.given += valid as u64;
                return Ok(Some(String::from_utf8_lossy(&piece).into_owned()));
            }
            if self.rest.is_empty() && self.ended {
                return Ok(None);
            }
            if broken || self.ended {
                let given = self.given;
                return Err(Failure::failed(format!(
                    "standard input is no UTF-8 text from byte {given} on: the {given} bytes before were sent"
                ))
                .hint("convert it first, for example with `iconv`"));
            }
            // The beginning of a character: its end is still to come.
            self.read()?;
        }
    }

    fn read(&mut self) -> Result<(), Failure> {
        let mut buffer = [0; 16 * 1024];
        match self.from.read(&mut buffer) {
            Ok(0) => self.ended = true,
            Ok(count) => self.rest.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(Failure::failed(format!(
                    "standard input cannot be read: {error}"
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Gives one chunk a read, as a pipe does.
    struct Chunks(VecDeque<Vec<u8>>);

    impl Read for Chunks {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(chunk) = self.0.pop_front() else {
                return Ok(0);
            };
            buffer[..chunk.len()].copy_from_slice(&chunk);
            Ok(chunk.len())
        }
    }

    fn pieces(chunks: &[&[u8]], full: bool) -> Pieces<Chunks> {
        let chunks = chunks.iter().map(|chunk| chunk.to_vec()).collect();
        Pieces::new(Chunks(chunks), full)
    }

    fn all(mut pieces: Pieces<impl Read>) -> Vec<String> {
        std::iter::from_fn(|| pieces.next().unwrap()).collect()
    }

    #[test]
    fn what_arrives_is_given_at_once_unless_it_is_a_paste() {
        assert_eq!(all(pieces(&[b"a", b"bc"], false)), ["a", "bc"]);
        assert_eq!(all(pieces(&[b"a", b"bc"], true)), ["abc"]);
        assert!(all(pieces(&[], false)).is_empty());
    }

    #[test]
    fn a_character_cut_by_the_pipe_stays_whole() {
        let text = "é€😀".as_bytes();
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(all(pieces(&bytes, false)).concat(), "é€😀");
    }

    #[test]
    fn a_long_text_comes_in_bounded_pieces_of_whole_characters() {
        let text = "x".to_owned() + &"€".repeat(PIECE);
        let got = all(Pieces::new(text.as_bytes(), true));
        assert!(got.len() > 2 && got.iter().all(|piece| piece.len() <= PIECE));
        assert_eq!(got.concat(), text);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_and_it_is_said_where() {
        for chunks in [&[b"ab\xff".as_slice()], &[b"ab\xe2\x82".as_slice()]] {
            let mut pieces = pieces(chunks, false);
            assert_eq!(pieces.next().unwrap().as_deref(), Some("ab"));
            let failure = pieces.next().unwrap_err();
            assert!(failure.message.contains("from byte 2 on"), "{failure:?}");
        }
    }
}
