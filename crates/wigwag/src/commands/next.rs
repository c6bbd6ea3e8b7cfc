//! `wigwag next`: attach to the most urgent unread terminal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `next`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `next`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("next is not built yet"))
}
