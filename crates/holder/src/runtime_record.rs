//! Which runtime directories the terminals of a state directory have their sockets in. One started
//! with another `XDG_RUNTIME_DIR` (a second login, cron, a container's shell) is found all the same.
//!
//! ```text
//! STATE/runtime/HASH   link to a runtime directory that was used
//! ```

use crate::paths::{at, check_private, remove_file};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

/// Where the links are.
pub fn directory(state: &Path) -> PathBuf {
    state.join("runtime")
}

/// Notes that `runtime` is used; forgets those that are no more.
pub(crate) fn note(state: &Path, runtime: &Path) -> io::Result<()> {
    let links = directory(state);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&links)
        .map_err(at(&links))?;
    for entry in fs::read_dir(&links).map_err(at(&links))? {
        let link = entry?.path();
        // One that is missing has no sockets, and is noted again by whoever makes it again.
        if fs::read_link(&link).is_ok_and(|target| !target.exists()) {
            remove_file(&link)?;
        }
    }
    let link = links.join(format!("{:016x}", hash(runtime.as_os_str().as_bytes())));
    match symlink(runtime, &link) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(at(&link)(error)),
        _ => Ok(()),
    }
}

/// The directories that were noted, are there, and let nobody else in.
pub(crate) fn noted(state: &Path) -> Vec<PathBuf> {
    let Ok(links) = fs::read_dir(directory(state)) else {
        return Vec::new();
    };
    let targets = links.filter_map(|link| fs::read_link(link.ok()?.path()).ok());
    let mut noted: Vec<PathBuf> = targets
        .filter(|target| target.is_absolute() && check_private(target).is_ok())
        .collect();
    noted.sort();
    noted
}

/// FNV-1a: a short name for a path of any length, the same in each version.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_directory_is_known_while_it_is_there_and_lets_nobody_in() {
        let root = tempfile::tempdir().unwrap();
        let state = root.path().join("state");
        let make = |name: &str| {
            let path = root.path().join(name);
            DirBuilder::new().mode(0o700).create(&path).unwrap();
            path
        };
        let (a, b) = (make("a"), make("b"));
        assert!(noted(&state).is_empty());
        for runtime in [&a, &b, &a] {
            note(&state, runtime).unwrap();
        }
        assert_eq!(noted(&state), [a.clone(), b.clone()]);

        fs::set_permissions(&b, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(noted(&state), std::slice::from_ref(&a));

        fs::remove_dir(&b).unwrap();
        note(&state, &a).unwrap();
        assert_eq!(fs::read_dir(directory(&state)).unwrap().count(), 1);
    }
}
