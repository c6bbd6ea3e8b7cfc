//! `wigwag daemon`: the lifecycle of the daemon. Terminals are never touched by it.

use super::Outcome;
use crate::daemon_client::paths;
use crate::failure::Failure;
use crate::output::Context;
use std::process::ExitCode;

/// Arguments of `daemon`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

/// What to do with the daemon.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Run the daemon in this process, until it is told to stop
    Run {
        /// Say when clients are served, in a session of its own: for whoever starts it
        #[arg(long, hide = true)]
        ready: bool,
    },
}

/// Runs `daemon`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = context;
    match args.action {
        Action::Run { ready } => serve(ready),
    }
}

fn serve(ready: bool) -> Outcome {
    ::daemon::run(&paths()?, ::daemon::Options { ready })
        .map_err(|error| Failure::failed(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}
