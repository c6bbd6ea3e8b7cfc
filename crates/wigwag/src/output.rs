//! What a command may say and how: whether as JSON, with colours, in ASCII only, and how wide.
//!
//! Everything is written through [`Context`], whose errors are [`Failure`]s: a closed pipe ends
//! the command quietly.

use crate::failure::Failure;
use rustix::termios::{isatty, tcgetwinsize};
use std::env;
use std::io::{self, Write};

/// How a command speaks.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// `--json`.
    pub(crate) json: bool,
    /// Standard output is a terminal.
    pub(crate) terminal: bool,
    /// Colours are welcome on standard output.
    pub(crate) color: bool,
    /// Glyphs beyond ASCII are welcome.
    pub(crate) unicode: bool,
}

impl Context {
    /// From the environment of this process and the place its output goes to.
    pub(crate) fn new(json: bool) -> Self {
        let terminal = isatty(io::stdout());
        Self {
            json,
            terminal,
            color: wants_color(terminal, |name| env::var(name).ok()),
            unicode: is_utf8_locale(|name| env::var(name).ok()),
        }
    }

    /// Columns of the window that standard output goes to; elsewhere nothing is cut.
    pub(crate) fn columns(&self) -> usize {
        if self.terminal
            && let Ok(size) = tcgetwinsize(io::stdout())
            && size.ws_col > 0
        {
            return usize::from(size.ws_col);
        }
        usize::MAX
    }

    /// Rows of the window that standard output goes to.
    pub(crate) fn rows(&self) -> Option<usize> {
        match tcgetwinsize(io::stdout()) {
            Ok(size) if self.terminal && size.ws_row > 0 => Some(usize::from(size.ws_row)),
            _ => None,
        }
    }

    /// Writes one line of text.
    pub(crate) fn say(&self, line: impl AsRef<str>) -> Result<(), Failure> {
        let mut text = line.as_ref().to_owned();
        text.push('\n');
        self.write(text.as_bytes())
    }

    /// Writes one value as one line of JSON.
    pub(crate) fn say_json(&self, value: &impl serde::Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|e| Failure::failed(e.to_string()))?;
        self.say(text)
    }

    /// Says what a command did to a terminal: one line, or with `--json` what, whom, and the
    /// journal's number at that moment.
    pub(crate) fn did(&self, what: &str, status: &status::Status, seq: u64) -> Result<(), Failure> {
        if self.json {
            return self.say_json(&serde_json::json!({
                "done": what, "id": status.id, "name": status.name, "seq": seq,
            }));
        }
        self.say(what)
    }

    /// Writes bytes as they are, and flushes.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()?;
        Ok(())
    }
}

/// NO_COLOR wins, then CLICOLOR_FORCE, then whether it is a terminal that can.
fn wants_color(terminal: bool, var: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name| var(name).is_some_and(|value| !value.is_empty());
    if set("NO_COLOR") {
        return false;
    }
    if var("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") {
        return true;
    }
    terminal && var("CLICOLOR").as_deref() != Some("0") && var("TERM").is_none_or(|t| t != "dumb")
}

/// By the first of LC_ALL, LC_CTYPE and LANG that is set. Where none is, POSIX says ASCII.
fn is_utf8_locale(var: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| var(name).filter(|value| !value.is_empty()))
        .unwrap_or_default()
        .to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        move |name| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        }
    }

    #[test]
    fn a_pipe_gets_no_colour() {
        assert!(!wants_color(false, env(&[("TERM", "xterm")])));
        assert!(wants_color(true, env(&[("TERM", "xterm")])));
    }

    #[test]
    fn no_color_wins_over_everything() {
        assert!(!wants_color(
            true,
            env(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")])
        ));
        assert!(wants_color(true, env(&[("NO_COLOR", "")])));
    }

    #[test]
    fn clicolor_force_colours_a_pipe_and_zero_forces_nothing() {
        assert!(wants_color(false, env(&[("CLICOLOR_FORCE", "1")])));
        assert!(!wants_color(false, env(&[("CLICOLOR_FORCE", "0")])));
        assert!(!wants_color(true, env(&[("CLICOLOR", "0")])));
    }

    #[test]
    fn a_dumb_terminal_gets_no_colour() {
        assert!(!wants_color(true, env(&[("TERM", "dumb")])));
    }

    #[test]
    fn the_first_locale_variable_that_is_set_decides() {
        assert!(is_utf8_locale(env(&[("LANG", "de_CH.UTF-8")])));
        assert!(is_utf8_locale(env(&[
            ("LC_ALL", ""),
            ("LC_CTYPE", "C.utf8")
        ])));
        assert!(!is_utf8_locale(env(&[
            ("LC_ALL", "C"),
            ("LANG", "de_CH.UTF-8")
        ])));
        assert!(!is_utf8_locale(env(&[])));
    }
}
