//! The signals that reach an attached client, as flags and a descriptor to poll on.

use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const CAUGHT: [i32; 7] = [SIGWINCH, SIGCONT, SIGTSTP, SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Catches the signals while it lives.
#[derive(Debug)]
pub(crate) struct Signals {
    /// Readable when one came.
    pub(crate) pipe: UnixStream,
    flags: Vec<(i32, Arc<AtomicBool>)>,
    handlers: Vec<SigId>,
}

impl Signals {
    pub(crate) fn catch() -> io::Result<Self> {
        let (pipe, tell) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        tell.set_nonblocking(true)?;
        let mut signals = Self {
            pipe,
            flags: Vec::new(),
            handlers: Vec::new(),
        };
        for signal in CAUGHT {
            let flag = Arc::new(AtomicBool::new(false));
            // The flag first: whoever is woken finds it set.
            let id = signal_hook::flag::register(signal, Arc::clone(&flag))?;
            signals.handlers.push(id);
            let id = signal_hook::low_level::pipe::register(signal, tell.try_clone()?)?;
            signals.handlers.push(id);
            signals.flags.push((signal, flag));
        }
        Ok(signals)
    }

    /// Those that came since the last call.
    pub(crate) fn take(&mut self) -> Vec<i32> {
        let mut drain = [0; 64];
        while matches!(self.pipe.read(&mut drain), Ok(1..)) {}
        let came = self.flags.iter();
        came.filter(|(_, flag)| flag.swap(false, Ordering::SeqCst))
            .map(|(signal, _)| *signal)
            .collect()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for handler in self.handlers.drain(..) {
            signal_hook::low_level::unregister(handler);
        }
    }
}
