//! The outer terminal: the window that an attached client draws in.
//!
//! It is given back as it was on every way out: modes, keyboard flags, title, and the settings of
//! its line discipline. It is opened anew by its name, so that being non-blocking is a property of
//! our own description of it and not of the shell's. Nothing that is written waits: what it does not
//! take now stays in a buffer, and whoever fills that looks at [`Outer::pending`].

use super::caught::Signals;
use super::input::{Answer, Input, Token};
use crate::failure::{Code, Failure};
use holder::protocol::Colors;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{
    OptionalActions, QueueSelector, Termios, isatty, tcflush, tcgetattr, tcgetwinsize, tcsetattr,
};
use screen::Screen;
use signals::dialect::Dialect;
use signals::{Terminator, notification, program_status};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::{Duration, Instant};

/// Saves the title and the keyboard flags.
const PUSH: &[u8] = b"\x1b[22;0t\x1b[>0u";
/// Brings them back.
const POP: &[u8] = b"\x1b[<1u\x1b[23;0t";
/// Reports of the focus.
const FOCUS_ON: &[u8] = b"\x1b[?1004h";

/// Colours and pixels of a cell.
const LOOKS: &[u8] = b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b]12;?\x1b\\\x1b[16t";
/// XTVERSION: what it is.
const NAME: &[u8] = b"\x1b[>0q";
/// The identifier of our question for OSC 99.
const ASKED: &str = "wigwag";
/// DECRQM: whether reports of the focus are known.
const FOCUS_REPORTS: &[u8] = b"\x1b[?1004$p";
/// DA1: every terminal answers it, after what was asked before.
const FENCE: &[u8] = b"\x1b[c";

/// A window that takes nothing for that long gets nothing more when a client leaves.
const STALL_LIMIT: Duration = Duration::from_secs(2);
/// Answers that are under way when a client leaves are waited for that long, lest they are typed
/// into the shell.
const ANSWERS_LIMIT: Duration = Duration::from_millis(200);

/// Read from the outer terminal at once.
const READ: usize = 16 * 1024;

/// What the outer terminal answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(crate) colors: Colors,
    /// It understands OSC 7501.
    pub(crate) program_status: bool,
    /// How it is told of a notification.
    pub(crate) dialect: Dialect,
    /// It reports its focus.
    pub(crate) focus_reports: bool,
    /// All is known that will be.
    pub(crate) complete: bool,
}

/// The window.
#[derive(Debug)]
pub(crate) struct Outer {
    file: File,
    before: Termios,
    raw: Termios,
    out: Vec<u8>,
    written: usize,
    /// Where a read goes, kept: clearing it for each key costs more than the key.
    buffer: Vec<u8>,
    pub(crate) signals: Signals,
    pub(crate) input: Input,
    /// Read, and left for whoever reads next.
    unread: Vec<Token>,
    /// When what the input holds back was typed.
    input_until: Option<Instant>,
    pub(crate) known: Known,
    /// Its modes are ours.
    taken: bool,
    /// Nothing can be written or read any more.
    gone: bool,
}

/// What [`Outer::wait`] woke up for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ready {
    pub(crate) keys: bool,
    pub(crate) socket: bool,
    pub(crate) signals: bool,
}

impl Outer {
    /// Whether there is a terminal that can show another one; said before anything is done.
    pub(crate) fn check() -> Result<(), Failure> {
        if !isatty(io::stdin()) || !isatty(io::stdout()) {
            return Err(
                Failure::usage("attach needs a terminal of its own to draw in").hint(
                    "`wigwag capture` prints the screen, `wigwag send` types; both work anywhere",
                ),
            );
        }
        if std::env::var("TERM").is_ok_and(|term| term == "dumb") {
            return Err(
                Failure::refused("a terminal with TERM=dumb cannot show another one")
                    .hint("`wigwag capture --follow` prints what comes, `wigwag send` types"),
            );
        }
        Ok(())
    }

    /// Takes the terminal that standard input and output are.
    pub(crate) fn open() -> Result<Self, Failure> {
        Self::check()?;
        let file = reopen().map_err(|error| {
            Failure::new(
                Code::Failed,
                format!("this terminal cannot be opened again: {error}"),
            )
        })?;
        let before = tcgetattr(&file).map_err(io::Error::from)?;
        let mut raw = before.clone();
        raw.make_raw();
        let mut outer = Self {
            file,
            before,
            raw,
            out: Vec::new(),
            written: 0,
            buffer: vec![0; READ],
            signals: Signals::catch()?,
            input: Input::default(),
            unread: Vec::new(),
            input_until: None,
            known: Known::default(),
            taken: false,
            gone: false,
        };
        outer.take()?;
        let support = notification::query_support(ASKED, Terminator::St);
        let status = program_status::query(Terminator::St);
        for question in [LOOKS, status, NAME, &support, FOCUS_REPORTS, FENCE] {
            outer.out.extend_from_slice(question);
        }
        outer.input.answers_awaited = true;
        outer.flush();
        Ok(outer)
    }

