//! A private home for the holders of one test, and a client that waits for what it expects.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "shared by the test files; a test fails by panicking"
)]

use holder::connection::Connection;
use holder::frame::Frame;
use holder::paths::Paths;
use holder::protocol::{Attach, Bye, Hello, Moment, Op, Outcome, People, SnapshotStart, kind};
use holder::spawn::{self, SpawnError, Spec, Started};
use status::{JournalEvent, LifecycleState, Status};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The executable under test.
pub const HOLDER: &str = env!("CARGO_BIN_EXE_wigwag-holder");

/// The longest that anything may take on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(30);

/// Directories of one test, removed with every terminal in them.
pub struct Home {
    pub root: tempfile::TempDir,
    pub paths: Paths,
}

impl Home {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths {
            runtime: vec![root.path().join("run/wigwag")],
            state: root.path().join("state/wigwag"),
            config: root.path().join("config/wigwag"),
        };
        Self { root, paths }
    }

    pub fn spec(&self, command: &[&str]) -> Spec {
        Spec {
            command: Some(command.iter().map(OsString::from).collect()),
            cwd: self.root.path().to_owned(),
            env: [
                ("PATH", "/usr/local/bin:/usr/bin:/bin"),
                ("HOME", "/nonexistent"),
                ("LANG", "C.UTF-8"),
            ]
            .map(|(key, value)| (key.into(), value.into()))
            .into(),
            cols: 80,
            rows: 24,
            scrollback: 1000,
            ..Spec::default()
        }
    }

    pub fn sh(&self, script: &str) -> Spec {
        self.spec(&["sh", "-c", script])
    }

    pub fn start(&self, spec: &Spec) -> Started {
        spawn::start(&self.paths, spec).unwrap()
    }

    pub fn try_start(&self, spec: &Spec) -> Result<Started, SpawnError> {
        spawn::start(&self.paths, spec)
    }

    /// Starts a holder with test hooks.
    pub fn start_hooked(&self, spec: &Spec) -> Started {
        let mut command = Command::new(HOLDER);
        self.start_by(command.env("WIGWAG_TEST_HOOKS", "1"), spec)
    }

    /// Starts a holder by a command of one's own.
    pub fn start_by(&self, command: &mut Command, spec: &Spec) -> Started {
        let request = serde_json::json!({"paths": self.paths, "spec": spec, "before": null});
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(request.to_string().as_bytes())
            .unwrap();
        let mut answer = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut answer)
            .unwrap();
        child.wait().unwrap();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        serde_json::from_value(answer["started"].clone()).unwrap()
    }

    pub fn connect(&self, started: &Started) -> Client {
        Client::open(&started.socket)
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.root.path().join(name)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        for found in self.paths.scan().unwrap_or_default() {
            if let Ok(stream) = holder::socket_address::connect(&found.socket) {
                let _ = stream.set_read_timeout(Some(LIMIT));
                if let Ok(mut connection) = Connection::over(stream, &Hello::this_program()) {
                    let _ = connection.request(Op::Signal {
                        signal: "KILL".into(),
                    });
                    let _ = connection.request(Op::Remove { force: true });
                }
            }
        }
    }
}

/// A client of one holder.
pub struct Client {
    pub connection: Connection,
    /// Everything of the stream so far, snapshots included.
    pub output: Vec<u8>,
    pub moments: Vec<Moment>,
    pub events: Vec<JournalEvent>,
    pub people: Vec<People>,
    pub snapshots: Vec<SnapshotStart>,
    pub snapshot_ends: usize,
    pub bye: Option<Bye>,
    pub closed: bool,
}

pub fn person(cols: u16, rows: u16) -> Attach {
    Attach {
        cols,
        rows,
        take_size: true,
        person: true,
        focused: true,
        history: 1000,
        ..Attach::default()
    }
}

impl Client {
    pub fn open(socket: &Path) -> Self {
        let connection = Connection::open(socket, &Hello::this_program()).unwrap();
        connection.stream().set_read_timeout(Some(LIMIT)).unwrap();
        connection.stream().set_write_timeout(Some(LIMIT)).unwrap();
        Self {
            connection,
            output: Vec::new(),
            moments: Vec::new(),
            events: Vec::new(),
            people: Vec::new(),
            snapshots: Vec::new(),
            snapshot_ends: 0,
            bye: None,
            closed: false,
        }
    }

