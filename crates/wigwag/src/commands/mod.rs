//! The commands of interfaces.md, one file each, named as the command.

mod attach;
mod completions;
mod decode;
mod detach;
mod list;
mod new;
mod next;
mod probe;

use crate::failure::Failure;
use crate::output::Context;
use clap::Subcommand;
use std::process::ExitCode;

/// What a command returns: its exit code, or why it did not do what it was asked to.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a terminal and attach to it
    #[command(visible_alias = "n")]
    New(new::Args),
    /// Attach to a terminal
    #[command(visible_alias = "a")]
    Attach(attach::Args),
    /// Attach to the most urgent unread terminal
    Next(next::Args),
    /// Detach clients
    Detach(detach::Args),
    /// List the terminals, most urgent first
    #[command(visible_aliases = ["l", "ls"])]
    List(list::Args),
    /// Bytes to signals, one JSON line each
    Decode(decode::Args),
    /// Ask this terminal what it supports
    Probe(probe::Args),
    /// Print completions for a shell
    Completions(completions::Args),
}

/// Runs a command; none is `list`.
pub(crate) fn run(command: Option<Command>, context: &Context) -> Outcome {
    match command {
        None => list::run(list::Args::default(), context),
        Some(Command::New(args)) => new::run(args, context),
        Some(Command::Attach(args)) => attach::run(args, context),
        Some(Command::Next(args)) => next::run(args, context),
        Some(Command::Detach(args)) => detach::run(args, context),
        Some(Command::List(args)) => list::run(args, context),
        Some(Command::Decode(args)) => decode::run(args, context),
        Some(Command::Probe(args)) => probe::run(args, context),
        Some(Command::Completions(args)) => completions::run(args, context),
    }
}
