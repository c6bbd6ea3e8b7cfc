//! `wigwag report -- CMD`: the command has the terminal; its status is reported around it.
//!
//! The command runs in this process's own group, so the keys of the terminal (Ctrl-C, Ctrl-Z) and
//! the shell's job control reach both. Ctrl-C ends only the command: this process stays until it
//! has reported. Signals that somebody sends to this process alone are passed on; a command that
//! stops itself stops this process, so that the shell notices.

use super::{Args, Outcome, send};
use crate::failure::Failure;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use signals::program_status::{MSG_LIMIT, TITLE_LIMIT};
use signals::{Report, ReportState};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus};

/// As a shell says it: the command was not found, or cannot be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

pub(super) fn run(args: &Args, id: String, json: bool) -> Outcome {
    let line = command_line(&args.command);
    // What the terminal runs is the command, not this process around it.
    let title = args
        .title
        .clone()
        .unwrap_or_else(|| bounded(&line, TITLE_LIMIT).to_owned());
    let msg = args.msg.clone().unwrap_or(line);
    let report = |state: ReportState, msg: String| Report {
        id: id.clone(),
        state,
        kind: None,
        progress: args.progress.filter(|_| state == ReportState::Working),
        app: args.app.clone(),
        title: Some(title.clone()),
        msg: Some(msg),
    };
    if args.kind.is_some() {
        return Err(Failure::usage(
            "kind belongs to `blocked` only: leave --kind out",
        ));
    }
    // A wrong field or no terminal to tell is said before anything runs.
    send(&report(
        ReportState::Working,
        bounded(&msg, MSG_LIMIT).to_owned(),
    ))?;
    let (code, end) = match execute(&args.command) {
        Ok(status) => (exit_code(status), end_of(status)),
        Err(error) => {
            let name = args.command[0].display();
            let (code, why) = match error.kind() {
                io::ErrorKind::NotFound => (NOT_FOUND, "command not found".to_owned()),
                _ => (NOT_EXECUTABLE, format!("cannot run: {error}")),
            };
            Failure::failed(format!("{name}: {why}")).report(json);
            (code, why)
        }
    };
    let state = match code {
        0 => ReportState::Done,
        _ => ReportState::Error,
    };
    // The terminal may be gone by now; the command's end is what counts then.
    let _ = send(&report(state, with_end(&msg, &end)));
    Ok(ExitCode::from(code))
}

/// Runs the command to its end.
fn execute(command: &[OsString]) -> io::Result<ExitStatus> {
    // Before the command starts, so that no Ctrl-C ends this process alone.
    let mut signals = Signals::new(caught())?;
    let child = Command::new(&command[0]).args(&command[1..]).spawn()?;
    let pid = Pid::from_raw(child.id().cast_signed());
    wait(pid.ok_or(io::ErrorKind::InvalidData)?, &mut signals)
}

/// Waits for the end of the command; stops when it stops.
fn wait(pid: Pid, signals: &mut Signals) -> io::Result<ExitStatus> {
    loop {
        let mut stopped = false;
        let changes = WaitOptions::NOHANG | WaitOptions::UNTRACED | WaitOptions::CONTINUED;
        while let Some((_, status)) = waitpid(Some(pid), changes)? {
            if status.exited() || status.signaled() {
                return Ok(ExitStatus::from_raw(status.as_raw()));
            }
            // After Ctrl-Z, which stops both, it may go on already.
            stopped = status.stopped();
        }
        if stopped {
            // Whoever continues the job continues this process; then the command goes on, too.
            kill_process(getpid(), Signal::STOP)?;
            kill_process(pid, Signal::CONT)?;
            continue;
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
            // It was not waited for since the last look: the process id is still the command's.
            let _ = kill_process(pid, passed_on);
        }
    }
}

/// The signals this process takes. One that was ignored from the start (by `nohup`, say) stays
/// so, also for the command.
fn caught() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored(&status);
    [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]
        .into_iter()
        .filter(|signal| ignored & (1 << (signal - 1)) == 0)
        .chain([SIGCHLD])
        .collect()
}

/// The mask of ignored signals in a process's status file.
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
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

/// The message with what ended the command; the message gives way where both are too long.
fn with_end(msg: &str, end: &str) -> String {
    let end = format!(" · {end}");
    let msg = bounded(msg, MSG_LIMIT.saturating_sub(end.len()));
    msg.to_owned() + bounded(&end, MSG_LIMIT)
}

/// At most `limit` bytes of a message, cut at a character.
fn bounded(msg: &str, limit: usize) -> &str {
    let mut end = msg.len().min(limit);
    while !msg.is_char_boundary(end) {
        end -= 1;
    }
    &msg[..end]
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
    fn ignored_signals_are_read_from_the_status_file() {
        let text = "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000006\n";
        assert_eq!(ignored(text), 1 << (SIGINT - 1) | 1 << (SIGQUIT - 1));
        assert_eq!(ignored(""), 0);
    }

    #[test]
    fn a_long_message_is_cut_at_a_character_and_keeps_the_end() {
        assert_eq!(bounded(&"é".repeat(2000), MSG_LIMIT).len(), 2048);
        assert_eq!(
            bounded(&format!("x{}", "é".repeat(2000)), MSG_LIMIT).len(),
            2047
        );
        let whole = with_end(&"é".repeat(2000), "exit 2");
        assert!(whole.len() <= MSG_LIMIT && whole.ends_with("é · exit 2"));
        assert_eq!(with_end("make", "exit 2"), "make · exit 2");
    }
}
