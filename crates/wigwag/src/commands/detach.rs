//! `wigwag detach`: detach the clients of a terminal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `detach`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal [default: the one this runs in]
    pub(crate) terminal: Option<String>,
    /// Detach the other clients, keep this one
    #[arg(long)]
    pub(crate) others: bool,
}

/// Runs `detach`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("detach is not built yet"))
}
