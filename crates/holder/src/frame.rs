//! Frames to bytes and back (protocol.rs has the layout). Pure: for blocking and non-blocking
//! readers alike.

use crate::protocol::MAX_BODY;

/// Bytes before the body: length (u32, little endian) and kind.
pub const HEADER: usize = 5;

/// A frame as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// One of [`crate::protocol::kind`], or one this code does not know.
    pub kind: u8,
    /// The body.
    pub body: Vec<u8>,
}

/// The other side does not speak this protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a frame of {length} bytes is longer than the protocol's {MAX_BODY}: this is no wigwag peer"
)]
pub struct TooLong {
    /// What the length field said.
    pub length: usize,
}

/// The header of a frame.
pub fn header(kind: u8, length: usize) -> [u8; HEADER] {
    debug_assert!(
        length <= MAX_BODY,
        "frames are split before they are encoded"
    );
    let length = (length as u32).to_le_bytes();
    [length[0], length[1], length[2], length[3], kind]
}

/// A whole frame.
pub fn encode(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend_from_slice(&header(kind, body.len()));
    bytes.extend_from_slice(body);
    bytes
}

/// The kind and the length of the body that a header announces.
pub fn parse_header(header: [u8; HEADER]) -> Result<(u8, usize), TooLong> {
    let length = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
    if length > MAX_BODY {
        return Err(TooLong { length });
    }
    Ok((header[4], length))
}

/// Puts frames together from bytes that arrive in any pieces. Holds at most one frame and
/// what was pushed after it.
///
/// ```
/// let mut frames = holder::frame::FrameReader::default();
/// frames.push(&holder::frame::encode(3, b"ls\r"));
/// assert_eq!(frames.next().unwrap().unwrap().body, b"ls\r");
/// assert_eq!(frames.next(), Ok(None));
/// ```
#[derive(Debug, Default)]
pub struct FrameReader {
    bytes: Vec<u8>,
    start: usize,
}

impl FrameReader {
    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame; `None` until more bytes come.
    #[allow(
        clippy::should_implement_trait,
        reason = "fallible, and not an end where None"
    )]
    pub fn next(&mut self) -> Result<Option<Frame>, TooLong> {
        let rest = &self.bytes[self.start..];
        let Some(head) = rest.first_chunk::<HEADER>() else {
            self.shrink();
            return Ok(None);
        };
        let (kind, length) = parse_header(*head)?;
        let Some(body) = rest.get(HEADER..HEADER + length) else {
            return Ok(None);
        };
        let body = body.to_vec();
        self.start += HEADER + length;
        Ok(Some(Frame { kind, body }))
    }

    /// Nothing of an unfinished frame is held.
    pub fn is_empty(&self) -> bool {
        self.start == self.bytes.len()
    }

    /// Gives back the memory of a large frame once it is done with.
    fn shrink(&mut self) {
        if self.is_empty() {
            self.bytes.clear();
            self.start = 0;
            if self.bytes.capacity() > 4096 {
                self.bytes.shrink_to(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_the_same_wherever_the_bytes_are_cut() {
        let stream = [encode(1, b"{}"), encode(3, b""), encode(0x83, &[7; 300])].concat();
        for step in 1..stream.len() {
            let mut reader = FrameReader::default();
            let mut kinds = Vec::new();
            for piece in stream.chunks(step) {
                reader.push(piece);
                while let Some(frame) = reader.next().unwrap() {
                    kinds.push((frame.kind, frame.body.len()));
                }
            }
            assert_eq!(kinds, [(1, 2), (3, 0), (0x83, 300)]);
            assert!(reader.is_empty());
        }
    }

    #[test]
    fn a_length_over_the_limit_is_an_error_before_its_body_comes() {
        let mut reader = FrameReader::default();
        reader.push(b"GET / HTTP/1.1\r\n");
        assert!(reader.next().is_err());
    }
}
