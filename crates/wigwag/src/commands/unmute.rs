//! `wigwag unmute`: notifications for a terminal again, as `wigwag mute --off`.

use super::{Outcome, mute};
use crate::output::Context;

/// Arguments of `unmute`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    terminal: String,
}

/// Runs `unmute`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    mute::run(mute::Args::off(args.terminal), context)
}
