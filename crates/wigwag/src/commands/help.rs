//! `wigwag help`: what a command does and takes, as its `--help` says it.

use super::Outcome;
use crate::cli::Cli;
use crate::output::Context;
use std::ffi::OsString;
use std::process::ExitCode;

/// Arguments of `help`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The command, such as `list` or `daemon run` [default: all of them]
    #[arg(value_name = "COMMAND")]
    words: Vec<OsString>,
}

/// Runs `help`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    context.write(Cli::help(&args.words, context.color)?.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
