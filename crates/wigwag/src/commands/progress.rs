//! `wigwag progress`: send a progress signal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `progress`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `progress`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("progress is not built yet"))
}
