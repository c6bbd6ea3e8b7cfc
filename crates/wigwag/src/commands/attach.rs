//! `wigwag attach`: show a terminal in this window, and type into it.

use super::Outcome;
use crate::attach::{self, Wishes};
use crate::daemon_client::{connect, find, paths};
use crate::failure::Failure;
use crate::output::Context;
use client::Match;

/// Arguments of `attach`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal, also a unique prefix of its name; `-`: the previous one; without it: a
    /// picker, most urgent first
    pub(crate) terminal: Option<String>,
    /// Only look: type nothing, change nothing
    #[arg(long)]
    pub(crate) view: bool,
    /// Lines of history to print first [default: `attach.history`]
    #[arg(long, value_name = "N")]
    pub(crate) history: Option<u32>,
    /// Inside a terminal: attach within it instead of switching this client
    #[arg(long)]
    pub(crate) nest: bool,
}

/// Runs `attach`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let paths = paths()?;
    let Some(name) = &args.terminal else {
        return Err(Failure::usage("name a terminal to attach to"));
    };
    let status = find(&connect()?, name, Match::Prefix)?;
    let wishes = Wishes {
        view: args.view,
        history: args.history,
        nest: args.nest,
    };
    attach::run(&paths, &status.id, &wishes, context)
}
