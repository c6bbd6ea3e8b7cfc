//! Acting on panes: reading the screen, typing, ending, naming, starting. The size is never touched.
//!
//! *Typing.* `send-keys` would do what the person's bindings say while the pane is in copy mode, and
//! type into each pane of a window with `synchronize-panes`. A buffer that is pasted goes to the
//! program of this one pane, byte by byte, whatever mode the person is in. It has a name of its own,
//! and is gone when it was pasted.
//!
//! tmux keeps what a program does not read, without limit and without telling: so what is sent at once
//! is limited ([`SEND_LIMIT`]), and goes in pieces, each after the server has taken the one before; other
//! clients of that server are served in between.

use crate::id::{PaneId, SessionId, WindowId};
use crate::quote::{argument, literal, record, records};
use crate::server::{Error, Server};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A piece takes tmux a millisecond.
const PIECE: usize = 64 * 1024;

/// The most that is sent at once.
pub const SEND_LIMIT: usize = 16 * 1024 * 1024;

/// What to read of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capture {
    /// Lines of the scrollback before the screen; [`u32::MAX`]: all there are.
    pub scrollback: u32,
    /// With colours and attributes, as escape sequences.
    pub ansi: bool,
}

/// What to start in a new window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewWindow {
    /// The name of the window; tmux chooses one where there is none.
    pub name: Option<String>,
    /// Where; the session's directory where nothing is said.
    pub cwd: Option<PathBuf>,
    /// Program and arguments; the person's shell where there are none.
    pub command: Vec<String>,
    /// Variables in addition to the session's.
    pub environment: Vec<(String, String)>,
}

impl Server {
    /// The screen of a pane as text, a line each row; a line that the terminal wrapped is one line.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where there is no such pane.
    pub async fn capture(&self, pane: PaneId, capture: Capture) -> Result<Vec<u8>, Error> {
        let pane = pane.to_string();
        let start = match capture.scrollback {
            u32::MAX => "-".to_owned(),
            lines => format!("-{lines}"),
        };
        let mut command = vec!["capture-pane", "-p", "-J", "-t", &pane];
        if capture.scrollback > 0 {
            command.extend(["-S", &start]);
        }
        if capture.ansi {
            command.push("-e");
        }
        let screen = self.run(&command).await?;
        // Joining keeps the cells behind the end of a line.
        match capture.ansi {
            true => Ok(screen),
            false => Ok(without_trailing_spaces(&screen)),
        }
    }

    /// Types bytes, exactly these, into the program of a pane.
    ///
    /// # Errors
    ///
    /// [`Error::NoInput`] where nothing reads them: the program ended, or a person closed the pane to
    /// input; also for more than [`SEND_LIMIT`] bytes. Then nothing was sent.
    pub async fn send(&self, pane: PaneId, bytes: &[u8]) -> Result<(), Error> {
        if bytes.len() > SEND_LIMIT {
            return Err(Error::NoInput(
                "more than 16 MiB at once: send less, and wait until the program has read it",
            ));
        }
        let pane = pane.to_string();
        let state = record(&["pane_dead", "pane_input_off"]);
        let state = self
            .run(&["display-message", "-p", "-t", &pane, &state])
            .await?;
        let state = records(&state, 2).pop().unwrap_or_default();
        match state.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["1", _] => return Err(Error::NoInput("the program of this pane has ended")),
            [_, "1"] => {
                return Err(Error::NoInput(
                    "input to this pane is off; switch it on in tmux: select-pane -e",
                ));
            }
            _ => {}
        }
        let flags = self.paste_flags().await?;
        for piece in bytes.chunks(PIECE) {
            let name = buffer_name();
            let command = [
                "load-buffer",
                "-b",
                &name,
                "-",
                ";",
                "paste-buffer",
                flags,
                "-b",
                &name,
                "-t",
                &pane,
            ];
            self.run_with_input(&command, piece).await?;
        }
        Ok(())
    }

    /// Bytes as they are, and the buffer gone afterwards. Versions that make control characters visible
    /// where a buffer is pasted have a flag that leaves them.
    async fn paste_flags(&self) -> Result<&'static str, Error> {
        let usage = self.run(&["list-commands", "paste-buffer"]).await?;
        let usage = String::from_utf8_lossy(&usage);
        let flags = usage.split(['[', ']']).nth(1).unwrap_or("");
        Ok(match flags.contains('S') {
            true => "-drS",
            false => "-dr",
        })
    }

    /// Ends a pane and hangs up its program, as closing a window would. That the server ends with its
    /// last pane is a success.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where there is no such pane.
    pub async fn kill_pane(&self, pane: PaneId) -> Result<(), Error> {
        let pane = pane.to_string();
        // First of all whether there is one: a server that ends says nothing more.
        self.run(&["display-message", "-p", "-t", &pane, ""])
            .await?;
        match self.run(&["kill-pane", "-t", &pane]).await {
            Ok(_) | Err(Error::Gone(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Names a window.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where there is no such window.
    pub async fn rename_window(&self, window: WindowId, name: &str) -> Result<(), Error> {
        let name = argument(&literal(name));
        let window = window.to_string();
        self.run(&["rename-window", "-t", &window, "--", &name])
            .await?;
        Ok(())
    }

    /// Opens a window in a session, behind the one that people see, and returns its pane.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where there is no such session.
    pub async fn new_window(
        &self,
        session: SessionId,
        window: &NewWindow,
    ) -> Result<PaneId, Error> {
        let target = format!("{session}:");
        let mut command = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", &target]
            .map(str::to_owned)
            .to_vec();
        let mut add = |flag: &str, value: String| command.extend([flag.to_owned(), value]);
        if let Some(name) = &window.name {
            add("-n", argument(&literal(name)));
        }
        if let Some(cwd) = &window.cwd {
            add("-c", argument(&literal(&cwd.to_string_lossy())));
        }
        for (name, value) in &window.environment {
            add("-e", argument(&format!("{name}={value}")));
        }
        command.push("--".to_owned());
        match &window.command[..] {
            // tmux hands a single word to a shell.
            [program] => command.push(argument(&shell_word(program))),
            words => command.extend(words.iter().map(|word| argument(word))),
        }
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let answer = self.run(&command).await?;
        let answer = String::from_utf8_lossy(&answer);
        let answer = answer.trim();
        answer
            .parse()
            .map_err(|_| Error::Refused(answer.to_owned()))
    }
}

/// Never that of another buffer, also of another process.
fn buffer_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("wigwag-{}-{count}", std::process::id())
}

/// One word for a POSIX shell.
fn shell_word(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn without_trailing_spaces(screen: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(screen.len());
    for line in screen.split_inclusive(|&byte| byte == b'\n') {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let end = content.iter().rposition(|&byte| byte != b' ');
        text.extend_from_slice(&content[..end.map_or(0, |end| end + 1)]);
        text.extend_from_slice(&line[content.len()..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_behind_a_line_go_and_the_line_stays() {
        assert_eq!(without_trailing_spaces(b"a b  \n  \n c"), b"a b\n\n c");
    }

    #[test]
    fn a_shell_word_holds_any_text() {
        assert_eq!(shell_word("it's $HOME"), "'it'\\''s $HOME'");
    }
}
