//! `wigwag ack`: mark what terminals ask for as read, or bring it back.

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::failure::Failure;
use crate::output::Context;
use client::{AckBody, Match};
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `ack`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    #[arg(add = crate::candidates::terminals())]
    terminal: Option<String>,
    /// All terminals
    #[arg(long)]
    all: bool,
    /// Bring it back: unread again
    #[arg(long, conflicts_with = "remind")]
    undo: bool,
    /// Mark read now, unread again after that long, such as 10m
    #[arg(long, value_name = "TIME", value_parser = status::parse_duration)]
    remind: Option<Duration>,
}

/// Runs `ack`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let remind_ms = args.remind.map(milliseconds).transpose()?;
    let mut order = AckBody {
        seq: None,
        undo: args.undo,
        remind_ms,
    };
    let did = match (args.undo, args.remind) {
        (true, _) => "unread again".to_owned(),
        (_, Some(time)) => format!("read; unread again in {}", status::age(time)),
        _ => "read".to_owned(),
    };
    let Some(terminal) = &args.terminal else {
        let mut changed = client.ack_all(&order)?;
        if args.undo {
            // What is gone does not come back.
            let now = client.list()?;
            let back = |id: &str| now.iter().any(|now| now.id == id && client::is_unread(now));
            changed.retain(|status| back(&status.id));
        }
        if context.json {
            let ids: Vec<&str> = changed.iter().map(|status| status.id.as_str()).collect();
            context.say_json(&serde_json::json!({"done": did, "terminals": ids}))?;
        } else if changed.is_empty() {
            context.say("Nothing to do: no terminal asks for attention")?;
        } else {
            let names: Vec<&str> = changed.iter().map(|status| status.name.as_str()).collect();
            context.say(format!("{}: {did}", names.join(", ")))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let status = find(&client, terminal, Match::Exact)?;
    let back = args.undo || args.remind.is_some();
    if back && status.attention.is_none() {
        return Err(Failure::refused(format!(
            "{} has nothing to bring back: it never asked for attention",
            status.name
        ))
        .hint(format!("`wigwag show {}` shows its status", status.name)));
    }
    // Only what was there when this was asked: a newer entry stays unread.
    order.seq = status
        .attention
        .as_ref()
        .filter(|_| !back)
        .map(|entry| entry.seq);
    let did = match client::is_unread(&status) || back {
        true => did,
        false => "nothing was unread".to_owned(),
    };
    let done = client.ack(&status.id, &order)?;
    if args.undo && !client::is_unread(&client.find(&status.id, Match::Exact)?) {
        return Err(Failure::refused(format!(
            "{} has nothing to bring back: what it asked for is gone",
            status.name
        ))
        .hint(format!("`wigwag show {}` shows its status", status.name)));
    }
    context.did(&format!("{}: {did}", status.name), &status, done.seq)?;
    Ok(ExitCode::SUCCESS)
}

fn milliseconds(time: Duration) -> Result<u64, Failure> {
    u64::try_from(time.as_millis()).map_err(|_| Failure::usage("that is too long"))
}
