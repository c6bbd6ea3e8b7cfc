//! `wigwag mute`: raise no notifications for a terminal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `mute`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `mute`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("mute is not built yet"))
}
