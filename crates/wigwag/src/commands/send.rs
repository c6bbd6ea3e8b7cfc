//! `wigwag send`: type text into a terminal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `send`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `send`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("send is not built yet"))
}
