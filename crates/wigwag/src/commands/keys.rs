//! `wigwag keys`: press named keys in a terminal.

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::failure::Failure;
use crate::output::Context;
use client::Match;
use std::io::Read;
use std::process::ExitCode;

/// Arguments of `keys`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    #[arg(add = crate::candidates::terminals())]
    terminal: String,
    /// Names such as `C-c` (or `ctrl-c`), `Enter`, `Up`, `M-x`, `F5`; `-` reads them from standard input
    #[arg(required = true, value_name = "KEY", add = crate::candidates::keys())]
    keys: Vec<String>,
}

/// Runs `keys`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let keys = if args.keys == ["-"] {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        text.split_whitespace().map(str::to_owned).collect()
    } else {
        args.keys
    };
    if keys.is_empty() {
        return Err(Failure::usage("no key was named"));
    }
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Exact)?;
    let done = client.keys(&status.id, &keys)?;
    context.did(
        &format!("{}: pressed {}", status.name, keys.join(" ")),
        &status,
        done.seq,
    )?;
    Ok(ExitCode::SUCCESS)
}
