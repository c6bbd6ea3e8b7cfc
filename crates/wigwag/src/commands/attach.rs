//! `wigwag attach`: show a terminal in this window, and type into it.

use super::Outcome;
use crate::attach::{self, Wishes};
use crate::commands::new;
use crate::daemon_client::{connect, find, paths, wake};
use crate::failure::{Code, Failure};
use crate::output::Context;
use client::Match;
use holder::paths::{Paths, check_name, is_id};
use rustix::termios::isatty;
use std::io::{self, BufRead as _, Write as _};

/// Arguments of `attach`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal, also a unique prefix of its name; `-`: the previous one; without it: a
    /// picker, most urgent first
    #[arg(add = crate::candidates::terminals())]
    pub(crate) terminal: Option<String>,
    /// Only look: type nothing, change nothing
    #[arg(long)]
    pub(crate) view: bool,
    /// Lines of history to print first [default: `attach.history`]
    #[arg(long, value_name = "N")]
    pub(crate) history: Option<u32>,
    /// Inside a terminal: attach within it instead of switching this client
    #[arg(long)]
    pub(crate) nest: bool,
}

/// Runs `attach`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let paths = paths()?;
    let wishes = Wishes {
        view: args.view,
        history: args.history,
        nest: args.nest,
        just_started: false,
    };
    let id = match args.terminal.as_deref() {
        None => return attach::choose(&paths, &wishes, context),
        Some("-") => attach::previous(&paths).ok_or_else(|| {
            Failure::new(Code::NotFound, "no terminal was attached to before")
                .hint("`wigwag list` shows the terminals there are")
        })?,
        Some(name) => match id_of(&paths, name) {
            Ok(id) => id,
            Err(failure) => return create(&paths, name, failure, &wishes, context),
        },
    };
    attach::run(&paths, &id, &wishes, context)
}

/// The id of the terminal that is meant. Whole names and ids are found without the daemon.
fn id_of(paths: &Paths, name: &str) -> Result<String, Failure> {
    let id = match paths.id_of_name(name)? {
        None if is_id(name) => Some(name.to_owned()),
        known => known,
    };
    if let Some(id) = id.filter(|id| paths.is_running(id)) {
        wake(paths);
        return Ok(id);
    }
    let status = find(&connect()?, name, Match::Prefix)?;
    if name != "." && name != status.name && name != status.id {
        // Nobody reads it where standard error is closed.
        let _ = writeln!(io::stderr(), "wigwag: {name} means {}", status.name);
    }
    Ok(status.id)
}

/// There is no such terminal: a person is asked whether there should be.
fn create(
    paths: &Paths,
    name: &str,
    failure: Failure,
    wishes: &Wishes,
    context: &Context,
) -> Outcome {
    let asks = failure.code == Code::NotFound
        && check_name(name).is_ok()
        && isatty(io::stdin())
        && context.terminal;
    if !asks {
        return Err(failure);
    }
    context.write(format!("There is no terminal {name}. Create it? [y/N] ").as_bytes())?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if !matches!(answer.trim(), "y" | "Y" | "yes") {
        return Err(Failure {
            quiet: true,
            ..failure
        });
    }
    let args = new::Args {
        name: Some(name.to_owned()),
        ..new::Args::default()
    };
    let started = new::start(&args, paths)?;
    wake(paths);
    let wishes = Wishes {
        just_started: true,
        ..wishes.clone()
    };
    attach::run(paths, &started.id, &wishes, context)
}
