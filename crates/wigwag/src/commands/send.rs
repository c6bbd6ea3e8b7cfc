//! `wigwag send`: type text into a terminal, and perhaps wait until it settles.

use super::Outcome;
use super::wait::{self, Settled};
use crate::daemon_client::{connect, find};
use crate::failure::Failure;
use crate::output::Context;
use client::{Match, Next, Since};
use std::io::Read;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Arguments of `send`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    terminal: String,
    /// Press Enter after the text
    #[arg(long, short)]
    enter: bool,
    /// As a paste: the program sees that it was not typed
    #[arg(long)]
    paste: bool,
    /// Then wait until it settles, counting only changes after the sending
    #[arg(long, short)]
    wait: bool,
    /// With --wait: how long [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = crate::duration::parse, requires = "wait")]
    timeout: Option<Duration>,
    /// The text, its words joined by a space; `-` reads standard input
    #[arg(required = true)]
    text: Vec<String>,
}

/// Runs `send`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let text = if args.text == ["-"] {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes)?;
        String::from_utf8(bytes)
            .map_err(|_| Failure::failed("standard input is not UTF-8 text: nothing was sent"))?
    } else {
        args.text.join(" ")
    };
    let client = connect()?;
    let found = find(&client, &args.terminal, Match::Exact)?;
    // Before the sending, so that nothing after it is missed.
    let mut events = args
        .wait
        .then(|| client.events(Since::Now, true))
        .transpose()?;
    let done = client.input(&found.id, &text, args.paste, args.enter)?;
    let Some(events) = &mut events else {
        let characters = text.chars().count();
        let enter = if args.enter { " and Enter" } else { "" };
        let what = format!("{}: sent {characters} characters{enter}", found.name);
        context.did(&what, &found, done.seq)?;
        return Ok(ExitCode::SUCCESS);
    };
    let limit = args.timeout.map(|timeout| Instant::now() + timeout);
    let mut before = found;
    let mut waiting = None;
    loop {
        let event = match events.next(limit)? {
            Next::Event(event) => *event,
            Next::Timeout => return Err(wait::timeout(&[before.name])),
            Next::End => return Err(Failure::unreachable("the daemon ended its events")),
        };
        if event.terminal != before.id {
            continue;
        }
        let Some(status) = event.status else {
            return Err(wait::ended(&before, &["settled".to_owned()]));
        };
        if event.seq <= done.seq {
            before = status;
            continue;
        }
        let waiting = waiting.get_or_insert_with(|| Settled::after(&before));
        if let Some(word) = waiting.observe(&status) {
            wait::say(context, &status, word, false)?;
            return Ok(ExitCode::SUCCESS);
        }
        if status.lifecycle.is_over() {
            return Err(wait::ended(&status, &["settled".to_owned()]));
        }
    }
}
