//! A terminal whose program has ended, attached to: its last screen, and what can be done with it.

use super::exit_text;
use crate::daemon_client::{connect, wake};
use crate::failure::Failure;
use crate::output::Context;
use crate::raw_terminal::{RawTerminal, Read};
use client::CaptureQuery;
use holder::paths::Paths;
use status::{LifecycleState, Status};
use std::time::{Duration, Instant};

/// Nobody thinks for longer; and a forgotten window may go on asking.
const THINKING: Duration = Duration::from_secs(60 * 60 * 24);

/// What the person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// It runs again: attach.
    RunsAgain,
    Leave,
}

/// Shows the end of a terminal and asks what to do with it.
pub(crate) fn show(paths: &Paths, status: &Status, context: &Context) -> Result<Choice, Failure> {
    let client = connect()?;
    if status.lifecycle.state == LifecycleState::Exited {
        let query = CaptureQuery {
            lines: None,
            scrollback: false,
            ansi: context.color,
        };
        // A terminal that exited before a reboot has no screen any more.
        if let Ok(screen) = client.capture(&status.id, &query)
            && !screen.is_empty()
        {
            context.say(format!("{screen}\x1b[0m"))?;
        }
    }
    let name = &status.name;
    let end = match status.lifecycle.state {
        LifecycleState::Lost => format!("[{name} was lost]"),
        _ => exit_text(name, Some(&status.lifecycle)),
    };
    // Before it asks: opening drops what was typed.
    let mut terminal = RawTerminal::open()?;
    client.ack(&status.id, &client::AckBody::default())?;
    context.write(format!("{end} [r]un again, remove [x], Enter to leave: ").as_bytes())?;
    let key = key(&mut terminal);
    drop(terminal);
    let choice = match key? {
        b'r' | b'R' => {
            context.say("r")?;
            holder::spawn::restart(paths, &status.id)
                .map_err(|error| Failure::refused(error.to_string()))?;
            wake(paths);
            Choice::RunsAgain
        }
        b'x' | b'X' => {
            client.remove(&status.id, false)?;
            context.say(format!("x\n[{name} was removed]"))?;
            Choice::Leave
        }
        _ => {
            context.say("")?;
            Choice::Leave
        }
    };
    Ok(choice)
}

/// One key that means something here.
fn key(terminal: &mut RawTerminal) -> Result<u8, Failure> {
    loop {
        match terminal.read_until(Instant::now() + THINKING)? {
            Read::Bytes(bytes) => {
                // An arrow or another long key is not Escape.
                let first = *bytes.first().unwrap_or(&0);
                match first {
                    b'r' | b'R' | b'x' | b'X' | b'q' | b'\r' | b'\n' | 0x03 | 0x04 | 0x1c => {
                        return Ok(first);
                    }
                    0x1b if bytes.len() == 1 => return Ok(first),
                    _ => {}
                }
            }
            Read::TimeOut => {}
            Read::End => return Ok(b'q'),
            Read::Interrupted => return Err(Failure::interrupted()),
        }
    }
}
