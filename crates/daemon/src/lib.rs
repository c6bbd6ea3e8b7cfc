//! One process per user: registry, journal, API.
//!
//! The daemon finds the holders of its user, mirrors their events into a journal, and serves
//! every client. It owns no terminal: it can be killed at any time, and the next one goes on
//! where the journal ends.
#![forbid(unsafe_code)]

pub mod api;
pub mod config;
mod events;
mod journal;
mod listener;
mod log;
mod login;
mod metrics;
mod mirror;
mod process_end;
mod registry;
mod retention;
mod service;
mod watch;

use crate::listener::Listener;
use crate::service::Service;
use holder::paths::Paths;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
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
    // A second daemon waits here until the first serves, so that its caller can connect.
    let starting = lock_file(&paths.runtime[0].join("daemon.starting"))?;
    starting.lock().map_err(runtime(&paths.runtime[0]))?;
    let life_path = paths.runtime[0].join("daemon.lock");
    let life = lock_file(&life_path)?;
    match life.try_lock() {
        Ok(()) => {}
        Err(std::fs::TryLockError::WouldBlock) => {
            if holder::socket_address::connect(&paths.daemon_socket()).is_ok() {
                say_ready(options);
                return Ok(Ended::AnotherServes);
            }
            // It is ending: the lock goes last.
            life.lock().map_err(runtime(&life_path))?;
        }
        Err(std::fs::TryLockError::Error(error)) => return Err(runtime(&life_path)(error)),
    }
    let _log = log::start(&paths.state.join("log"));
    allow_descriptors();
    let runtime_error = runtime(&paths.runtime[0]);
    let threads = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(&runtime_error)?;
    let ended = threads.block_on(serve(paths, options, starting));
    // Blocking calls that hang (a stopped holder) hold nobody up.
    threads.shutdown_background();
    drop(life);
    ended
}

async fn serve(paths: &Paths, options: Options, starting: File) -> Result<Ended, RunError> {
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

    let listener = Listener::bind(&socket, service.metrics.clone()).map_err(&failed)?;
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        pid = std::process::id(),
        terminals = service.registry.list().len(),
        "serving at {}",
        socket.display()
    );
    drop(starting);
    say_ready(options);
    let server = axum::serve(listener, api::router(service.clone()));
    tokio::select! {
        ended = async { server.await } => ended.map_err(&failed)?,
        _ = stop.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping; terminals go on");
    watching.abort();
    looking.abort();
    retention.abort();
    // What was received is stored before the end.
    service.journal.flush().await;
    let _ = std::fs::remove_file(&socket);
    Ok(Ended::Stopped)
}

fn lock_file(path: &Path) -> Result<File, RunError> {
    let mut options = OpenOptions::new();
    let options = options.create(true).append(true).mode(0o600);
    options.open(path).map_err(runtime(path))
}

fn runtime(path: &Path) -> impl Fn(io::Error) -> RunError {
    let path = path.to_owned();
    move |error| RunError::Runtime {
        path: path.clone(),
        reason: error.to_string(),
    }
}

/// Tells whoever waits on the pipe, and lets go of it.
fn say_ready(options: Options) {
    if !options.ready {
        return;
    }
    let mut out = io::stdout();
    let _ = out.write_all(b"ready\n").and_then(|()| out.flush());
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

/// A thousand terminals and their clients need more than the usual soft limit.
fn allow_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}
