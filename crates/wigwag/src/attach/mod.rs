//! A terminal shown in this window, talking to its holder directly; and from there the next one.
//!
//! One visit is one terminal in the window: it is opened, shown by a [`Session`], and given back. What
//! ends a visit says whether another follows: the prefix key, the picker, or a command inside the
//! terminal that switches its client.

mod caught;
mod ended;
mod fitted;
mod help;
mod input;
mod inside;
mod notices;
mod outer;
mod picker;
mod prefix;
mod previous;
mod reports;
mod session;
mod translate;

use crate::commands::Outcome;
use crate::daemon_client::connect;
use crate::failure::{Code, Failure};
use crate::output::Context;
use ::daemon::config::Config;
use client::{Client, Match};
use ended::Choice;
use holder::paths::Paths;
use inside::Inside;
use outer::Outer;
use picker::Picked;
use session::{Leave, Session, Start};
use status::{Lifecycle, Status};
use std::io::{self, Write as _};
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
    /// It was started for this: also where its program has ended already, its end is what the
    /// person waits for.
    pub(crate) just_started: bool,
}

/// Attaches to the terminal with this id, and to others from there, until the person leaves.
pub(crate) fn run(paths: &Paths, id: &str, wishes: &Wishes, context: &Context) -> Outcome {
    run_in(None, paths, id, wishes, context)
}

