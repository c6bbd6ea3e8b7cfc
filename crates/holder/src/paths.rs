//! Where things are: runtime directories, sockets, names, state files (architecture.md,
//! Logging out; Names and ids; Storage).

use std::io;
use std::path::PathBuf;

/// The directories of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Every directory in which holders of this user may have their sockets; the first is
    /// where new ones go.
    pub runtime: Vec<PathBuf>,
    /// `$XDG_STATE_HOME/wigwag`.
    pub state: PathBuf,
    /// `$XDG_CONFIG_HOME/wigwag`.
    pub config: PathBuf,
}

/// A terminal found on disk, with or without a living holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The id.
    pub id: String,
    /// The holder's socket, which may be dead.
    pub socket: PathBuf,
}

impl Paths {
    /// From the environment of this process; nothing is created.
    pub fn from_env() -> io::Result<Self> {
        todo!()
    }
    /// Creates the first runtime directory (0700; ownership checked, symlinks refused) and the
    /// state directory.
    pub fn create(&self) -> io::Result<()> {
        todo!()
    }
    /// The socket of the daemon.
    pub fn daemon_socket(&self) -> PathBuf {
        self.runtime[0].join("daemon.sock")
    }
    /// The socket of a terminal's holder, in the first runtime directory or wherever it is found.
    pub fn holder_socket(&self, id: &str) -> PathBuf {
        let _ = id;
        todo!()
    }
    /// All terminals that have a directory in any runtime directory.
    pub fn scan(&self) -> io::Result<Vec<Found>> {
        todo!()
    }
    /// The state file of a terminal.
    pub fn state_file(&self, id: &str) -> PathBuf {
        self.state.join("terminals").join(format!("{id}.json"))
    }
    /// The id that holds this name, if one does (living or not).
    pub fn id_of_name(&self, name: &str) -> io::Result<Option<String>> {
        let _ = name;
        todo!()
    }
}

/// A name is `[A-Za-z0-9_][A-Za-z0-9_.+-]{0,31}`, never shaped like an id. `Err` says what is wrong and
/// what to do.
pub fn check_name(name: &str) -> Result<(), String> {
    let _ = name;
    todo!()
}

/// 8 characters of lower-case base32.
pub fn is_id(text: &str) -> bool {
    let _ = text;
    todo!()
}
