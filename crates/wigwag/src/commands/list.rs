//! `wigwag list`: one line a terminal.

use super::Outcome;
use crate::daemon_client::connect;
use crate::output::Context;
use std::process::ExitCode;

/// Arguments of `list`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {}

/// Runs `list`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let Args {} = args;
    let terminals = connect()?.list()?;
    if context.json {
        context.say_json(&terminals)?;
        return Ok(ExitCode::SUCCESS);
    }
    for terminal in &terminals {
        context.say(&terminal.label)?;
    }
    Ok(ExitCode::SUCCESS)
}
