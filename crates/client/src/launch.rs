//! Starting a daemon on demand: nobody polls, the daemon says on a pipe when it serves.

use crate::Error;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// How to start a daemon where none runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments; it writes one line to standard output when it serves.
    pub args: Vec<OsString>,
}

impl Launch {
    /// `wigwag daemon run --ready` by the executable that runs; where it was replaced on disk, by the new
    /// one at its place.
    pub fn this_executable() -> Result<Self, Error> {
        let program = std::env::current_exe()
            .map_err(|error| Error::failed(format!("cannot find this executable: {error}")))?;
        let text = program.to_string_lossy();
        // So Linux names an executable whose file was replaced.
        let program = match text.strip_suffix(" (deleted)") {
            Some(path) => PathBuf::from(path),
            None => program,
        };
        Ok(Self {
            program,
            args: ["daemon", "run", "--ready"].map(OsString::from).into(),
        })
    }

    /// Starts it and waits until it (or another that was faster) serves.
    pub(crate) fn start(&self) -> Result<(), Error> {
        let failed = |message: String| Error::Unreachable {
            message,
            hint: Some("`wigwag daemon run` in a terminal shows what is wrong".to_owned()),
        };
        let mut child = Command::new(&self.program)
            .args(&self.args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(format!("cannot start {}: {error}", self.program.display())))?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            // An error is an end, too.
            let _ = BufReader::new(out).read_line(&mut line);
        }
        if line.is_empty() {
            let mut said = String::new();
            if let Some(mut err) = child.stderr.take() {
                let _ = err.read_to_string(&mut said);
            }
            let _ = child.wait();
            let said = said.trim();
            let why = if said.is_empty() {
                "it says nothing"
            } else {
                said
            };
            return Err(failed(format!("the daemon does not start: {why}")));
        }
        // It lives on; when it ends before this process, somebody has to take note.
        std::thread::spawn(move || child.wait());
        Ok(())
    }
}
