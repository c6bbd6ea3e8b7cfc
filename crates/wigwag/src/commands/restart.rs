//! `wigwag restart`: run the same command again in the same place.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `restart`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `restart`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("restart is not built yet"))
}
