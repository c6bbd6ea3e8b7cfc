//! Unix sockets at paths of any length. The address of a unix socket holds about 100 bytes
//! (`sun_path`); a longer path is reached through its directory's descriptor.

use crate::peer;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// The shortest `sun_path` of the supported systems has 104 bytes with the closing zero.
const MAX_DIRECT: usize = 100;

/// Connects to the socket at `path`, if a process of this user listens there.
pub fn connect(path: &Path) -> io::Result<UnixStream> {
    let stream = with_short_path(path, |path| UnixStream::connect(path))?;
    check_user(path, peer::uid(&stream)?, peer::own_uid())?;
    Ok(stream)
}

fn check_user(path: &Path, listens: u32, own: u32) -> io::Result<()> {
    if listens == own {
        return Ok(());
    }
    let message = format!(
        "{} is served by user {listens}, not by {own}: nothing is said to it; remove it, or set XDG_RUNTIME_DIR",
        path.display()
    );
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

/// Binds a new socket at `path`, which must not exist.
pub fn bind(path: &Path) -> io::Result<UnixListener> {
    with_short_path(path, |path| UnixListener::bind(path))
}

#[cfg(target_os = "linux")]
fn with_short_path<T>(path: &Path, use_path: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    use rustix::fs::{Mode, OFlags};
    use std::os::fd::AsRawFd;

    if path.as_os_str().len() <= MAX_DIRECT {
        return use_path(path);
    }
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = rustix::fs::open(directory, flags, Mode::empty())?;
    let short = format!("/proc/self/fd/{}", directory.as_raw_fd());
    use_path(&Path::new(&short).join(name))
}

#[cfg(not(target_os = "linux"))]
fn with_short_path<T>(path: &Path, use_path: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().len() <= MAX_DIRECT {
        return use_path(path);
    }
    let message = format!(
        "the socket path {} is longer than this system takes: set XDG_RUNTIME_DIR to a shorter one",
        path.display()
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_over_100_bytes_binds_and_connects() {
        let dir = tempfile::tempdir().unwrap();
        let long = dir.path().join("d".repeat(120)).join("e".repeat(120));
        std::fs::create_dir_all(&long).unwrap();
        let path = long.join("sock");
        let _listener = bind(&path).unwrap();
        assert!(path.exists());
        connect(&path).unwrap();
    }
}
