//! HTTP/1.1 over the daemon's unix socket, blocking: one request at a time, the connection kept. Small
//! because the other side is known: it answers with a length or in chunks, never compressed.

use holder::paths::Paths;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The daemon answers in milliseconds, and says itself when a holder does not; this is for a
/// daemon that is stopped.
const ANSWER: Duration = Duration::from_secs(30);

/// Head lines of an answer that are understood.
const MAX_HEADERS: usize = 32;

/// How far a request came that failed.
#[derive(Debug)]
pub(crate) struct Broken {
    /// The daemon may have acted on it.
    pub(crate) sent: bool,
    pub(crate) error: io::Error,
}

/// The head of an answer.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// How the rest of a body is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// That much is left.
    Length(u64),
    /// Chunks: what is left of the present one.
    Chunk(u64),
    End,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: UnixStream,
    /// Read, not yet used.
    buffer: Vec<u8>,
    body: Body,
    keep: bool,
}

impl Connection {
    pub(crate) fn open(paths: &Paths) -> io::Result<Self> {
        let stream = paths.connect_daemon()?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_write_timeout(Some(ANSWER))?;
        Ok(Self {
            stream,
            buffer: Vec::new(),
            body: Body::End,
            keep: true,
        })
    }

    pub(crate) fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Can take another request.
    pub(crate) fn is_reusable(&self) -> bool {
        self.keep && self.body == Body::End
    }

    /// Sends a request and reads the head of its answer.
    pub(crate) fn send(
        &mut self,
        method: &str,
        target: &str,
        body: Option<&[u8]>,
        headers: &str,
    ) -> Result<Head, Broken> {
        let mut bytes =
            format!("{method} {target} HTTP/1.1\r\nhost: wigwag\r\n{headers}").into_bytes();
        if let Some(body) = body {
            bytes.extend_from_slice(
                format!(
                    "content-type: application/json\r\ncontent-length: {}\r\n",
                    body.len()
                )
                .as_bytes(),
            );
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body.unwrap_or_default());
        let written = self.stream.write_all(&bytes);
        // A refused body is answered before it is read to its end: the answer counts.
        if let Err(error) = written {
            return self.head().map_err(|_| Broken { sent: false, error });
        }
        self.head().map_err(|error| Broken { sent: true, error })
    }

    fn head(&mut self) -> io::Result<Head> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
            let mut response = httparse::Response::new(&mut headers);
            let parsed = response.parse(&self.buffer).map_err(io::Error::other)?;
            if let httparse::Status::Complete(length) = parsed {
                let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
                let head = Head {
                    status: response.code.unwrap_or(0),
                    headers: response
                        .headers
                        .iter()
                        .map(|header| (header.name.to_owned(), text(header.value)))
                        .collect(),
                };
                self.buffer.drain(..length);
                let has = |name: &str, value: &str| {
                    head.header(name)
                        .is_some_and(|found| found.eq_ignore_ascii_case(value))
                };
                self.body = if has("transfer-encoding", "chunked") {
                    Body::Chunk(0)
                } else {
                    let length = head
                        .header("content-length")
                        .and_then(|text| text.parse().ok());
                    length.map_or(Body::End, Body::Length)
                };
                self.keep = !has("connection", "close");
                return Ok(head);
            }
            if !self.fill()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// The whole body.
    pub(crate) fn body(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        while self.some_body(&mut body)? {}
        Ok(body)
    }

    /// Appends what is there of the body, waiting for at least some of it; `false` at its end.
    pub(crate) fn some_body(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            if self.take_body(out)? {
                return Ok(true);
            }
            if matches!(self.body, Body::End | Body::Length(0)) {
                self.body = Body::End;
                return Ok(false);
            }
            if !self.fill()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Appends what is buffered of the body, without reading; `false` where nothing is.
    pub(crate) fn take_body(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let before = out.len();
        loop {
            match self.body {
                Body::End => break,
                Body::Length(left) => {
                    let count = left.min(self.buffer.len() as u64) as usize;
                    out.extend(self.buffer.drain(..count));
                    self.body = Body::Length(left - count as u64);
                    break;
                }
                Body::Chunk(0) => {
                    if self.buffer == b"\r" {
                        break;
                    }
                    // The line break of the chunk before belongs to the size line.
                    match httparse::parse_chunk_size(self.chunk_line()).map_err(|_| {
                        io::Error::new(io::ErrorKind::InvalidData, "the answer is cut wrong")
                    })? {
                        httparse::Status::Partial => break,
                        httparse::Status::Complete((length, size)) => {
                            let skipped = self.buffer.len() - self.chunk_line().len();
                            if size == 0 {
                                // No trailers are sent: an empty line ends it.
                                if self.buffer.len() < skipped + length + 2 {
                                    break;
                                }
                                self.buffer.drain(..skipped + length + 2);
                                self.body = Body::End;
                            } else {
                                self.buffer.drain(..skipped + length);
                                self.body = Body::Chunk(size);
                            }
                        }
                    }
                }
                Body::Chunk(left) => {
                    let count = left.min(self.buffer.len() as u64) as usize;
                    if count == 0 {
                        break;
                    }
                    out.extend(self.buffer.drain(..count));
                    self.body = Body::Chunk(left - count as u64);
                }
            }
        }
        Ok(out.len() > before)
    }

    fn chunk_line(&self) -> &[u8] {
        self.buffer.strip_prefix(b"\r\n").unwrap_or(&self.buffer)
    }

    /// The body has ended.
    pub(crate) fn at_end(&self) -> bool {
        matches!(self.body, Body::End | Body::Length(0))
    }

    /// Reads some; `false` at the end of the connection.
    pub(crate) fn fill(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 16 << 10];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(count) => {
                    self.buffer.extend_from_slice(&bytes[..count]);
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A path segment, percent-encoded.
pub(crate) fn segment(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(bytes: &'static [u8], cut: usize) -> Connection {
        let (stream, mut other) = UnixStream::pair().unwrap();
        std::thread::spawn(move || {
            for piece in bytes.chunks(cut) {
                other.write_all(piece).unwrap();
            }
        });
        Connection {
            stream,
            buffer: Vec::new(),
            body: Body::End,
            keep: true,
        }
    }

    #[test]
    fn a_chunked_body_is_the_same_wherever_it_is_cut() {
        let bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n";
        for cut in 1..bytes.len() {
            let mut connection = answered(bytes, cut);
            assert_eq!(connection.head().unwrap().status, 200);
            assert_eq!(connection.body().unwrap(), b"abc0123456789");
            assert!(connection.is_reusable());
        }
    }

    #[test]
    fn a_body_of_known_length_ends_there() {
        let bytes = b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\nbodyHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        let mut connection = answered(bytes, 7);
        assert_eq!(connection.head().unwrap().status, 404);
        assert_eq!(connection.body().unwrap(), b"body");
        assert_eq!(connection.head().unwrap().status, 200);
        assert_eq!(connection.body().unwrap(), b"");
    }

    #[test]
    fn a_body_that_breaks_off_is_an_error() {
        let mut connection = answered(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbody", 64);
        connection.head().unwrap();
        assert!(connection.body().is_err());
    }

    #[test]
    fn segments_are_encoded() {
        assert_eq!(segment("a/b ?é"), "a%2Fb%20%3F%C3%A9");
    }
}
