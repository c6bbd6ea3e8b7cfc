//! One server, known by its socket, and commands to it: each is a process of its own with a limit
//! in time, so that a server that hangs holds up nobody but who asked.
//!
//! Whether a person's server runs is theirs to decide: none is ever started (`-N`).

use crate::version::Version;
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

/// A server that does not answer for so long hangs: on a busy machine an answer takes a second at worst.
pub(crate) const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// What a server is asked for that makes it this server.
const IDENTITY: &[&str] = &["pid", "start_time", "version"];

/// A server of tmux. It need not run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Server {
    socket: PathBuf,
    program: PathBuf,
}

/// Which server it is: one that was restarted on the same socket is another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its process.
    pub pid: i32,
    /// When it started, to the second.
    pub started_at: Timestamp,
    /// Its version, which may differ from the program's.
    pub version: Version,
}

/// Why a server did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing listens at the socket.
    #[error("no tmux server runs at {0}")]
    Gone(PathBuf),
    /// No answer in time.
    #[error("the tmux server at {socket} does not answer; it is asked again later", socket = .0.display())]
    Hangs(PathBuf),
    /// A version without what is needed.
    #[error("tmux {0} is too old: 3.2 or later is needed")]
    TooOld(String),
    /// There is no such session, window or pane, or tmux refused; in its words.
    #[error("tmux: {0}")]
    Refused(String),
    /// The pane takes no input.
    #[error("{0}")]
    NoInput(&'static str),
    /// The program could not be run.
    #[error("cannot run {program}: {error}; install tmux 3.2 or later", program = .program.display())]
    Program {
        /// Which.
        program: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl Server {
    /// The server at this socket, spoken to by the `tmux` in `PATH`.
    pub fn new(socket: impl Into<PathBuf>) -> Self {
        Self::with_program(socket, "tmux")
    }

    /// The server at this socket, spoken to by another program.
    pub fn with_program(socket: impl Into<PathBuf>, program: impl Into<PathBuf>) -> Self {
        Self {
            socket: socket.into(),
            program: program.into(),
        }
    }

    /// The path of its socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Asks which server it is.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`] where server or program are older than 3.2.
    pub async fn identify(&self) -> Result<Identity, Error> {
        let format = crate::quote::record(IDENTITY);
        let answer = match self.run(&["display-message", "-p", &format]).await {
            // Before 3.2 there is no -N.
            Err(Error::Refused(usage)) if usage.contains("usage:") => {
                return Err(Error::TooOld(self.program_version().await?));
            }
            answer => answer?,
        };
        let malformed = || Error::Refused(String::from_utf8_lossy(&answer).trim().to_owned());
        let record = crate::quote::records(&answer, IDENTITY.len()).pop();
        let Some([pid, started, version]) = record.as_deref() else {
            return Err(malformed());
        };
        let version = Version::new(version);
        if !version.is_enough() {
            return Err(Error::TooOld(version.to_string()));
        }
        let seconds = started.parse().map_err(|_| malformed())?;
        Ok(Identity {
            pid: pid.parse().map_err(|_| malformed())?,
            started_at: Timestamp::from_second(seconds).map_err(|_| malformed())?,
            version,
        })
    }

    /// `tmux 3.1c` without the first word.
    async fn program_version(&self) -> Result<String, Error> {
        let mut command = Command::new(&self.program);
        command.arg("-V");
        let output = self.output(command, &[]).await?;
        let version = String::from_utf8_lossy(&output.stdout);
        Ok(version.trim().trim_start_matches("tmux ").to_owned())
    }

    /// Runs a command, or several separated by `;`, and returns what it printed.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        self.run_with_input(arguments, &[]).await
    }

    /// The same, with standard input.
    pub(crate) async fn run_with_input(
        &self,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let mut command = self.command();
        command.args(arguments);
        let output = self.output(command, input).await?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(self.error_of(&String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// The program, pointed at the server, as nobody's client.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["-u", "-N", "-S"]).arg(&self.socket);
        // Inside a pane these name another server and a pane of it.
        command.env_remove("TMUX").env_remove("TMUX_PANE");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    async fn output(&self, mut command: Command, input: &[u8]) -> Result<Output, Error> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| self.cannot_run(error))?;
        let stdin = child.stdin.take();
        let exchange = async {
            let feed = async {
                if let Some(mut stdin) = stdin {
                    // A command that failed does not read; how it failed is told by its status.
                    let _ = stdin.write_all(input).await;
                }
            };
            tokio::join!(feed, child.wait_with_output()).1
        };
        match timeout(ANSWER_LIMIT, exchange).await {
            Ok(output) => output.map_err(|error| self.cannot_run(error)),
            Err(_) => Err(Error::Hangs(self.socket.clone())),
        }
    }

    pub(crate) fn cannot_run(&self, error: std::io::Error) -> Error {
        Error::Program {
            program: self.program.clone(),
            error,
        }
    }

    /// What the words of the program mean.
    pub(crate) fn error_of(&self, said: &str) -> Error {
        let gone = [
            "no server running",
            "error connecting to",
            "lost server",
            "server exited",
        ];
        match gone.iter().any(|words| said.contains(words)) {
            true => Error::Gone(self.socket.clone()),
            false => Error::Refused(said.trim().to_owned()),
        }
    }
}
