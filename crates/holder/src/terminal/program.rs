//! The PTY and the program on it: starting, sizing, signalling, reaping.
//!
//! The holder keeps the other side of the PTY open while the program runs, so that a program
//! that closes its output first has not ended, and its exit is told by its status only.

use super::processes;
use crate::protocol::Process;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use rustix::pty::OpenptFlags;
use rustix::termios::{InputModes, OptionalActions, Termios, Winsize};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What to run.
#[derive(Clone, Copy)]
pub(super) struct Invocation<'a> {
    /// The program and its arguments, not empty.
    pub(super) words: &'a [OsString],
    /// As a login shell: its first word gets a dash before it.
    pub(super) login: bool,
    /// Where.
    pub(super) cwd: &'a Path,
    /// With what variables.
    pub(super) env: &'a [(OsString, OsString)],
    /// The caller's umask.
    pub(super) umask: Mode,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Exit {
    /// With this code.
    Code(i32),
    /// By the signal of this name, without `SIG`.
    Signal(String),
}

/// The PTY, and the program while it runs.
pub(super) struct Program {
    master: OwnedFd,
    /// The other side, held open while a program runs.
    other_side: Option<OwnedFd>,
    /// How the terminal was set up before any program changed it.
    modes: Termios,
    /// The program that runs, not yet reaped.
    child: Option<Pid>,
    /// Every session that was led here, the present one last.
    sessions: Vec<i32>,
    /// Nobody has the other side open any more.
    closed: bool,
}

impl Program {
    /// A PTY of that size with nothing on it.
    pub(super) fn open(cols: u16, rows: u16) -> io::Result<Self> {
        let master =
            rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        rustix::pty::grantpt(&master)?;
        rustix::pty::unlockpt(&master)?;
        rustix::io::ioctl_fionbio(&master, true)?;
        rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC)?;
        let other_side = open_other_side(&master)?;
        let mut modes = rustix::termios::tcgetattr(&other_side)?;
        // Backspace in a cooked line removes a character, not a byte.
        modes.input_modes |= InputModes::IUTF8;
        rustix::termios::tcsetattr(&other_side, OptionalActions::Now, &modes)?;
        let program = Self {
            master,
            other_side: Some(other_side),
            modes,
            child: None,
            sessions: Vec::new(),
            closed: false,
        };
        program.set_size(cols, rows)?;
        Ok(program)
    }

    /// Starts a program in a session of its own with this PTY as its terminal. The message of
    /// an error names what could not be run.
    pub(super) fn start(&mut self, what: &Invocation<'_>) -> io::Result<()> {
        if !what.cwd.is_dir() {
            let shown = what.cwd.display();
            let message = format!("the directory {shown} is not there: choose another with --cwd");
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        let Some((name, arguments)) = what.words.split_first() else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the command is empty",
            ));
        };
        let other_side = open_other_side(&self.master)?;
        rustix::termios::tcsetattr(&other_side, OptionalActions::Now, &self.modes)?;
        let mut command = Command::new(name);
        command
            .args(arguments)
            .current_dir(what.cwd)
            .env_clear()
            .envs(what.env.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::from(other_side.try_clone()?))
            .stdout(Stdio::from(other_side.try_clone()?))
            .stderr(Stdio::from(other_side.try_clone()?));
        if what.login {
            let base = Path::new(name).file_name().unwrap_or(name);
            let mut dashed = OsString::from("-");
            dashed.push(base);
            command.arg0(dashed);
        }
        lead_session(&mut command, what.umask);
        let child = command.spawn().map_err(|error| cannot_run(name, error))?;
        // A process id is a positive number.
        self.child = Pid::from_raw(child.id() as i32);
        self.sessions.push(child.id() as i32);
        self.other_side = Some(other_side);
        self.closed = false;
        Ok(())
    }

    /// The PTY, to poll on; `None` when nobody has its other side.
    pub(super) fn pty(&self) -> Option<BorrowedFd<'_>> {
        (!self.closed).then(|| self.master.as_fd())
    }

    /// The id of the program while it runs.
    pub(super) fn pid(&self) -> Option<i32> {
        self.child.map(Pid::as_raw_pid)
    }

    /// The processes of every session that was led here and has not ended.
    pub(super) fn processes(&mut self) -> Vec<Process> {
        let (program, foreground) = (self.pid(), self.foreground());
        processes::in_sessions(&mut self.sessions, program, foreground)
    }

    /// The process group that has the foreground.
    pub(super) fn foreground(&self) -> Option<i32> {
        rustix::termios::tcgetpgrp(&self.master)
            .ok()
            .map(Pid::as_raw_pid)
    }

    /// Reads what is there into `buffer`: how much; 0 when there is nothing for now.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < buffer.len() && !self.closed {
            match rustix::io::read(&self.master, &mut buffer[filled..]) {
                Ok(0) => self.closed = true,
                Ok(n) => filled += n,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                // EIO: nobody has the other side open, and everything was read.
                Err(_) => self.closed = true,
            }
        }
        filled
    }

    /// Types what the PTY takes now: how many bytes.
    pub(super) fn write(&self, bytes: &[u8]) -> usize {
        loop {
            match rustix::io::write(&self.master, bytes) {
                Ok(n) => return n,
                Err(Errno::INTR) => {}
                Err(_) => return 0,
            }
        }
    }

    /// Tells the program its size; the kernel sends SIGWINCH where it changed.
    pub(super) fn set_size(&self, cols: u16, rows: u16) -> io::Result<()> {
        let size = Winsize {
            ws_col: cols,
            ws_row: rows,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        Ok(rustix::termios::tcsetwinsize(&self.master, size)?)
    }

    /// Reaps the program if it has ended. From then on its id is never used again.
    pub(super) fn reap(&mut self) -> Option<Exit> {
        let child = self.child?;
        let exit = match rustix::process::waitpid(Some(child), WaitOptions::NOHANG) {
            Ok(Some((_, status))) => exit_of(status),
            // A stopped program has not ended.
            Ok(None) | Err(Errno::INTR) => return None,
            // It is gone, and nothing is known of its end.
            Err(_) => Exit::Code(255),
        };
        self.child = None;
        // From here only children that outlive the program keep the terminal open.
        self.other_side = None;
        Some(exit)
    }

    /// Sends a signal to the program's process group and, where closing a window would reach
    /// it, to the group in the foreground.
    pub(super) fn signal(&self, signal: Signal) {
        let Some(child) = self.child else { return };
        let foreground = rustix::termios::tcgetpgrp(&self.master).ok();
        let _ = rustix::process::kill_process_group(child, signal);
        let ends = [
            Signal::HUP,
            Signal::INT,
            Signal::KILL,
            Signal::QUIT,
            Signal::TERM,
            Signal::CONT,
        ];
        if ends.contains(&signal)
            && let Some(group) = foreground.filter(|group| *group != child)
        {
            let _ = rustix::process::kill_process_group(group, signal);
        }
        if matches!(signal, Signal::HUP | Signal::TERM) {
            // A stopped program sees the signal only when it continues.
            self.signal(Signal::CONT);
        }
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    match status.terminating_signal() {
        Some(signal) => Exit::Signal(super::signal_names::name_of(signal)),
        None => Exit::Code(status.exit_status().unwrap_or(255)),
    }
}

fn open_other_side(master: &OwnedFd) -> io::Result<OwnedFd> {
    let path = rustix::pty::ptsname(master, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path.as_c_str(), flags, Mode::empty())?)
}

