//! `wigwag capture`: the screen of a terminal as text; and everything new that it prints.

mod follow;
mod lines;

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::failure::Failure;
use crate::holder_stream::HolderStream;
use crate::output::Context;
use client::{CaptureQuery, Match};
use std::process::ExitCode;

/// Arguments of `capture`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal, also a unique prefix
    #[arg(add = crate::candidates::terminals())]
    terminal: String,
    /// Only the last N lines
    #[arg(long, short = 'n', value_name = "N")]
    lines: Option<usize>,
    /// With the history above the screen
    #[arg(long, short)]
    scrollback: bool,
    /// With colours and attributes
    #[arg(long)]
    ansi: bool,
    /// Then everything new, as the program prints it, until it ends
    #[arg(long, short)]
    follow: bool,
}

/// Runs `capture`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Prefix)?;
    let query = CaptureQuery {
        lines: args.lines,
        scrollback: args.scrollback,
        ansi: args.ansi,
    };
    if args.follow {
        let history = match (args.scrollback, args.lines) {
            (false, _) => 0,
            (true, Some(lines)) => u32::try_from(lines).unwrap_or(u32::MAX),
            (true, None) => u32::MAX,
        };
        if let Some(stream) = HolderStream::open(&status, history)? {
            return follow::run(stream, &query, context);
        }
    }
    let text = client.capture(&status.id, &query)?;
    if context.json {
        let (id, name) = (&status.id, &status.name);
        context.say_json(&serde_json::json!({"id": id, "name": name, "text": text}))?;
    } else {
        show(&text, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(text: &str, context: &Context) -> Result<(), Failure> {
    if text.is_empty() || text.ends_with('\n') {
        return context.write(text.as_bytes());
    }
    context.say(text)
}
