//! `wigwag events`: print the journal of events.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `events`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `events`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("events is not built yet"))
}
