//! The controlling terminal in raw mode for a short conversation, given back as it was.

use crate::failure::Failure;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// The controlling terminal, raw while this lives. Dropping it discards what was not read, so
/// that no late answer is typed into the shell, and restores every setting.
#[derive(Debug)]
pub(crate) struct RawTerminal {
    file: File,
    before: Termios,
    /// Becomes readable when the process is asked to end.
    asked_to_end: UnixStream,
    /// Becomes readable when the window changed its size.
    resized: UnixStream,
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

/// What ended a wait.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    /// The other source is readable.
    Other,
    /// Nothing until the limit.
    TimeOut,
    /// The window changed its size.
    Resized,
    /// Keys.
    Bytes(Vec<u8>),
    /// A signal asked this process to end.
    Interrupted,
    /// The terminal is gone.
    End,
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
        let (resized, tell) = UnixStream::pair()?;
        tell.set_nonblocking(true)?;
        resized.set_nonblocking(true)?;
        handlers.push(signal_hook::low_level::pipe::register(SIGWINCH, tell)?);
        let terminal = Self {
            file,
            before,
            asked_to_end,
            resized,
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

    /// Waits for keys, a resize, or `other` to become readable, at most for `limit`.
    pub(crate) fn wait_with(
        &mut self,
        other: BorrowedFd<'_>,
        limit: Duration,
    ) -> Result<Woken, Failure> {
        let limit = Timespec {
            tv_sec: limit.as_secs() as i64,
            tv_nsec: limit.subsec_nanos().into(),
        };
        let mut sources = [
            PollFd::new(&self.file, PollFlags::IN),
            PollFd::new(&self.asked_to_end, PollFlags::IN),
            PollFd::new(&self.resized, PollFlags::IN),
            PollFd::from_borrowed_fd(other, PollFlags::IN),
        ];
        loop {
            match poll(&mut sources, Some(&limit)) {
                Ok(0) => return Ok(Woken::TimeOut),
                Ok(_) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
        }
        let [keys, end, resized, _] = sources.map(|source| !source.revents().is_empty());
        let mut buffer = [0; 4096];
        if end {
            return Ok(Woken::Interrupted);
        }
        if resized {
            while matches!(self.resized.read(&mut buffer), Ok(count) if count > 0) {}
            return Ok(Woken::Resized);
        }
        if !keys {
            return Ok(Woken::Other);
        }
        match self.file.read(&mut buffer) {
            Ok(count) if count > 0 => Ok(Woken::Bytes(buffer[..count].to_vec())),
            _ => Ok(Woken::End),
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
