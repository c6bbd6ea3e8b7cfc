//! Signals to the holder itself, as something to poll on.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// That its children changed, or that it is to end.
pub(super) struct Signals {
    pub(super) pipe: UnixStream,
    pub(super) terminated: Arc<AtomicBool>,
}

impl Signals {
    pub(super) fn catch() -> io::Result<Self> {
        let (pipe, write) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let terminated = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(libc::SIGTERM, Arc::clone(&terminated))?;
        signal_hook::low_level::pipe::register(libc::SIGTERM, write.try_clone()?)?;
        signal_hook::low_level::pipe::register(libc::SIGCHLD, write)?;
        Ok(Self { pipe, terminated })
    }

    pub(super) fn drain(&self) {
        let mut bytes = [0; 64];
        while matches!((&self.pipe).read(&mut bytes), Ok(n) if n == bytes.len()) {}
    }
}
