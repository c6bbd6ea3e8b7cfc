//! `wigwag ack`: mark what a terminal asks for as read.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `ack`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `ack`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("ack is not built yet"))
}
