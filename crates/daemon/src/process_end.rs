//! The end of a process that is no child of ours, waited for without looking again and again.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::os::fd::OwnedFd;
use std::time::Duration;

/// A process that was there when this was made.
#[derive(Debug)]
pub(crate) struct ProcessEnd(OwnedFd);

/// Watches a process; `None` where it has ended, or the system cannot say.
pub(crate) fn watch(process: Pid) -> Option<ProcessEnd> {
    pidfd_open(process, PidfdFlags::empty())
        .ok()
        .map(ProcessEnd)
}

impl ProcessEnd {
    /// Returns once the process has ended, or after `limit`; whether it has.
    pub(crate) async fn within(self, limit: Duration) -> bool {
        let waiting = tokio::task::spawn_blocking(move || {
            let limit = Timespec::try_from(limit).ok();
            let ended = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], limit.as_ref());
            ended.is_ok_and(|count| count > 0)
        });
        waiting.await.unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[tokio::test]
    async fn the_end_of_a_process_is_noticed() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_child(&child);
        assert!(!watch(pid).unwrap().within(Duration::ZERO).await, "it runs");
        let process = watch(pid).unwrap();
        drop(child.stdin.take());
        assert!(process.within(Duration::from_secs(30)).await);
        child.wait().unwrap();
        assert!(watch(pid).is_none());
    }
}
