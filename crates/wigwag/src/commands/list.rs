//! `wigwag list`: one line a terminal.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;

/// Arguments of `list`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {}

/// Runs `list`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let Args {} = args;
    let _ = (
        context.columns(),
        context.rows(),
        context.unicode,
        context.color,
    );
    context.say("")?;
    context.say_json(&0)?;
    Err(Failure::refused("list is not built yet"))
}
