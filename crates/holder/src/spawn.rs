//! Starting a holder: what a terminal is made of, and the conversation with the new process.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// What a terminal is made of: written to the standard input of `wigwag-holder`, and kept in the
/// state file for `restart`. Text that is not UTF-8 is kept as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spec {
    /// The id, where one is proposed; otherwise the holder takes a new one.
    pub id: Option<String>,
    /// The name, `None` for none.
    pub name: Option<String>,
    /// The program and its arguments; `None`: the login shell.
    #[serde(with = "crate::lossless::words")]
    pub command: Option<Vec<OsString>>,
    /// Start the login shell when the command ends.
    pub then_shell: bool,
    /// The working directory.
    #[serde(with = "crate::lossless::path")]
    pub cwd: PathBuf,
    /// The environment of the caller, before the holder adds and removes its variables.
    #[serde(with = "crate::lossless::pairs")]
    pub env: Vec<(OsString, OsString)>,
    /// Variables set last, over the caller's and the holder's own (`--env`, `[env]`).
    #[serde(with = "crate::lossless::pairs")]
    pub set_env: Vec<(OsString, OsString)>,
    /// The secret `aid=` of our shell integration, where it is active in this terminal.
    pub own_aid: Option<String>,
    /// Columns; 0: 80.
    pub cols: u16,
    /// Rows; 0: 24.
    pub rows: u16,
    /// Lines of history.
    pub scrollback: usize,
}

/// The state file of one terminal: everything `restart` and the listing of lost terminals need.
/// Written whole and atomically by the holder, mode 0600.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateFile {
    /// What it is made of.
    pub spec: Spec,
    /// The holder incarnation that wrote it.
    pub incarnation: u64,
    /// The last status.
    pub status: status::Status,
}

/// A holder that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The terminal's id.
    pub id: String,
    /// Its name; the id where none was given.
    pub name: String,
    /// The holder's socket.
    pub socket: PathBuf,
    /// The exited or lost terminal that had the name before and was forgotten, if any.
    pub replaced: Option<String>,
}

/// Why a terminal could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The name belongs to a terminal whose program runs.
    #[error("the name {name} is taken by a running terminal: attach to it, or choose another name")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The id exists already (idempotent creation): it is this terminal.
    #[error("terminal {id} exists already")]
    IdExists {
        /// The id.
        id: String,
    },
    /// The name is not a name.
    #[error("{0}")]
    Name(String),
    /// `wigwag-holder` is not there.
    #[error("cannot start {path}: {source}; install wigwag-holder beside wigwag")]
    NoHolder {
        /// Where it was looked for.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The holder said why it could not start the program.
    #[error("{0}")]
    Failed(String),
}

/// Starts `wigwag-holder` (found beside the running executable, or named by `$WIGWAG_HOLDER`), hands it
/// the spec, and waits until its program runs and its socket answers. Limits, mask and umask
/// are those of the calling process.
pub fn start(paths: &crate::paths::Paths, spec: &Spec) -> Result<Started, SpawnError> {
    let _ = (paths, spec);
    todo!()
}

/// Runs the command of an exited or lost terminal again: same id, name, place and environment.
pub fn restart(paths: &crate::paths::Paths, id: &str) -> Result<Started, SpawnError> {
    let _ = (paths, id);
    todo!()
}
