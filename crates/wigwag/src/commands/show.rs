//! `wigwag show`: show everything that is known about a terminal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `show`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("show is not built yet"))
}
