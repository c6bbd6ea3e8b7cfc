//! Whether `wigwag` is a command here and in a terminal's shell, whose startup files may set `PATH` anew.

use super::Finding;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Startup files may wait for something; then nothing is said of them.
const STARTS_WITHIN: Timespec = Timespec {
    tv_sec: 3,
    tv_nsec: 0,
};

/// Shells that understand `-l -c 'command -v …'`.
const KNOWN: [&str; 6] = ["sh", "dash", "bash", "zsh", "fish", "ksh"];

pub(super) fn command() -> Option<Finding> {
    let Some(here) = in_path(env::var_os("PATH").as_deref()) else {
        return Some(Finding::advice(
            "command",
            "wigwag is not in PATH: programs in terminals do not find it, as `wigwag report` needs",
            "`make install PREFIX=/usr/local` puts it where every shell looks; or add its directory to PATH",
        ));
    };
    let shell = PathBuf::from(env::var_os("SHELL")?);
    let name = shell.file_name()?.to_str()?;
    if !KNOWN.contains(&name) {
        return None;
    }
    Some(match finds_it(&shell)? {
        true => Finding::good("command", here.display().to_string()),
        false => Finding::advice(
            "command",
            format!(
                "{} is not found in a login shell ({name}), as terminals run: its startup files set PATH anew",
                here.display()
            ),
            "`make install PREFIX=/usr/local` puts it where every shell looks; or add its directory \
             to PATH in that shell's own startup file, such as ~/.profile",
        ),
    })
}

fn in_path(path: Option<&OsStr>) -> Option<PathBuf> {
    let places = env::split_paths(path?).map(|place| place.join("wigwag"));
    places.into_iter().find(|place| is_executable(place))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Whether a login shell finds the command; `None` where it does not say so in time.
fn finds_it(shell: &Path) -> Option<bool> {
    let mut child = Command::new(shell)
        .args(["-l", "-c", "command -v wigwag"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let ended = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).and_then(|process| {
        poll(
            &mut [PollFd::new(&process, PollFlags::IN)],
            Some(&STARTS_WITHIN),
        )
    });
    if !matches!(ended, Ok(1)) {
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    Some(child.wait().ok()?.success())
}
