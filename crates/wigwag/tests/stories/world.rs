//! One user on one machine: private directories, the commands, and the stream of events by which
//! tests wait for what they expect.

use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Generous: a busy machine is slow, a broken program is slow for ever.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// In the environment of everything that is started here, whatever it detaches itself from.
const MARK: &str = "WIGWAG_STORY";

pub(crate) struct World {
    dir: tempfile::TempDir,
    variables: Mutex<Vec<(String, String)>>,
    events: Mutex<Option<Stream>>,
    statuses: Arc<(Mutex<HashMap<String, Value>>, Condvar)>,
}

/// `wigwag events --follow`, and the thread that reads it.
struct Stream {
    child: Child,
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("story").tempdir().unwrap();
        for sub in ["run", "state", "config", "home"] {
            let path = dir.path().join(sub);
            std::fs::create_dir(&path).unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
                .unwrap();
        }
        Self {
            dir,
            variables: Mutex::default(),
            events: Mutex::new(None),
            statuses: Arc::default(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A file in this world.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env(MARK, self.path())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path().join("home"))
            .env("XDG_RUNTIME_DIR", self.path().join("run"))
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .current_dir(self.path());
        command.envs(self.variables.lock().unwrap().iter().cloned());
        command
    }

    /// A variable of everything that is started from now on.
    #[allow(dead_code, reason = "for the tests of notifications")]
    pub(crate) fn set(&self, name: &str, value: &str) {
        let pair = (name.to_owned(), value.to_owned());
        self.variables.lock().unwrap().push(pair);
    }

    pub(crate) fn wigwag(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_wigwag"));
        command.args(args).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end, whatever that is.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.wigwag(args).output().unwrap()
    }

    /// Runs a command that must succeed; its output.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "wigwag {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must end with `code`; what it complained about.
    pub(crate) fn fails(&self, args: &[&str], code: i32) -> String {
        let output = self.run(args);
        assert_eq!(
            output.status.code(),
            Some(code),
            "wigwag {args:?}: {output:?}"
        );
        String::from_utf8(output.stderr).unwrap()
    }

    /// `show NAME --json`.
    pub(crate) fn show(&self, name: &str) -> Value {
        serde_json::from_str(&self.ok(&["show", name, "--json"])).unwrap()
    }

    /// `list --json`.
    pub(crate) fn list(&self) -> Vec<Value> {
        serde_json::from_str(&self.ok(&["list", "--json"])).unwrap()
    }

    /// Waits until the daemon announced a status of this terminal that fits; then returns what
    /// `show` says of it.
    pub(crate) fn until(&self, name: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.follow_events();
        let (statuses, changed) = &*self.statuses;
        let deadline = Instant::now() + LIMIT;
        let mut known = statuses.lock().unwrap();
        while !known.get(name).is_some_and(&fits) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{name} did not become what was waited for; it is {:#}",
                known.get(name).unwrap_or(&Value::Null)
            );
            known = changed.wait_timeout(known, left).unwrap().0;
        }
        drop(known);
        self.show(name)
    }

    /// Starts following the daemon's events from the first one, where that is not done yet or
    /// ended with a killed daemon.
    fn follow_events(&self) {
        let mut events = self.events.lock().unwrap();
        if let Some(stream) = events.as_mut()
            && stream.child.try_wait().unwrap().is_none()
        {
            return;
        }
        let mut child = self
            .wigwag(&["events", "--since", "0", "--follow", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        *events = Some(Stream { child });
        let shared = Arc::clone(&self.statuses);
        std::thread::spawn(move || {
            for line in lines {
                let Ok(line) = line else { return };
                let event: Value = serde_json::from_str(&line).expect("events are JSON lines");
                let status = &event["status"];
                if let Some(name) = status["name"].as_str() {
                    let mut known = shared.0.lock().unwrap();
                    known.insert(name.to_owned(), status.clone());
                    shared.1.notify_all();
                }
            }
        });
    }

    /// Waits until a capture of the terminal contains `text`; returns it.
    pub(crate) fn until_shown(&self, name: &str, text: &str) -> String {
        // A window that starts it may not have come so far.
        self.until(name, |_| true);
        let pattern = format!("output:{}", regex::escape(text));
        self.ok(&["wait", name, "--until", &pattern, "--timeout", "60s"]);
        self.ok(&["capture", name])
    }

    /// Types a line into a terminal.
    pub(crate) fn send(&self, name: &str, line: &str) {
        self.ok(&["send", name, "--enter", line]);
    }

    /// The processes that descend from this world and run an executable of this name.
    pub(crate) fn processes(&self, executable: &str) -> Vec<i32> {
        let place = format!("{MARK}={}\0", self.path().display()).into_bytes();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
            else {
                continue;
            };
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let name = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            let ours = environment
                .windows(place.len())
                .any(|window| window == place.as_slice());
            // Zombies have no environment any more.
            if ours && (executable.is_empty() || name.trim_end() == executable) {
                found.push(pid);
            }
        }
        found
    }

    /// The daemon: the `wigwag` that nobody started with a window or a pipe.
    pub(crate) fn daemon_pid(&self) -> i32 {
        let daemons: Vec<i32> = self
            .processes("wigwag")
            .into_iter()
            .filter(|pid| {
                std::fs::read(format!("/proc/{pid}/cmdline"))
                    .unwrap_or_default()
                    .split(|byte| *byte == 0)
                    .nth(1)
                    == Some(b"daemon".as_slice())
            })
            .collect();
        assert_eq!(daemons.len(), 1, "one daemon");
        daemons[0]
    }

    /// `kill -9`, and waits until it is gone.
    pub(crate) fn kill_daemon(&self) {
        kill(self.daemon_pid());
    }

    /// What a reboot does: every process ends, the runtime directory is empty.
    pub(crate) fn reboot(&self) {
        *self.events.lock().unwrap() = None;
        // No daemon outlives the terminals and tells of their end.
        self.processes("wigwag").into_iter().for_each(kill);
        self.end_everything();
        let run = self.path().join("run");
        std::fs::remove_dir_all(&run).unwrap();
        std::fs::create_dir(&run).unwrap();
        std::fs::set_permissions(&run, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .unwrap();
    }

    /// Holders first, so that none sees another's end.
    fn end_everything(&self) {
        for pid in self.processes("wigwag-holder") {
            kill(pid);
        }
        loop {
            let left = self.processes("");
            if left.is_empty() {
                return;
            }
            left.into_iter().for_each(kill);
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        *self.events.lock().unwrap() = None;
        self.end_everything();
    }
}

/// Ends one process at once and waits for its end.
pub(crate) fn kill(pid: i32) {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    // A pidfd, so that another process that takes the number meanwhile is safe.
    let Ok(pidfd) = pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()) else {
        return;
    };
    let _ = pidfd_send_signal(&pidfd, Signal::KILL);
    let mut polled = [rustix::event::PollFd::new(
        &pidfd,
        rustix::event::PollFlags::IN,
    )];
    let limit = rustix::event::Timespec::try_from(LIMIT).unwrap();
    assert_eq!(
        rustix::event::poll(&mut polled, Some(&limit)).unwrap(),
        1,
        "{pid} lives on"
    );
}
