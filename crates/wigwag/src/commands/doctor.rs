//! `wigwag doctor`: check that everything works, with advice.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `doctor`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("doctor is not built yet"))
}