fn cannot_run(name: &OsStr, error: io::Error) -> io::Error {
    let shown = PathBuf::from(name);
    let shown = shown.display();
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("cannot run {shown}: there is no such program"),
        _ => format!("cannot run {shown}: {error}"),
    };
    io::Error::new(error.kind(), message)
}

/// Between fork and exec: own session, controlling terminal, default signals, the caller's
/// umask, and no descriptor but the three standard ones.
#[allow(unsafe_code)]
fn lead_session(command: &mut Command, umask: Mode) {
    let prepare = move || {
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
        rustix::process::umask(umask);
        default_signals();
        close_on_exec_from(3);
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes async-signal-safe system calls only,
    // and does not allocate.
    unsafe {
        command.pre_exec(prepare);
    }
}

/// A shell started by hand has every signal at its default; what the caller ignored (`nohup`)
/// would otherwise be ignored by everything in the terminal. The mask is emptied by `Command`.
#[allow(unsafe_code)]
fn default_signals() {
    for signal in 1..=64 {
        // SAFETY: async-signal-safe; numbers that name no signal are refused with EINVAL.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

/// Marks every descriptor from `first` on to be closed by exec: also those that the holder
/// inherited itself. (Not closed at once: `Command` tells a failed exec through one of them.)
#[allow(unsafe_code)]
fn close_on_exec_from(first: i32) {
    #[cfg(target_os = "linux")]
    {
        const CLOSE_RANGE_CLOEXEC: libc::c_uint = 4;
        // SAFETY: changes flags of descriptors of this process only.
        let done = unsafe {
            libc::syscall(
                libc::SYS_close_range,
                first as libc::c_uint,
                libc::c_uint::MAX,
                CLOSE_RANGE_CLOEXEC,
            )
        };
        if done == 0 {
            return;
        }
    }
    /// Where all cannot be named at once: as many as a process commonly has at most.
    const MOST: i32 = 4096;
    for descriptor in first..MOST {
        // SAFETY: changes a flag of a descriptor of this process; one that is not open is refused.
        unsafe {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}
