//! Where a script's own signals go: to the terminal it runs in, as if its program had printed
//! them.
//!
//! First the controlling terminal. Where there is none (hooks, children of daemons, pipes): inside
//! tmux the tty of the pane, else the Wigwag terminal named by `$WIGWAG_TERMINAL`, through its
//! holder. No daemon is needed.

use crate::failure::Failure;
use holder::connection::Connection;
use holder::paths::Paths;
use holder::protocol::{Hello, Op, Outcome};
use holder::socket_address;
use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A holder answers in microseconds. One that is stopped must not hold up a hook for ever.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// Whether tmux must be told to pass the sequences on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// It knows them itself.
    Never,
    /// It would drop them.
    InTmux,
}

/// Prints `bytes`.
pub(crate) fn print(bytes: &[u8], wrap: Wrap) -> Result<(), Failure> {
    let in_tmux = env::var_os("TMUX").is_some_and(|value| !value.is_empty());
    let wrapped = if in_tmux && wrap == Wrap::InTmux {
        signals::passthrough::wrap(bytes)
    } else {
        bytes.to_vec()
    };
    if write_to(Path::new("/dev/tty"), &wrapped).is_ok() {
        return Ok(());
    }
    if in_tmux {
        if let Some(tty) = pane_tty()
            && write_to(&tty, &wrapped).is_ok()
        {
            return Ok(());
        }
    } else if let Some(id) = env::var("WIGWAG_TERMINAL").ok().filter(|id| !id.is_empty()) {
        return to_holder(&id, bytes);
    }
    Err(Failure::refused(
        "there is no terminal to tell: this process has no controlling terminal, and \
         $WIGWAG_TERMINAL names none",
    )
    .hint("run it inside a terminal, or pass WIGWAG_TERMINAL and WIGWAG_SOCKET on to it"))
}

fn write_to(tty: &Path, bytes: &[u8]) -> io::Result<()> {
    // In one piece: another writer cannot come between.
    OpenOptions::new().write(true).open(tty)?.write_all(bytes)
}

/// The tty of the tmux pane that this process came from.
fn pane_tty() -> Option<PathBuf> {
    let pane = env::var_os("TMUX_PANE")?;
    let output = Command::new("tmux")
        .args(["display-message", "-p", "-t"])
        .arg(pane)
        .arg("#{pane_tty}")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let tty = String::from_utf8(output.stdout).ok()?;
    let tty = tty.trim_end();
    tty.starts_with("/dev/").then(|| PathBuf::from(tty))
}

fn to_holder(id: &str, bytes: &[u8]) -> Result<(), Failure> {
    let silent = |error: io::Error| {
        Failure::unreachable(format!("the terminal {id} does not answer: {error}"))
            .hint("`wigwag list` shows the terminals there are")
    };
    let mut connection = open_holder(id).map_err(silent)?;
    let bytes = String::from_utf8_lossy(bytes).into_owned();
    match connection.request(Op::Report { bytes }).map_err(silent)?.0 {
        Outcome::Error { message, .. } => Err(Failure::refused(message)),
        _ => Ok(()),
    }
}

/// By `$WIGWAG_SOCKET`; by the id (or a name that somebody put there) where the variable did not come
/// through.
fn open_holder(id: &str) -> io::Result<Connection> {
    let named = env::var_os("WIGWAG_SOCKET").map(PathBuf::from);
    let stream = named
        .and_then(|socket| socket_address::connect(&socket).ok())
        .map_or_else(
            || {
                let paths = Paths::from_env()?;
                let named = paths.id_of_name(id)?;
                socket_address::connect(&paths.holder_socket(named.as_deref().unwrap_or(id)))
            },
            Ok,
        )?;
    stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
    stream.set_write_timeout(Some(ANSWERS_WITHIN))?;
    Connection::over(stream, &Hello::this_program())
}
