//! The way to the daemon, and which terminal an argument means.

use crate::failure::{Code, Failure};
use client::{Client, Launch, Match};
use holder::paths::Paths;
use status::Status;
use std::env;
use std::process::{Command, Stdio};

/// The directories of this user.
pub(crate) fn paths() -> Result<Paths, Failure> {
    Paths::from_env().map_err(|error| Failure::failed(error.to_string()))
}

/// A connection to the daemon, which is started where none runs.
pub(crate) fn connect() -> Result<Client, Failure> {
    Ok(Client::connect(&paths()?)?)
}

/// The terminal that `argument` means: a name, an id, `.` for the one this command runs in, or
/// (where `how` allows it) a unique prefix.
pub(crate) fn find(client: &Client, argument: &str, how: Match) -> Result<Status, Failure> {
    if argument == "." {
        return Ok(client.find(&own_terminal()?, Match::Exact)?);
    }
    if argument.contains('/') || argument.contains(':') || argument.starts_with('%') {
        return Err(Failure::refused(format!(
            "{argument} is on another machine or in tmux, which this version does not reach"
        ))
        .hint("`wigwag list` shows the terminals there are"));
    }
    Ok(client.find(argument, how)?)
}

/// The id of the Wigwag terminal that this process runs in. Inside tmux `$WIGWAG_TERMINAL` is the
/// tmux server's and means nothing.
pub(crate) fn own_terminal() -> Result<String, Failure> {
    let inside = env::var("WIGWAG_TERMINAL").ok().filter(|id| !id.is_empty());
    match inside {
        Some(id) if env::var_os("TMUX").is_none() => Ok(id),
        _ => Err(Failure::new(
            Code::NotFound,
            "this command does not run in a Wigwag terminal",
        )
        .hint("name a terminal; `wigwag list` shows them")),
    }
}

/// Starts a daemon where none runs, and does not wait for it: for commands that need none
/// themselves, so that what they did is noted and announced.
pub(crate) fn wake(paths: &Paths) {
    if paths.connect_daemon().is_ok() {
        return;
    }
    if let Ok(launch) = Launch::this_executable() {
        // One that does not start is said by the next command that needs it.
        let _ = Command::new(launch.program)
            .args(launch.args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
    }
}

impl From<client::Error> for Failure {
    fn from(error: client::Error) -> Self {
        let code = match &error {
            client::Error::Unreachable { .. } => Code::Unreachable,
            client::Error::NotFound { .. } => Code::NotFound,
            client::Error::Ambiguous { .. } => Code::Ambiguous,
            client::Error::Refused { code, .. } if code == "taken" => Code::Taken,
            client::Error::Refused { .. } => Code::Refused,
            client::Error::Usage { .. } => Code::Usage,
            client::Error::Failed { .. } => Code::Failed,
        };
        let failure = Self::new(code, error.to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