    /// Makes the terminal ours, or ours again after the process was stopped.
    pub(crate) fn take(&mut self) -> Result<(), Failure> {
        tcsetattr(&self.file, OptionalActions::Now, &self.raw).map_err(io::Error::from)?;
        if !self.taken {
            self.out.extend_from_slice(PUSH);
            self.taken = true;
        }
        self.out.extend_from_slice(FOCUS_ON);
        Ok(())
    }

    /// Gives the terminal back; the cursor stands at the start of an empty line after.
    pub(crate) fn give_back(&mut self) {
        if !std::mem::replace(&mut self.taken, false) {
            return;
        }
        let (cols, _) = self.size();
        reset_modes(&mut self.out);
        self.out.extend_from_slice(POP);
        // Onto the next line, but only from the middle of one.
        self.out
            .extend(std::iter::repeat_n(b' ', usize::from(cols)));
        self.out.extend_from_slice(b"\r\x1b[J");
        self.finish();
        self.await_answers();
        // What the terminal does not take now must not hold us up.
        let _ = tcsetattr(&self.file, OptionalActions::Now, &self.before);
    }

    /// Another terminal follows in this window.
    pub(crate) fn hand_over(&mut self, line: &str) {
        reset_modes(&mut self.out);
        self.begin_empty_line();
        self.out.extend_from_slice(line.as_bytes());
        self.out.extend_from_slice(b"\r\n");
        self.out.extend_from_slice(FOCUS_ON);
    }

    /// Onto the next line, but only from the middle of one; what is below is erased.
    fn begin_empty_line(&mut self) {
        let (cols, _) = self.size();
        self.out
            .extend(std::iter::repeat_n(b' ', usize::from(cols)));
        self.out.extend_from_slice(b"\r\x1b[J");
    }

