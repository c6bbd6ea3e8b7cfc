//! The log: `$XDG_STATE_HOME/wigwag/log/daemon.log`, rotated and bounded. `WIGWAG_LOG` sets what is
//! logged (`debug`, `daemon=trace`); `info` without it.
//!
//! A log that cannot be written is nothing to fail for: the line goes to standard error, where that
//! is still somebody's, and the file is tried again with each line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tracing_subscriber::EnvFilter;

/// A file is set aside at this size; with the older ones, the log takes at most four times as much.
const MAX_FILE: u64 = 1 << 20;
/// Older files kept: `daemon.log.1` is the newest of them.
const KEPT: u32 = 3;

/// Starts logging.
pub(crate) fn start(directory: &Path) -> io::Result<()> {
    let filter = EnvFilter::try_from_env("WIGWAG_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = Rotated::new(directory.join("daemon.log"), MAX_FILE);
    let done = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        // They would be printed to standard error with a panic where nobody reads it any more:
        // whoever started the daemon is gone.
        .log_internal_errors(false)
        .with_writer(Mutex::new(log))
        .try_init();
    std::panic::set_hook(Box::new(|info| tracing::error!("{info}")));
    // A second daemon in one process (a test) logs through the first one's.
    done.map_err(io::Error::other)
}

/// A file that is set aside when it is full.
struct Rotated {
    path: PathBuf,
    /// `None` while it cannot be written.
    file: Option<File>,
    size: u64,
    max: u64,
}

impl Rotated {
    fn new(path: PathBuf, max: u64) -> Self {
        Self {
            path,
            file: None,
            size: 0,
            max,
        }
    }

    /// The whole line into the file, which is opened where it is not.
    fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            let file = open(&self.path)?;
            self.size = file.metadata()?.len();
            self.file = Some(file);
        }
        if self.size > 0 && self.size + line.len() as u64 > self.max {
            self.rotate()?;
        }
        if let Some(file) = &mut self.file {
            file.write_all(line)?;
            self.size += line.len() as u64;
        }
        Ok(())
    }

    fn rotate(&mut self) -> io::Result<()> {
        let aside = |number: u32| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        for number in (1..KEPT).rev() {
            // The first times there are fewer.
            let _ = std::fs::rename(aside(number), aside(number + 1));
        }
        std::fs::rename(&self.path, aside(1))?;
        self.file = Some(open(&self.path)?);
        self.size = 0;
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(0o600).open(path)
}

impl Write for Rotated {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.write_line(bytes).is_err() {
            self.file = None;
            // Not even that may be there.
            let _ = io::stderr().write_all(bytes);
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_is_set_aside_and_old_ones_are_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("daemon.log");
        let mut log = Rotated::new(path.clone(), 10);
        for line in ["first\n", "second\n", "third\n", "fourth\n", "fifth\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
        assert_eq!(read("daemon.log"), "fifth\n");
        assert_eq!(read("daemon.log.1"), "fourth\n");
        assert_eq!(read("daemon.log.3"), "second\n");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_log_that_could_not_be_written_goes_on_once_it_can() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("missing/daemon.log");
        let mut log = Rotated::new(path.clone(), 100);
        log.write_all(b"to standard error\n").unwrap();
        std::fs::create_dir(directory.path().join("missing")).unwrap();
        log.write_all(b"kept\n").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "kept\n");
    }
}
