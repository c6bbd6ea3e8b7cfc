//! A user of their own: private directories, a daemon process, terminals with real holders.
#![allow(clippy::unwrap_used, reason = "a test ends there")]
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod fake_holder;

use client::{Client, CreateBody, Events, Launch, Next, Since};
use holder::paths::Paths;
use status::{EventKind, JournalEvent, LifecycleState, Status};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Generous: the machine may be busy.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Place {
    pub(crate) paths: Paths,
    pub(crate) home: tempfile::TempDir,
}

/// A daemon process that is killed at the end of its test.
pub(crate) struct Daemon {
    pub(crate) child: Child,
}

impl Daemon {
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Default for Place {
    fn default() -> Self {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths {
            runtime: vec![home.path().join("run/wigwag")],
            state: home.path().join("state/wigwag"),
            config: home.path().join("config/wigwag"),
        };
        paths.create().unwrap();
        Self { paths, home }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // The terminals of the test.
        for found in self.paths.scan().unwrap_or_default() {
            if let Some(pid) = self.holder_pid(&found.id) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

impl Place {
    pub(crate) fn executable() -> PathBuf {
        PathBuf::from(env!("CARGO_BIN_EXE_wigwag-test-daemon"))
    }

    pub(crate) fn command(&self) -> Command {
        let holder = Self::executable().with_file_name("wigwag-holder");
        assert!(
            holder.exists(),
            "{} is missing: `cargo build -p holder` makes it",
            holder.display()
        );
        let home = self.home.path();
        let mut command = Command::new(Self::executable());
        command
            .env("XDG_RUNTIME_DIR", home.join("run"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("HOME", home)
            .env("WIGWAG_HOLDER", holder)
            // No test tells the person at this desktop.
            .env_remove("DBUS_SESSION_BUS_ADDRESS");
        command
    }

    /// Starts a daemon and waits until it serves.
    pub(crate) fn daemon(&self) -> Daemon {
        let mut child = self
            .command()
            .arg("--ready")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        // As whoever started it does: nobody reads what it says from here on.
        drop(child.stderr.take());
        Daemon { child }
    }

    /// A launch of the same daemon on demand, through `env` for its variables.
    pub(crate) fn launch(&self) -> Launch {
        let command = self.command();
        // What is removed comes before what is set.
        let (mut args, mut set) = (Vec::<OsString>::new(), Vec::new());
        for (key, value) in command.get_envs() {
            let Some(value) = value else {
                args.extend(["-u".into(), key.to_owned()]);
                continue;
            };
            let mut pair = key.to_owned();
            pair.push("=");
            pair.push(value);
            set.push(pair);
        }
        args.extend(set);
        args.push(Self::executable().into());
        args.push("--ready".into());
        Launch {
            program: "/usr/bin/env".into(),
            args,
        }
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect_existing(&self.paths).unwrap()
    }

    /// Starts a terminal that runs `script` in sh.
    pub(crate) fn terminal(&self, name: &str, script: &str) -> String {
        let body = CreateBody {
            name: Some(name.to_owned()),
            command: Some(["sh", "-c", script].map(str::to_owned).into()),
            cwd: Some(self.home.path().to_str().unwrap().to_owned()),
            ..CreateBody::default()
        };
        self.client().create(&body).unwrap().id
    }

    /// The process of a terminal's holder.
    pub(crate) fn holder_pid(&self, id: &str) -> Option<rustix::process::Pid> {
        let hello = holder::protocol::Hello {
            version: holder::protocol::VERSION,
            program: "test".into(),
        };
        let socket = self.paths.holder_socket(id);
        let stream = holder::socket_address::connect(&socket).ok()?;
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let connection = holder::connection::Connection::over(stream, &hello).ok()?;
        rustix::process::Pid::from_raw(connection.welcome.pid as i32)
    }

    /// A pipe in the home directory that a terminal's program can wait on.
    pub(crate) fn gate(&self, name: &str) {
        let path = self.home.path().join(name);
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            path,
            rustix::fs::Mode::from_raw_mode(0o600),
        )
        .unwrap();
    }

    /// Lets the program that waits on the pipe go on.
    pub(crate) fn open_gate(&self, name: &str) {
        std::fs::write(self.home.path().join(name), "go\n").unwrap();
    }

    /// A request as bytes; the whole answer as text.
    pub(crate) fn http(&self, request: &str) -> String {
        let mut stream = UnixStream::connect(self.paths.daemon_socket()).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> String {
        self.http(&format!(
            "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        ))
    }
}

/// Waits for an event that is as asked, and gives all up to it.
pub(crate) fn until(
    events: &mut Events,
    mut is: impl FnMut(&JournalEvent) -> bool,
) -> Vec<JournalEvent> {
    let deadline = Instant::now() + LIMIT;
    let mut seen = Vec::new();
    loop {
        match events.next(Some(deadline)).unwrap() {
            Next::Event(event) => {
                let done = is(&event);
                seen.push(*event);
                if done {
                    return seen;
                }
            }
            other => panic!("{other:?} after {seen:#?}"),
        }
    }
}

/// Every event that the journal has.
pub(crate) fn all_events(client: &Client, since: u64) -> Vec<JournalEvent> {
    let mut events = client.events(Since::Seq(since), false).unwrap();
    let mut all = Vec::new();
    while let Next::Event(event) = events.next(Some(Instant::now() + LIMIT)).unwrap() {
        all.push(*event);
    }
    all
}

pub(crate) fn title_is(event: &JournalEvent, title: &str) -> bool {
    let status = event.status.as_ref();
    status.is_some_and(|status| status.title.as_deref() == Some(title))
}

pub(crate) fn has_exited(event: &JournalEvent) -> bool {
    event.event == EventKind::Lifecycle && event.status.as_ref().is_some_and(is_exited)
}

pub(crate) fn is_exited(status: &Status) -> bool {
    status.lifecycle.state == LifecycleState::Exited
}
