//! One daemon for a runtime directory, and one for a state directory: two would each take the other's
//! terminals for lost.
//!
//! Both directories have a lock for the life of a daemon, and one for its start, behind which a second
//! daemon waits until the first serves, so that its caller can connect.

use crate::{RunError, runtime};
use holder::paths::Paths;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// A daemon that ends stores what it received first. One that cannot be reached and does not end is
/// on another machine (a shared home directory) or behind a wall (a container).
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// The locks: they last as long as this value.
#[derive(Debug)]
pub(crate) struct Alone {
    starting: Vec<File>,
    _life: Vec<File>,
}

impl Alone {
    /// The only daemon here; `None` where another serves.
    pub(crate) fn claim(paths: &Paths) -> Result<Option<Self>, RunError> {
        let mut alone = Self {
            starting: Vec::new(),
            _life: Vec::new(),
        };
        let mut directories = vec![&paths.runtime[0]];
        // Where the state directory cannot be written, terminals work without it.
        if lock_file(&paths.state.join("daemon.lock")).is_ok() {
            directories.push(&paths.state);
        }
        for directory in directories {
            let starting_path = directory.join("daemon.starting");
            let starting = lock_file(&starting_path)?;
            starting.lock().map_err(runtime(&starting_path))?;
            let life_path = directory.join("daemon.lock");
            let life = lock_file(&life_path)?;
            match life.try_lock() {
                Ok(()) => alone._life.push(life),
                Err(TryLockError::WouldBlock) if paths.connect_daemon().is_ok() => {
                    return Ok(None);
                }
                // It is ending: the lock goes last.
                Err(TryLockError::WouldBlock) => {
                    alone
                        ._life
                        .push(lock_within(life, ENDS_WITHIN, &life_path)?);
                }
                Err(TryLockError::Error(error)) => return Err(runtime(&life_path)(error)),
            }
            alone.starting.push(starting);
        }
        Ok(Some(alone))
    }

    /// This daemon serves.
    pub(crate) fn serves(&mut self) {
        self.starting.clear();
    }
}

fn lock_within(file: File, limit: Duration, path: &Path) -> Result<File, RunError> {
    let (sender, locked) = mpsc::channel();
    // Where the time is over, the thread ends with the process.
    std::thread::spawn(move || {
        let result = file.lock().map(|()| file);
        let _ = sender.send(result);
    });
    match locked.recv_timeout(limit) {
        Ok(result) => result.map_err(runtime(path)),
        Err(_) => Err(RunError::Elsewhere {
            path: path.to_owned(),
        }),
    }
}

fn lock_file(path: &Path) -> Result<File, RunError> {
    let mut options = OpenOptions::new();
    let options = options.create(true).append(true).mode(0o600);
    options.open(path).map_err(|error| RunError::Runtime {
        path: path.to_owned(),
        reason: format!("{error}{}", holder::paths::advice(&error)),
    })
}
