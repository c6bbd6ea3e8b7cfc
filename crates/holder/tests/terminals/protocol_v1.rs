//! Protocol version 1 as it was spoken once: what a client of that version sent and got is kept in
//! `tests/protocol_v1/` and never changes. Today's holder must serve that client alike, and
//! today's client must understand that holder.

use crate::home::{Home, LIMIT};
use holder::frame::{Frame, FrameReader};
use holder::protocol::{Bye, Moment, Reply, SnapshotStart, Welcome, kind};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

const CLIENT: &[u8] = include_bytes!("../protocol_v1/client.bin");
const HOLDER: &[u8] = include_bytes!("../protocol_v1/holder.bin");

fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut reader = FrameReader::default();
    reader.push(bytes);
    let frames = std::iter::from_fn(|| reader.next().unwrap()).collect();
    assert!(reader.is_empty());
    frames
}

/// Number and outcome of every reply, in order.
fn outcomes(frames: &[Frame]) -> Vec<(u64, String)> {
    let replies = frames.iter().filter(|frame| frame.kind == kind::REPLY);
    replies
        .map(|frame| {
            let reply: serde_json::Value = serde_json::from_slice(&frame.body).unwrap();
            (
                reply["id"].as_u64().unwrap(),
                reply["outcome"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

#[test]
fn todays_client_understands_a_holder_of_version_1() {
    for frame in frames(HOLDER) {
        let body = &frame.body[..];
        let understood = match frame.kind {
            kind::WELCOME => serde_json::from_slice::<Welcome>(body).map(drop),
            kind::SNAPSHOT_START => serde_json::from_slice::<SnapshotStart>(body).map(drop),
            kind::EVENT => serde_json::from_slice::<status::JournalEvent>(body).map(drop),
            kind::REPLY => serde_json::from_slice::<Reply>(body).map(drop),
            kind::MOMENT => serde_json::from_slice::<Moment>(body).map(drop),
            kind::BYE => serde_json::from_slice::<Bye>(body).map(drop),
            kind::OUTPUT | kind::SNAPSHOT_END | kind::DATA => Ok(()),
            other => panic!("a frame of kind {other:#04x}"),
        };
        understood.unwrap_or_else(|error| panic!("{error}: {}", body.escape_ascii()));
    }
}

#[test]
fn todays_holder_serves_a_client_of_version_1() {
    let home = Home::new();
    let script = "printf '\\033[?2004h\\033]2;title\\033\\\\'; stty -echo; echo ready; while read line; do echo \"got $line\"; done; exit 3";
    let mut spec = home.sh(script);
    spec.name = Some("talk".into());
    let started = home.start(&spec);
    home.connect(&started).until_captured("ready");

    let mut talk = Talk {
        stream: holder::socket_address::connect(&started.socket).unwrap(),
        got: Vec::new(),
    };
    talk.stream.set_read_timeout(Some(LIMIT)).unwrap();
    let mut snapshots = 0;
    for frame in frames(CLIENT) {
        talk.stream
            .write_all(&holder::frame::encode(frame.kind, &frame.body))
            .unwrap();
        match frame.kind {
            kind::HELLO => talk.until(|frames| frames.len() == 1),
            kind::ATTACH | kind::RESIZE => {
                snapshots += 1;
                talk.until(|frames| {
                    frames
                        .iter()
                        .filter(|frame| frame.kind == kind::SNAPSHOT_END)
                        .count()
                        == snapshots
                });
            }
            kind::INPUT => talk.until_output("got hello"),
            kind::REQUEST => {
                let request: serde_json::Value = serde_json::from_slice(&frame.body).unwrap();
                let id = request["id"].as_u64().unwrap();
                talk.until(|frames| outcomes(frames).last().is_some_and(|(last, _)| *last == id));
                match request["op"].as_str().unwrap() {
                    "input" => talk.until_output("got typed"),
                    "signal" => talk.until(|frames| {
                        frames.iter().any(|frame| {
                            frame.kind == kind::MOMENT && frame.body == b"{\"moment\":\"exited\"}"
                        })
                    }),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    talk.until(|frames| frames.iter().any(|frame| frame.kind == kind::BYE));
    assert_eq!(outcomes(&frames(&talk.got)), outcomes(&frames(HOLDER)));
}

struct Talk {
    stream: UnixStream,
    got: Vec<u8>,
}

impl Talk {
    fn until(&mut self, so: impl Fn(&[Frame]) -> bool) {
        loop {
            let mut reader = FrameReader::default();
            reader.push(&self.got);
            let frames: Vec<Frame> = std::iter::from_fn(|| reader.next().unwrap()).collect();
            if so(&frames) {
                return;
            }
            let mut piece = [0; 65536];
            let n = self.stream.read(&mut piece).unwrap();
            assert!(n > 0, "closed after {:?}", outcomes(&frames));
            self.got.extend_from_slice(&piece[..n]);
        }
    }

    fn until_output(&mut self, text: &str) {
        self.until(|frames| {
            let output = frames.iter().filter(|frame| frame.kind == kind::OUTPUT);
            let output: Vec<u8> = output.flat_map(|frame| frame.body.clone()).collect();
            crate::home::contains(&output, text.as_bytes())
        });
    }
}
