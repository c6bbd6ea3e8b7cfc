//! `wigwag bell`: ring the bell of this terminal.

use super::Outcome;
use crate::output::Context;
use crate::own_terminal::{self, Wrap};
use std::process::ExitCode;

/// Arguments of `bell`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `bell`.
pub(crate) fn run(args: Args, _context: &Context) -> Outcome {
    let Args {} = args;
    // tmux handles bells itself: wrapped, its own windows would not ring.
    own_terminal::print(signals::bell::BEL, Wrap::Never)?;
    Ok(ExitCode::SUCCESS)
}
