//! One process per user: registry, journal, API.
//!
//! The daemon finds the holders of its user, mirrors their events into a journal, and serves
//! every client. It owns no terminal: it can be killed at any time, and the next one goes on
//! where the journal ends.
#![forbid(unsafe_code)]

mod alone;
pub mod api;
pub mod config;
mod events;
mod journal;
mod listener;
mod log;
mod login;
mod metrics;
mod mirror;
mod notify;
mod people;
mod process_end;
mod registry;
mod retention;
mod service;
mod watch;

use crate::alone::Alone;
use crate::listener::Listener;
use crate::service::Service;
use holder::paths::Paths;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tokio::signal::unix::{SignalKind, signal};

/// How to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Write one line to standard output when clients are served (or another daemon serves them),
    /// then close it: whoever started the daemon waits on a pipe. The daemon then leads a
    /// session of its own.
    pub ready: bool,
}

/// Why [`run`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It was told to stop (SIGTERM, SIGINT). Terminals go on.
    Stopped,
    /// Another daemon of this user serves already: nothing was done. Exit code 0.
    AnotherServes,
}

/// Why the daemon cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The runtime directory, the lock or the socket cannot be made.
    #[error("cannot serve at {}: {reason}", .path.display())]
    Runtime {
        /// What cannot be made.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// Another daemon has the lock of a directory, cannot be reached and does not end.
    #[error(
        "another daemon holds {} and cannot be reached from here: end it, or, where it is on another \
         machine or in a container with the same home directory, set XDG_STATE_HOME to a directory of \
         this machine's own",
        .path.display()
    )]
    Elsewhere {
        /// The lock.
        path: PathBuf,
    },
}

/// Runs the daemon until it is told to stop. `config.toml` is read here, and again whenever it changes;
/// a wrong one is said in the log and by `GET /v1/health`, and the settings before it (at first the defaults)
/// hold.
pub fn run(paths: &Paths, options: Options) -> Result<Ended, RunError> {
    if options.ready {
        // Fails for a process group leader only, which then keeps its session.
        let _ = rustix::process::setsid();
        let _ = std::env::set_current_dir("/");
    }
    paths.create().map_err(runtime(&paths.runtime[0]))?;
    let Some(mut alone) = Alone::claim(paths)? else {
        say_ready(options);
        return Ok(Ended::AnotherServes);
    };
    let _log = log::start(&paths.state.join("log"));
    allow_descriptors();
    let runtime_error = runtime(&paths.runtime[0]);
    let threads = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(&runtime_error)?;
    let ended = threads.block_on(serve(paths, options, &mut alone));
    // Blocking calls that hang (a stopped holder) hold nobody up.
    threads.shutdown_background();
    drop(alone);
    ended
}

async fn serve(paths: &Paths, options: Options, alone: &mut Alone) -> Result<Ended, RunError> {
    let socket = paths.daemon_socket();
    // The lock says that no other daemon serves: a socket that is there is a dead one's.
    // Unless the lock was deleted under a living one.
    if holder::socket_address::connect(&socket).is_ok() {
        say_ready(options);
        return Ok(Ended::AnotherServes);
    }
    let failed = runtime(&socket);
    let mut stop = signal(SignalKind::terminate()).map_err(&failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(&failed)?;
    // Taken, so that it does not end the daemon.
    let _hangup = signal(SignalKind::hangup()).map_err(&failed)?;

    // A limit on the size of files is an error to say, not an end.
    let file_size = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    let _file_size = signal(file_size).map_err(&failed)?;

    let service = Service::start(paths.clone());
    // Watching first: what comes between is noticed.
    let watching = tokio::spawn(watch::run(service.clone()));
    let looking = tokio::spawn(service.clone().look_after_mirrors());
    service.recover().await;
    let retention = tokio::spawn(retention::run(service.clone()));
    let notifications = notify::start(&service).await;

    let listener = Listener::bind(&socket, service.metrics.clone()).map_err(&failed)?;
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        pid = std::process::id(),
        terminals = service.registry.list().len(),
        "serving at {}",
        socket.display()
    );
    alone.serves();
    say_ready(options);
    let server = axum::serve(listener, api::router(service.clone()));
    tokio::select! {
        ended = async { server.await } => ended.map_err(&failed)?,
        _ = stop.recv() => {}
        _ = interrupt.recv() => {}
        () = socket_gone(&service, &socket) => {
            tracing::warn!("{} is gone: nobody can reach this daemon", socket.display());
        }
    }
    tracing::info!("stopping; terminals go on");
    watching.abort();
    looking.abort();
    retention.abort();
    notifications.abort();
    // What was received is stored before the end.
    service.journal.flush().await;
    let _ = std::fs::remove_file(&socket);
    Ok(Ended::Stopped)
}

/// Whoever cannot reach this daemon must be able to start another.
async fn socket_gone(service: &Service, socket: &Path) {
    while socket.exists() {
        service.runtime_changed.notified().await;
    }
}

fn runtime(path: &Path) -> impl Fn(io::Error) -> RunError {
    let path = path.to_owned();
    move |error| RunError::Runtime {
        path: path.clone(),
        reason: error.to_string(),
    }
}

/// Tells whoever waits on the pipe, and lets go of it and of standard error.
fn say_ready(options: Options) {
    if !options.ready {
        return;
    }
    let mut out = io::stdout();
    let _ = out.write_all(b"ready\n").and_then(|()| out.flush());
    // Standard error too: it is a pipe of somebody who will be gone.
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(null);
    }
}

/// A thousand terminals and their clients need more than the usual soft limit.
fn allow_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}
