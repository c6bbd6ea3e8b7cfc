//! The API client of every client of the daemon. Blocking.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let paths = holder::paths::Paths::from_env()?;
//! let client = client::Client::connect(&paths)?;
//! for status in client.list()? {
//!     println!("{} {}", status.name, status.label);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A daemon that dies in the middle is started again where it was started on demand; what can be
//! repeated without harm is repeated, an event stream goes on after the last event it gave.
#![forbid(unsafe_code)]

mod error;
mod events;
mod http;
mod launch;

pub use daemon::api::{
    AckBody, CaptureQuery, Channel, CreateBody, Created, Done, Health, Notifications,
    NotifySettings, Settings, Tested, Warning,
};
pub use error::Error;
pub use events::{Events, Next, Since};
pub use holder::protocol::{ClientInfo, Process};
pub use launch::Launch;

use daemon::api::{ClearBody, ErrorBody, InputBody, NotifyTest, PatchBody, SignalBody};
use holder::paths::Paths;
use http::{Broken, Connection, segment};
use serde::Serialize;
use serde::de::DeserializeOwned;
use status::Status;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Whether a unique beginning of a name or id is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// Only the whole name or id: for everything that changes something.
    Exact,
    /// Also a unique prefix: for looking.
    Prefix,
}

/// A connection to the daemon of this user. Cheap: one socket, no thread.
///
/// `terminal` parameters take an id or a whole name.
#[derive(Debug)]
pub struct Client {
    target: Target,
    connection: Mutex<Option<Connection>>,
}

/// Which daemon, and whether it may be started.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    paths: Paths,
    launch: Option<Launch>,
}

/// Whether a request does no more harm when it arrives twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeat {
    Harmless,
    Never,
}

/// How often a request that may be repeated is sent: a daemon that died is started again; one that dies
/// each time is not tried for ever.
const ATTEMPTS: usize = 3;

impl Client {
    /// Connects; starts `wigwag daemon run` (this executable) where none runs, and waits until it
    /// serves.
    pub fn connect(paths: &Paths) -> Result<Self, Error> {
        Self::connect_with(paths, Launch::this_executable()?)
    }
    /// Connects; starts this daemon where none runs.
    pub fn connect_with(paths: &Paths, launch: Launch) -> Result<Self, Error> {
        Self::new(Target {
            paths: paths.clone(),
            launch: Some(launch),
        })
    }
    /// Connects to a daemon that runs; never starts one ([`Error::Unreachable`]).
    pub fn connect_existing(paths: &Paths) -> Result<Self, Error> {
        Self::new(Target {
            paths: paths.clone(),
            launch: None,
        })
    }

    fn new(target: Target) -> Result<Self, Error> {
        let connection = target.open()?;
        Ok(Self {
            target,
            connection: Mutex::new(Some(connection)),
        })
    }

