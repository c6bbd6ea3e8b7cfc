//! `wigwag report`: a program status (OSC 7501) from a script, or around a command.

mod around;

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;
use crate::own_terminal::{self, Wrap};
use signals::program_status::{EncodeError, encode, encode_clear};
use signals::{Clear, Kind, Report, ReportState, Terminator};
use std::ffi::OsString;
use std::process::ExitCode;

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "wigwag report STATE [OPTIONS]\n       wigwag report clear [--id ID]\n       \
                            wigwag report [--msg MSG] [OPTIONS] -- CMD…"
)]
pub(crate) struct Args {
    /// What the program does: idle, working, done, blocked, error; or clear
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    state: Option<State>,
    /// One line for a person
    #[arg(long)]
    msg: Option<String>,
    /// What it works on
    #[arg(long)]
    title: Option<String>,
    /// The program's name for itself
    #[arg(long)]
    app: Option<String>,
    /// The record, such as `build/tests` [default: the root]
    #[arg(long)]
    id: Option<String>,
    /// What a blocked program waits for
    #[arg(long)]
    kind: Option<KindWord>,
    /// How far it is, 0 to 100, with working and blocked
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=100))]
    progress: Option<u8>,
    /// Run this command in this terminal: report working, then done or error; exit as it did
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum State {
    Idle,
    Working,
    Done,
    Blocked,
    Error,
    Clear,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum KindWord {
    Permission,
    Question,
    Auth,
}

/// Runs `report`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let id = args.id.clone().unwrap_or_default();
    if args.id.as_deref() == Some("") {
        return Err(Failure::usage(
            "id is empty; leave --id out for the root record",
        ));
    }
    let Some(state) = args.state else {
        return around::run(&args, id, context.json);
    };
    let state = match state {
        State::Idle => ReportState::Idle,
        State::Working => ReportState::Working,
        State::Done => ReportState::Done,
        State::Blocked => ReportState::Blocked,
        State::Error => ReportState::Error,
        State::Clear => {
            if args.msg.is_some() || args.title.is_some() || args.app.is_some() {
                return Err(Failure::usage("`report clear` takes only --id"));
            }
            send_clear(id)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    check_fields(&args, state)?;
    let kind = args.kind.map(|kind| match kind {
        KindWord::Permission => Kind::Permission,
        KindWord::Question => Kind::Question,
        KindWord::Auth => Kind::Auth,
    });
    send(&Report {
        id,
        state,
        kind,
        progress: args.progress,
        app: args.app,
        title: args.title,
        msg: args.msg,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What the protocol would drop silently is said instead.
fn check_fields(args: &Args, state: ReportState) -> Result<(), Failure> {
    if args.kind.is_some() && state != ReportState::Blocked {
        return Err(Failure::usage(
            "kind belongs to `blocked` only: leave --kind out",
        ));
    }
    let with_progress = matches!(state, ReportState::Working | ReportState::Blocked);
    if args.progress.is_some() && !with_progress {
        return Err(Failure::usage(
            "progress belongs to `working` and `blocked` only: leave --progress out",
        ));
    }
    Ok(())
}

fn send(report: &Report) -> Result<(), Failure> {
    let sequence = encode(report, Terminator::St).map_err(wrong_field)?;
    own_terminal::print(&sequence, Wrap::InTmux)
}

fn send_clear(id: String) -> Result<(), Failure> {
    let sequence = encode_clear(&Clear { id }, Terminator::St).map_err(wrong_field)?;
    own_terminal::print(&sequence, Wrap::InTmux)
}

fn wrong_field(error: EncodeError) -> Failure {
    Failure::usage(error.to_string())
}
