//! `wigwag restart`: run the same command again in the same place and environment; `--lost`: what a
//! reboot ended.

use super::Outcome;
use crate::daemon_client::{connect, find, paths, wake};
use crate::failure::{Code, Failure};
use crate::output::Context;
use client::{Client, Match, Next, Since};
use holder::spawn::SpawnError;
use status::{LifecycleState, Status};
use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long the daemon may take to see the terminal run again, before the command says so itself.
const NOTICED_WITHIN: Duration = Duration::from_secs(5);

/// Arguments of `restart`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    #[arg(required_unless_present = "lost", conflicts_with = "lost")]
    #[arg(add = crate::candidates::terminals())]
    terminal: Option<String>,
    /// List what a reboot or a crash ended, ask, and restart what is asked for
    #[arg(long)]
    lost: bool,
    /// With --lost: restart all without asking
    #[arg(long, short, requires = "lost")]
    yes: bool,
}

/// Runs `restart`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let Some(terminal) = &args.terminal else {
        return lost(&client, args.yes, context);
    };
    let status = find(&client, terminal, Match::Exact)?;
    if !status.lifecycle.is_over() {
        return Err(Failure::refused(format!("{} still runs", status.name))
            .hint(format!("end it with `wigwag kill {}` first", status.name)));
    }
    let seq = again(&client, &status)?;
    context.did(&format!("{}: restarted", status.name), &status, seq)?;
    Ok(ExitCode::SUCCESS)
}

/// Starts it, and waits until the daemon has noticed. The number of the event that said so.
fn again(client: &Client, status: &Status) -> Result<u64, Failure> {
    let mut events = client.events(Since::Now, true)?;
    let paths = paths()?;
    holder::spawn::restart(&paths, &status.id).map_err(not_started)?;
    wake(&paths);
    let limit = Instant::now() + NOTICED_WITHIN;
    loop {
        match events.next(Some(limit))? {
            Next::Event(event) if event.terminal == status.id => return Ok(event.seq),
            Next::Event(_) => {}
            // It runs all the same.
            Next::Timeout | Next::End => return Ok(events.seq()),
        }
    }
}

fn not_started(error: SpawnError) -> Failure {
    let code = match &error {
        SpawnError::NameTaken { .. } => Code::Taken,
        _ => Code::Failed,
    };
    Failure::new(code, error.to_string())
}

fn lost(client: &Client, yes: bool, context: &Context) -> Outcome {
    let mut lost = client.list()?;
    lost.retain(|status| status.lifecycle.state == LifecycleState::Lost);
    if context.json && !yes {
        // A program asks first, then restarts by name or with --yes.
        context.say_json(&lost)?;
        return Ok(ExitCode::SUCCESS);
    }
    if lost.is_empty() {
        if !context.json {
            context.say("Nothing to do: no terminal was lost")?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let interactive = std::io::stdin().is_terminal() && context.terminal;
    if !context.json {
        context.say("These terminals ended without an exit, by a reboot or a crash:")?;
        for (at, status) in lost.iter().enumerate() {
            let place = status.cwd.as_deref().unwrap_or("");
            let line = format!("{:>4}  {}  {place}", at + 1, status.label);
            context.say(context.fit(&context.shown(line.trim_end()), context.columns()))?;
        }
    }
    let chosen = if yes {
        (0..lost.len()).collect()
    } else if interactive {
        context.write(b"Run them again? [y]es all, numbers such as `1 3`, or [N]one: ")?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        choose(&answer, lost.len()).map_err(Failure::usage)?
    } else {
        return Err(
            Failure::refused("nothing was started: there is nobody to ask")
                .hint("`wigwag restart --lost --yes` restarts all, `wigwag restart NAME` one"),
        );
    };
    if chosen.is_empty() {
        context.say("Nothing was started")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut failed = 0;
    for at in &chosen {
        let status = &lost[*at];
        match again(client, status) {
            Ok(seq) => context.did(&format!("{}: restarted", status.name), status, seq)?,
            Err(failure) => {
                failed += 1;
                let message = format!("{}: {}", status.name, failure.message);
                Failure { message, ..failure }.report(context.json);
            }
        }
    }
    match failed {
        0 => Ok(ExitCode::SUCCESS),
        _ => Err(Failure::failed(format!(
            "{failed} of {} did not start",
            chosen.len()
        ))),
    }
}

/// Which of `count` terminals an answer names.
fn choose(answer: &str, count: usize) -> Result<Vec<usize>, String> {
    let answer = answer.trim().to_lowercase();
    match answer.as_str() {
        "y" | "yes" | "all" => return Ok((0..count).collect()),
        "" | "n" | "no" | "none" => return Ok(Vec::new()),
        _ => {}
    }
    let words = answer.split([' ', ',']).filter(|word| !word.is_empty());
    let mut chosen = Vec::new();
    for word in words {
        let number = word
            .parse::<usize>()
            .ok()
            .filter(|n| (1..=count).contains(n));
        let number = number.ok_or(format!(
            "{word} is no number from 1 to {count}: nothing was started"
        ))?;
        if !chosen.contains(&(number - 1)) {
            chosen.push(number - 1);
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_none_and_some_can_be_asked_for() {
        assert_eq!(choose("y\n", 3), Ok(vec![0, 1, 2]));
        assert_eq!(choose("\n", 3), Ok(vec![]));
        assert_eq!(
            choose("", 3),
            Ok(vec![]),
            "the end of the input is no consent"
        );
        assert_eq!(choose("3, 1 3\n", 3), Ok(vec![2, 0]));
    }

    #[test]
    fn an_answer_that_is_none_starts_nothing() {
        assert!(choose("4", 3).is_err());
        assert!(choose("0", 3).is_err());
        assert!(choose("perhaps", 3).is_err());
    }
}
