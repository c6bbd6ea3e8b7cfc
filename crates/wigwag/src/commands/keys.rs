//! `wigwag keys`: press named keys in a terminal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `keys`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `keys`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("keys is not built yet"))
}
