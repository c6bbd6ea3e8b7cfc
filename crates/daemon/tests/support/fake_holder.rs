//! A holder whose events are exactly known: a thread that speaks the protocol, with a title an event.

use super::Place;
use holder::frame::{FrameReader, encode};
use holder::protocol::{Op, Request, VERSION, Welcome, kind};
use status::{EventKind, Facts, JournalEvent, Now, Size, Status, Terminal};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct FakeHolder {
    seq: Arc<AtomicU64>,
}

impl FakeHolder {
    pub(crate) const KEPT: u64 = 256;
    const ID: &str = "fakefake";

    /// Its latest event is `seq`.
    pub(crate) fn start(place: &Place, seq: u64) -> Self {
        let directory = place.paths.terminal_directory(Self::ID);
        std::fs::create_dir(&directory).unwrap();
        let listener = holder::socket_address::bind(&directory.join("sock")).unwrap();
        let seq = Arc::new(AtomicU64::new(seq));
        let shared = Arc::clone(&seq);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let seq = shared.load(Ordering::SeqCst);
                std::thread::spawn(move || serve(stream.unwrap(), seq));
            }
        });
        Self { seq }
    }

    /// Further events, for the next connection.
    pub(crate) fn advance(&self, seq: u64) {
        self.seq.store(seq, Ordering::SeqCst);
    }
}

fn serve(mut stream: UnixStream, seq: u64) {
    let mut frames = FrameReader::default();
    let mut bytes = [0; 4096];
    loop {
        while let Some(frame) = frames.next().unwrap() {
            let mut answer = Vec::new();
            if frame.kind == kind::HELLO {
                let welcome = Welcome {
                    version: VERSION,
                    program: "fake".into(),
                    // Nobody may kill the test by it.
                    pid: 0,
                    incarnation: 1,
                    status: status_at(seq),
                    seq,
                };
                answer = encode(kind::WELCOME, &serde_json::to_vec(&welcome).unwrap());
            } else if frame.kind == kind::REQUEST
                && let Request {
                    op: Op::Subscribe { since, .. },
                    ..
                } = serde_json::from_slice(&frame.body).unwrap()
            {
                let first = (seq + 1).saturating_sub(FakeHolder::KEPT).max(1);
                if since + 1 < first {
                    answer.extend(event(first - 1, EventKind::Gap, status_at(seq)));
                }
                for number in first.max(since + 1)..=seq {
                    answer.extend(event(number, EventKind::Title, status_at(number)));
                }
            }
            if stream.write_all(&answer).is_err() {
                return;
            }
        }
        match stream.read(&mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(count) => frames.push(&bytes[..count]),
        }
    }
}

fn event(seq: u64, event: EventKind, status: Status) -> Vec<u8> {
    let event = JournalEvent {
        seq,
        at: status.created_at,
        terminal: status.id.clone(),
        event,
        status: Some(status),
    };
    encode(kind::EVENT, &serde_json::to_vec(&event).unwrap())
}

fn status_at(seq: u64) -> Status {
    let now = Now {
        mono: std::time::Duration::ZERO,
        wall: "2026-11-30T22:00:00Z".parse().unwrap(),
    };
    let facts = Facts {
        id: FakeHolder::ID.into(),
        name: "fake".into(),
        created_at: now.wall,
        initial_command: None,
        size: Size { cols: 80, rows: 24 },
        cwd: None,
        attention_after: 0,
        own_aid: None,
    };
    let mut status = Terminal::new(facts, now).status();
    status.title = Some(format!("title {seq}"));
    status
}