/// Lets a person choose a terminal, and attaches to it.
pub(crate) fn choose(paths: &Paths, wishes: &Wishes, context: &Context) -> Outcome {
    let mut outer = Outer::open()?;
    match picker::pick(&mut outer, &connect()?, None, context)? {
        Picked::Terminal(id) => return run_in(Some(outer), paths, &id, wishes, context),
        Picked::Nothing | Picked::Asked(None) => {}
        Picked::Asked(Some(signal)) => {
            drop(outer);
            signal_hook::low_level::emulate_default_handler(signal)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Attaches in a window that is ours already, or in this one.
fn run_in(
    mut outer: Option<Outer>,
    paths: &Paths,
    id: &str,
    wishes: &Wishes,
    context: &Context,
) -> Outcome {
    let inside = inside::inside(paths);
    if let Some(inside) = &inside {
        if inside.chain.iter().any(|carrier| carrier == id) {
            let message = format!("terminal {id} cannot be attached inside itself");
            return Err(
                Failure::refused(message).hint("detach first, or attach to another terminal")
            );
        }
        if !wishes.nest {
            inside.switch(paths, id)?;
            drop(outer);
            let state = paths.read_state(id);
            let name = state.map_or_else(|_| id.to_owned(), |state| state.status.name);
            context.say(format!("[switched to {name}]"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let level = inside.chain.len();
        let text = format!("wigwag: nested in {level}: level {} from here\n", level + 1);
        // Nobody reads it where standard error is closed.
        let _ = io::stderr().write_all(text.as_bytes());
    }
    Outer::check()?;
    let mut wishes = wishes.clone();
    let mut id = id.to_owned();
    loop {
        if !wishes.just_started
            && !paths.is_running(&id)
            && let status = connect()?.find(&id, Match::Exact)?
            && status.lifecycle.is_over()
        {
            outer = None;
            if ended::show(paths, &status, context)? == Choice::Leave {
                return Ok(ExitCode::SUCCESS);
            }
        }
        let window = match outer.take() {
            Some(outer) => outer,
            None => Outer::open()?,
        };
        match visit(window, paths, &id, &wishes, inside.as_ref(), context)? {
            None => return Ok(ExitCode::SUCCESS),
            Some((next, window)) => {
                id = next;
                outer = Some(window);
            }
        }
        wishes.just_started = false;
    }
}

/// The terminal attached to before, that still exists; inside a terminal: another one.
pub(crate) fn previous(paths: &Paths) -> Option<String> {
    let own = crate::daemon_client::own_terminal().ok();
    previous::before(paths, own.as_deref())
}

/// The most urgent unread terminal but `current`.
pub(crate) fn urgent(client: &Client, current: Option<&str>) -> Result<Option<Status>, Failure> {
    let unread = |status: &Status| {
        let attention = status.attention.as_ref();
        attention.is_some_and(|entry| entry.unread) && current != Some(&status.id)
    };
    // The list is in the order of urgency.
    Ok(client.list()?.into_iter().find(unread))
}

/// Shows one terminal; `Some`: where it leads, in the window that is still ours.
fn visit(
    mut outer: Outer,
    paths: &Paths,
    id: &str,
    wishes: &Wishes,
    inside: Option<&Inside>,
    context: &Context,
) -> Result<Option<(String, Outer)>, Failure> {
    let config = Config::load(&paths.config).map_err(|error| Failure::failed(error.to_string()))?;
    let socket = paths.holder_socket(id);
    let mut session = Session::open(
        Start {
            socket: &socket,
            view: wishes.view,
            history: wishes.history.unwrap_or(config.attach.history),
            prefix: config.attach.prefix,
            inside: inside
                .map(|inside| inside.chain.clone())
                .unwrap_or_default(),
            carrier: inside.map(Inside::carrier),
        },
        &outer,
    )?;
    let carrying = inside
        .map(|inside| inside.carry(paths, &session.name))
        .transpose()?;
    // Without it `-` knows less; that is no reason not to attach.
    let _ = previous::remember(paths, id);
    let left = loop {
        let left = session.run(&mut outer);
        let suspended = matches!(left, Ok(Leave::Picker | Leave::Help));
        match follow(left?, paths, id, &mut outer, &mut session, &config, context) {
            Ok(Followed::Leave(leave)) => break leave,
            Ok(Followed::To(to)) => {
                session.clear_status(&mut outer);
                outer.hand_over(&detached(&session.name));
                return Ok(Some((to, outer)));
            }
            Ok(Followed::Stay(None)) => {}
            Ok(Followed::Stay(Some(message))) => session.say(&message, &mut outer),
            Err(failure) => session.say(&failure.message, &mut outer),
        }
        if suspended {
            session.resume(&mut outer);
        }
    };
    session.clear_status(&mut outer);
    if wishes.just_started && session.is_over_and_done() {
        session.remove();
    }
    if matches!(left, Leave::Asked(_) | Leave::HungUp) {
        outer.discard();
    }
    outer.give_back();
    drop(carrying);
    say_left(&session.name, left, outer, context)?;
    Ok(None)
}

/// What a reason to leave leads to.
enum Followed {
    Leave(Leave),
    To(String),
    /// Nowhere; with what is to be said.
    Stay(Option<String>),
}

fn follow(
    leave: Leave,
    paths: &Paths,
    id: &str,
    outer: &mut Outer,
    session: &mut Session,
    config: &Config,
    context: &Context,
) -> Result<Followed, Failure> {
    let go = |to: Option<String>, otherwise: &str| match to {
        Some(to) => Followed::To(to),
        None => Followed::Stay(Some(otherwise.to_owned())),
    };
    Ok(match leave {
        Leave::Next => {
            let next = urgent(&connect()?, Some(id))?;
            go(next.map(|status| status.id), "no other terminal is unread")
        }
        Leave::Previous => go(
            previous::before(paths, Some(id)),
            "no other terminal was attached to before",
        ),
        Leave::Switch(to) if to == id => Followed::Stay(None),
        Leave::Switch(to) => Followed::To(to),
        Leave::Picker => match picker::pick(outer, &connect()?, Some(id), context)? {
            Picked::Terminal(to) if to != id => Followed::To(to),
            Picked::Terminal(_) | Picked::Nothing => Followed::Stay(None),
            Picked::Asked(Some(signal)) => Followed::Leave(Leave::Asked(signal)),
            Picked::Asked(None) => Followed::Leave(Leave::HungUp),
        },
        Leave::Help => {
            let asked = match config.attach.prefix {
                Some(prefix) => help::show(outer, &session.name, prefix)?,
                None => None,
            };
            match asked {
                Some(signal) => Followed::Leave(Leave::Asked(signal)),
                None => Followed::Stay(None),
            }
        }
        leave => Followed::Leave(leave),
    })
}

/// The one line after a visit.
fn say_left(name: &str, left: Leave, outer: Outer, context: &Context) -> Result<(), Failure> {
    match left {
        Leave::Exited(lifecycle) => context.say(exit_text(name, lifecycle.as_ref())),
        Leave::Removed => context.say(format!("[{name} was removed]")),
        Leave::Lost => Err(
            Failure::unreachable(format!("the holder of {name} is gone"))
                .hint(format!("`wigwag restart {name}` runs it again")),
        ),
        Leave::Refused(message) => Err(Failure::new(Code::Refused, message)),
        Leave::HungUp => Ok(()),
        Leave::Asked(signal) => {
            drop(outer);
            Ok(signal_hook::low_level::emulate_default_handler(signal)?)
        }
        _ => context.say(detached(name)),
    }
}

fn detached(name: &str) -> String {
    format!("[detached from {name}]")
}

/// How the program ended. A holder that left before it could be asked had a program that ended
/// well: only those leave by themselves.
fn exit_text(name: &str, lifecycle: Option<&Lifecycle>) -> String {
    let signal = lifecycle.and_then(|lifecycle| lifecycle.signal.as_ref());
    match signal {
        Some(signal) => format!("[{name} exited: signal {signal}]"),
        None => {
            let code = lifecycle.and_then(|lifecycle| lifecycle.code).unwrap_or(0);
            format!("[{name} exited: code {code}]")
        }
    }
}
