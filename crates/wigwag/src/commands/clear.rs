//! `wigwag clear`: drop finished and failed reports.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `clear`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `clear`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("clear is not built yet"))
}
