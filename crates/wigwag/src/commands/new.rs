//! `wigwag new`: start a terminal, and attach to it.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;
use std::path::PathBuf;

/// Arguments of `new`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the terminal; its id without one
    pub(crate) name: Option<String>,
    /// Do not attach: print the id
    #[arg(short, long)]
    pub(crate) detached: bool,
    /// Attach if NAME exists
    #[arg(short = 'A', long, requires = "name")]
    pub(crate) attach: bool,
    /// Start it on another machine
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
    /// Start it as a window of this tmux session
    #[arg(long, value_name = "SESSION", conflicts_with = "host")]
    pub(crate) tmux: Option<String>,
    /// Working directory [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Add to the environment of the program
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Size in cells [default: this window, or 80x24]
    #[arg(long, value_name = "COLSxROWS")]
    pub(crate) size: Option<String>,
    /// When CMD ends, go on as a shell
    #[arg(long, requires = "command")]
    pub(crate) then_shell: bool,
    /// The program and its arguments [default: the login shell]
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

/// Runs `new`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let _ = (args, context);
    Err(Failure::refused("new is not built yet"))
}
