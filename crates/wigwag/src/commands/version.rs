//! `wigwag version`: print the versions of client, daemon and holders.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `version`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `version`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("version is not built yet"))
}
