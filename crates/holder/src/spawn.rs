//! Starting a holder: what a terminal is made of, and the conversation with the new process.

use crate::connection::Connection;
use crate::paths::{Paths, check_name};
use crate::protocol::{Hello, Op, Outcome};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

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
    /// Shells are started without our integration.
    pub plain_shell: bool,
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
    /// What does not work although the terminal runs: its state file cannot be written, say.
    #[serde(default)]
    pub warning: Option<String>,
}

/// What is handed to `wigwag-holder`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StartRequest {
    pub(crate) paths: Paths,
    pub(crate) spec: Spec,
    /// The terminal's life before, where it is started again.
    pub(crate) before: Option<StateFile>,
}

/// What `wigwag-holder` says: one JSON line on its standard output.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StartReply {
    Started(Started),
    NameTaken { name: String },
    IdExists { id: String },
    Name(String),
    Failed(String),
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
pub fn start(paths: &Paths, spec: &Spec) -> Result<Started, SpawnError> {
    if let Some(name) = &spec.name {
        crate::paths::check_name(name).map_err(SpawnError::Name)?;
    }
    hand_over(&StartRequest {
        paths: paths.clone(),
        spec: spec.clone(),
        before: None,
    })
}

/// Runs the command of an exited or lost terminal again: same id, name, place and environment.
pub fn restart(paths: &Paths, id: &str) -> Result<Started, SpawnError> {
    let failed = |error: io::Error| SpawnError::Failed(format!("cannot restart {id}: {error}"));
    let state = paths.read_state(id).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => SpawnError::Failed(format!(
            "cannot restart {id}: it was removed, or another command restarts it just now"
        )),
        _ => failed(error),
    })?;
    if paths.is_running(id) {
        return Err(SpawnError::Failed(format!(
            "the program of {id} still runs: kill it first, or attach to it"
        )));
    }
    if paths.is_alive(id) {
        end_exited_holder(&paths.holder_socket(id)).map_err(failed)?;
        // It took its state file along, and this process may be killed: a file that cannot be written
        // is no reason not to start, though.
        let _ = bring_back(paths, id, &state);
    }
    let mut spec = state.spec.clone();
    spec.id = Some(id.to_owned());
    // The terminal may have been renamed since it was started.
    spec.name = Some(state.status.name.clone()).filter(|name| name != id);
    let size = state.status.size;
    (spec.cols, spec.rows) = (size.cols, size.rows);
    let request = StartRequest {
        paths: paths.clone(),
        spec,
        before: Some(state),
    };
    let result = hand_over(&request);
    if result.is_err()
        && !paths.is_alive(id)
        && let Some(before) = &request.before
    {
        // What could not be started again is not forgotten either.
        let _ = keep_state(paths, id, before);
    }
    result
}

/// Gives another name to a terminal without a living holder: its state file and its link. Where a holder
/// lives, `ResourceBusy`: it is asked instead. `AlreadyExists`: the name is another terminal's.
pub fn rename_without_holder(paths: &Paths, id: &str, name: &str) -> io::Result<()> {
    check_name(name).map_err(io::Error::other)?;
    paths.create()?;
    let _lock = paths.lock_names()?;
    if paths.is_alive(id) || paths.is_running(id) {
        let message = format!("terminal {id} has a living holder");
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
    }
    if let Some(other) = paths.id_of_name(name)?.filter(|other| other != id) {
        let message = format!("the name {name} is taken by terminal {other}: choose another");
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
    }
    let mut state = paths.read_state(id)?;
    state.spec.name = Some(name.to_owned());
    state.status.rename(name);
    write_state(&paths.state_file(id), &state)?;
    paths.unlink_names(id)?;
    paths.link_name(name, id)
}

/// Writes the state of a terminal without a holder, unless somebody did or starts it.
fn bring_back(paths: &Paths, id: &str, state: &StateFile) -> io::Result<()> {
    // A holder takes its terminal under this lock, and writes after it.
    let _lock = paths.lock_names()?;
    if paths.is_running(id) || paths.state_file(id).exists() {
        return Ok(());
    }
    keep_state(paths, id, state)
}

