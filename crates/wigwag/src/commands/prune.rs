//! `wigwag prune`: forget all exited terminals.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `prune`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `prune`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("prune is not built yet"))
}
