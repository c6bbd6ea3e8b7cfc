//! `wigwag completions`: what a shell needs to complete the command line.

use super::Outcome;
use crate::cli::Cli;
use crate::output::Context;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// Runs `completions`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let mut script = Vec::new();
    for name in ["wigwag", "ww"] {
        clap_complete::generate(args.shell, &mut Cli::command(), name, &mut script);
    }
    context.write(&script)?;
    Ok(ExitCode::SUCCESS)
}
