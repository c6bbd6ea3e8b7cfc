//! From a key press to its echo in the window. The program behind every peer reads in raw mode and
//! writes back what it reads, as a shell's line editor does.

use crate::Scale;
use crate::peer::{LIMIT, PEERS};
use crate::processes::now;
use crate::samples::Samples;
use crate::sandbox::Sandbox;
use crate::table::{Reach, Row, number};
use anyhow::{Context as _, Result};
use std::io::{Read as _, Write as _};
use std::time::Duration;

/// Letters that no peer uses in the sequences it draws with.
const KEYS: &[u8] = b"zywvZYWV";

/// Ends the program.
const END: u8 = 4;

/// Between two keys: everybody is back in its wait, as between the keys of a fast typist.
const PAUSE: Duration = Duration::from_millis(3);

pub(crate) fn measure(sandbox: &Sandbox, scale: &Scale) -> Result<Vec<Row>> {
    let program = Sandbox::own_executable()?;
    let mut sessions = Vec::new();
    for peer in PEERS {
        let mut session = peer.start(sandbox, "keys", &[&program, "--be-echo"])?;
        session
            .outer
            .read_until(b"ECHO-IS-READY", LIMIT)
            .with_context(|| format!("key press to echo: {}", peer.name()))?;
        sessions.push((session, Samples::default()));
    }
    // One key each in turn, so that whatever else the machine does falls on all of them.
    for round in 0..scale.samples {
        let key = [KEYS[round % KEYS.len()]];
        for (session, samples) in &mut sessions {
            std::thread::sleep(PAUSE);
            session.outer.drain()?;
            let start = now();
            session.outer.type_bytes(&key)?;
            session.outer.read_until(&key, LIMIT)?;
            samples.push((now() - start) as f64 / 1e6);
        }
    }
    let mut found = Vec::new();
    for (session, samples) in sessions {
        session.end(&[END])?;
        found.push((samples.median(), samples.percentile(99.0)));
    }
    let [bare, dtach, tmux, wigwag] = [0, 1, 2, 3].map(|at: usize| found[at]);
    let both = |(median, worst): (f64, f64)| format!("{} / {}", number(median), number(worst));
    Ok(vec![
        Row::new(
            "key press to echo, p50 / p99",
            format!(
                "{} ms: {} ms over a bare PTY",
                both(wigwag),
                both((wigwag.0 - bare.0, wigwag.1 - bare.1))
            ),
            format!(
                "bare PTY {}, dtach {}, tmux {} ms",
                both(bare),
                both(dtach),
                both(tmux)
            ),
        )
        .target("added p50 (ms)", Reach::AtMost, wigwag.0 - bare.0, 0.1)
        .target("added p99 (ms)", Reach::AtMost, wigwag.1 - bare.1, 1.0)
        .target("p50 of tmux (ms)", Reach::AtMost, wigwag.0, tmux.0),
    ])
}

/// The program: echoes, byte by byte, until it is told to end.
pub(crate) fn echo() -> Result<()> {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout());
    let mut modes = tcgetattr(&input)?;
    modes.make_raw();
    tcsetattr(&input, OptionalActions::Now, &modes)?;
    output.write_all(b"ECHO-IS-READY\r\n")?;
    output.flush()?;
    let mut typed = [0; 256];
    loop {
        let count = input.read(&mut typed)?;
        if count == 0 || typed[..count].contains(&END) {
            return Ok(());
        }
        output.write_all(&typed[..count])?;
        output.flush()?;
    }
}
