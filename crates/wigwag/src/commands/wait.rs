//! `wigwag wait`: wait until a terminal settles, or for a state, a prompt, output or the exit.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `wait`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `wait`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("wait is not built yet"))
}
