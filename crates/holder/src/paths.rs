//! Where things are: runtime directories, sockets, names, state files (architecture.md,
//! Logging out; Names and ids; Storage).
//!
//! ```text
//! RUNTIME/daemon.sock
//! RUNTIME/terminals/ID/          claimed by creating it
//! RUNTIME/terminals/ID/sock      the holder's socket
//! RUNTIME/terminals/ID/running   locked (flock) while the program runs
//! RUNTIME/terminals/ID/ssh-agent link to the agent of the client that attached last
//! RUNTIME/names/NAME             link to ID
//! RUNTIME/names/.lock            locked while a name changes hands
//! STATE/terminals/ID.json        the state file
//! STATE/log/
//! STATE/daemon.lock              locked by the one daemon of this state directory
//! STATE/runtime/                 the runtime directories in use (runtime_record.rs)
//! ```

use crate::passwd;
use crate::runtime_record;
use crate::spawn::StateFile;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The directories of one user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paths {
    /// The directories in which holders of this user may have their sockets, by the environment; the
    /// first is where new ones go. Others may have been used before: [`Self::runtime_directories`].
    #[serde(with = "crate::lossless::paths")]
    pub runtime: Vec<PathBuf>,
    /// `$XDG_STATE_HOME/wigwag`.
    #[serde(with = "crate::lossless::path")]
    pub state: PathBuf,
    /// `$XDG_CONFIG_HOME/wigwag`.
    #[serde(with = "crate::lossless::path")]
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
        let uid = rustix::process::getuid().as_raw();
        let home = absolute(std::env::var_os("HOME"))
            .or_else(|| passwd::current_user().map(|user| user.home));
        let base = |variable: &str, below_home: &str| {
            let set = absolute(std::env::var_os(variable));
            let base = set.or_else(|| home.as_ref().map(|home| home.join(below_home)));
            base.map(|base| base.join("wigwag")).ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::NotFound,
                    format!("no home directory is known: set HOME or {variable}"),
                )
            })
        };
        Ok(Self {
            runtime: runtime_candidates(std::env::var_os("XDG_RUNTIME_DIR"), uid, lingers),
            state: base("XDG_STATE_HOME", ".local/state")?,
            config: base("XDG_CONFIG_HOME", ".config")?,
        })
    }

    /// Creates the first runtime directory (0700; ownership checked, symlinks refused) and, where
    /// it can be written, the state directory: terminals work without it, and whoever needs it
    /// says why it is not there.
    pub fn create(&self) -> io::Result<()> {
        let runtime = &self.runtime[0];
        if let Some(parent) = runtime.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(parent)
                .map_err(at(parent))?;
        }
        private_directory(runtime)?;
        private_directory(&runtime.join("terminals"))?;
        private_directory(&runtime.join("names"))?;
        let _ = self.create_state();
        let _ = runtime_record::note(&self.state, runtime);
        Ok(())
    }

    /// Every directory in which holders of this user may have their sockets: those the environment
    /// names, then those that were used with the same state directory.
    pub fn runtime_directories(&self) -> Vec<PathBuf> {
        let mut all = self.runtime.clone();
        let noted = runtime_record::noted(&self.state);
        all.extend(
            noted
                .into_iter()
                .filter(|noted| !self.runtime.contains(noted)),
        );
        all
    }

    /// Creates the state directory with what is in it.
    pub fn create_state(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        for directory in [self.state.join("terminals"), self.state.join("log")] {
            builder.create(&directory).map_err(at(&directory))?;
        }
        Ok(())
    }

    /// Where a daemon of this environment has its socket.
    pub fn daemon_socket(&self) -> PathBuf {
        self.runtime[0].join("daemon.sock")
    }

    /// Connects to the daemon, whichever runtime directory it was started with.
    pub fn connect_daemon(&self) -> io::Result<UnixStream> {
        let own = match crate::socket_address::connect(&self.daemon_socket()) {
            Ok(stream) => return Ok(stream),
            Err(error) => error,
        };
        let noted = runtime_record::noted(&self.state);
        let others = noted.iter().filter(|noted| **noted != self.runtime[0]);
        others
            .map(|runtime| crate::socket_address::connect(&runtime.join("daemon.sock")))
            .find_map(Result::ok)
            .ok_or(own)
    }

    /// The directory of a terminal, in the first runtime directory or wherever it is found.
    pub fn terminal_directory(&self, id: &str) -> PathBuf {
        // A candidate of somebody else (in /tmp) is passed over, not trusted.
        let holds = |runtime: &Path, directory: &Path| {
            fs::symlink_metadata(directory).is_ok() && check_private(runtime).is_ok()
        };
        let own = self.runtime[0].join("terminals").join(id);
        if holds(&self.runtime[0], &own) {
            return own;
        }
        let others = self.runtime_directories().into_iter().skip(1);
        others
            .map(|runtime| (runtime.join("terminals").join(id), runtime))
            .find(|(directory, runtime)| holds(runtime, directory))
            .map_or(own, |(directory, _)| directory)
    }

    /// The socket of a terminal's holder, in the first runtime directory or wherever it is found.
    pub fn holder_socket(&self, id: &str) -> PathBuf {
        self.terminal_directory(id).join("sock")
    }

    /// All terminals that have a directory in any runtime directory, by id.
    pub fn scan(&self) -> io::Result<Vec<Found>> {
        let mut found = Vec::new();
        for runtime in self.runtime_directories() {
            // A candidate of somebody else (in /tmp) is passed over, not trusted.
            if !runtime.exists() || check_private(&runtime).is_err() {
                continue;
            }
            let terminals = runtime.join("terminals");
            let entries = match fs::read_dir(&terminals) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(at(&terminals)(error)),
            };
            for entry in entries {
                let entry = entry?;
                if let Some(id) = entry.file_name().to_str().filter(|name| is_id(name)) {
                    found.push(Found {
                        id: id.to_owned(),
                        socket: entry.path().join("sock"),
                    });
                }
            }
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found.dedup_by(|a, b| a.id == b.id);
        Ok(found)
    }

    /// The state file of a terminal.
    pub fn state_file(&self, id: &str) -> PathBuf {
        self.state.join("terminals").join(format!("{id}.json"))
    }

    /// Reads the state file of a terminal.
    pub fn read_state(&self, id: &str) -> io::Result<StateFile> {
        let path = self.state_file(id);
        let bytes = fs::read(&path).map_err(at(&path))?;
        serde_json::from_slice(&bytes).map_err(|error| at(&path)(error.into()))
    }

    /// The ids of all state files, living terminals or not. A missing directory is empty.
    pub fn state_ids(&self) -> io::Result<Vec<String>> {
        let directory = self.state.join("terminals");
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(at(&directory)(error)),
        };
        let mut ids = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".json"));
            ids.extend(id.filter(|id| is_id(id)).map(str::to_owned));
        }
        ids.sort();
        Ok(ids)
    }

    /// The id that holds this name, if one does (living or not): by its link, or after a reboot
    /// by its state file.
    pub fn id_of_name(&self, name: &str) -> io::Result<Option<String>> {
        if check_name(name).is_err() {
            return Ok(None);
        }
        for runtime in self.runtime_directories() {
            if runtime.exists()
                && check_private(&runtime).is_ok()
                && let Some(id) = read_name(&runtime.join("names").join(name))
            {
                return Ok(Some(id));
            }
        }
        // A newer state file wins where a name was used again.
        let mut newest: Option<(u64, String)> = None;
        for id in self.state_ids()? {
            if let Ok(state) = self.read_state(&id)
                && state.status.name == name
                && newest
                    .as_ref()
                    .is_none_or(|(incarnation, _)| *incarnation < state.incarnation)
            {
                newest = Some((state.incarnation, id));
            }
        }
        Ok(newest.map(|(_, id)| id))
    }

    /// Whether the program of a terminal runs: its holder locks a file for just that time.
    pub fn is_running(&self, id: &str) -> bool {
        let Ok(file) = File::open(self.terminal_directory(id).join("running")) else {
            return false;
        };
        matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
    }

    /// Whether the holder of a terminal lives (its program may have exited).
    pub fn is_alive(&self, id: &str) -> bool {
        crate::socket_address::connect(&self.holder_socket(id)).is_ok()
    }

    /// Forgets a terminal without a living holder: its directory, name and state file.
    pub fn forget(&self, id: &str) -> io::Result<()> {
        if self.is_alive(id) || self.is_running(id) {
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                format!("terminal {id} has a living holder: ask that to remove it"),
            ));
        }
        self.forget_names(id)?;
        remove_directory(&self.terminal_directory(id))?;
        remove_file(&self.state_file(id))?;
        remove_file(&self.log_file(id))
    }

    /// The log of a holder: written on errors only.
    pub fn log_file(&self, id: &str) -> PathBuf {
        self.state.join("log").join(format!("holder-{id}.log"))
    }

    /// Holds back every other change of names in the first runtime directory, until the file
    /// is dropped.
    pub(crate) fn lock_names(&self) -> io::Result<File> {
        let path = self.runtime[0].join("names").join(".lock");
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&path)
            .map_err(at(&path))?;
        file.lock()?;
        Ok(file)
    }

    /// Removes the names that lead to `id`.
    pub(crate) fn forget_names(&self, id: &str) -> io::Result<()> {
        let _lock = self.runtime[0]
            .join("names")
            .exists()
            .then(|| self.lock_names())
            .transpose()?;
        self.unlink_names(id)
    }

    /// The same under the lock.
    pub(crate) fn unlink_names(&self, id: &str) -> io::Result<()> {
        for runtime in self.runtime_directories() {
            let Ok(entries) = fs::read_dir(runtime.join("names")) else {
                continue;
            };
            for entry in entries {
                let path = entry?.path();
                if read_name(&path).as_deref() == Some(id) {
                    remove_file(&path)?;
                }
            }
        }
        Ok(())
    }

    /// Lets a name lead to `id`, whatever it led to before; under the lock.
    pub(crate) fn link_name(&self, name: &str, id: &str) -> io::Result<()> {
        let names = self.runtime[0].join("names");
        let temporary = names.join(format!(".new-{id}"));
        remove_file(&temporary)?;
        std::os::unix::fs::symlink(id, &temporary).map_err(at(&temporary))?;
        fs::rename(&temporary, names.join(name)).map_err(at(&names))
    }
}