fn keep_state(paths: &Paths, id: &str, state: &StateFile) -> io::Result<()> {
    paths
        .create_state()
        .and_then(|()| write_state(&paths.state_file(id), state))
}

/// Writes a state file whole: a reader sees the old one or the new one.
pub(crate) fn write_state(path: &Path, state: &StateFile) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let temporary = path.with_extension("json.new");
    let written = (|| {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&temporary)?;
        file.write_all(&serde_json::to_vec(state)?)?;
        std::fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written.map_err(crate::paths::at(path))
}

/// How long an exited holder may take to leave, and a new one to start.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// Asks the holder of an exited terminal to end, and waits for it.
pub(crate) fn end_exited_holder(socket: &Path) -> io::Result<()> {
    let stream = crate::socket_address::connect(socket)?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    stream.set_write_timeout(Some(ANSWER_LIMIT))?;
    let mut connection = Connection::over(stream, &Hello::this_program())?;
    if let (Outcome::Error { code, message }, _) =
        connection.request(Op::Remove { force: false })?
        // It ended all the same: what it left behind is overwritten.
        && code != "failed"
    {
        return Err(io::Error::other(message));
    }
    while connection.receive()?.is_some() {}
    Ok(())
}

fn hand_over(request: &StartRequest) -> Result<Started, SpawnError> {
    let path = holder_executable();
    let mut child = Command::new(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| SpawnError::NoHolder {
            path: path.clone(),
            source,
        })?;
    let failed = |error: io::Error| SpawnError::Failed(format!("{}: {error}", path.display()));
    let request = serde_json::to_vec(request).map_err(|error| failed(error.into()))?;
    // Both ends are there because both were asked for as pipes.
    let written = child
        .stdin
        .take()
        .map(|mut stdin| stdin.write_all(&request));
    let mut answer = String::new();
    let read = child
        .stdout
        .take()
        .map(|mut stdout| stdout.read_to_string(&mut answer));
    // The process that was started only hands over to the holder itself, and ends.
    let _ = child.wait();
    for result in [written, read.map(|read| read.map(|_| ()))]
        .into_iter()
        .flatten()
    {
        if answer.is_empty() {
            result.map_err(failed)?;
        }
    }
    let reply = serde_json::from_str(&answer).map_err(|_| {
        SpawnError::Failed(format!(
            "{} ended without saying why; is it of the same version?",
            path.display()
        ))
    })?;
    match reply {
        StartReply::Started(started) => Ok(started),
        StartReply::NameTaken { name } => Err(SpawnError::NameTaken { name }),
        StartReply::IdExists { id } => Err(SpawnError::IdExists { id }),
        StartReply::Name(message) => Err(SpawnError::Name(message)),
        StartReply::Failed(message) => Err(SpawnError::Failed(message)),
    }
}

/// `$WIGWAG_HOLDER`, or `wigwag-holder` beside the running executable (also where that was replaced on
/// disk meanwhile, and in the directory above for the executables of tests).
pub fn holder_executable() -> PathBuf {
    const NAME: &str = "wigwag-holder";
    if let Some(path) = std::env::var_os("WIGWAG_HOLDER").filter(|path| !path.is_empty()) {
        return path.into();
    }
    let Ok(own) = std::env::current_exe() else {
        return NAME.into();
    };
    // What an unlinked executable is called by the kernel ends with " (deleted)"; the directory
    // is right all the same.
    let own = std::fs::canonicalize(&own).unwrap_or(own);
    let beside = own.with_file_name(NAME);
    let above = own
        .parent()
        .and_then(Path::parent)
        .map(|above| above.join(NAME));
    match above {
        Some(above) if !beside.exists() && above.exists() => above,
        _ => beside,
    }
}
