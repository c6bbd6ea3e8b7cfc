//! `wigwag report -- CMD`: the command has the terminal; its status is reported around it.
//!
//! The command runs in this process's own group, so the keys of the terminal (Ctrl-C, Ctrl-Z) and
//! the shell's job control reach both. Ctrl-C ends only the command: this process stays until it
//! has reported. Signals that somebody sends to this process alone are passed on.

use super::{Args, Outcome, send};
use crate::failure::Failure;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use signals::program_status::MSG_LIMIT;
use signals::{Report, ReportState};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};

/// As a shell says it: the command was not found, or cannot be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

pub(super) fn run(args: &Args, id: String) -> Outcome {
    let line = command_line(&args.command);
    let msg = args.msg.clone().unwrap_or(line);
    let report = |state: ReportState, msg: String| Report {
        id: id.clone(),
        state,
        kind: None,
        progress: args.progress.filter(|_| state == ReportState::Working),
        app: args.app.clone(),
        title: args.title.clone(),
        msg: Some(bounded(&msg)),
    };
    if args.kind.is_some() {
        return Err(Failure::usage(
            "kind belongs to `blocked` only: leave --kind out",
        ));
    }
    // A wrong field or no terminal to tell is said before anything runs.
    send(&report(ReportState::Working, msg.clone()))?;
    let (code, end) = match start(&args.command) {
        Ok(child) => {
            let status = wait(child)?;
            (exit_code(status), end_of(status))
        }
        Err(error) => {
            let name = args.command[0].display();
            let failure = Failure::failed(format!("cannot run {name}: {error}"));
            failure.report(false);
            let code = match error.kind() {
                io::ErrorKind::NotFound => NOT_FOUND,
                _ => NOT_EXECUTABLE,
            };
            (code, format!("cannot run: {error}"))
        }
    };
    let state = match code {
        0 => ReportState::Done,
        _ => ReportState::Error,
    };
    // The terminal may be gone by now; the command's end is what counts then.
    let _ = send(&report(state, format!("{msg} · {end}")));
    Ok(ExitCode::from(code))
}

fn start(command: &[OsString]) -> io::Result<Child> {
    Command::new(&command[0]).args(&command[1..]).spawn()
}

/// Waits for the end of the command. The handlers are set after it started, so that it inherits
/// what this process was started with (a `nohup`, say).
fn wait(mut child: Child) -> io::Result<ExitStatus> {
    let mut signals = Signals::new([SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2])?;
    loop {
        // Not reaped yet: the process id is still the command's.
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        for signal in signals.wait() {
            let passed_on = match signal {
                SIGHUP => Signal::HUP,
                SIGTERM => Signal::TERM,
                SIGUSR1 => Signal::USR1,
                SIGUSR2 => Signal::USR2,
                // SIGCHLD is for us; the keys of the terminal reach the command themselves.
                _ => continue,
            };
            if child.try_wait()?.is_none()
                && let Some(pid) = Pid::from_raw(child.id().cast_signed())
            {
                let _ = kill_process(pid, passed_on);
            }
        }
    }
}

/// The exit code as a shell gives it: 128 + n for signal n.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    u8::try_from(code.unwrap_or(1)).unwrap_or(1)
}

fn end_of(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("ended by signal {}", signal_name(signal)),
        None => format!("exit {}", exit_code(status)),
    }
}

fn signal_name(signal: i32) -> String {
    let name = signal_hook::low_level::signal_name(signal);
    name.map_or(signal.to_string(), |name| {
        name.trim_start_matches("SIG").to_owned()
    })
}

fn command_line(command: &[OsString]) -> String {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    signals::text::clean(&words.join(" "))
}

/// A message that a report can carry, cut at a character.
fn bounded(msg: &str) -> String {
    let mut end = msg.len().min(MSG_LIMIT);
    while !msg.is_char_boundary(end) {
        end -= 1;
    }
    msg[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_128_and_its_number_as_in_a_shell() {
        assert_eq!(exit_code(ExitStatus::from_raw(9)), 137);
        assert_eq!(end_of(ExitStatus::from_raw(9)), "ended by signal KILL");
        assert_eq!(exit_code(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(end_of(ExitStatus::from_raw(3 << 8)), "exit 3");
    }

    #[test]
    fn a_long_message_is_cut_at_a_character() {
        assert_eq!(bounded(&"é".repeat(2000)).len(), 2048);
        assert_eq!(bounded(&format!("x{}", "é".repeat(2000))).len(), 2047);
    }
}
