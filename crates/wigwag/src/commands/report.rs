//! `wigwag report`: send a program status, or run a command and report on it.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `report`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("report is not built yet"))
}
