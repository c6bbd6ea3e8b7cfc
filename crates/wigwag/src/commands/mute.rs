//! `wigwag mute`: no notifications for a terminal, for good, for a time, or again.

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::output::Context;
use client::Match;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `mute`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    #[arg(add = crate::candidates::terminals())]
    terminal: String,
    /// Only for that long, such as 30m or 1h
    #[arg(long = "for", value_name = "TIME", value_parser = status::parse_duration)]
    lasting: Option<Duration>,
    /// Notifications again
    #[arg(long, conflicts_with = "lasting")]
    off: bool,
}

impl Args {
    /// As `mute TERMINAL --off`.
    pub(super) fn off(terminal: String) -> Self {
        Self {
            terminal,
            lasting: None,
            off: true,
        }
    }
}

/// Runs `mute`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Exact)?;
    let done = client.mute(&status.id, !args.off, args.lasting)?;
    let name = &status.name;
    let what = match args.lasting {
        _ if args.off => format!("{name}: notifications again"),
        Some(time) => format!("{name}: no notifications for {}", status::age(time)),
        None => format!("{name}: no notifications until `wigwag unmute {name}`"),
    };
    context.did(&what, &status, done.seq)?;
    Ok(ExitCode::SUCCESS)
}
