//! `wigwag rename`: give a terminal another name.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `rename`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `rename`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("rename is not built yet"))
}
