//! What the kernel knows of processes: memory, time on the CPU, wake-ups.

use anyhow::{Context as _, Result};
use std::collections::HashMap;
use std::fs::read_to_string;

/// A process, by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(pub(crate) u32);

/// Memory of one process or of several together, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    /// Shared pages counted in part for each process that has them.
    pub(crate) proportional: f64,
    /// All pages that are there.
    pub(crate) resident: f64,
}

/// What processes did so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Activity {
    pub(crate) cpu_seconds: f64,
    /// How often each thread went to sleep, which is how often it was woken.
    sleeps: HashMap<u32, u64>,
}

impl Activity {
    pub(crate) fn of(processes: &[Process]) -> Result<Self> {
        let mut sum = Self::default();
        for process in processes {
            let activity = process.activity()?;
            sum.cpu_seconds += activity.cpu_seconds;
            sum.sleeps.extend(activity.sleeps);
        }
        Ok(sum)
    }

    /// Wake-ups since `before`. A thread that ended meanwhile took its count along.
    pub(crate) fn wakeups_since(&self, before: &Self) -> u64 {
        let of = |(thread, count): (&u32, &u64)| {
            count.saturating_sub(before.sleeps.get(thread).copied().unwrap_or(0))
        };
        self.sleeps.iter().map(of).sum()
    }
}

impl Process {
    fn file(self, name: &str) -> Result<String> {
        let path = format!("/proc/{}/{name}", self.0);
        read_to_string(&path).with_context(|| format!("cannot read {path}"))
    }

    pub(crate) fn memory(self) -> Result<Memory> {
        let rollup = self.file("smaps_rollup")?;
        let bytes = |key: &str| -> Result<f64> {
            let kib = rollup
                .lines()
                .find_map(|line| line.strip_prefix(key)?.split_whitespace().next())
                .with_context(|| format!("smaps_rollup has no {key}"))?;
            Ok(kib.parse::<f64>()? * 1024.0)
        };
        Ok(Memory {
            proportional: bytes("Pss:")?,
            resident: bytes("Rss:")?,
        })
    }

    fn activity(self) -> Result<Activity> {
        // Of the whole process, ended threads included. The name before it may hold anything.
        let stat = self.file("stat")?;
        let fields = stat.rsplit(") ").next().unwrap_or_default();
        let ticks = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(str::parse::<f64>)
            .sum::<Result<f64, _>>()?;
        let mut sleeps = HashMap::new();
        for task in std::fs::read_dir(format!("/proc/{}/task", self.0))? {
            let task = task?;
            // It may have ended since it was listed.
            let Ok(status) = read_to_string(task.path().join("status")) else {
                continue;
            };
            let count = status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))
                .context("status has no count of switches")?;
            let thread = task.file_name().to_string_lossy().parse()?;
            sleeps.insert(thread, count.trim().parse()?);
        }
        Ok(Activity {
            cpu_seconds: ticks / rustix::param::clock_ticks_per_second() as f64,
            sleeps,
        })
    }

    pub(crate) fn environment_has(self, text: &[u8]) -> bool {
        std::fs::read(format!("/proc/{}/environ", self.0))
            .is_ok_and(|environment| memchr::memmem::find(&environment, text).is_some())
    }

    /// The name of its executable, cut by the kernel to 15 characters.
    pub(crate) fn name(self) -> String {
        self.file("comm").unwrap_or_default().trim().to_owned()
    }

    pub(crate) fn kill(self) {
        if let Some(pid) = i32::try_from(self.0)
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            // It may have ended by itself meanwhile.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

/// All processes but this one.
pub(crate) fn all() -> Vec<Process> {
    let own = std::process::id();
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != own)
        .map(Process)
        .collect()
}

/// Those of `sandbox` whose executable has this name.
pub(crate) fn of(sandbox: &crate::sandbox::Sandbox, name: &str) -> Vec<Process> {
    let place = sandbox.path().display().to_string();
    all()
        .into_iter()
        .filter(|process| process.environment_has(place.as_bytes()))
        .filter(|process| process.name() == name)
        .collect()
}

/// Nanoseconds of the clock that all processes share and nobody sets.
pub(crate) fn now() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}
