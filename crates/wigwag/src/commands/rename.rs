//! `wigwag rename`: give a terminal another name.

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::failure::Failure;
use crate::output::Context;
use client::Match;
use std::process::ExitCode;

/// Arguments of `rename`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    #[arg(add = crate::candidates::terminals())]
    terminal: String,
    /// Its new name
    name: String,
}

/// Runs `rename`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    holder::paths::check_name(&args.name).map_err(Failure::usage)?;
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Exact)?;
    let done = client.rename(&status.id, &args.name)?;
    context.did(
        &format!("{} is now {}", status.name, args.name),
        &status,
        done.seq,
    )?;
    Ok(ExitCode::SUCCESS)
}
