//! `wigwag clear`: drop finished and failed reports of a terminal.

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::output::Context;
use client::Match;
use std::process::ExitCode;

/// Arguments of `clear`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    terminal: String,
    /// Only this record, with all beneath it
    #[arg(long)]
    id: Option<String>,
}

/// Runs `clear`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Exact)?;
    let done = client.clear(&status.id, args.id.as_deref())?;
    let what = match &args.id {
        Some(id) => format!("{}: cleared what {id} finished or failed", status.name),
        None => format!("{}: cleared all finished and failed reports", status.name),
    };
    context.did(&what, &status, done.seq)?;
    Ok(ExitCode::SUCCESS)
}
