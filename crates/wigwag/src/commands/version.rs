//! `wigwag version`: the versions of client, daemon and holders.

use super::Outcome;
use crate::daemon_client::paths;
use crate::output::Context;
use client::Client;
use holder::connection::Connection;
use holder::protocol::Hello;
use holder::socket_address;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A holder says hello in microseconds; one that is stopped never does.
const HELLO_WITHIN: Duration = Duration::from_secs(1);

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
        if let Some(program) = program_of(&found.socket) {
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
        context.say(format!(
            "{} ({count} {plural})",
            signals::text::clean(program)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the holder says of itself; nothing where it is dead or stopped.
fn program_of(socket: &Path) -> Option<String> {
    let stream = socket_address::connect(socket).ok()?;
    stream.set_read_timeout(Some(HELLO_WITHIN)).ok()?;
    stream.set_write_timeout(Some(HELLO_WITHIN)).ok()?;
    let connection = Connection::over(stream, &Hello::this_program()).ok()?;
    Some(connection.welcome.program)
}
