//! `wigwag daemon`: the lifecycle of the daemon. Terminals are never touched by it.

use super::Outcome;
use crate::daemon_client::{connect, paths};
use crate::failure::Failure;
use crate::output::Context;
use crate::present::ago;
use client::Client;
use holder::paths::Paths;
use jiff::Timestamp;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io;
use std::process::ExitCode;

mod logs;

/// How long a daemon may take to store what it received and end.
const STOPS_WITHIN: Timespec = Timespec {
    tv_sec: 10,
    tv_nsec: 0,
};

/// Arguments of `daemon`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

/// What to do with the daemon.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Run the daemon in this process, until it is told to stop
    Run {
        /// Say when clients are served, in a session of its own: for whoever starts it
        #[arg(long, hide = true)]
        ready: bool,
    },
    /// Start the daemon in the background, if none runs
    Start,
    /// Stop the daemon; terminals go on, and the next command starts it again
    Stop,
    /// Say how the daemon is
    Status,
    /// Print its log
    Logs {
        /// Go on with what is logged from now on
        #[arg(short, long)]
        follow: bool,
    },
}

/// Runs `daemon`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    match args.action {
        Action::Run { ready } => serve(ready),
        Action::Start => start(context),
        Action::Stop => stop(context),
        Action::Status => status(context),
        Action::Logs { follow } => logs::run(&paths()?.state.join("log"), follow, context),
    }
}

fn serve(ready: bool) -> Outcome {
    ::daemon::run(&paths()?, ::daemon::Options { ready })
        .map_err(|error| Failure::failed(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

fn start(context: &Context) -> Outcome {
    let running = running(&paths()?)?.is_some();
    let health = connect()?.health()?;
    let pid = health.pid;
    if context.json {
        context.say_json(&health)?;
    } else if running {
        context.say(format!("The daemon runs already (process {pid})"))?;
    } else {
        context.say(format!("The daemon was started (process {pid})"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A client of the daemon that runs, if one does.
fn running(paths: &Paths) -> Result<Option<Client>, Failure> {
    match Client::connect_existing(paths) {
        Ok(client) => Ok(Some(client)),
        Err(client::Error::Unreachable { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn stop(context: &Context) -> Outcome {
    let paths = paths()?;
    let Some(pid) = server(&paths)? else {
        if context.json {
            context.say_json(&serde_json::json!({"stopped": null}))?;
        } else {
            context.say("No daemon runs")?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let number = pid.as_raw_nonzero();
    // A descriptor, so that no other process that takes the number is signalled.
    let process = pidfd_open(pid, PidfdFlags::empty()).map_err(io::Error::from)?;
    // The one that serves now is the one that the descriptor names.
    if server(&paths)? != Some(pid) {
        return Err(Failure::failed("the daemon was replaced in this moment").hint("try again"));
    }
    pidfd_send_signal(&process, Signal::TERM).map_err(io::Error::from)?;
    let mut ended = [PollFd::new(&process, PollFlags::IN)];
    loop {
        match poll(&mut ended, Some(&STOPS_WITHIN)) {
            Ok(0) => {
                let message = format!("the daemon (process {number}) does not end");
                return Err(Failure::failed(message)
                    .hint(format!("`kill -KILL {number}` ends it; terminals go on")));
            }
            Ok(_) => break,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
    if context.json {
        context.say_json(&serde_json::json!({"stopped": number}))?;
    } else {
        context
            .say("The daemon was stopped; terminals go on, and the next command starts it again")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The process that serves the daemon's socket, as the kernel knows it: also one that does not
/// answer can be stopped.
fn server(paths: &Paths) -> Result<Option<Pid>, Failure> {
    let Ok(stream) = paths.connect_daemon() else {
        return Ok(None);
    };
    let peer = socket_peercred(&stream).map_err(io::Error::from)?;
    Ok(Some(peer.pid))
}

fn status(context: &Context) -> Outcome {
    let Some(client) = running(&paths()?)? else {
        if context.json {
            context.say_json(&serde_json::json!({"running": false}))?;
        } else {
            context.say("No daemon runs; the next command that needs it starts it")?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let health = client.health()?;
    if context.json {
        let mut value =
            serde_json::to_value(&health).map_err(|error| Failure::failed(error.to_string()))?;
        value["running"] = true.into();
        context.say_json(&value)?;
        return Ok(ExitCode::SUCCESS);
    }
    let started: Option<Timestamp> = health.started_at.parse().ok();
    let since = started.map(|at| format!(", for {}", ago(at, Timestamp::now())));
    let since = since.unwrap_or_default();
    let (pid, version, terminals) = (health.pid, &health.version, health.terminals);
    context.say(format!(
        "The daemon runs{since}: version {version}, process {pid}"
    ))?;
    let plural = if terminals == 1 {
        "terminal"
    } else {
        "terminals"
    };
    context.say(format!("It knows {terminals} {plural}"))?;
    if health.replaced {
        context.say("Its executable was replaced: `wigwag daemon stop` lets the new one start")?;
    }
    for warning in &health.warnings {
        context.say(format!("{}: {}", warning.what, warning.message))?;
    }
    Ok(ExitCode::SUCCESS)
}
