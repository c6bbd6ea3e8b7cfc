//! Notices of the system: a terminal's directory came, the configuration changed. Nothing is
//! polled. Where the system gives no notices, every listing looks itself.

use crate::service::Service;
use std::sync::Arc;

#[cfg(not(target_os = "linux"))]
pub(crate) async fn run(_service: Arc<Service>) {}

#[cfg(target_os = "linux")]
pub(crate) async fn run(service: Arc<Service>) {
    let mut notices = match linux::watch(&service.paths) {
        Ok(notices) => notices,
        Err(error) => {
            tracing::warn!("no notice of new terminals, they are found by listing: {error}");
            return;
        }
    };
    while let Some(notice) = notices.recv().await {
        match notice {
            linux::Notice::Terminals => {
                let service = Arc::clone(&service);
                tokio::spawn(async move { service.scan().await });
            }
            linux::Notice::Config => service.reload_config(),
            linux::Notice::Runtime => service.runtime_changed.notify_one(),
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use holder::paths::Paths;
    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
    use rustix::io::Errno;
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::AsFd;
    use tokio::sync::mpsc;

    #[derive(Debug, Clone, Copy)]
    pub(super) enum Notice {
        Terminals,
        Config,
        /// Something was removed beside the daemon's socket.
        Runtime,
    }

    /// Notices wait here while the daemon is busy; a full queue already says everything.
    const QUEUE: usize = 8;

    /// Starts a thread that waits for the system and lives as long as the process.
    pub(super) fn watch(paths: &Paths) -> io::Result<mpsc::Receiver<Notice>> {
        let descriptor = inotify::init(CreateFlags::CLOEXEC)?;
        watch_terminals(&descriptor, paths);
        let came = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR;
        let noted = holder::runtime_record::directory(&paths.state);
        let noted = inotify::add_watch(&descriptor, &noted, came).ok();
        let gone = WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        let runtime = inotify::add_watch(&descriptor, &paths.runtime[0], gone).ok();
        // Created, so that the first settings of a user are noticed too.
        let _ = std::fs::create_dir_all(&paths.config);
        let changes = WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE
            | WatchFlags::ONLYDIR;
        let config = inotify::add_watch(&descriptor, &paths.config, changes).ok();
        let (sender, notices) = mpsc::channel(QUEUE);
        let paths = paths.clone();
        std::thread::spawn(move || {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(&descriptor, &mut buffer);
            loop {
                let notice = match reader.next() {
                    Ok(event) if Some(event.wd()) == config => Notice::Config,
                    Ok(event) if Some(event.wd()) == runtime => Notice::Runtime,
                    Ok(event) if Some(event.wd()) == noted => {
                        watch_terminals(&descriptor, &paths);
                        Notice::Terminals
                    }
                    Ok(_) => Notice::Terminals,
                    Err(Errno::INTR) => continue,
                    Err(error) => {
                        tracing::warn!("no more notices of new terminals: {error}");
                        return;
                    }
                };
                if sender.blocking_send(notice).is_err() {
                    return;
                }
            }
        });
        Ok(notices)
    }

    /// Looks at every runtime directory there is; again at one that is looked at changes nothing. Those
    /// that come later are looked at by each listing.
    fn watch_terminals(descriptor: &impl AsFd, paths: &Paths) {
        let came = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR;
        for runtime in paths.runtime_directories() {
            let _ = inotify::add_watch(descriptor, runtime.join("terminals"), came);
        }
    }
}
