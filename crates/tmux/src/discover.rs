//! Which servers the user has, by their sockets, and by notice: nothing is polled.
//!
//! tmux puts sockets into `tmux-UID` beneath `$TMUX_TMPDIR` or `/tmp`; `-L` names one there, `-S` any path.
//! Anybody may create a directory of that name in `/tmp` first, so one counts only if it is the
//! user's, no link, and closed to others, as tmux itself demands; so does a socket.
//!
//! A socket outlives its server. So one that is found is only a place where a server may be:
//! [`crate::server::Server::identify`] tells.

use rustix::process::geteuid;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// Notices wait here while the receiver is busy; then the next look is put off.
const QUEUE: usize = 16;

/// Where to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Directories that hold sockets and nothing else.
    pub directories: BTreeSet<PathBuf>,
    /// Sockets elsewhere (`-S`).
    pub sockets: BTreeSet<PathBuf>,
}

impl Places {
    /// Where the servers of the user are, by this environment.
    pub fn of_user() -> Self {
        let name = format!("tmux-{}", geteuid().as_raw());
        let variable = std::env::var_os("TMUX_TMPDIR").filter(|path| !path.is_empty());
        let roots = variable.map(PathBuf::from).into_iter();
        Self {
            directories: roots
                .chain([PathBuf::from("/tmp")])
                .map(|root| fs::canonicalize(&root).unwrap_or(root).join(&name))
                .collect(),
            sockets: BTreeSet::new(),
        }
    }

    /// The sockets there are.
    pub fn look(&self) -> BTreeSet<PathBuf> {
        self.look_as(geteuid().as_raw())
    }

    /// Those of this user.
    fn look_as(&self, user: u32) -> BTreeSet<PathBuf> {
        let within = |directory: &PathBuf| {
            let entries =
                is_private_directory(directory, user).then(|| fs::read_dir(directory).ok());
            let entries = entries.flatten().into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect::<Vec<_>>()
        };
        let named = self.sockets.iter().cloned();
        let all = self.directories.iter().flat_map(within).chain(named);
        all.filter(|path| is_socket_of(path, user)).collect()
    }
}

/// Whether it is a directory of the user that others cannot enter, and no link to one.
fn is_private_directory(path: &Path, user: u32) -> bool {
    fs::symlink_metadata(path).is_ok_and(|directory| {
        directory.is_dir() && directory.uid() == user && directory.mode() & 0o7 == 0
    })
}

/// Whether it is a socket of the user, and no link to one.
fn is_socket_of(path: &Path, user: u32) -> bool {
    fs::symlink_metadata(path)
        .is_ok_and(|socket| socket.file_type().is_socket() && socket.uid() == user)
}

/// Tells each socket that is there, then each that comes. One that a new server put in the place of
/// an old one counts as new. The sender lives until the receiver is dropped.
///
/// # Errors
///
/// Where the system gives no notices.
pub fn watch(places: Places) -> io::Result<mpsc::Receiver<PathBuf>> {
    let (sender, found) = mpsc::channel(QUEUE);
    let mut notices = notices::Notices::new(&places)?;
    tokio::spawn(async move {
        let mut known = BTreeMap::new();
        loop {
            // Before looking: what comes meanwhile is noticed.
            notices.renew(&places);
            let mut now = BTreeMap::new();
            for socket in places.look() {
                let Ok(file) = fs::symlink_metadata(&socket) else {
                    continue;
                };
                // Not when it last changed: tmux changes its mode when clients come and go.
                let identity = (file.dev(), file.ino(), file.created().ok());
                let is_new = known.get(&socket) != Some(&identity);
                now.insert(socket.clone(), identity);
                if is_new && sender.send(socket).await.is_err() {
                    return;
                }
            }
            known = now;
            tokio::select! {
                () = sender.closed() => return,
                noticed = notices.next() => if let Err(error) = noticed {
                    tracing::warn!("no more notices of new tmux servers: {error}");
                    return;
                },
            }
        }
    });
    Ok(found)
}

#[cfg(target_os = "linux")]
mod notices {
    use super::Places;
    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::io;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use tokio::io::AsyncReadExt;
    use tokio::net::unix::pipe;

    /// An event is four numbers of 32 bits (watch, what, cookie, length of the name) and a name.
    const HEAD: usize = 16;

    /// Notices of the system about the places.
    pub(super) struct Notices {
        /// A descriptor to read from, as the end of a pipe is.
        descriptor: pipe::Receiver,
        /// By watch descriptor.
        watched: BTreeMap<i32, Counts>,
    }

    /// Whose notices count within a directory.
    #[derive(Default)]
    struct Counts {
        all: bool,
        /// `/tmp` is busy: there only these names do.
        names: Vec<OsString>,
    }

    impl Notices {
        pub(super) fn new(places: &Places) -> io::Result<Self> {
            let descriptor = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            let mut notices = Self {
                descriptor: pipe::Receiver::from_owned_fd_unchecked(descriptor)?,
                watched: BTreeMap::new(),
            };
            notices.renew(places);
            Ok(notices)
        }