    /// All terminals, most urgent first, then by name.
    pub fn list(&self) -> Result<Vec<Status>, Error> {
        self.get("/v1/terminals")
    }
    /// One terminal by id, name or (where allowed) unique prefix, in this order.
    pub fn find(&self, terminal: &str, how: Match) -> Result<Status, Error> {
        let query = match how {
            Match::Exact => "",
            Match::Prefix => "?prefix=true",
        };
        self.get(&(path(terminal, "") + query))
    }
    /// Starts a terminal with the environment of a fresh login. (A command line starts its
    /// own with [`holder::spawn::start`], so that they get its environment.) Repeated only where the body
    /// proposes an id.
    pub fn create(&self, body: &CreateBody) -> Result<Created, Error> {
        let repeat = match body.id {
            Some(_) => Repeat::Harmless,
            None => Repeat::Never,
        };
        self.call("POST", "/v1/terminals", Some(body), repeat)
    }
    /// Types text: as a paste (bracketed, made safe) or not, with Enter after a short pause or not.
    pub fn input(
        &self,
        terminal: &str,
        text: &str,
        paste: bool,
        enter: bool,
    ) -> Result<Done, Error> {
        let body = InputBody {
            text: Some(text.to_owned()),
            paste,
            enter,
            keys: None,
        };
        self.post(terminal, "/input", &body, Repeat::Never)
    }
    /// Presses named keys.
    pub fn keys(&self, terminal: &str, keys: &[String]) -> Result<Done, Error> {
        let body = InputBody {
            keys: Some(keys.to_vec()),
            ..InputBody::default()
        };
        self.post(terminal, "/input", &body, Repeat::Never)
    }
    /// Signals the program: `HUP`, `TERM`, `KILL`….
    pub fn signal(&self, terminal: &str, signal: &str) -> Result<Done, Error> {
        let body = SignalBody {
            signal: signal.to_owned(),
        };
        self.post(terminal, "/signal", &body, Repeat::Never)
    }
    /// Marks read, or brings the entry back.
    pub fn ack(&self, terminal: &str, ack: &AckBody) -> Result<Done, Error> {
        self.post(terminal, "/ack", ack, Repeat::Harmless)
    }
    /// Marks everything read (or, with `undo` or `remind_ms`, brings everything back); the terminals
    /// it changed, as they were before. One that vanishes meanwhile is passed over.
    pub fn ack_all(&self, ack: &AckBody) -> Result<Vec<Status>, Error> {
        let mut changed = Vec::new();
        for status in self.list()? {
            let concerned = if ack.undo {
                status.attention.as_ref().is_some_and(|entry| !entry.unread)
            } else {
                is_unread(&status)
            };
            if !concerned {
                continue;
            }
            // What came since the listing was not meant.
            let seq = status.attention.as_ref().map(|entry| entry.seq);
            let one = AckBody {
                seq: seq.filter(|_| !ack.undo && ack.remind_ms.is_none()),
                ..*ack
            };
            match self.ack(&status.id, &one) {
                Ok(_) => changed.push(status),
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(changed)
    }
    /// Drops finished and failed records: all, or one with all beneath it.
    pub fn clear(&self, terminal: &str, record: Option<&str>) -> Result<Done, Error> {
        let body = ClearBody {
            id: record.map(str::to_owned),
        };
        self.post(terminal, "/clear", &body, Repeat::Harmless)
    }
    /// No notifications (for a time), or again.
    pub fn mute(
        &self,
        terminal: &str,
        muted: bool,
        lasting: Option<Duration>,
    ) -> Result<Done, Error> {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let body = PatchBody {
            muted: Some(muted),
            mute_ms: lasting.filter(|_| muted).map(millis),
            name: None,
        };
        self.call("PATCH", &path(terminal, ""), Some(&body), Repeat::Harmless)
    }
    /// Gives another name.
    pub fn rename(&self, terminal: &str, name: &str) -> Result<Done, Error> {
        let body = PatchBody {
            name: Some(name.to_owned()),
            ..PatchBody::default()
        };
        // By name it would not be found a second time.
        let repeat = match holder::paths::is_id(terminal) {
            true => Repeat::Harmless,
            false => Repeat::Never,
        };
        self.call("PATCH", &path(terminal, ""), Some(&body), repeat)
    }
    /// Forgets an exited or lost terminal; a running one only with `force`. It is gone from the
    /// listing when this returns, and so is its holder, unless that takes longer than 3 s.
    pub fn remove(&self, terminal: &str, force: bool) -> Result<Done, Error> {
        let query = if force { "?force=true" } else { "" };
        let target = path(terminal, "") + query;
        self.call("DELETE", &target, None::<&()>, Repeat::Never)
    }
    /// Runs the command of an exited or lost terminal again, in the same place and environment. The
    /// holder is a child of the daemon's, with its limits and umask: a command line calls
    /// [`holder::spawn::restart`] itself.
    pub fn restart(&self, terminal: &str) -> Result<Done, Error> {
        self.call(
            "POST",
            &path(terminal, "/restart"),
            None::<&()>,
            Repeat::Never,
        )
    }
    /// Detaches all clients.
    pub fn detach(&self, terminal: &str) -> Result<Done, Error> {
        self.call(
            "POST",
            &path(terminal, "/detach"),
            None::<&()>,
            Repeat::Harmless,
        )
    }
    /// The screen as text. `terminal` may be a unique prefix.
    pub fn capture(&self, terminal: &str, query: &CaptureQuery) -> Result<String, Error> {
        let mut target = format!(
            "{}?scrollback={}&ansi={}",
            path(terminal, "/capture"),
            query.scrollback,
            query.ansi
        );
        if let Some(lines) = query.lines {
            target.push_str(&format!("&lines={lines}"));
        }
        let body = self.raw("GET", &target, None, Repeat::Harmless)?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }
    /// The processes of the terminal's session that live, the program first.
    pub fn processes(&self, terminal: &str) -> Result<Vec<Process>, Error> {
        self.get(&path(terminal, "/processes"))
    }
    /// The attached clients.
    pub fn clients(&self, terminal: &str) -> Result<Vec<ClientInfo>, Error> {
        self.get(&path(terminal, "/clients"))
    }
    /// Events of the journal. They come on a connection of their own, which lives by itself: this client
    /// can be used beside it.
    pub fn events(&self, since: Since, follow: bool) -> Result<Events, Error> {
        Events::open(self.target.clone(), since, follow)
    }
    /// How the daemon is.
    pub fn health(&self) -> Result<Health, Error> {
        self.get("/v1/health")
    }
    /// The settings in force.
    pub fn settings(&self) -> Result<Settings, Error> {
        self.get("/v1/settings")
    }
    /// Changes `config.toml` by a JSON merge patch of its tables and keys; the settings after it.
    pub fn change_settings(&self, patch: &serde_json::Value) -> Result<Settings, Error> {
        self.call("PATCH", "/v1/settings", Some(patch), Repeat::Harmless)
    }
    /// The channels of notifications, with their last result.
    pub fn notifications(&self) -> Result<Notifications, Error> {
        self.get("/v1/notify")
    }
    /// Shows a test on this channel, or on all that are set up, and says what came of it.
    pub fn test_notifications(&self, channel: Option<&str>) -> Result<Vec<Tested>, Error> {
        let body = NotifyTest {
            channel: channel.map(str::to_owned),
        };
        self.call("POST", "/v1/notify/test", Some(&body), Repeat::Never)
    }
    /// What the daemon counts, in the OpenMetrics text format.
    pub fn metrics(&self) -> Result<String, Error> {
        let body = self.raw("GET", "/metrics", None, Repeat::Harmless)?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    fn get<T: DeserializeOwned>(&self, target: &str) -> Result<T, Error> {
        self.call("GET", target, None::<&()>, Repeat::Harmless)
    }

    fn post(
        &self,
        terminal: &str,
        what: &str,
        body: &impl Serialize,
        repeat: Repeat,
    ) -> Result<Done, Error> {
        self.call("POST", &path(terminal, what), Some(body), repeat)
    }

    fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        target: &str,
        body: Option<&impl Serialize>,
        repeat: Repeat,
    ) -> Result<T, Error> {
        let body = body.map(serde_json::to_vec).transpose();
        let body = body.map_err(|error| Error::failed(error.to_string()))?;
        let answer = self.raw(method, target, body.as_deref(), repeat)?;
        serde_json::from_slice(&answer).map_err(|error| {
            Error::failed(format!("the daemon's answer is not understood: {error}"))
                .with_hint("client and daemon may be of different versions: `wigwag daemon stop` ends the old one, terminals go on")
        })
    }

    /// One request, on the connection that is kept; again on a new one where the daemon died.
    fn raw(
        &self,
        method: &str,
        target: &str,
        body: Option<&[u8]>,
        repeat: Repeat,
    ) -> Result<Vec<u8>, Error> {
        let mut kept = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut attempt = 1;
        loop {
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => self.target.open()?,
            };
            let answered = connection.send(method, target, body, "").and_then(|head| {
                let read = connection.body();
                read.map(|body| (head.status, body))
                    .map_err(|error| Broken { sent: true, error })
            });
            match answered {
                Ok((status, body)) => {
                    *kept = Some(connection).filter(Connection::is_reusable);
                    return if (200..300).contains(&status) {
                        Ok(body)
                    } else {
                        Err(of_answer(status, &body))
                    };
                }
                Err(broken)
                    if attempt < ATTEMPTS
                        && (!broken.sent || repeat == Repeat::Harmless)
                        && !is_timeout(&broken.error) =>
                {
                    attempt += 1;
                }
                Err(Broken { error, .. }) => return Err(broken_off(&error)),
            }
        }
    }
}

impl Target {
    /// A connection; with a daemon that is started for it, where that is allowed.
    fn open(&self) -> Result<Connection, Error> {
        let socket = self.paths.daemon_socket();
        let refused = match Connection::open(&self.paths) {
            Ok(connection) => return Ok(connection),
            Err(error) => error,
        };
        let Some(launch) = &self.launch else {
            return Err(Error::Unreachable {
                message: format!("no daemon answers at {}: {refused}", socket.display()),
                hint: Some("`wigwag daemon start` starts it".to_owned()),
            });
        };
        launch.start()?;
        Connection::open(&self.paths).map_err(|error| Error::Unreachable {
            message: format!(
                "the daemon started, but does not answer at {}: {error}",
                socket.display()
            ),
            hint: Some("`wigwag doctor` looks for the reason".to_owned()),
        })
    }
}

fn path(terminal: &str, what: &str) -> String {
    format!("/v1/terminals/{}{what}", segment(terminal))
}

/// A person has something to see there: an unread entry, or an ended record that nobody saw.
pub fn is_unread(status: &Status) -> bool {
    let unread = status.attention.as_ref().is_some_and(|entry| entry.unread);
    let asks = |record: &status::Record| {
        matches!(
            record.state,
            status::RecordState::Done | status::RecordState::Error
        ) && !record.seen
    };
    unread || status.reports.iter().any(asks)
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

fn broken_off(error: &io::Error) -> Error {
    let message = if is_timeout(error) {
        "the daemon does not answer".to_owned()
    } else {
        format!("the daemon went away before it answered: {error}")
    };
    Error::Unreachable {
        message,
        hint: Some("`wigwag doctor` looks for the reason".to_owned()),
    }
}

fn of_answer(status: u16, body: &[u8]) -> Error {
    match serde_json::from_slice::<ErrorBody>(body) {
        Ok(body) => Error::from_detail(body.error),
        Err(_) => Error::failed(format!("the daemon answered with HTTP status {status}")),
    }
}
