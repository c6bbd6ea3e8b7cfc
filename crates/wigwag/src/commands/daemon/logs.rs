//! `wigwag daemon logs`: the log file, and what is added to it, across its rotation.

use crate::commands::Outcome;
use crate::failure::Failure;
use crate::output::Context;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Prints `daemon.log` in `directory`. The log is text in JSON mode too: it has no other form.
pub(super) fn run(directory: &Path, follow: bool, context: &Context) -> Outcome {
    let path = directory.join("daemon.log");
    if !follow {
        let mut log = Log::open(path)?;
        context.write(&log.rest()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    follow_log(directory, path, context)
}

/// A file that is read as it grows.
struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    fn open(path: PathBuf) -> Result<Self, Failure> {
        let file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                Failure::failed(format!("there is no log at {}", path.display()))
                    .hint("a daemon that ran wrote one: `wigwag daemon start`")
            }
            _ => Failure::failed(format!("cannot read {}: {error}", path.display())),
        })?;
        Ok(Self { path, file })
    }

    /// What was added since the last call.
    fn rest(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// What was added, also to the file that took this one's place.
    #[cfg(target_os = "linux")]
    fn news(&mut self) -> io::Result<Vec<u8>> {
        use std::os::unix::fs::MetadataExt as _;
        let mut bytes = self.rest()?;
        if let Ok(there) = std::fs::metadata(&self.path)
            && there.ino() != self.file.metadata()?.ino()
        {
            // What was written between the read and the renaming.
            bytes.extend(self.rest()?);
            self.file = File::open(&self.path)?;
            bytes.extend(self.rest()?);
        }
        Ok(bytes)
    }
}

/// The kernel says when something in the directory changes.
#[cfg(target_os = "linux")]
fn follow_log(directory: &Path, path: PathBuf, context: &Context) -> Outcome {
    use rustix::fs::inotify;
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC).map_err(io::Error::from)?;
    let changes = inotify::WatchFlags::MODIFY
        | inotify::WatchFlags::CREATE
        | inotify::WatchFlags::MOVED_TO
        | inotify::WatchFlags::ONLYDIR;
    inotify::add_watch(&watch, directory, changes).map_err(|error| {
        Failure::failed(format!("cannot watch {}: {error}", directory.display()))
    })?;
    let mut log = Log::open(path)?;
    let mut events = [std::mem::MaybeUninit::uninit(); 4096];
    let mut reader = inotify::Reader::new(&watch, &mut events);
    loop {
        let news = log.news()?;
        if !news.is_empty() {
            context.write(&news)?;
        }
        match reader.next() {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn follow_log(_: &Path, path: PathBuf, _: &Context) -> Outcome {
    Err(
        Failure::refused("this system does not say when a file grows").hint(format!(
            "`tail -F {}` looks again and again",
            path.display()
        )),
    )
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn nothing_is_lost_when_the_file_is_set_aside() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("daemon.log");
        let mut old = File::create(&path).unwrap();
        old.write_all(b"one\n").unwrap();
        let mut log = Log::open(path.clone()).unwrap();
        assert_eq!(log.news().unwrap(), b"one\n");
        old.write_all(b"two\n").unwrap();
        std::fs::rename(&path, directory.path().join("daemon.log.1")).unwrap();
        std::fs::write(&path, "three\n").unwrap();
        assert_eq!(log.news().unwrap(), b"two\nthree\n");
        assert_eq!(log.news().unwrap(), b"");
    }
}