        /// Watches what came meanwhile; again at what is watched changes nothing.
        pub(super) fn renew(&mut self, places: &Places) {
            self.watched.clear();
            for path in &places.directories {
                self.watch(path, |counts| counts.all = true);
            }
            for path in places.directories.iter().chain(&places.sockets) {
                if let (Some(parent), Some(name)) = (path.parent(), path.file_name()) {
                    self.watch(parent, |counts| counts.names.push(name.to_owned()));
                }
            }
        }

        fn watch(&mut self, directory: &Path, count: impl FnOnce(&mut Counts)) {
            let came = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR;
            if let Ok(watch) = inotify::add_watch(&self.descriptor, directory, came) {
                count(self.watched.entry(watch).or_default());
            }
        }

        /// Waits until something happened that counts.
        pub(super) async fn next(&mut self) -> io::Result<()> {
            let mut buffer = [0; 4096];
            loop {
                let read = self.descriptor.read(&mut buffer).await?;
                let mut events = &buffer[..read];
                let mut counts = false;
                while let Some((head, rest)) = events.split_first_chunk::<HEAD>() {
                    let number = |at: usize| [head[at], head[at + 1], head[at + 2], head[at + 3]];
                    let watch = i32::from_ne_bytes(number(0));
                    let length = u32::from_ne_bytes(number(12)) as usize;
                    let (name, rest) = rest.split_at(length.min(rest.len()));
                    counts |= self.counts(watch, name);
                    events = rest;
                }
                if counts {
                    return Ok(());
                }
            }
        }

        fn counts(&self, watch: i32, name: &[u8]) -> bool {
            // The name is filled up with zeros.
            let name = name.split(|&byte| byte == 0).next().unwrap_or(name);
            // A queue that ran over names no watch.
            self.watched.get(&watch).is_none_or(|watched| {
                watched.all || watched.names.iter().any(|own| own.as_bytes() == name)
            })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod notices {
    use super::Places;
    use std::io;

    /// This system gives no notices that are understood here: what is there at first is found.
    pub(super) struct Notices;

    impl Notices {
        pub(super) fn new(_places: &Places) -> io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn renew(&mut self, _places: &Places) {}

        pub(super) async fn next(&mut self) -> io::Result<()> {
            std::future::pending().await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::time::Duration;
    use tokio::time::timeout;

    fn private(directory: &Path, mode: u32) {
        fs::create_dir_all(directory).unwrap();
        fs::set_permissions(directory, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn within(directory: &Path) -> Places {
        Places {
            directories: [directory.to_owned()].into(),
            sockets: BTreeSet::new(),
        }
    }

    async fn found(notices: &mut mpsc::Receiver<PathBuf>) -> PathBuf {
        let found = timeout(Duration::from_secs(30), notices.recv()).await;
        found.expect("no notice").expect("no more notices")
    }

    #[test]
    fn only_sockets_of_the_user_in_a_closed_directory_count() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("tmux-1");
        private(&directory, 0o700);
        let socket = directory.join("default");
        let _listener = UnixListener::bind(&socket).unwrap();
        fs::write(directory.join("file"), "").unwrap();
        symlink(&socket, directory.join("link")).unwrap();
        assert_eq!(within(&directory).look(), [socket.clone()].into());

        private(&directory, 0o705);
        assert_eq!(within(&directory).look(), BTreeSet::new());
        private(&directory, 0o700);
        let link = root.path().join("link");
        symlink(&directory, &link).unwrap();
        assert_eq!(within(&link).look(), BTreeSet::new());
        assert_eq!(within(&root.path().join("none")).look(), BTreeSet::new());
    }

    #[test]
    fn a_socket_or_directory_of_another_user_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("tmux-1");
        private(&directory, 0o700);
        let socket = directory.join("default");
        let _listener = UnixListener::bind(&socket).unwrap();
        let (own, other) = (geteuid().as_raw(), geteuid().as_raw() + 1);
        let places = Places {
            directories: [directory.clone()].into(),
            sockets: [socket.clone()].into(),
        };
        assert_eq!(places.look_as(own), [socket.clone()].into());
        assert_eq!(places.look_as(other), BTreeSet::new());
        assert!(is_private_directory(&directory, own) && is_socket_of(&socket, own));
        assert!(!is_private_directory(&directory, other) && !is_socket_of(&socket, other));
    }

    #[tokio::test]
    async fn a_socket_is_noticed_when_its_directory_comes_later() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("tmux-1");
        let elsewhere = root.path().join("elsewhere");
        let mut notices = watch(Places {
            directories: [directory.clone()].into(),
            sockets: [elsewhere.clone()].into(),
        })
        .unwrap();
        private(&directory, 0o700);
        let socket = directory.join("a");
        let _a = UnixListener::bind(&socket).unwrap();
        assert_eq!(found(&mut notices).await, socket);
        let _elsewhere = UnixListener::bind(&elsewhere).unwrap();
        assert_eq!(found(&mut notices).await, elsewhere);
    }

    #[tokio::test]
    async fn a_socket_that_is_replaced_is_noticed_again() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("tmux-1");
        private(&directory, 0o700);
        let socket = directory.join("a");
        let first = UnixListener::bind(&socket).unwrap();
        let mut notices = watch(within(&directory)).unwrap();
        assert_eq!(found(&mut notices).await, socket);
        drop(first);
        fs::remove_file(&socket).unwrap();
        let _second = UnixListener::bind(&socket).unwrap();
        assert_eq!(found(&mut notices).await, socket);
    }
}
