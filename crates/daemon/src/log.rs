//! The log: `$XDG_STATE_HOME/wigwag/log/daemon.log`, rotated and bounded. `WIGWAG_LOG` sets what is
//! logged (`debug`, `daemon=trace`); `info` without it.

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

/// Starts logging; where the file cannot be written, to standard error.
pub(crate) fn start(directory: &Path) -> io::Result<()> {
    let filter = EnvFilter::try_from_env("WIGWAG_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false);
    let done = match Rotated::open(directory.join("daemon.log"), MAX_FILE) {
        Ok(file) => builder.with_writer(Mutex::new(file)).try_init(),
        Err(_) => builder.with_writer(io::stderr).try_init(),
    };
    // A second daemon in one process (a test) logs through the first one's.
    done.map_err(io::Error::other)
}

/// A file that is set aside when it is full.
struct Rotated {
    path: PathBuf,
    file: File,
    size: u64,
    max: u64,
}

impl Rotated {
    fn open(path: PathBuf, max: u64) -> io::Result<Self> {
        let file = open(&path)?;
        let size = file.metadata()?.len();
        Ok(Self {
            path,
            file,
            size,
            max,
        })
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
        self.file = open(&self.path)?;
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
        if self.size > 0 && self.size + bytes.len() as u64 > self.max {
            self.rotate()?;
        }
        let count = self.file.write(bytes)?;
        self.size += count as u64;
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_is_set_aside_and_old_ones_are_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("daemon.log");
        let mut log = Rotated::open(path.clone(), 10).unwrap();
        for line in ["first\n", "second\n", "third\n", "fourth\n", "fifth\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
        assert_eq!(read("daemon.log"), "fifth\n");
        assert_eq!(read("daemon.log.1"), "fourth\n");
        assert_eq!(read("daemon.log.3"), "second\n");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 4);
    }
}