/// Why a path could not be used, with the path, and what to do where that is known.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> io::Error {
    let path = path.to_owned();
    move |error| {
        let advice = advice(&error);
        io::Error::new(error.kind(), format!("{}: {error}{advice}", path.display()))
    }
}

/// What to do about an error of a file system, to put after it; empty where that is not known.
pub fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => ": make that file system writable",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ": free some space there",
        _ => "",
    }
}

/// Removes a file; one that is not there is removed already.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// Removes a terminal's directory with the files in it.
pub(crate) fn remove_directory(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// The id a name's link leads to.
pub(crate) fn read_name(link: &Path) -> Option<String> {
    let target = fs::read_link(link).ok()?;
    target.to_str().filter(|id| is_id(id)).map(str::to_owned)
}

fn absolute(value: Option<OsString>) -> Option<PathBuf> {
    value.map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The rule of architecture.md, Logging out: without lingering, the runtime directory of the
/// user manager ends with the last logout, so it is not where new terminals go.
fn runtime_candidates(
    variable: Option<OsString>,
    uid: u32,
    lingers: impl FnOnce() -> bool,
) -> Vec<PathBuf> {
    let managed = PathBuf::from(format!("/run/user/{uid}"));
    match absolute(variable) {
        Some(chosen) if chosen != managed => vec![chosen.join("wigwag")],
        chosen => {
            let managed = managed.join("wigwag");
            let temporary = PathBuf::from(format!("/tmp/wigwag-{uid}"));
            if chosen.is_some() && lingers() {
                vec![managed, temporary]
            } else {
                vec![temporary, managed]
            }
        }
    }
}

/// Whether the user's manager outlives the last logout.
fn lingers() -> bool {
    let user = passwd::current_user().map(|user| user.name);
    user.is_some_and(|name| Path::new("/var/lib/systemd/linger").join(name).exists())
}

/// Creates a directory only we can use, or checks that it is one.
fn private_directory(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(at(path)(error)),
        _ => {}
    }
    check_private(path)
}

/// Refuses a directory that somebody else could have put there or can look into.
pub fn check_private(path: &Path) -> io::Result<()> {
    let refuse = |why: String| {
        let message = format!("{}: {why}", path.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
    };
    let metadata = fs::symlink_metadata(path).map_err(at(path))?;
    let uid = rustix::process::getuid().as_raw();
    if metadata.is_symlink() {
        return refuse("is a symbolic link: remove it, or set XDG_RUNTIME_DIR".into());
    }
    if !metadata.is_dir() {
        return refuse("is not a directory: remove it, or set XDG_RUNTIME_DIR".into());
    }
    if metadata.uid() != uid {
        return refuse(format!(
            "belongs to user {}, not to {uid}: remove it, or set XDG_RUNTIME_DIR",
            metadata.uid()
        ));
    }
    if metadata.mode() & 0o077 != 0 {
        return refuse(format!(
            "has mode {:o} and lets others in: chmod 700 it",
            metadata.mode() & 0o777
        ));
    }
    Ok(())
}

/// A name is `[A-Za-z0-9_][A-Za-z0-9_.+-]{0,31}`, never shaped like an id. `Err` says what is wrong and
/// what to do.
pub fn check_name(name: &str) -> Result<(), String> {
    let shown = name.escape_debug();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let Some(&first) = name.as_bytes().first() else {
        return Err("a name cannot be empty: use 1 to 32 of A-Z a-z 0-9 _ . + -".into());
    };
    if !plain(first) {
        return Err(format!(
            "the name \"{shown}\" must start with a letter, a digit or _"
        ));
    }
    if let Some(wrong) = name
        .chars()
        .find(|c| !c.is_ascii() || !(plain(*c as u8) || ".+-".contains(*c)))
    {
        return Err(format!(
            "the name \"{shown}\" has \"{}\" in it: use only A-Z a-z 0-9 _ . + -",
            wrong.escape_debug()
        ));
    }
    if name.len() > 32 {
        return Err(format!(
            "the name \"{shown}\" has {} characters: use at most 32",
            name.len()
        ));
    }
    if is_id(name) {
        return Err(format!(
            "the name \"{shown}\" looks like an id (8 of a-z 2-7): add a character or an upper-case letter"
        ));
    }
    Ok(())
}

/// 8 characters of lower-case base32.
pub fn is_id(text: &str) -> bool {
    text.len() == 8
        && text
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn in_directory(root: &Path) -> Paths {
        Paths {
            runtime: vec![root.join("run/wigwag")],
            state: root.join("state/wigwag"),
            config: root.join("config/wigwag"),
        }
    }

    #[test]
    fn the_managed_runtime_directory_is_first_only_where_the_user_lingers() {
        let candidates = |variable: Option<&str>, lingers: bool| {
            runtime_candidates(variable.map(OsString::from), 1000, || lingers)
        };
        let temporary = PathBuf::from("/tmp/wigwag-1000");
        let managed = PathBuf::from("/run/user/1000/wigwag");
        let without = vec![temporary.clone(), managed.clone()];
        assert_eq!(candidates(None, false), without);
        assert_eq!(candidates(Some("/run/user/1000"), false), without);
        assert_eq!(
            candidates(Some("/run/user/1000"), true),
            [managed, temporary]
        );
    }

    #[test]
    fn any_other_runtime_directory_is_used_alone() {
        let candidates = runtime_candidates(Some("/run/other".into()), 1000, || true);
        assert_eq!(candidates, [PathBuf::from("/run/other/wigwag")]);
    }

    #[test]
    fn a_name_is_refused_with_what_to_do() {
        for name in [
            "a",
            "agent",
            "A.b+c-d_9",
            "_",
            "0",
            &"x".repeat(32),
            "abcdefgH",
            "abcdefg1",
        ] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        let long = "x".repeat(33);
        for (name, says) in [
            ("", "empty"),
            (".", "start with"),
            ("-x", "start with"),
            ("a/b", "\"/\""),
            ("a\nb", "\"\\n\""),
            ("é", "start with"),
            ("aé", "é"),
            (long.as_str(), "33 characters"),
            ("abcdefgh", "looks like an id"),
            ("k3vq7a2m", "looks like an id"),
        ] {
            let error = check_name(name).unwrap_err();
            assert!(error.contains(says), "{name:?}: {error}");
        }
    }

    #[test]
    fn directories_are_created_for_us_alone() {
        let root = tempfile::tempdir().unwrap();
        let paths = in_directory(root.path());
        paths.create().unwrap();
        paths.create().unwrap();
        for directory in [paths.runtime[0].clone(), paths.state.join("terminals")] {
            assert_eq!(fs::metadata(directory).unwrap().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn a_runtime_directory_that_is_a_link_or_open_to_others_is_refused_by_its_path() {
        let root = tempfile::tempdir().unwrap();
        let paths = in_directory(root.path());
        fs::create_dir_all(root.path().join("run")).unwrap();
        fs::create_dir(root.path().join("elsewhere")).unwrap();
        symlink(root.path().join("elsewhere"), &paths.runtime[0]).unwrap();
        let error = paths.create().unwrap_err().to_string();
        assert!(error.contains("run/wigwag: is a symbolic link"), "{error}");
        assert_eq!(paths.scan().unwrap(), []);

        fs::remove_file(&paths.runtime[0]).unwrap();
        fs::create_dir(&paths.runtime[0]).unwrap();
        fs::set_permissions(&paths.runtime[0], fs::Permissions::from_mode(0o755)).unwrap();
        let error = paths.create().unwrap_err().to_string();
        assert!(error.contains("run/wigwag: has mode 755"), "{error}");
    }

    #[test]
    fn a_runtime_directory_of_another_user_is_refused() {
        if !rustix::process::getuid().is_root() {
            // Only root can make a directory that belongs to somebody else: /root is one.
            assert!(check_private(Path::new("/root")).is_err());
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let paths = in_directory(root.path());
        paths.create().unwrap();
        std::os::unix::fs::chown(&paths.runtime[0], Some(12345), None).unwrap();
        let error = paths.create().unwrap_err().to_string();
        assert!(error.contains("belongs to user 12345"), "{error}");
    }

    #[test]
    fn scan_finds_directories_shaped_like_ids_and_names_lead_to_them() {
        let root = tempfile::tempdir().unwrap();
        let paths = in_directory(root.path());
        assert_eq!(paths.scan().unwrap(), []);
        paths.create().unwrap();
        for id in ["bbbbbbbb", "aaaaaaaa", "not-an-id"] {
            fs::create_dir(paths.runtime[0].join("terminals").join(id)).unwrap();
        }
        symlink("bbbbbbbb", paths.runtime[0].join("names/build")).unwrap();
        let ids: Vec<_> = paths
            .scan()
            .unwrap()
            .into_iter()
            .map(|found| found.id)
            .collect();
        assert_eq!(ids, ["aaaaaaaa", "bbbbbbbb"]);
        assert_eq!(
            paths.id_of_name("build").unwrap().as_deref(),
            Some("bbbbbbbb")
        );
        assert_eq!(paths.id_of_name("../terminals").unwrap(), None);
        assert_eq!(paths.id_of_name("other").unwrap(), None);
        assert!(!paths.is_running("bbbbbbbb"));

        paths.forget("bbbbbbbb").unwrap();
        assert_eq!(paths.id_of_name("build").unwrap(), None);
        assert_eq!(paths.scan().unwrap().len(), 1);
    }
}
