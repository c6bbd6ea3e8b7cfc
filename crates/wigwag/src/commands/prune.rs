//! `wigwag prune`: forget all exited terminals.

use super::Outcome;
use crate::daemon_client::connect;
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
            Err(error) => return Err(error.into()),
        }
    }
    if context.json {
        let ids: Vec<&str> = removed.iter().map(|status| status.id.as_str()).collect();
        context.say_json(&serde_json::json!({"done": "removed", "terminals": ids}))?;
    } else if removed.is_empty() {
        context.say("Nothing to do: no terminal has exited")?;
    } else {
        let names: Vec<&str> = removed.iter().map(|status| status.name.as_str()).collect();
        context.say(format!("Removed {}", names.join(", ")))?;
    }
    Ok(ExitCode::SUCCESS)
}
