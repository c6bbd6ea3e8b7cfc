//! `wigwag kill`: hang up the program of a terminal, as closing its window would.

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::failure::Failure;
use crate::output::Context;
use crate::present::life;
use client::{Client, Match, Next, Since};
use status::Status;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long the program may take to end before what survives is said.
const PATIENCE: Duration = Duration::from_secs(5);

/// Signals that are meant to end a program.
const ENDING: [&str; 6] = ["HUP", "TERM", "KILL", "INT", "QUIT", "ABRT"];

/// Arguments of `kill`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
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
    if status.lifecycle.is_over() {
        return Err(
            Failure::refused(format!("{name} does not run: {}", life(&status.lifecycle)))
                .hint(format!("`wigwag remove {name}` forgets it")),
        );
    }
    // Before the signal, so that the exit is not missed.
    let mut events = client.events(Since::Now, true)?;
    let done = client.signal(&status.id, signal)?;
    if !ENDING.contains(&signal) {
        context.did(&format!("{name}: sent {signal}"), &status, done.seq)?;
        return Ok(ExitCode::SUCCESS);
    }
    let limit = Instant::now() + PATIENCE;
    loop {
        match events.next(Some(limit))? {
            Next::Event(event) if event.terminal != status.id => {}
            Next::Event(event) => match &event.status {
                Some(after) if !after.lifecycle.is_over() => {}
                after => {
                    let end = match after {
                        Some(after) => life(&after.lifecycle),
                        None => "ended, and removed".to_owned(),
                    };
                    let left = survivors(&client, &status);
                    let what = match left.as_slice() {
                        [] => format!("{name}: sent {signal}; {end}"),
                        left => format!(
                            "{name}: sent {signal}; {end}; it left behind: {}",
                            left.join(", ")
                        ),
                    };
                    context.did(&what, &status, event.seq)?;
                    return Ok(ExitCode::SUCCESS);
                }
            },
            Next::Timeout => break,
            Next::End => return Err(Failure::unreachable("the daemon ended its events")),
        }
    }
    let left = survivors(&client, &status).join(", ");
    Err(Failure::failed(format!(
        "{name}: sent {signal}, but after {} s these still run: {left}",
        PATIENCE.as_secs()
    ))
    .hint(format!(
        "`wigwag kill {name} --force` ends the program at once"
    )))
}

/// The processes that still live: number and command.
fn survivors(client: &Client, status: &Status) -> Vec<String> {
    let processes = client.processes(&status.id).unwrap_or_default();
    let process = |p: client::Process| format!("{} {}", p.pid, signals::text::clean(&p.command));
    processes.into_iter().map(process).collect()
}
