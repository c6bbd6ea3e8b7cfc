//! From a process that was just started to a holder: read the request, leave the caller's
//! session, take id and name, start the program, say so, and go on alone.

use super::claim::{self, Claim};
use super::holder::Holder;
use super::{log, shell};
use crate::spawn::{StartReply, StartRequest, Started};
use rustix::fs::{Mode, OFlags};
use std::io::{Read, Write};
use std::process::ExitCode;

/// The whole of `wigwag-holder`.
pub fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None => {}
        Some("--version" | "-V") => {
            println!("wigwag-holder {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Some(_) => {
            eprintln!(
                "wigwag-holder is started by wigwag and takes no arguments: use `wigwag new`"
            );
            return ExitCode::from(2);
        }
    }
    close_inherited();
    let mut request = Vec::new();
    let stdin = std::io::stdin();
    let read = stdin
        .lock()
        .take(claim::MAX_REQUEST)
        .read_to_end(&mut request);
    let request = read.and_then(|_| Ok(serde_json::from_slice::<StartRequest>(&request)?));
    let request = match request {
        Ok(request) => request,
        Err(error) => {
            say(&StartReply::Failed(format!(
                "the start request cannot be read: {error}"
            )));
            return ExitCode::from(2);
        }
    };
    if !leave_session() {
        return ExitCode::SUCCESS;
    }
    let umask = rustix::process::umask(Mode::RWXG | Mode::RWXO);
    match start(request, umask) {
        Ok(mut holder) => {
            say(&StartReply::Started(holder.started()));
            detach_stdio();
            holder.run();
            ExitCode::SUCCESS
        }
        Err(reply) => {
            say(&reply);
            ExitCode::FAILURE
        }
    }
}

fn start(mut request: StartRequest, umask: Mode) -> Result<Holder, StartReply> {
    let claim = claim::claim(&request)?;
    log::write_to(request.paths.log_file(&claim.id));
    if let Err(error) = request.paths.create_state() {
        // The terminal works; what is missing is its memory after a reboot.
        log::error(&format!("cannot keep the state file: {error}"));
    }
    request.spec.id = Some(claim.id.clone());
    let paths = request.paths.clone();
    let replaced = claim.replaced.clone();
    match begin(request, claim, umask) {
        Ok(holder) => {
            if let Err(error) = holder.end_replaced() {
                let old = replaced.unwrap_or_default();
                log::error(&format!("cannot forget {old}, which had the name: {error}"));
            }
            // Nothing is to be found busy because a terminal was started there.
            let _ = rustix::process::chdir("/");
            Ok(holder)
        }
        Err((claim, error)) => {
            claim.undo(&paths);
            Err(StartReply::Failed(error.to_string()))
        }
    }
}

/// The holder with its program running; the claim back if that cannot be.
fn begin(
    request: StartRequest,
    claim: Claim,
    umask: Mode,
) -> Result<Holder, (Box<Claim>, std::io::Error)> {
    let words = match &request.spec.command {
        Some(words) => words.clone(),
        None => vec![shell::login_shell(&request.spec.env).into_os_string()],
    };
    Holder::new(request, claim, umask, &words)
}

impl Holder {
    /// What the starting client is told.
    fn started(&self) -> Started {
        let claim = self.claim();
        Started {
            id: claim.id.clone(),
            name: claim.name.clone(),
            socket: claim.socket.clone(),
            replaced: claim.replaced.clone(),
            warning: self
                .state_failure()
                .map(|failure| format!("{failure}; the terminal runs, but a reboot forgets it")),
        }
    }
}

/// One JSON line to whoever started us.
fn say(reply: &StartReply) {
    let line = serde_json::to_string(reply).unwrap_or_default();
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

/// Closes what was inherited beyond the three standard descriptors.
#[allow(unsafe_code)]
fn close_inherited() {
    #[cfg(target_os = "linux")]
    // SAFETY: at the start of main nothing in this process owns a descriptor above 2.
    unsafe {
        libc::syscall(
            libc::SYS_close_range,
            3 as libc::c_uint,
            libc::c_uint::MAX,
            0 as libc::c_uint,
        );
    }
}

/// Goes on in a child that leads its own session and is nobody's zombie: `true` there.
#[allow(unsafe_code)]
fn leave_session() -> bool {
    // SAFETY: this process has one thread; the child may do everything.
    match unsafe { libc::fork() } {
        0 => {
            let _ = rustix::process::setsid();
            true
        }
        -1 => {
            let error = std::io::Error::last_os_error();
            say(&StartReply::Failed(format!(
                "cannot start another process: {error}"
            )));
            false
        }
        _ => false,
    }
}

/// Lets go of the caller's standard descriptors; who waits for our answer sees its end.
fn detach_stdio() {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty());
    match null {
        Ok(null) => {
            let _ = rustix::stdio::dup2_stdin(&null);
            let _ = rustix::stdio::dup2_stdout(&null);
            let _ = rustix::stdio::dup2_stderr(&null);
        }
        Err(error) => log::error(&format!("/dev/null: {error}")),
    }
}
