//! The frames of the holder protocol: any bytes from a client or a holder.
//!
//! Promises: the cut of the stream does not matter; a frame over the limit is refused, never
//! allocated; no body, whatever is in it, does more than fail to parse; what parses says the
//! same when it is written and read again.

use holder::frame::{Frame, FrameReader, TooLong, encode};
use holder::protocol::{
    Attach, Bye, Hello, MAX_BODY, Moment, Presence, Reply, Request, Resize, SnapshotStart, Welcome,
    kind,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// The target: the first byte says how the stream is cut.
pub fn holder_frames(data: &[u8]) {
    let Some((piece, stream)) = data.split_first() else {
        return;
    };
    let (frames, end) = frames(stream, stream.len().max(1));
    let in_pieces = self::frames(stream, usize::from(*piece).max(1));
    assert_eq!((&frames, &end), (&in_pieces.0, &in_pieces.1));
    for frame in &frames {
        assert!(frame.body.len() <= MAX_BODY);
        check(frame);
    }
    let again: Vec<u8> = frames
        .iter()
        .flat_map(|frame| encode(frame.kind, &frame.body))
        .collect();
    assert!(stream.starts_with(&again));
}

/// The frames in `stream`, pushed in pieces of that many bytes, up to the first bad one.
fn frames(stream: &[u8], piece: usize) -> (Vec<Frame>, Option<TooLong>) {
    let mut reader = FrameReader::default();
    let mut frames = Vec::new();
    for bytes in stream.chunks(piece) {
        reader.push(bytes);
        loop {
            match reader.next() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(too_long) => return (frames, Some(too_long)),
            }
        }
    }
    (frames, None)
}

fn check(frame: &Frame) {
    match frame.kind {
        kind::HELLO => reads_back::<Hello>(&frame.body),
        kind::ATTACH => reads_back::<Attach>(&frame.body),
        kind::RESIZE => reads_back::<Resize>(&frame.body),
        kind::PRESENCE => reads_back::<Presence>(&frame.body),
        kind::REQUEST => reads_back::<Request>(&frame.body),
        kind::WELCOME => reads_back::<Welcome>(&frame.body),
        kind::SNAPSHOT_START => reads_back::<SnapshotStart>(&frame.body),
        kind::REPLY => reads_back::<Reply>(&frame.body),
        kind::MOMENT => reads_back::<Moment>(&frame.body),
        kind::BYE => reads_back::<Bye>(&frame.body),
        _ => {}
    }
}

fn reads_back<T: Serialize + DeserializeOwned + Debug>(body: &[u8]) {
    let Ok(value) = serde_json::from_slice::<T>(body) else {
        return;
    };
    let written = serde_json::to_vec(&value).unwrap_or_else(|error| panic!("{value:?}: {error}"));
    let again: T = serde_json::from_slice(&written)
        .unwrap_or_else(|error| panic!("{}: {error}", written.escape_ascii()));
    assert_eq!(format!("{value:?}"), format!("{again:?}"));
}

#[cfg(test)]
mod tests {
    #[test]
    fn frames_of_anybody_keep_their_promises() {
        let dictionary: &[&[u8]] = &[
            b"\x00\x00\x00\x00\x01",
            b"\x02\x00\x00\x00\x06",
            b"\xff\xff\xff\xff\x03",
            b"\x00\x00\x10\x00\x83",
            b"\x01\x00\x10\x00\x83",
            b"{}",
            b"null",
            b"{\"id\":1,\"op\":\"status\"}",
            b"\"op\":\"capture\"",
            b"\"take_size\":true",
            b"18446744073709551616",
            b"-1",
            b"1e999",
            b"\"\\ud800\"",
        ];
        crate::mutation::run("holder_frames", dictionary, super::holder_frames);
    }
}
