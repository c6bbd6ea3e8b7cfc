//! `wigwag shell-integration`: the script that tells a terminal what runs in a shell, for people who
//! source it themselves: in tmux, in other terminals, in shells that Wigwag did not start.

use super::Outcome;
use crate::output::Context;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use holder::shell_integration::Shell;
use std::process::ExitCode;

/// Arguments of `shell-integration`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Name,
}

/// A shell by its name.
#[derive(Debug, Clone, Copy)]
struct Name(Shell);

impl ValueEnum for Name {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Name; Shell::ALL.len()] = [
            Name(Shell::ALL[0]),
            Name(Shell::ALL[1]),
            Name(Shell::ALL[2]),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

/// Runs `shell-integration`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    context.write(args.shell.0.script().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
