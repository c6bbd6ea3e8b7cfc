//! The controlling terminal in raw mode for a short conversation, given back as it was.

use crate::failure::Failure;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// The controlling terminal, raw while this lives. Dropping it discards what was not read, so
/// that no late answer is typed into the shell, and restores every setting.
#[derive(Debug)]
pub(crate) struct RawTerminal {
    file: File,
    before: Termios,
    /// Becomes readable when the process is asked to end.
    asked_to_end: UnixStream,
    handlers: Vec<signal_hook::SigId>,
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// Some bytes.
    Bytes(Vec<u8>),
    /// Nothing until the limit.
    TimeOut,
    /// The terminal is gone.
    End,
    /// A signal asked this process to end.
    Interrupted,
}

impl RawTerminal {
    /// Opens `/dev/tty` and makes it raw.
    pub(crate) fn open() -> Result<Self, Failure> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty");
        let file = file.map_err(|_| {
            Failure::refused("this process has no terminal to ask").hint("run it in a terminal")
        })?;
        let before = tcgetattr(&file).map_err(std::io::Error::from)?;
        let (asked_to_end, tell) = UnixStream::pair()?;
        tell.set_nonblocking(true)?;
        let mut handlers = Vec::new();
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            handlers.push(signal_hook::low_level::pipe::register(
                signal,
                tell.try_clone()?,
            )?);
        }
        let terminal = Self {
            file,
            before,
            asked_to_end,
            handlers,
        };
        let mut raw = terminal.before.clone();
        raw.make_raw();
        tcsetattr(&terminal.file, OptionalActions::Flush, &raw).map_err(std::io::Error::from)?;
        Ok(terminal)
    }

    /// Writes to the terminal.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.file.write_all(bytes)?)
    }

    /// Waits for bytes, at most until `limit`.
    pub(crate) fn read_until(&mut self, limit: Instant) -> Result<Read, Failure> {
        loop {
            let left = limit.saturating_duration_since(Instant::now());
            let left = Timespec {
                tv_sec: left.as_secs() as i64,
                tv_nsec: left.subsec_nanos().into(),
            };
            let mut sources = [
                PollFd::new(&self.file, PollFlags::IN),
                PollFd::new(&self.asked_to_end, PollFlags::IN),
            ];
            match poll(&mut sources, Some(&left)) {
                Ok(0) => return Ok(Read::TimeOut),
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
            if !sources[1].revents().is_empty() {
                return Ok(Read::Interrupted);
            }
            let mut buffer = [0; 4096];
            return match self.file.read(&mut buffer) {
                Ok(0) => Ok(Read::End),
                Ok(count) => Ok(Read::Bytes(buffer[..count].to_vec())),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                // EIO: the other side hung up.
                Err(_) => Ok(Read::End),
            };
        }
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        // The terminal may be gone: then there is nothing to restore.
        let _ = tcsetattr(&self.file, OptionalActions::Flush, &self.before);
        for handler in self.handlers.drain(..) {
            signal_hook::low_level::unregister(handler);
        }
    }
}
