//! `wigwag next`: attach to the most urgent unread terminal.

use super::Outcome;
use crate::attach::{self, Wishes};
use crate::daemon_client::{connect, own_terminal, paths};
use crate::output::Context;
use std::process::ExitCode;

/// Arguments of `next`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `next`.
pub(crate) fn run(_: Args, context: &Context) -> Outcome {
    let own = own_terminal().ok();
    match attach::urgent(&connect()?, own.as_deref())? {
        Some(status) => attach::run(&paths()?, &status.id, &Wishes::default(), context),
        None => {
            context.say("Nothing is unread")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
