//! What 500 idle terminals cost while nothing happens.

use crate::Scale;
use crate::processes::{self, Activity, Process};
use crate::sandbox::Sandbox;
use crate::table::{Reach, Row, number};
use anyhow::{Result, ensure};
use std::time::{Duration, Instant};

const TERMINALS: usize = 500;

pub(crate) fn measure(sandbox: &Sandbox, scale: &Scale) -> Result<Vec<Row>> {
    for number in 0..TERMINALS {
        sandbox.run_wigwag(&[
            "new",
            &format!("idle{number}"),
            "-d",
            "--",
            "sleep",
            "1000000",
        ])?;
    }
    // The daemon is connected to all of them.
    sandbox.run_wigwag(&["list"])?;
    let holders = processes::of(sandbox, "wigwag-holder");
    let daemon = processes::of(sandbox, "wigwag");
    ensure!(
        holders.len() == TERMINALS && daemon.len() == 1,
        "{TERMINALS} terminals and a daemon were started, {} and {} are there",
        holders.len(),
        daemon.len()
    );
    settle(&[holders.as_slice(), &daemon].concat())?;

    let (before, daemon_before) = (Activity::of(&holders)?, Activity::of(&daemon)?);
    let start = Instant::now();
    // The observation itself: nothing to wait for.
    std::thread::sleep(Duration::from_secs(scale.observed));
    let seconds = start.elapsed().as_secs_f64();
    let (after, daemon_after) = (Activity::of(&holders)?, Activity::of(&daemon)?);

    let wakeups = after.wakeups_since(&before);
    let daemon_wakeups = daemon_after.wakeups_since(&daemon_before);
    let cpu =
        |from: &Activity, to: &Activity| (to.cpu_seconds - from.cpu_seconds) / seconds * 100.0;
    let all = cpu(&before, &after) + cpu(&daemon_before, &daemon_after);
    Ok(vec![
        Row::new(
            "500 idle terminals: wake-ups, CPU",
            format!(
                "holders {wakeups} wake-ups in {seconds:.0} s, daemon {daemon_wakeups}; {} % of a core in all",
                number(all)
            ),
            format!(
                "holders {} %, daemon {} %",
                number(cpu(&before, &after)),
                number(cpu(&daemon_before, &daemon_after))
            ),
        )
        .target("wake-ups of holders", Reach::AtMost, wakeups as f64, 0.0)
        .target("% of a core", Reach::AtMost, all, 0.1),
    ])
}

/// Waits until starting is over: two seconds in which none of them woke, a minute at most (what
/// never comes to rest is a finding, not a reason to stop).
pub(crate) fn settle(processes: &[Process]) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut last = Activity::of(processes)?;
    while Instant::now() < deadline {
        std::thread::sleep(Duration::from_secs(2));
        let now = Activity::of(processes)?;
        if now.wakeups_since(&last) == 0 {
            break;
        }
        last = now;
    }
    Ok(())
}
