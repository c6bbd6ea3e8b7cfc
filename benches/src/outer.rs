//! The outer terminal: a PTY whose reader takes what comes as fast as it can, in the place of
//! the person's terminal window.

use anyhow::{Context as _, Result, bail};
use pty_process::blocking::Pty;
use rustix::event::{PollFd, PollFlags, poll};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// More than a PTY gives at once.
const CHUNK: usize = 64 * 1024;

/// Primary device attributes, and the answer of a common terminal. Clients ask to learn what they
/// may use, and wait for the answer.
const QUESTION: &[u8] = b"\x1b[c";
const ANSWER: &[u8] = b"\x1b[?62;22c";

pub(crate) struct Outer {
    pty: Pty,
    child: Child,
    buffer: Vec<u8>,
}

/// What came up to a pattern.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Received {
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    pub(crate) at: Instant,
}

impl Outer {
    pub(crate) fn spawn(command: Command, cols: u16, rows: u16) -> Result<Self> {
        let (pty, pts) = pty_process::blocking::open()?;
        pty.resize(pty_process::Size::new(rows, cols))?;
        let program = command.get_program().to_owned();
        let child = pty_process::blocking::Command::from(command)
            .spawn(pts)
            .with_context(|| format!("cannot start {}", program.display()))?;
        Ok(Self {
            pty,
            child,
            buffer: vec![0; CHUNK],
        })
    }

    pub(crate) fn type_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        Ok((&self.pty).write_all(bytes)?)
    }

    /// Reads up to the end of `pattern`, answering the question about the terminal on the way.
    pub(crate) fn read_until(&mut self, pattern: &[u8], limit: Duration) -> Result<Received> {
        let finder = memchr::memmem::Finder::new(pattern);
        let deadline = Instant::now() + limit;
        let mut received = Received {
            bytes: 0,
            lines: 0,
            at: deadline,
        };
        // The end of the last chunk stays before the next one: the pattern may lie across.
        let mut kept = 0;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = rustix::time::Timespec::try_from(left)?;
            let mut polled = [PollFd::new(&self.pty, PollFlags::IN)];
            if poll(&mut polled, Some(&wait))? == 0 {
                bail!(
                    "{:?} did not come within {limit:?}; the last output was {:?}",
                    String::from_utf8_lossy(pattern),
                    String::from_utf8_lossy(&self.buffer[..kept])
                );
            }
            let end = match (&self.pty).read(&mut self.buffer[kept..]) {
                Ok(0) | Err(_) => bail!(
                    "the client ended before {:?} came; the last output was {:?}",
                    String::from_utf8_lossy(pattern),
                    String::from_utf8_lossy(&self.buffer[..kept])
                ),
                Ok(count) => kept + count,
            };
            received.at = Instant::now();
            let chunk = &self.buffer[..end];
            let found = finder.find(chunk).map(|start| start + pattern.len());
            let fresh = &chunk[kept..found.unwrap_or(end).max(kept)];
            received.bytes += fresh.len() as u64;
            received.lines += memchr::memchr_iter(b'\n', fresh).count() as u64;
            if found.is_some() {
                return Ok(received);
            }
            if memchr::memmem::find(chunk, QUESTION).is_some_and(|at| at + QUESTION.len() > kept) {
                (&self.pty).write_all(ANSWER)?;
            }
            let keep = end.min(pattern.len().max(256) - 1);
            self.buffer.copy_within(end - keep..end, 0);
            kept = keep;
        }
    }

    /// Takes what comes until the client ended, at most for `limit`.
    pub(crate) fn drain_to_the_end(&mut self, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = rustix::time::Timespec::try_from(left)?;
            if poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&wait))? == 0 {
                return Ok(());
            }
            if !matches!((&self.pty).read(&mut self.buffer), Ok(1..)) {
                return Ok(());
            }
        }
    }

    /// Takes what is there, without waiting.
    pub(crate) fn drain(&mut self) -> Result<()> {
        let now = rustix::time::Timespec::default();
        while poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&now))? > 0 {
            if (&self.pty).read(&mut self.buffer)? == 0 {
                break;
            }
        }
        Ok(())
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
