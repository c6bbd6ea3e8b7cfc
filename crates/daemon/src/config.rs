//! `config.toml`: every key has a default, is checked with line and reason, and is reloaded when
//! the file changes (interfaces.md, Configuration).
//!
//! A key that no document names is an error: a misspelt setting that does nothing would be worse.
//! `[tmux]`, `[panel]` and `[fleet]` are documented before they have an effect: their keys are
//! checked, so that a file written after the documents works, and nothing is done with them.

pub(crate) mod edit;
pub(crate) mod notify;

pub use notify::{Command, Desktop, Notify, Ntfy, Token};

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// More lines than this are more than the bound in bytes holds anyway.
const MAX_SCROLLBACK: usize = 1_000_000;

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Lines a terminal keeps.
    pub scrollback: usize,
    /// Commands are captured in zsh, Bash and fish.
    pub shell_integration: bool,
    /// `[attach]`.
    pub attach: Attach,
    /// `[env]`: added to every new terminal.
    pub env: BTreeMap<String, String>,
    /// `[notify]`.
    pub notify: Notify,
}

/// `[attach]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attach {
    /// The prefix key; `None` is `"none"`.
    pub prefix: Option<Prefix>,
    /// Lines printed into the outer terminal on attach.
    pub history: u32,
}

/// A prefix key: the control character that Ctrl and this key give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    /// The key as written in upper case: `\`, `]`, `A`.
    pub key: char,
    /// What the terminal sends for it: 0x1c for `\`.
    pub byte: u8,
}

impl Prefix {
    /// Whether this character is the one that is pressed with Ctrl.
    pub fn is_called(self, code: u32) -> bool {
        char::from_u32(code).is_some_and(|code| code.eq_ignore_ascii_case(&self.key))
    }
}

/// As help texts write it: `Ctrl-\`.
impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ctrl-{}", self.key)
    }
}

/// Why the file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// It cannot be read.
    #[error("cannot read {}: {reason}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Something in it is wrong.
    #[error("{}:{line}: {reason}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong there, and what would be right.
        reason: String,
    },
}

impl Default for Config {
    fn default() -> Self {
        Self {
            scrollback: 10_000,
            shell_integration: true,
            attach: Attach {
                prefix: Some(Prefix {
                    key: '\\',
                    byte: 0x1c,
                }),
                history: 1000,
            },
            env: BTreeMap::new(),
            notify: Notify::default(),
        }
    }
}

impl Config {
    /// Reads `config.toml` in this directory ([`holder::paths::Paths::config`]); the defaults where there is
    /// no file.
    pub fn load(directory: &Path) -> Result<Self, ConfigError> {
        let path = directory.join("config.toml");
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&path, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ConfigError::Read {
                path,
                reason: error.to_string(),
            }),
        }
    }

    /// Checks the text of a file; `path` is for messages.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.get(..start).unwrap_or(text);
            ConfigError::Wrong {
                path: path.to_owned(),
                line: before.matches('\n').count() + 1,
                reason: error.message().to_owned(),
            }
        })?;
        Ok(Self {
            scrollback: file.scrollback,
            shell_integration: file.shell_integration,
            attach: Attach {
                prefix: file.attach.prefix.0,
                history: file.attach.history,
            },
            env: file.env.0,
            notify: file.notify.into(),
        })
    }
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    #[serde(deserialize_with = "scrollback")]
    scrollback: usize,
    shell_integration: bool,
    attach: AttachTable,
    env: Env,
    notify: notify::Table,
    #[serde(rename = "tmux")]
    _tmux: Tmux,
    #[serde(rename = "panel")]
    _panel: Panel,
    #[serde(rename = "fleet")]
    _fleet: toml::Table,
}

impl Default for File {
    fn default() -> Self {
        Self {
            scrollback: Config::default().scrollback,
            shell_integration: Config::default().shell_integration,
            attach: AttachTable::default(),
            env: Env::default(),
            notify: notify::Table::default(),
            _tmux: Tmux::default(),
            _panel: Panel::default(),
            _fleet: toml::Table::new(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AttachTable {
    prefix: PrefixText,
    history: u32,
}

impl Default for AttachTable {
    fn default() -> Self {
        let Attach { prefix, history } = Config::default().attach;
        Self {
            prefix: PrefixText(prefix),
            history,
        }
    }
}

struct PrefixText(Option<Prefix>);

impl<'de> Deserialize<'de> for PrefixText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "none" {
            return Ok(Self(None));
        }
        let key = text.strip_prefix("ctrl-").unwrap_or_default();
        match key.as_bytes() {
            // Ctrl clears the upper bits of these: the control characters from NUL to US.
            [byte] if matches!(byte.to_ascii_uppercase(), b'@'..=b'_') => {
                let upper = byte.to_ascii_uppercase();
                Ok(Self(Some(Prefix {
                    key: char::from(upper),
                    byte: upper & 0x1f,
                })))
            }
            _ => Err(D::Error::custom(format!(
                "{text:?} is no prefix: write \"ctrl-\" with a letter or one of @ [ \\ ] ^ _, or \"none\""
            ))),
        }
    }
}

#[derive(Default)]
struct Env(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Env {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let env = BTreeMap::<String, String>::deserialize(deserializer)?;
        for (name, value) in &env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Err(D::Error::custom(format!(
                    "{name:?} cannot be a variable: names are not empty and have no `=`, nothing has a NUL"
                )));
            }
        }
        Ok(Self(env))
    }
}

