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
    #[arg(add = crate::candidates::terminals())]
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
    let after = client.find(&status.id, Match::Exact)?;
    let is_left = |id: &str| after.reports.iter().any(|report| report.id == id);
    let gone = status
        .reports
        .iter()
        .filter(|report| !is_left(&report.id))
        .count();
    let name = &status.name;
    let what = match (gone, &args.id) {
        (0, Some(id)) => format!("{name}: nothing to clear: {id} finished or failed nothing"),
        (0, None) => format!("{name}: nothing to clear: no report finished or failed"),
        (1, _) => format!("{name}: cleared 1 report"),
        (count, _) => format!("{name}: cleared {count} reports"),
    };
    context.did(&what, &status, done.seq)?;
    Ok(ExitCode::SUCCESS)
}
