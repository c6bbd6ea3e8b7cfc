//! `wigwag capture`: print the screen of a terminal as text.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `capture`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `capture`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("capture is not built yet"))
}
