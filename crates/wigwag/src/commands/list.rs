//! `wigwag list`: one line a terminal, most urgent first.

mod watch;

use super::Outcome;
use crate::daemon_client::connect;
use crate::failure::Failure;
use crate::output::Context;
use crate::present::since;
use crate::rows::{rows, rows_with_headings};
use client::Client;
use jiff::Timestamp;
use status::{State, Status};
use std::process::ExitCode;

/// Arguments of `list`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Stay, and show every change
    #[arg(long, short)]
    watch: bool,
    /// Order by name, or by how long each is as it is, the latest change first [default: by
    /// urgency]
    #[arg(long, value_name = "ORDER")]
    by: Option<Order>,
    /// Only what needs a person, as counts: `▲2 ✗1`, for prompts and status lines
    #[arg(long)]
    count: bool,
}

/// The order of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    Name,
    Age,
}

/// Runs `list`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    if args.watch {
        return watch::run(&args, &client, context);
    }
    context.write(page(&args, &client, context, None)?.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Everything the command prints at this moment; at most `height` lines.
fn page(
    args: &Args,
    client: &Client,
    context: &Context,
    height: Option<usize>,
) -> Result<String, Failure> {
    let mut terminals = client.list()?;
    match args.by {
        None => {}
        Some(Order::Name) => terminals.sort_by(|a, b| a.name.cmp(&b.name)),
        Some(Order::Age) => terminals.sort_by_key(|status| std::cmp::Reverse(since(status))),
    }
    if args.count {
        let counts = counts(&terminals, context);
        // Nothing at all where nothing is urgent: a prompt or status line stays as it is.
        return Ok(match counts.is_empty() {
            true => counts,
            false => counts + "\n",
        });
    }
    if context.json {
        let line = serde_json::to_string(&terminals);
        return Ok(line.map_err(|error| Failure::failed(error.to_string()))? + "\n");
    }
    if terminals.is_empty() {
        return Ok("No terminals. `wigwag new` starts one.\n".to_owned());
    }
    // Elsewhere each line is a terminal, for scripts that count and cut.
    let table = if context.terminal {
        rows_with_headings
    } else {
        rows
    };
    let mut lines = table(&terminals, Timestamp::now(), context.columns(), context);
    if let Some(height) = height
        && lines.len() > height
    {
        let shown = height.saturating_sub(1);
        let hidden = (lines.len() - shown).min(terminals.len());
        lines.truncate(shown);
        lines.push(format!("  and {hidden} more"));
    }
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}

/// `▲2 ✗1`: what needs a person, most urgent first. With `--json`: every state's count.
fn counts(terminals: &[Status], context: &Context) -> String {
    let count = |state: State| terminals.iter().filter(|t| t.state == state).count();
    if context.json {
        let all = State::ALL.map(|state| (state.word().to_owned(), count(state).into()));
        return serde_json::Value::Object(all.into_iter().collect()).to_string();
    }
    let urgent = [
        State::Waiting,
        State::Failed,
        State::Attention,
        State::Finished,
    ];
    let parts = urgent
        .into_iter()
        .filter(|state| count(*state) > 0)
        .map(|state| {
            let glyph = if context.unicode {
                state.glyph()
            } else {
                state.ascii()
            };
            context.paint(state.colour(), &format!("{glyph}{}", count(state)))
        });
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::{context, status};

    #[test]
    fn only_what_needs_a_person_is_counted() {
        let all = [
            status("a", "a", "waiting"),
            status("b", "b", "waiting"),
            status("c", "c", "failed"),
            status("d", "d", "idle"),
        ];
        assert_eq!(counts(&all, &context(true, false)), "▲2 ✗1");
        assert_eq!(counts(&all, &context(false, false)), "!2 x1");
        assert_eq!(counts(&[], &context(true, false)), "");
    }
}
