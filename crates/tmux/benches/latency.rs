//! From a signal that a program in a pane writes to the event of the watcher, with a real server; the
//! figure to reach is a median of 5 ms.
//!
//! `cargo bench -p tmux --bench latency`

use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};
use tmux::server::Server;
use tmux::watch::{Event, Options, watch};
use tokio::sync::mpsc;

const ROUNDS: usize = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let socket = directory.path().join("socket");
    let tmux = |arguments: &[&str]| -> std::io::Result<String> {
        let mut command = Command::new("tmux");
        command.args(["-u", "-f", "/dev/null", "-S"]).arg(&socket);
        let output = command.args(arguments).env_remove("TMUX").output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    tmux(&["new-session", "-d", "-x", "80", "-y", "24", "exec cat"])?;
    let tty = tmux(&["display-message", "-p", "#{pane_tty}"])?;
    let mut tty = std::fs::OpenOptions::new().write(true).open(tty)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut times = runtime.block_on(async {
        let (sender, mut events) = mpsc::channel(16);
        tokio::spawn(watch(Server::new(&socket), Options::default(), sender));
        let mut times = Vec::new();
        while let Some(event) = events.recv().await {
            match event {
                Event::PaneAdded(pane) if pane.watched => break,
                Event::PaneChanged(pane) if pane.watched => break,
                _ => {}
            }
        }
        for round in 0..ROUNDS {
            // Programs do not speak in step with the watcher.
            tokio::time::sleep(Duration::from_millis(7 + (round % 13) as u64)).await;
            let started = Instant::now();
            tty.write_all(b"\x1b]9;4;1;42\x07")?;
            loop {
                match events.recv().await {
                    Some(Event::Output { .. }) => break,
                    Some(_) => {}
                    None => return Err(std::io::Error::other("the watcher ended")),
                }
            }
            times.push(started.elapsed());
        }
        Ok(times)
    })?;
    tmux(&["kill-server"])?;
    times.sort();
    println!(
        "signal in a pane to event: p50 {:?}, p99 {:?}",
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
    Ok(())
}
