//! `wigwag version`: the versions of client, daemon and holders.

use super::Outcome;
use crate::daemon_client::paths;
use crate::holder_census::{Holder, ask};
use crate::output::Context;
use client::Client;
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Arguments of `version`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// All versions at work.
#[derive(Debug, Serialize)]
struct Versions {
    client: &'static str,
    /// `null` while no daemon runs.
    daemon: Option<String>,
    /// What holders say of themselves, and how many do.
    holders: BTreeMap<String, usize>,
}

/// Runs `version`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let Args {} = args;
    let paths = paths()?;
    let daemon = Client::connect_existing(&paths).and_then(|client| client.health());
    let mut holders = BTreeMap::new();
    for found in paths.scan().unwrap_or_default() {
        if let Holder::Living(program) = ask(&found.socket) {
            *holders.entry(program).or_insert(0) += 1;
        }
    }
    let versions = Versions {
        client: env!("CARGO_PKG_VERSION"),
        daemon: daemon.ok().map(|health| health.version),
        holders,
    };
    if context.json {
        context.say_json(&versions)?;
        return Ok(ExitCode::SUCCESS);
    }
    context.say(format!("wigwag {}", versions.client))?;
    match &versions.daemon {
        Some(version) => context.say(format!("daemon {version}"))?,
        None => context.say("daemon not running")?,
    }
    for (program, count) in &versions.holders {
        let plural = if *count == 1 { "terminal" } else { "terminals" };
        context.say(format!("{program} ({count} {plural})"))?;
    }
    Ok(ExitCode::SUCCESS)
}
