//! Joining a terminal with a long history: from the start of the client's process until the
//! last line of the screen is painted.

use crate::Scale;
use crate::outer::Outer;
use crate::peer::{COLS, LIMIT, ROWS, tmux};
use crate::samples::Samples;
use crate::sandbox::{Sandbox, run};
use crate::table::{Reach, Row, number};
use anyhow::{Context as _, Result};
use std::process::Command;
use std::time::Instant;

/// Fills the history. The last line stands on the screen and nowhere else.
const FILL: &str = "seq 1 10000
printf 'LAST-LINE-OF-ALL'
exec sleep 1000000
";

pub(crate) fn measure(sandbox: &Sandbox, scale: &Scale) -> Result<Vec<Row>> {
    let script = sandbox.path().join("fill");
    std::fs::write(&script, FILL)?;
    let script = script.display().to_string();
    sandbox.run_wigwag(&["new", "long", "-d", "--", "sh", &script])?;
    sandbox.run_wigwag(&[
        "wait",
        "long",
        "--until",
        "output:LAST-LINE-OF-ALL",
        "--timeout",
        "60s",
    ])?;
    run(tmux(sandbox, "tmux")?.args(["new-session", "-d", "-s", "long", "sh", &script]))?;

    let mut ours = Samples::default();
    let mut screen_only = Samples::default();
    let mut theirs = Samples::default();
    // The first round waits until tmux read everything, too; it is not counted.
    for round in 0..=scale.samples / 20 {
        let mut attach = sandbox.wigwag();
        attach.args(["attach", "long"]);
        let mut without_history = sandbox.wigwag();
        without_history.args(["attach", "long", "--history", "0"]);
        let mut peer = tmux(sandbox, "tmux")?;
        peer.args(["attach", "-t", "long"]);
        let times = [
            first_paint(attach)?,
            first_paint(without_history)?,
            first_paint(peer)?,
        ];
        if round > 0 {
            ours.push(times[0]);
            screen_only.push(times[1]);
            theirs.push(times[2]);
        }
    }
    Ok(vec![
        Row::new(
            "joining a terminal with 10,000 lines: process start to first paint, p50 / max",
            format!("{} / {} ms", number(ours.median()), number(ours.max())),
            format!(
                "without history lines {} ms; `tmux attach` {} ms",
                number(screen_only.median()),
                number(theirs.median())
            ),
        )
        .target("p50 (ms)", Reach::AtMost, ours.median(), 20.0),
    ])
}

/// Milliseconds.
fn first_paint(client: Command) -> Result<f64> {
    let what = format!("{client:?}");
    let start = Instant::now();
    let mut outer = Outer::spawn(client, COLS, ROWS)?;
    let painted = outer
        .read_until(b"LAST-LINE-OF-ALL", LIMIT)
        .with_context(|| format!("first paint of {what}"))?;
    Ok(painted.at.duration_since(start).as_secs_f64() * 1e3)
}
