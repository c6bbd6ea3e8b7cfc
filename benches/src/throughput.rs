//! Output through an attached window: plain and coloured text, every byte delivered.

use crate::peer::{LIMIT, PEERS, Peer};
use crate::samples::Samples;
use crate::sandbox::Sandbox;
use crate::table::{Reach, Row, number};
use crate::{Scale, text};
use anyhow::{Context as _, Result};
use std::path::Path;
use std::time::Instant;

/// Waits until it is watched, prints the file, and says when it is through. The words stand in
/// a script so that no title or command line carries them to the window early.
const EMIT: &str = "printf 'READY-TO-EMIT\\n'
read -r go
cat \"$1\"
printf 'ALL-IS-THERE\\n'
read -r end
";

const PLAIN: usize = 50_000_000;
const COLOURED: usize = 20_000_000;

/// Ratios to reach against dtach and tmux.
struct Target {
    dtach: f64,
    tmux: f64,
}

pub(crate) fn measure(sandbox: &Sandbox, scale: &Scale) -> Result<Vec<Row>> {
    std::fs::write(sandbox.path().join("emit"), EMIT)?;
    Ok(vec![
        through(
            sandbox,
            scale,
            "`cat` of 50 MB plain text, attached",
            &text::plain(PLAIN),
            &Target {
                dtach: 0.7,
                tmux: 1.4,
            },
        )?,
        through(
            sandbox,
            scale,
            "`cat` of 20 MB coloured text, attached",
            &text::coloured(COLOURED),
            &Target {
                dtach: 0.7,
                tmux: 4.5,
            },
        )?,
    ])
}

fn through(
    sandbox: &Sandbox,
    scale: &Scale,
    what: &str,
    text: &[u8],
    target: &Target,
) -> Result<Row> {
    let file = sandbox.path().join("text");
    std::fs::write(&file, text)?;
    let lines = memchr::memchr_iter(b'\n', text).count() as u64;
    let mut speeds = PEERS.map(|peer| (peer, Samples::default()));
    let mut lost = None;
    for round in 0..scale.rounds {
        for (peer, samples) in &mut speeds {
            let (speed, bytes, came) = once(sandbox, *peer, round, &file, text.len())
                .with_context(|| format!("{what}: {}", peer.name()))?;
            samples.push(speed);
            // A PTY adds a carriage return to every line; the answer to `read` is one line more.
            let complete = bytes >= text.len() as u64 + lines && came > lines;
            if *peer == Peer::Wigwag && !complete {
                lost = Some(format!("{bytes} bytes and {came} lines of {lines} arrived"));
            }
        }
    }
    let [bare, dtach, tmux, wigwag] = speeds.map(|(_, samples)| samples.median());
    let row = Row::new(
        what,
        format!(
            "{} MB/s: {} × dtach, {} × tmux",
            number(wigwag),
            number(wigwag / dtach),
            number(wigwag / tmux)
        ),
        format!(
            "bare PTY {}, dtach {}, tmux {} MB/s",
            number(bare),
            number(dtach),
            number(tmux)
        ),
    )
    .target("× dtach", Reach::AtLeast, wigwag / dtach, target.dtach)
    .target("× tmux", Reach::AtLeast, wigwag / tmux, target.tmux);
    Ok(match lost {
        Some(why) => row.broken(&why),
        None => row,
    })
}

/// Megabytes of the file a second, and what reached the window.
fn once(
    sandbox: &Sandbox,
    peer: Peer,
    round: usize,
    file: &Path,
    size: usize,
) -> Result<(f64, u64, u64)> {
    let script = sandbox.path().join("emit").display().to_string();
    let file = file.display().to_string();
    let name = format!("emit{round}-{}", size / 1_000_000);
    let mut session = peer.start(sandbox, &name, &["sh", &script, &file])?;
    session.outer.read_until(b"READY-TO-EMIT", LIMIT)?;
    let start = Instant::now();
    session.outer.type_bytes(b"\r")?;
    let received = session.outer.read_until(b"ALL-IS-THERE", LIMIT)?;
    let seconds = received.at.duration_since(start).as_secs_f64();
    session.end(b"\r")?;
    Ok((size as f64 / 1e6 / seconds, received.bytes, received.lines))
}