    /// Attaches and takes the first snapshot.
    pub fn attach(&mut self, attach: &Attach) {
        self.connection.attach(attach).unwrap();
        let before = self.snapshot_ends;
        self.until("the first snapshot", |client| client.snapshot_ends > before);
    }

    /// Receives until it is so.
    pub fn until(&mut self, what: &str, so: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !so(self) {
            assert!(
                !self.closed && begun.elapsed() < LIMIT,
                "{what}: closed {}, bye {:?}, moments {:?}, output {:?}",
                self.closed,
                self.bye,
                self.moments,
                String::from_utf8_lossy(&self.output[self.output.len().saturating_sub(2000)..])
            );
            match self
                .connection
                .receive()
                .unwrap_or_else(|error| panic!("{what}: {error}"))
            {
                None => self.closed = true,
                Some(frame) => self.take(&frame),
            }
        }
    }

    pub fn until_output(&mut self, text: &str) {
        self.until(text, |client| contains(&client.output, text.as_bytes()));
    }

    pub fn until_moment(&mut self, moment: &Moment) {
        self.until("moment", |client| client.moments.contains(moment));
    }

    pub fn until_closed(&mut self) {
        while !self.closed {
            match self.connection.receive().unwrap() {
                None => self.closed = true,
                Some(frame) => self.take(&frame),
            }
        }
    }

    fn take(&mut self, frame: &Frame) {
        match frame.kind {
            kind::OUTPUT => self.output.extend_from_slice(&frame.body),
            kind::SNAPSHOT_START => self
                .snapshots
                .push(serde_json::from_slice(&frame.body).unwrap()),
            kind::SNAPSHOT_END => self.snapshot_ends += 1,
            kind::MOMENT => self
                .moments
                .push(serde_json::from_slice(&frame.body).unwrap()),
            kind::EVENT => self
                .events
                .push(serde_json::from_slice(&frame.body).unwrap()),
            kind::PEOPLE => self
                .people
                .push(serde_json::from_slice(&frame.body).unwrap()),
            kind::BYE => self.bye = Some(serde_json::from_slice(&frame.body).unwrap()),
            _ => {}
        }
    }

    pub fn input(&mut self, text: &str) {
        self.connection.input(text.as_bytes()).unwrap();
    }

    pub fn request(&mut self, op: Op) -> Outcome {
        self.connection.request(op).unwrap().0
    }

    pub fn done(&mut self, op: Op) -> u64 {
        match self.request(op.clone()) {
            Outcome::Done { seq } => seq,
            other => panic!("{op:?}: {other:?}"),
        }
    }

    pub fn refused(&mut self, op: Op) -> (String, String) {
        match self.request(op.clone()) {
            Outcome::Error { code, message } => (code, message),
            other => panic!("{op:?}: {other:?}"),
        }
    }

    pub fn status(&mut self) -> Status {
        match self.request(Op::Status) {
            Outcome::Status { status, .. } => *status,
            other => panic!("{other:?}"),
        }
    }

    pub fn capture(&mut self) -> String {
        let op = Op::Capture {
            lines: None,
            scrollback: true,
            ansi: false,
        };
        String::from_utf8(self.connection.request(op).unwrap().1).unwrap()
    }

    /// Subscribes from the beginning.
    pub fn subscribe(&mut self) {
        self.done(Op::Subscribe {
            since: 0,
            incarnation: 0,
        });
    }

    /// Follows events (after [`Client::subscribe`]) until the status is so.
    pub fn until_status(&mut self, what: &str, so: impl Fn(&Status) -> bool) -> Status {
        let latest = |client: &Self| {
            client
                .events
                .iter()
                .rev()
                .find_map(|event| event.status.clone())
                .filter(|status| so(status))
        };
        self.until(what, |client| latest(client).is_some());
        latest(self).unwrap()
    }

    pub fn until_exited(&mut self) -> Status {
        self.until_status("exited", |status| {
            status.lifecycle.state == LifecycleState::Exited
        })
    }

    /// Follows screen captures until the text is there.
    pub fn until_captured(&mut self, text: &str) -> String {
        let begun = Instant::now();
        loop {
            let captured = self.capture();
            if captured.contains(text) {
                return captured;
            }
            assert!(begun.elapsed() < LIMIT, "{text:?} never came: {captured}");
            std::thread::yield_now();
        }
    }
}

pub fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}
