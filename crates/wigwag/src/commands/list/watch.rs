//! `wigwag list --watch`: drawn again on every event and resize; and each minute, for the ages.
//!
//! On a terminal it uses the alternate screen and leaves nothing behind; elsewhere it writes
//! the list anew after each change.

use super::{Args, Outcome, page};
use crate::failure::Failure;
use crate::output::Context;
use crate::raw_terminal::{RawTerminal, Woken};
use client::{Client, Events, Next, Since};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::Duration;

const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l";
const LEAVE: &[u8] = b"\x1b[?25h\x1b[?1049l";
/// Ages are shown in minutes: drawn again that often although nothing happened.
const AGES: Duration = Duration::from_secs(60);
const CTRL_C: u8 = 0x03;

pub(super) fn run(args: &Args, client: &Client, context: &Context) -> Outcome {
    // Before the first list, so that nothing falls between.
    let mut events = client.events(Since::Now, true)?;
    if !context.terminal || context.json {
        let mut last = String::new();
        loop {
            let now = page(args, client, context, None)?;
            if now != last {
                context.write(now.as_bytes())?;
                last = now;
            }
            if events.next(None)? == Next::End {
                return Ok(ExitCode::SUCCESS);
            }
            drain(&mut events)?;
        }
    }
    let mut screen = Screen::open()?;
    loop {
        let rows = context.rows();
        let text = page(
            args,
            client,
            context,
            rows.map(|rows| rows.saturating_sub(1)),
        )?;
        screen.draw(&text)?;
        match screen.terminal.wait_with(events.as_fd(), AGES)? {
            Woken::Other => drain(&mut events)?,
            Woken::Resized | Woken::TimeOut => {}
            Woken::Bytes(bytes) if bytes.contains(&CTRL_C) => return Err(Failure::interrupted()),
            Woken::Bytes(bytes) if bytes.contains(&b'q') => return Ok(ExitCode::SUCCESS),
            Woken::Bytes(_) => {}
            Woken::Interrupted => return Err(Failure::interrupted()),
            Woken::End => return Ok(ExitCode::SUCCESS),
        }
    }
}

/// Takes all events that are there: one drawing shows them all.
fn drain(events: &mut Events) -> Result<(), Failure> {
    while matches!(events.ready()?, Next::Event(_)) {}
    Ok(())
}

/// The alternate screen while this lives.
struct Screen {
    terminal: RawTerminal,
}

impl Screen {
    fn open() -> Result<Self, Failure> {
        let mut terminal = RawTerminal::open()?;
        terminal.write(ENTER)?;
        Ok(Self { terminal })
    }

    fn draw(&mut self, text: &str) -> Result<(), Failure> {
        let lines = text.replace('\n', "\x1b[K\r\n");
        self.terminal
            .write(format!("\x1b[H{lines}\x1b[J").as_bytes())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The terminal may be gone: then there is nothing to leave.
        let _ = self.terminal.write(LEAVE);
    }
}
