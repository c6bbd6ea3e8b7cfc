//! `wigwag detach`: detach the clients of a terminal.

use super::Outcome;
use crate::daemon_client::{connect, find, paths};
use crate::failure::Failure;
use crate::output::Context;
use client::Match;
use holder::connection::Connection;
use holder::protocol::{ClientInfo, Hello, Op, Outcome as Answer};
use std::process::ExitCode;

/// Arguments of `detach`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal [default: the one this runs in]
    #[arg(add = crate::candidates::terminals())]
    pub(crate) terminal: Option<String>,
    /// Detach the other clients, keep this one
    #[arg(long)]
    pub(crate) others: bool,
}

/// Runs `detach`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let terminal = args.terminal.as_deref().unwrap_or(".");
    let status = find(&connect()?, terminal, Match::Exact)?;
    let name = &status.name;
    let unreachable = |error: std::io::Error| {
        Failure::unreachable(format!("the holder of {name} does not answer: {error}"))
            .hint("`wigwag show` tells whether it was lost")
    };
    let socket = paths()?.holder_socket(&status.id);
    // The holder itself is asked: it knows who works at the terminal.
    let mut holder = Connection::open(&socket, &Hello::this_program()).map_err(unreachable)?;
    let before = clients(&mut holder).map_err(unreachable)?;
    let others = args.others;
    let (answer, _) = holder.request(Op::Detach { others }).map_err(unreachable)?;
    if let Answer::Error { message, .. } = answer {
        return Err(Failure::refused(message));
    }
    let detached = before.len().saturating_sub(usize::from(others));
    let said = match detached {
        0 => "nobody to detach".to_owned(),
        1 => "detached 1 client".to_owned(),
        count => format!("detached {count} clients"),
    };
    if context.json {
        context.say_json(&serde_json::json!({"terminal": status.id, "detached": detached}))?;
    } else {
        context.say(format!("{name}: {said}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn clients(holder: &mut Connection) -> std::io::Result<Vec<ClientInfo>> {
    match holder.request(Op::Clients)?.0 {
        Answer::Clients { clients } => Ok(clients),
        _ => Ok(Vec::new()),
    }
}
