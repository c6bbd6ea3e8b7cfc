//! A terminal shown in this window, talking to its holder directly.

mod caught;
mod fitted;
mod input;
mod outer;
mod prefix;
mod reports;
mod session;
mod translate;

use crate::commands::Outcome;
use crate::failure::Failure;
use crate::output::Context;
use ::daemon::config::Config;
use holder::paths::Paths;
use outer::Outer;
use session::{Leave, Session, Start};
use status::{Lifecycle, LifecycleState};
use std::process::ExitCode;

/// How to attach.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wishes {
    /// Only look.
    pub(crate) view: bool,
    /// Lines of history; `None`: as configured.
    pub(crate) history: Option<u32>,
    /// Within the terminal that this runs in, instead of in its place.
    pub(crate) nest: bool,
}

/// Attaches to the terminal with this id until one of both sides ends it.
pub(crate) fn run(paths: &Paths, id: &str, wishes: &Wishes, context: &Context) -> Outcome {
    let config = Config::load(&paths.config).map_err(|error| Failure::failed(error.to_string()))?;
    let mut outer = Outer::open()?;
    let socket = paths.holder_socket(id);
    let start = Start {
        socket: &socket,
        view: wishes.view,
        history: wishes.history.unwrap_or(config.attach.history),
        prefix: config.attach.prefix,
        inside: Vec::new(),
        carrier: None,
    };
    let mut session = Session::open(start, &outer)?;
    let left = session.run(&mut outer);
    session.clear_status(&mut outer);
    if let Ok(Leave::Asked(_) | Leave::HungUp) = left {
        outer.discard();
    }
    outer.give_back();
    let name = &session.name;
    match left? {
        Leave::Detached | Leave::Next | Leave::Previous | Leave::Picker | Leave::Help => {
            context.say(format!("[detached from {name}]"))?;
        }
        Leave::Exited(lifecycle) => context.say(ended(name, lifecycle.as_ref()))?,
        Leave::Removed => context.say(format!("[{name} was removed]"))?,
        Leave::Lost => {
            return Err(
                Failure::unreachable(format!("the holder of {name} is gone"))
                    .hint(format!("`wigwag restart {name}` runs it again")),
            );
        }
        Leave::Refused(message) => return Err(Failure::refused(message)),
        Leave::HungUp => {}
        Leave::Asked(signal) => {
            drop(outer);
            signal_hook::low_level::emulate_default_handler(signal)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How the program ended.
fn ended(name: &str, lifecycle: Option<&Lifecycle>) -> String {
    match lifecycle {
        Some(Lifecycle {
            signal: Some(signal),
            ..
        }) => format!("[{name} was killed: {signal}]"),
        Some(Lifecycle {
            code,
            state: LifecycleState::Exited,
            ..
        }) => format!("[{name} exited: code {}]", code.unwrap_or(0)),
        _ => format!("[{name} exited: code 0]"),
    }
}
