//! `wigwag prune`: forget all exited terminals.

use super::Outcome;
use crate::daemon_client::connect;
use crate::failure::Failure;
use crate::output::Context;
use status::LifecycleState;
use std::process::ExitCode;

/// Arguments of `prune`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also those that a reboot or crash ended, which `restart --lost` could run again
    #[arg(long)]
    lost: bool,
}

/// Runs `prune`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let mut removed = Vec::new();
    let mut failed = 0;
    for status in client.list()? {
        let counts = match status.lifecycle.state {
            LifecycleState::Exited => true,
            LifecycleState::Lost => args.lost,
            LifecycleState::Starting | LifecycleState::Running => false,
        };
        if !counts {
            continue;
        }
        match client.remove(&status.id, false) {
            // Somebody else removed it meanwhile: it is gone, as was asked for.
            Ok(_) | Err(client::Error::NotFound { .. }) => removed.push(status),
            // One that resists is no reason to keep the others.
            Err(error) => {
                failed += 1;
                let failure = Failure::from(error);
                let message = format!("{}: {}", status.name, failure.message);
                Failure { message, ..failure }.report(context.json);
            }
        }
    }
    if context.json {
        let ids: Vec<&str> = removed.iter().map(|status| status.id.as_str()).collect();
        context.say_json(&serde_json::json!({"done": "removed", "terminals": ids}))?;
    } else if removed.is_empty() && failed == 0 {
        context.say("Nothing to do: no terminal has exited")?;
    } else if !removed.is_empty() {
        let names: Vec<&str> = removed.iter().map(|status| status.name.as_str()).collect();
        let plural = if names.len() == 1 {
            "terminal"
        } else {
            "terminals"
        };
        context.say(format!(
            "Removed {} {plural}: {}",
            names.len(),
            names.join(", ")
        ))?;
    }
    match failed {
        0 => Ok(ExitCode::SUCCESS),
        1 => Err(Failure::failed("1 terminal could not be removed")),
        _ => Err(Failure::failed(format!(
            "{failed} terminals could not be removed"
        ))),
    }
}
