//! `wigwag prune`: forget all exited terminals whose end somebody has seen.

use super::Outcome;
use crate::daemon_client::connect;
use crate::failure::Failure;
use crate::output::Context;
use status::{LifecycleState, Status};
use std::process::ExitCode;

/// Arguments of `prune`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also those that a reboot or crash ended, which `restart --lost` could run again
    #[arg(long)]
    lost: bool,
    /// Also those whose end nobody has seen
    #[arg(long)]
    all: bool,
}

/// Runs `prune`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let (mut removed, mut kept) = (Vec::new(), Vec::new());
    let mut lost = 0;
    let mut failed = 0;
    for status in client.list()? {
        let counts = match status.lifecycle.state {
            LifecycleState::Exited => true,
            LifecycleState::Lost => {
                lost += usize::from(!args.lost);
                args.lost
            }
            LifecycleState::Starting | LifecycleState::Running => false,
        };
        if !counts {
            continue;
        }
        if !args.all && client::is_unread(&status) {
            kept.push(status);
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
        let ids = |of: &[Status]| {
            of.iter()
                .map(|status| status.id.clone())
                .collect::<Vec<_>>()
        };
        let (removed, kept) = (ids(&removed), ids(&kept));
        context.say_json(
            &serde_json::json!({"done": "removed", "terminals": removed, "unread": kept}),
        )?;
    } else {
        if !removed.is_empty() {
            context.say(format!("Removed {}", listed(&removed)))?;
        } else if kept.is_empty() && failed == 0 {
            context.say("Nothing to do: no terminal has exited")?;
        }
        if !kept.is_empty() {
            context.say(format!(
                "Kept {} whose end nobody has seen: `wigwag next` shows it, `wigwag prune --all` \
                 removes them too",
                listed(&kept)
            ))?;
        }
        if lost > 0 {
            context.say(format!(
                "{lost} lost: `wigwag restart --lost` runs them again, `wigwag prune --lost` forgets them"
            ))?;
        }
    }
    match failed {
        0 => Ok(ExitCode::SUCCESS),
        1 => Err(Failure::failed("1 terminal could not be removed")),
        _ => Err(Failure::failed(format!(
            "{failed} terminals could not be removed"
        ))),
    }
}

/// `2 terminals: build, test`.
fn listed(terminals: &[Status]) -> String {
    let names: Vec<&str> = terminals
        .iter()
        .map(|status| status.name.as_str())
        .collect();
    let plural = if names.len() == 1 {
        "terminal"
    } else {
        "terminals"
    };
    format!("{} {plural}: {}", names.len(), names.join(", "))
}
