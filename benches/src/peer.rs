//! What can stand between a person's window and a program.

use crate::outer::Outer;
use crate::sandbox::{Sandbox, run};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Time for anything that is not measured itself.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// Time for a client to leave when its program ended.
const LEAVE: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    /// Nothing: the program has the window to itself.
    Bare,
    Dtach,
    Tmux,
    Wigwag,
}

pub(crate) const PEERS: [Peer; 4] = [Peer::Bare, Peer::Dtach, Peer::Tmux, Peer::Wigwag];

/// The window of every measurement.
pub(crate) const COLS: u16 = 80;
pub(crate) const ROWS: u16 = 24;

/// A program behind a peer, in an attached window.
pub(crate) struct Session {
    pub(crate) outer: Outer,
    stop: Option<Command>,
}

impl Peer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare PTY",
            Self::Dtach => "dtach",
            Self::Tmux => "tmux",
            Self::Wigwag => "wigwag",
        }
    }

    /// Its name as part of a file's or a terminal's.
    fn word(self) -> &'static str {
        self.name().split(' ').next().unwrap_or_default()
    }

    /// Starts a program behind this peer, attached. `name` is used once in a sandbox.
    pub(crate) fn start(self, sandbox: &Sandbox, name: &str, program: &[&str]) -> Result<Session> {
        let name = &format!("{name}-{}", self.word());
        let (command, stop) = match self {
            Self::Bare => {
                let mut command = sandbox.command(program[0]);
                command.args(&program[1..]);
                (command, None)
            }
            Self::Dtach => {
                let mut command = sandbox.command("dtach");
                command.arg("-A").arg(sandbox.path().join(name));
                command.args(["-E", "-z", "-r", "none"]).args(program);
                (command, None)
            }
            Self::Tmux => {
                let mut command = tmux(sandbox, name)?;
                command.arg("new-session").args(program);
                let mut stop = tmux(sandbox, name)?;
                stop.arg("kill-server");
                (command, Some(stop))
            }
            Self::Wigwag => {
                let mut command = sandbox.wigwag();
                command.args(["new", name, "--"]).args(program);
                let mut stop = sandbox.wigwag();
                stop.args(["remove", name, "--force"]);
                (command, Some(stop))
            }
        };
        Ok(Session {
            outer: Outer::spawn(command, COLS, ROWS)?,
            stop,
        })
    }
}

/// tmux on a socket of its own, with nothing configured but as much history as Wigwag keeps.
pub(crate) fn tmux(sandbox: &Sandbox, name: &str) -> Result<Command> {
    let config: PathBuf = sandbox.path().join("tmux.conf");
    std::fs::write(&config, "set -g history-limit 10000\n")?;
    let mut command = sandbox.command("tmux");
    command
        .arg("-S")
        .arg(sandbox.path().join(name))
        .arg("-f")
        .arg(config);
    Ok(command)
}

impl Session {
    /// Types what ends the program, and waits until the window is left to itself. Who stays
    /// longer than that is ended by force.
    pub(crate) fn end(mut self, keys: &[u8]) -> Result<()> {
        self.outer.type_bytes(keys)?;
        self.outer.drain_to_the_end(LEAVE)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(stop) = &mut self.stop {
            // Where the program ended there may be nothing left to stop.
            let _ = run(stop);
        }
    }
}
