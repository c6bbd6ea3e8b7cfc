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

pub use daemon::api::{AckBody, CaptureQuery, CreateBody, Created, Done, Health, Warning};
pub use error::Error;
pub use events::{Events, Next, Since};
pub use holder::protocol::{ClientInfo, Process};

use holder::paths::Paths;
use status::Status;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How to start a daemon where none runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments; it writes one line to standard output when it serves.
    pub args: Vec<OsString>,
}

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
pub struct Client {}

impl Client {
    /// Connects; starts `wigwag daemon run` (this executable) where none runs, and waits until it
    /// serves.
    pub fn connect(paths: &Paths) -> Result<Self, Error> {
        let _ = paths;
        Err(Error::unfinished())
    }
    /// Connects; starts this daemon where none runs.
    pub fn connect_with(paths: &Paths, launch: Launch) -> Result<Self, Error> {
        let _ = (paths, launch);
        Err(Error::unfinished())
    }
    /// Connects to a daemon that runs; never starts one ([`Error::Unreachable`]).
    pub fn connect_existing(paths: &Paths) -> Result<Self, Error> {
        let _ = paths;
        Err(Error::unfinished())
    }

    /// All terminals, most urgent first, then by name.
    pub fn list(&self) -> Result<Vec<Status>, Error> {
        Err(Error::unfinished())
    }
    /// One terminal by id, name or (where allowed) unique prefix, in this order.
    pub fn find(&self, terminal: &str, how: Match) -> Result<Status, Error> {
        let _ = (terminal, how);
        Err(Error::unfinished())
    }
    /// Starts a terminal with the environment of a fresh login. (A command line starts its
    /// own with [`holder::spawn::start`], so that they get its environment.)
    pub fn create(&self, body: &CreateBody) -> Result<Created, Error> {
        let _ = body;
        Err(Error::unfinished())
    }
    /// Types text: as a paste (bracketed, made safe) or not, with Enter after a short pause or not.
    pub fn input(
        &self,
        terminal: &str,
        text: &str,
        paste: bool,
        enter: bool,
    ) -> Result<Done, Error> {
        let _ = (terminal, text, paste, enter);
        Err(Error::unfinished())
    }
    /// Presses named keys.
    pub fn keys(&self, terminal: &str, keys: &[String]) -> Result<Done, Error> {
        let _ = (terminal, keys);
        Err(Error::unfinished())
    }
    /// Signals the program: `HUP`, `TERM`, `KILL`….
    pub fn signal(&self, terminal: &str, signal: &str) -> Result<Done, Error> {
        let _ = (terminal, signal);
        Err(Error::unfinished())
    }
    /// Marks read, or brings the entry back.
    pub fn ack(&self, terminal: &str, ack: &AckBody) -> Result<Done, Error> {
        let _ = (terminal, ack);
        Err(Error::unfinished())
    }
    /// Marks everything read (or, with `undo` or `remind_ms`, brings everything back); the terminals
    /// it changed.
    pub fn ack_all(&self, ack: &AckBody) -> Result<Vec<Status>, Error> {
        let _ = ack;
        Err(Error::unfinished())
    }
    /// Drops finished and failed records: all, or one with all beneath it.
    pub fn clear(&self, terminal: &str, record: Option<&str>) -> Result<Done, Error> {
        let _ = (terminal, record);
        Err(Error::unfinished())
    }
    /// No notifications (for a time), or again.
    pub fn mute(
        &self,
        terminal: &str,
        muted: bool,
        lasting: Option<Duration>,
    ) -> Result<Done, Error> {
        let _ = (terminal, muted, lasting);
        Err(Error::unfinished())
    }
    /// Gives another name.
    pub fn rename(&self, terminal: &str, name: &str) -> Result<Done, Error> {
        let _ = (terminal, name);
        Err(Error::unfinished())
    }
    /// Forgets an exited or lost terminal; a running one only with `force`. It is gone from the
    /// listing when this returns.
    pub fn remove(&self, terminal: &str, force: bool) -> Result<Done, Error> {
        let _ = (terminal, force);
        Err(Error::unfinished())
    }
    /// Runs the command of an exited or lost terminal again, in the same place and environment. The
    /// holder is a child of the daemon's, with its limits and umask: a command line calls
    /// [`holder::spawn::restart`] itself.
    pub fn restart(&self, terminal: &str) -> Result<Done, Error> {
        let _ = terminal;
        Err(Error::unfinished())
    }
    /// Detaches all clients.
    pub fn detach(&self, terminal: &str) -> Result<Done, Error> {
        let _ = terminal;
        Err(Error::unfinished())
    }
    /// The screen as text.
    pub fn capture(&self, terminal: &str, query: &CaptureQuery) -> Result<String, Error> {
        let _ = (terminal, query);
        Err(Error::unfinished())
    }
    /// The processes of the terminal's session that live, the program first.
    pub fn processes(&self, terminal: &str) -> Result<Vec<Process>, Error> {
        let _ = terminal;
        Err(Error::unfinished())
    }
    /// The attached clients.
    pub fn clients(&self, terminal: &str) -> Result<Vec<ClientInfo>, Error> {
        let _ = terminal;
        Err(Error::unfinished())
    }
    /// Events of the journal. They come on a connection of their own, which lives by itself: this client
    /// can be used beside it.
    pub fn events(&self, since: Since, follow: bool) -> Result<Events, Error> {
        let _ = (since, follow);
        Err(Error::unfinished())
    }
    /// How the daemon is.
    pub fn health(&self) -> Result<Health, Error> {
        Err(Error::unfinished())
    }
}
