//! Taking an id, a name and a socket (architecture.md, Names and ids): all under one lock, so
//! that two commands cannot take the same, with or without a daemon.

use crate::paths::{self, Paths};
use crate::protocol::MAX_BODY;
use crate::socket_address;
use crate::spawn::{StartReply, StartRequest, end_exited_holder};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

/// What a terminal holds on the file system while it lives.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) id: String,
    /// The id where no name was asked for.
    pub(super) name: String,
    pub(super) directory: PathBuf,
    pub(super) socket: PathBuf,
    pub(super) listener: UnixListener,
    /// Locked while the program runs.
    pub(super) running: File,
    /// The exited or lost terminal that had the name.
    pub(super) replaced: Option<String>,
}

/// Takes what `request` asks for, or says why not.
pub(super) fn claim(request: &StartRequest) -> Result<Claim, StartReply> {
    let paths = &request.paths;
    let spec = &request.spec;
    if let Some(name) = &spec.name {
        paths::check_name(name).map_err(StartReply::Name)?;
    }
    paths.create().map_err(failed)?;
    let _lock = paths.lock_names().map_err(failed)?;
    let id = match &spec.id {
        Some(id) if !paths::is_id(id) => {
            let shown = id.escape_debug();
            return Err(StartReply::Failed(format!(
                "\"{shown}\" is no id: use 8 of a-z 2-7"
            )));
        }
        Some(id) => proposed(paths, id, request.before.is_some())?,
        None => fresh(paths)?,
    };
    let replaced = match &spec.name {
        Some(name) => free_name(paths, name, &id)?,
        None => None,
    };
    let directory = paths.runtime[0].join("terminals").join(&id);
    let claimed = occupy(
        paths,
        &id,
        spec.name.as_deref(),
        directory.clone(),
        replaced,
    );
    claimed.map_err(|error| {
        let _ = paths::remove_directory(&directory);
        failed(error)
    })
}

impl Claim {
    /// Ends the terminal that had the name before.
    pub(super) fn end_replaced(&self, paths: &Paths) -> io::Result<()> {
        let Some(old) = &self.replaced else {
            return Ok(());
        };
        if paths.is_alive(old) {
            let ended = end_exited_holder(&paths.holder_socket(old));
            if paths.is_alive(old) {
                return ended;
            }
        }
        paths.forget(old)
    }

    /// Gives everything back: the program could not be started.
    pub(super) fn undo(&self, paths: &Paths) {
        let restored = match &self.replaced {
            Some(old) => paths
                .lock_names()
                .and_then(|_lock| paths.link_name(&self.name, old)),
            None => paths.forget_names(&self.id),
        };
        let _ = restored.and_then(|()| paths::remove_directory(&self.directory));
    }
}

fn failed(error: io::Error) -> StartReply {
    StartReply::Failed(error.to_string())
}

/// A proposed id: taken if it is free, or left over from a holder that is gone.
fn proposed(paths: &Paths, id: &str, again: bool) -> Result<String, StartReply> {
    let known = paths.state_file(id).exists() && !again;
    if known || paths.is_running(id) || paths.is_alive(id) {
        return Err(StartReply::IdExists { id: id.to_owned() });
    }
    paths::remove_directory(&paths.terminal_directory(id)).map_err(failed)?;
    Ok(id.to_owned())
}

/// An id that nobody has.
fn fresh(paths: &Paths) -> Result<String, StartReply> {
    loop {
        let id = random_id().map_err(failed)?;
        if !paths.terminal_directory(&id).exists() && !paths.state_file(&id).exists() {
            return Ok(id);
        }
    }
}

/// 40 random bits as 8 characters of base32.
fn random_id() -> io::Result<String> {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut bytes = [0; 5];
    File::open("/dev/urandom")
        .map_err(paths::at("/dev/urandom".as_ref()))?
        .read_exact(&mut bytes)?;
    let bits = bytes
        .iter()
        .fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
    Ok((0..8)
        .map(|place| ALPHABET[(bits >> (5 * place)) as usize & 31] as char)
        .collect())
}

/// The terminal that gives up `name`; an error if its program runs.
fn free_name(paths: &Paths, name: &str, id: &str) -> Result<Option<String>, StartReply> {
    let holder = paths.id_of_name(name).map_err(failed)?;
    match holder.filter(|holder| holder != id) {
        Some(holder) if paths.is_running(&holder) => Err(StartReply::NameTaken {
            name: name.to_owned(),
        }),
        holder => Ok(holder),
    }
}

fn occupy(
    paths: &Paths,
    id: &str,
    name: Option<&str>,
    directory: PathBuf,
    replaced: Option<String>,
) -> io::Result<Claim> {
    DirBuilder::new()
        .mode(0o700)
        .create(&directory)
        .map_err(paths::at(&directory))?;
    let running = directory.join("running");
    let running = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&running)
        .map_err(paths::at(&running))?;
    running.lock()?;
    let socket = directory.join("sock");
    let listener = socket_address::bind(&socket).map_err(paths::at(&socket))?;
    listener.set_nonblocking(true)?;
    if let Some(name) = name {
        paths.link_name(name, id)?;
    }
    Ok(Claim {
        id: id.to_owned(),
        name: name.unwrap_or(id).to_owned(),
        directory,
        socket,
        listener,
        running,
        replaced,
    })
}

/// A start request longer than this is none: arguments and environment are bounded by the kernel
/// to a few megabytes.
pub(super) const MAX_REQUEST: u64 = 16 * MAX_BODY as u64;
