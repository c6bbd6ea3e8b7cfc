//! `wigwag bell`: ring the bell of this terminal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `bell`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `bell`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("bell is not built yet"))
}
