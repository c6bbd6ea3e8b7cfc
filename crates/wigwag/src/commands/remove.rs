//! `wigwag remove`: forget an exited terminal; a running one only with `--force`.

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::failure::Failure;
use crate::output::Context;
use client::Match;
use std::process::ExitCode;

/// Arguments of `remove`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    #[arg(add = crate::candidates::terminals())]
    terminal: String,
    /// Also a running one: its program is hung up, and killed if it does not end
    #[arg(long, short)]
    force: bool,
}

/// Runs `remove`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Exact)?;
    let name = &status.name;
    if !args.force && !status.lifecycle.is_over() {
        return Err(Failure::refused(format!("{name} still runs")).hint(format!(
            "end it with `wigwag kill {name}`, or end and forget it with `wigwag remove {name} --force`"
        )));
    }
    let done = client.remove(&status.id, args.force)?;
    context.did(&format!("{name}: removed"), &status, done.seq)?;
    Ok(ExitCode::SUCCESS)
}
