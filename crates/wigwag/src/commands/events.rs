//! `wigwag events`: the journal, one line an event.

use super::Outcome;
use crate::daemon_client::connect;
use crate::output::Context;
use client::{Next, Since};
use status::JournalEvent;
use std::process::ExitCode;

/// Arguments of `events`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only events after this number [default: from the oldest; with --follow: from now]
    #[arg(long, value_name = "SEQ")]
    since: Option<u64>,
    /// Stay, and print each new event
    #[arg(long, short)]
    follow: bool,
}

/// Runs `events`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let since = match args.since {
        Some(seq) => Since::Seq(seq),
        None if args.follow => Since::Now,
        None => Since::Seq(0),
    };
    let mut events = connect()?.events(since, args.follow)?;
    loop {
        match events.next(None)? {
            Next::Event(event) if context.json => context.say_json(&event)?,
            Next::Event(event) => context.say(describe(&event, context))?,
            Next::Timeout => {}
            Next::End => return Ok(ExitCode::SUCCESS),
        }
    }
}

fn describe(event: &JournalEvent, context: &Context) -> String {
    let word = serde_json::to_value(event.event).unwrap_or_default();
    let word = word.as_str().unwrap_or_default().to_owned();
    let label = event
        .status
        .as_ref()
        .map_or(&event.terminal, |status| &status.label);
    let seq = event.seq;
    let at = event.at.strftime("%Y-%m-%dT%H:%M:%SZ");
    context.shown(&format!("{seq:>6}  {at}  {word:<9}  {label}"))
}
