//! `wigwag remove`: forget an exited terminal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `remove`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `remove`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("remove is not built yet"))
}