    /// Columns and rows.
    pub(crate) fn size(&self) -> (u16, u16) {
        match tcgetwinsize(&self.file) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            // A terminal that does not know (a serial line) is taken for the classic one.
            _ => (80, 24),
        }
    }

    /// The bytes that wait to be written, to add to.
    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// How many bytes wait to be written.
    pub(crate) fn pending(&self) -> usize {
        self.out.len() - self.written
    }

    /// Drops what waits to be written.
    pub(crate) fn discard(&mut self) {
        self.out.clear();
        self.written = 0;
    }

    /// The terminal hung up.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Writes what it takes now.
    pub(crate) fn flush(&mut self) {
        while self.pending() > 0 {
            match self.file.write(&self.out[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => {
                    self.gone = true;
                    self.discard();
                }
            }
        }
        if self.pending() == 0 {
            self.discard();
        } else if self.written > 64 * 1024 {
            self.out.drain(..self.written);
            self.written = 0;
        }
    }

    /// Writes everything, unless the terminal takes nothing for a while.
    pub(crate) fn finish(&mut self) {
        let mut limit = Instant::now() + STALL_LIMIT;
        loop {
            let before = self.pending();
            self.flush();
            if self.pending() == 0 {
                return;
            }
            if self.pending() < before {
                limit = Instant::now() + STALL_LIMIT;
            }
            let mut fds = [PollFd::new(&self.file, PollFlags::OUT)];
            match poll(&mut fds, Some(&until(limit))) {
                Ok(0) => return self.discard(),
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return self.discard(),
            }
        }
    }

    /// Takes away the answers that are still under way.
    fn await_answers(&mut self) {
        let limit = Instant::now() + ANSWERS_LIMIT;
        let mut tokens = Vec::new();
        while self.input.answers_awaited && !self.gone {
            let mut fds = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut fds, Some(&until(limit))) {
                Ok(0) => {
                    let _ = tcflush(&self.file, QueueSelector::IFlush);
                    return;
                }
                Ok(_) | Err(Errno::INTR) => self.read(&mut tokens),
                Err(_) => return,
            }
        }
    }

    /// Waits for keys, for the holder (`socket` with what is wanted of it), for a signal, or until
    /// `deadline`; writes what waits meanwhile. The caller has called [`Outer::flush`] before it decided what it
    /// wants.
    pub(crate) fn wait(
        &mut self,
        socket: Option<(BorrowedFd<'_>, PollFlags)>,
        keys: bool,
        deadline: Option<Instant>,
    ) -> io::Result<Ready> {
        let unread = keys && !self.unread.is_empty();
        let now = unread.then(Instant::now);
        let deadline = [deadline, self.input_until, now]
            .into_iter()
            .flatten()
            .min();
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, keys);
        flags.set(PollFlags::OUT, self.pending() > 0);
        let mut fds = vec![
            PollFd::new(&self.signals.pipe, PollFlags::IN),
            PollFd::new(&self.file, flags),
        ];
        if let Some((socket, flags)) = socket {
            fds.push(PollFd::from_borrowed_fd(socket, flags));
        }
        match poll(&mut fds, deadline.map(until).as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = Ready {
            signals: !fds[0].revents().is_empty(),
            keys: unread
                || fds[1]
                    .revents()
                    .intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR),
            socket: fds.get(2).is_some_and(|fd| !fd.revents().is_empty()),
        };
        drop(fds);
        self.flush();
        Ok(ready)
    }

    /// Reads once what was typed or answered, and what was held back long enough.
    pub(crate) fn read(&mut self, tokens: &mut Vec<Token>) {
        tokens.append(&mut self.unread);
        let from = tokens.len();
        match self.file.read(&mut self.buffer) {
            Ok(0) => self.gone = true,
            Ok(count) => {
                self.input.read(&self.buffer[..count], tokens);
                self.input_until = self.input.patience().map(|time| Instant::now() + time);
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            // EIO: the window was closed.
            Err(_) => self.gone = true,
        }
        self.learn(&tokens[from..]);
    }

    /// Leaves what was read to whoever reads next: a command may lead to another reader in the
    /// midst of what was typed.
    pub(crate) fn unread(&mut self, tokens: impl IntoIterator<Item = Token>) {
        self.unread.extend(tokens);
    }

    /// Gives what was held back for too long.
    pub(crate) fn pass_deadline(&mut self, tokens: &mut Vec<Token>) {
        if self.input_until.is_some_and(|at| at <= Instant::now()) {
            self.input_until = None;
            self.input.give_up(tokens);
        }
    }

    fn learn(&mut self, tokens: &[Token]) {
        for token in tokens {
            let answer = match token {
                Token::Answer(answer) => answer,
                Token::Focus(_) => &Answer::FocusReports(true),
                _ => continue,
            };
            let colors = &mut self.known.colors;
            match *answer {
                Answer::Foreground(color) => colors.foreground = Some(color),
                Answer::Background(color) => colors.background = Some(color),
                Answer::Cursor(color) => colors.cursor = Some(color),
                Answer::CellPixels(pixels) => colors.cell_pixels = pixels,
                Answer::ProgramStatus => self.known.program_status = true,
                // What it says it understands goes before what it is known by.
                Answer::Dialect(dialect) if self.known.dialect != Dialect::Osc99 => {
                    self.known.dialect = dialect;
                }
                Answer::Dialect(_) => {}
                Answer::FocusReports(reports) => self.known.focus_reports |= reports,
                Answer::Fence => self.known.complete = true,
            }
        }
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        // Also while a panic unwinds.
        self.give_back();
    }
}

/// Undoes every mode that a program may have set. The keyboard flags that were there before us stay
/// on the terminal's stack: [`Screen::reset_sequence`] would take them, too.
pub(crate) fn reset_modes(out: &mut Vec<u8>) {
    const POP_ALL: &[u8] = b"\x1b[<99u";
    let mut rest = Screen::reset_sequence();
    while let Some(at) = rest.windows(POP_ALL.len()).position(|part| part == POP_ALL) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + POP_ALL.len()..];
    }
    out.extend_from_slice(rest);
}

/// Undoes every mode, and leaves an empty screen with the cursor at home and focus reports on.
/// Lines are erased one by one: erasing all at once, many terminals keep what was there.
pub(crate) fn reset_and_clear(rows: u16, out: &mut Vec<u8>) {
    reset_modes(out);
    for row in 1..=rows {
        out.extend_from_slice(format!("\x1b[{row};1H\x1b[2K").as_bytes());
    }
    out.extend_from_slice(b"\x1b[H");
    out.extend_from_slice(FOCUS_ON);
}

/// The terminal by its name, as a description of our own.
fn reopen() -> io::Result<File> {
    let open = |path: &std::ffi::OsStr| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags((rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits() as i32)
            .open(path)
    };
    let named = rustix::termios::ttyname(io::stdout(), Vec::new())
        .map_err(io::Error::from)
        .and_then(|name| open(std::ffi::OsStr::from_bytes(name.as_bytes())));
    // In a container the name may be of another place.
    named.or_else(|_| open("/dev/tty".as_ref()))
}

fn until(limit: Instant) -> Timespec {
    let left = limit.saturating_duration_since(Instant::now());
    Timespec {
        tv_sec: left.as_secs() as i64,
        tv_nsec: left.subsec_nanos().into(),
    }
}