fn scrollback<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let lines = usize::deserialize(deserializer)?;
    if lines > MAX_SCROLLBACK {
        return Err(D::Error::custom(format!(
            "scrollback is at most {MAX_SCROLLBACK} lines"
        )));
    }
    Ok(lines)
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(dead_code, reason = "checked, without effect yet")]
struct Tmux {
    watch: Option<Watch>,
}

#[derive(Deserialize)]
#[serde(untagged)]
#[allow(dead_code, reason = "checked, without effect yet")]
enum Watch {
    Word(String),
    List(Vec<String>),
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(dead_code, reason = "checked, without effect yet")]
struct Panel {
    listen: Option<String>,
    allow_hosts: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> (usize, String) {
        match Config::parse(Path::new("/c/config.toml"), text) {
            Err(ConfigError::Wrong { line, reason, .. }) => (line, reason),
            other => panic!("{text:?} gave {other:?}"),
        }
    }

    fn parsed(text: &str) -> Config {
        Config::parse(Path::new("config.toml"), text).unwrap()
    }

    #[test]
    fn an_empty_file_and_no_file_are_the_defaults() {
        assert_eq!(parsed(""), Config::default());
        let nowhere = tempfile::tempdir().unwrap();
        assert_eq!(Config::load(nowhere.path()).unwrap(), Config::default());
    }

    #[test]
    fn the_documented_file_is_accepted() {
        let text = r#"
            scrollback = 10000
            shell_integration = true
            [attach]
            prefix = "ctrl-\\"
            history = 1000
            [env]
            TERM_PROGRAM = "ghostty"
            [notify]
            enabled = true
            kinds = ["waiting", "failed", "finished", "command", "bell", "notify", "exit"]
            long_command = "30s"
            phone_after = "30s"
            text = true
            [notify.desktop]
            [notify.ntfy]
            [notify.command]
            [tmux]
            watch = "all"
            [panel]
            listen = "127.0.0.1:7501"
            allow_hosts = []
            [fleet]
        "#;
        let config = parsed(text);
        assert_eq!(config.attach, Config::default().attach);
        assert_eq!(config.env["TERM_PROGRAM"], "ghostty");
    }

    #[test]
    fn prefixes_are_control_characters_or_none() {
        let byte = |prefix: &str| {
            let config = parsed(&format!("[attach]\nprefix = '{prefix}'"));
            config.attach.prefix.map(|prefix| prefix.byte)
        };
        assert_eq!(byte("ctrl-]"), Some(0x1d));
        assert_eq!(byte("ctrl-a"), Some(1));
        assert_eq!(byte("none"), None);
        for bad in ["ctrl-", "a", "ctrl-1", "ctrl-ab", ""] {
            let (line, reason) = wrong(&format!("[attach]\nprefix = '{bad}'"));
            assert_eq!(line, 2);
            assert!(reason.contains("no prefix"), "{reason}");
        }
    }

    #[test]
    fn a_wrong_key_or_value_is_said_with_its_line() {
        let (line, reason) = wrong("scrollback = 5\n\nscrolback = 6\n");
        assert_eq!(line, 3);
        assert!(reason.contains("scrolback"), "{reason}");
        assert_eq!(wrong("[attach]\nhistory = -1").0, 2);
        assert_eq!(wrong("\n[notify]\nkinds = ['nothing']").0, 3);
        assert_eq!(wrong("[env]\nA = 1").0, 2);
        assert_eq!(wrong("scrollback = 2000000").0, 1);
        assert_eq!(wrong("a = \n").0, 1);
    }

    #[test]
    fn an_error_names_the_file_the_line_and_the_reason() {
        let error = Config::parse(Path::new("/c/config.toml"), "x = 1").unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("/c/config.toml:1: "), "{text}");
    }
}
