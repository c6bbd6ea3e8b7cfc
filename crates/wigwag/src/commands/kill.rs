//! `wigwag kill`: hang up the program of a terminal, as closing its window would.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `kill`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `kill`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("kill is not built yet"))
}
