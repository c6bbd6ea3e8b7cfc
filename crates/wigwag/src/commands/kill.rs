//! `wigwag kill`: hang up the program of a terminal, as closing its window would.

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::failure::Failure;
use crate::output::Context;
use crate::present::life;
use client::{Client, Match, Next, Since};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use status::Status;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long the program may take to end before what survives is said.
const PATIENCE: Duration = Duration::from_secs(5);

/// Signals after which nothing should be left. INT and QUIT are not among them: they are keys, and
/// a shell goes on after them.
const ENDING: [&str; 3] = ["HUP", "TERM", "KILL"];

/// Arguments of `kill`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    #[arg(add = crate::candidates::terminals())]
    terminal: String,
    /// Another signal, such as TERM or INT
    #[arg(
        long,
        short,
        value_name = "NAME",
        default_value = "HUP",
        conflicts_with = "force"
    )]
    signal: String,
    /// KILL: the program cannot refuse
    #[arg(long, short)]
    force: bool,
}

/// Runs `kill`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let signal = if args.force {
        "KILL".to_owned()
    } else {
        args.signal.to_ascii_uppercase()
    };
    let signal = signal.strip_prefix("SIG").unwrap_or(&signal);
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Exact)?;
    let name = &status.name;
    let before = client.processes(&status.id).unwrap_or_default();
    // What a program left behind when it exited can be ended, too.
    if status.lifecycle.is_over() && before.is_empty() {
        return Err(
            Failure::refused(format!("{name} does not run: {}", life(&status.lifecycle)))
                .hint(format!("`wigwag remove {name}` forgets it")),
        );
    }
    // Before the signal, so that the exit is not missed.
    let mut events = client.events(Since::Now, true)?;
    let done = client.signal(&status.id, signal)?;
    let sent = format!("{name}: sent {signal}");
    if !ENDING.contains(&signal) {
        context.did(&sent, &status, done.seq)?;
        return Ok(ExitCode::SUCCESS);
    }
    let limit = Instant::now() + PATIENCE;
    let end = if status.lifecycle.is_over() {
        Some((life(&status.lifecycle), done.seq))
    } else {
        exit_of(&status, &mut events, limit)?
    };
    let Some((end, seq)) = end else {
        return Err(still_runs(&sent, &status, &survivors(&client, &status)));
    };
    // Hung up with the program, they may need a moment longer than it.
    wait_for_ends(&before, limit)?;
    let what = match survivors(&client, &status).as_slice() {
        [] => format!("{sent}; {end}"),
        left => format!("{sent}; {end}; these live on: {}", left.join(", ")),
    };
    context.did(&what, &status, seq)?;
    Ok(ExitCode::SUCCESS)
}

/// How the program ended and the number of the event that said so; `None` if it did not in time.
fn exit_of(
    status: &Status,
    events: &mut client::Events,
    limit: Instant,
) -> Result<Option<(String, u64)>, Failure> {
    loop {
        let event = match events.next(Some(limit))? {
            Next::Event(event) if event.terminal == status.id => event,
            Next::Event(_) => continue,
            Next::Timeout => return Ok(None),
            Next::End => return Err(Failure::unreachable("the daemon ended its events")),
        };
        match &event.status {
            Some(after) if after.lifecycle.is_over() => {
                return Ok(Some((life(&after.lifecycle), event.seq)));
            }
            Some(_) => {}
            // It exited with 0 while somebody looked.
            None => return Ok(Some(("exited, and removed".to_owned(), event.seq))),
        }
    }
}

fn still_runs(sent: &str, status: &Status, left: &[String]) -> Failure {
    let left = match left {
        [] => "the program".to_owned(),
        left => left.join(", "),
    };
    let name = &status.name;
    Failure::failed(format!(
        "{sent}, but after {} s this still runs: {left}",
        PATIENCE.as_secs()
    ))
    .hint(format!(
        "`wigwag kill {name} --force` ends the program at once"
    ))
}

/// Waits until these processes have ended, at most until `limit`.
fn wait_for_ends(processes: &[client::Process], limit: Instant) -> Result<(), Failure> {
    for process in processes {
        let Some(pid) = Pid::from_raw(process.pid) else {
            continue;
        };
        // It has ended already, mostly.
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        loop {
            let left = limit.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).ok();
            match poll(&mut [PollFd::new(&process, PollFlags::IN)], left.as_ref()) {
                Ok(0) => return Ok(()),
                Ok(_) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(std::io::Error::from(error).into()),
            }
        }
    }
    Ok(())
}

/// The processes that still live: number and command.
fn survivors(client: &Client, status: &Status) -> Vec<String> {
    let processes = client.processes(&status.id).unwrap_or_default();
    let process = |p: client::Process| format!("{} {}", p.pid, signals::text::clean(&p.command));
    processes.into_iter().map(process).collect()
}
