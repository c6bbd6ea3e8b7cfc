//! One process per user: registry, journal, API.
//!
//! The daemon finds the holders of its user, mirrors their events into a journal, and serves
//! every client. It owns no terminal: it can be killed at any time, and the next one goes on
//! where the journal ends.
#![forbid(unsafe_code)]

pub mod api;
pub mod config;

use holder::paths::Paths;

/// How to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Write one line to standard output when clients are served (or another daemon serves them),
    /// then close it: whoever started the daemon waits on a pipe.
    pub ready: bool,
}

/// Why [`run`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It was told to stop (SIGTERM, SIGINT). Terminals go on.
    Stopped,
    /// Another daemon of this user serves already: nothing was done. Exit code 0.
    AnotherServes,
}

/// Why the daemon cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The runtime directory, the lock or the socket cannot be made.
    #[error("cannot serve at {}: {reason}", .path.display())]
    Runtime {
        /// What cannot be made.
        path: std::path::PathBuf,
        /// Why, and what to do.
        reason: String,
    },
}

/// Runs the daemon until it is told to stop. `config.toml` is read here, and again whenever it changes;
/// a wrong one is said in the log and by `GET /v1/health`, and the defaults hold.
pub fn run(paths: &Paths, options: Options) -> Result<Ended, RunError> {
    let _ = options;
    Err(RunError::Runtime {
        path: paths.daemon_socket(),
        reason: "this build cannot serve".into(),
    })
}
