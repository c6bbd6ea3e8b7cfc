//! A thousand terminals, fifty of them printing, twenty clients that follow all events.

use crate::Scale;
use crate::processes::now;
use crate::sandbox::{Sandbox, run};
use crate::signal::Subscriber;
use crate::table::{Reach, Row, number};
use anyhow::{Context as _, Result, ensure};
use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

const PRINTING: usize = 50;
const CLIENTS: usize = 20;

/// Progress frames of each printing terminal; each is one event.
const EVENTS: usize = 100;

/// Between two frames of one terminal: 500 events a second in all, for every client.
const PACE: Duration = Duration::from_millis(100);

pub(crate) fn measure(sandbox: &Sandbox, scale: &Scale) -> Result<Vec<Row>> {
    // A quick look does not wait for a thousand.
    let terminals = if scale.rounds == 1 { 100 } else { 1000 };
    let gate = sandbox.path().join("gate");
    run(sandbox.command("mkfifo").arg(&gate))?;
    let program = Sandbox::own_executable()?;
    let gate_text = gate.display().to_string();
    for number in 0..terminals {
        let name = format!("load{number}");
        let mut arguments = vec!["new", name.as_str(), "-d", "--"];
        if number < PRINTING {
            arguments.extend([program.as_str(), "--be-printer", gate_text.as_str()]);
        } else {
            arguments.extend(["sleep", "1000000"]);
        }
        sandbox.run_wigwag(&arguments)?;
    }
    sandbox.run_wigwag(&["list"])?;

    let clients = (0..CLIENTS)
        .map(|_| {
            let subscriber = Subscriber::connect(sandbox)?;
            Ok(std::thread::spawn(move || follow(subscriber)))
        })
        .collect::<Result<Vec<_>>>()?;
    // All printers wait for a line or the end of this file.
    let mut opened = File::options().write(true).open(&gate)?;
    std::thread::sleep(PACE);
    opened.flush()?;
    drop(opened);

    let mut last = 0;
    for client in clients {
        let finished = client
            .join()
            .map_err(|_| anyhow::anyhow!("a client broke down"))??;
        last = last.max(finished);
    }
    let mut written = 0;
    let mut reports = 0;
    for entry in std::fs::read_dir(sandbox.path())? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "printed")
        {
            written = written.max(std::fs::read_to_string(path)?.trim().parse()?);
            reports += 1;
        }
    }
    ensure!(
        reports == PRINTING,
        "{reports} of {PRINTING} programs printed to their end"
    );
    let lag = last.saturating_sub(written) as f64 / 1e6;
    Ok(vec![
        Row::new(
            &format!("{terminals} terminals, {PRINTING} printing, {CLIENTS} clients"),
            format!(
                "all {} events at every client, in order; the slowest had its last {} ms after it was written",
                PRINTING * EVENTS,
                number(lag)
            ),
            String::new(),
        )
        .target("last event (ms)", Reach::AtMost, lag, 1000.0),
    ])
}

/// Reads until every printing terminal's last event was here; fails where one is missing or out
/// of order. Returns when that was.
fn follow(mut subscriber: Subscriber) -> Result<u64> {
    let mut percents: HashMap<String, usize> = HashMap::new();
    let mut complete = 0;
    while complete < PRINTING {
        let event = subscriber.take_until(b"\n\n")?;
        let event = String::from_utf8_lossy(&event);
        if !event.contains("\"event\":\"progress\"") {
            continue;
        }
        let terminal = after(&event, "\"terminal\":\"")?.split('"').next();
        let terminal = terminal.unwrap_or_default().to_owned();
        // After the last frame comes the end of the program, which clears the progress.
        let Ok(percent) = after(&event, "\"percent\":") else {
            continue;
        };
        let digits = percent.split(|c: char| !c.is_ascii_digit()).next();
        let percent: usize = digits.unwrap_or_default().parse()?;
        let last = percents.entry(terminal.clone()).or_default();
        ensure!(
            percent == *last + 1,
            "terminal {terminal}: after {last} % came {percent} %"
        );
        *last = percent;
        if percent == EVENTS {
            complete += 1;
        }
    }
    Ok(now())
}

fn after<'a>(text: &'a str, key: &str) -> Result<&'a str> {
    let at = text
        .find(key)
        .with_context(|| format!("an event without {key}: {text}"))?;
    Ok(&text[at + key.len()..])
}

/// The program: waits at the gate, then counts from 1 to 100 percent.
pub(crate) fn printer(gate: &Path) -> Result<()> {
    std::fs::read(gate)?;
    let mut terminal = std::io::stdout();
    for percent in 1..=EVENTS {
        if percent == EVENTS {
            // Before the frame: who has seen it finds this file.
            let report = gate.with_file_name(format!("{}.printed", std::process::id()));
            std::fs::write(report, now().to_string())?;
        }
        write!(
            terminal,
            "step {percent} of {EVENTS}\r\n\x1b]9;4;1;{percent}\x1b\\"
        )?;
        terminal.flush()?;
        std::thread::sleep(PACE);
    }
    // Stays, so that its end does not mix into what is measured.
    loop {
        std::thread::park();
    }
}
