//! `capture --follow`: the screen as it is, then everything new, until the program ends.
//!
//! Both come from one stream of the holder, whose snapshot and rest have no gap between them.

use super::Outcome;
use super::lines::Lines;
use crate::canvas::Canvas;
use crate::failure::Failure;
use crate::holder_stream::{HolderStream, Piece};
use crate::output::Context;
use client::CaptureQuery;
use rustix::event::{PollFd, PollFlags, poll};
use screen::{Capture, Screen};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

pub(super) fn run(mut stream: HolderStream, query: &CaptureQuery, context: &Context) -> Outcome {
    let mut follower = Follower {
        query: *query,
        context,
        canvas: None,
        lines: Lines::new(),
        shown: false,
        resized: false,
    };
    let mut window = Window::new(context.terminal && query.ansi)?;
    loop {
        if window.interrupted(&stream)? {
            window.restore(context)?;
            return Err(Failure::interrupted());
        }
        let piece = stream.next()?;
        let is_end = matches!(piece, Piece::Exited | Piece::End);
        follower.take(piece)?;
        if is_end {
            let rest = follower.lines.rest();
            follower.say(rest)?;
            window.restore(context)?;
            return Ok(ExitCode::SUCCESS);
        }
    }
}

struct Follower<'a> {
    query: CaptureQuery,
    context: &'a Context,
    /// Where a snapshot is drawn, while one comes.
    canvas: Option<Canvas>,
    lines: Lines,
    /// The first snapshot was printed.
    shown: bool,
    /// The snapshot that comes shows nothing new: only the size is another.
    resized: bool,
}

impl Follower<'_> {
    fn take(&mut self, piece: Piece) -> Result<(), Failure> {
        match piece {
            Piece::Resized => self.resized = true,
            Piece::SnapshotStart(start) => {
                let history = usize::try_from(start.history_lines).unwrap_or(usize::MAX);
                self.canvas = Some(Canvas::new(start.size, history));
                if start.skipped > 0 {
                    let skipped = start.skipped;
                    // Not into the text. Nobody reads it where standard error is closed.
                    let _ = writeln!(
                        io::stderr(),
                        "wigwag: output came faster than it was read: {skipped} lines are missing here"
                    );
                }
            }
            Piece::SnapshotEnd => self.snapshot()?,
            Piece::Output(bytes) => match &mut self.canvas {
                Some(canvas) => canvas.draw(&bytes),
                None if self.query.ansi => self.context.write(&bytes)?,
                None => {
                    let ended = self.lines.take(&bytes);
                    self.say(ended)?;
                }
            },
            Piece::Exited | Piece::End | Piece::Other => {}
        }
        Ok(())
    }

    /// The first one is the screen as it is; a later one stands for what was lost.
    fn snapshot(&mut self) -> Result<(), Failure> {
        let Some(canvas) = self.canvas.take() else {
            return Ok(());
        };
        let rest = self.lines.rest();
        self.say(rest)?;
        self.lines = Lines::new();
        let only_resized = std::mem::take(&mut self.resized);
        if self.shown && only_resized {
            return Ok(());
        }
        let text = canvas.capture(Capture {
            lines: self.query.lines.filter(|_| !self.shown),
            scrollback: self.query.scrollback || self.shown,
            ansi: self.query.ansi,
        });
        self.shown = true;
        if text.is_empty() {
            return Ok(());
        }
        self.say(text.split('\n').map(str::to_owned).collect())
    }

    fn say(&self, lines: Vec<String>) -> Result<(), Failure> {
        if lines.is_empty() {
            return Ok(());
        }
        let end = if self.query.ansi && self.context.terminal {
            "\r\n"
        } else {
            "\n"
        };
        let mut text = String::new();
        for line in lines {
            if self.context.json {
                text += &serde_json::json!({ "line": line }).to_string();
            } else {
                text += &line;
            }
            text += end;
        }
        self.context.write(text.as_bytes())
    }
}

/// A window that raw output goes to: it gets its modes back, also after Ctrl-C.
struct Window {
    /// Becomes readable when the process is asked to end.
    asked_to_end: Option<UnixStream>,
}

impl Window {
    fn new(raw: bool) -> Result<Self, Failure> {
        if !raw {
            return Ok(Self { asked_to_end: None });
        }
        let (asked_to_end, tell) = UnixStream::pair()?;
        tell.set_nonblocking(true)?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::low_level::pipe::register(signal, tell.try_clone()?)?;
        }
        Ok(Self {
            asked_to_end: Some(asked_to_end),
        })
    }

    /// Waits for the stream, or to be asked to end.
    fn interrupted(&self, stream: &HolderStream) -> Result<bool, Failure> {
        let Some(asked) = self.asked_to_end.as_ref().filter(|_| !stream.has_more()) else {
            return Ok(false);
        };
        loop {
            let mut sources = [
                PollFd::new(asked, PollFlags::IN),
                PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::IN),
            ];
            match poll(&mut sources, None) {
                Ok(_) => return Ok(!sources[0].revents().is_empty()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }

    fn restore(&mut self, context: &Context) -> Result<(), Failure> {
        match self.asked_to_end.take() {
            Some(_) => context.write(&[Screen::reset_sequence(), b"\r\n"].concat()),
            None => Ok(()),
        }
    }
}
