//! Handing our shell integration to a shell that is about to start on the terminal.

use super::log;
use super::program::Invocation;
use crate::shell_integration::{Injection, Start, random_aid};
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// A shell with what it is to start with, integrated or not.
pub(super) struct Prepared {
    words: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    /// The secret of its marks, where it is integrated.
    pub(super) aid: Option<String>,
}

impl Prepared {
    /// Prepares the interactive shell that `what` starts. `directory` is the terminal's own: the
    /// shell's files are written there. Where that cannot be, the shell starts as it is.
    pub(super) fn new(what: &Invocation<'_>, directory: &Path) -> Self {
        Self::integrated(what, &directory.join("shell")).unwrap_or_else(|error| {
            log::error(&format!("no shell integration: {error}"));
            Self::plain(what)
        })
    }

    /// What starts exactly as it was asked for.
    pub(super) fn plain(what: &Invocation<'_>) -> Self {
        Self {
            words: what.words.to_vec(),
            env: what.env.to_vec(),
            aid: None,
        }
    }

    /// The same start with the changes of the integration.
    pub(super) fn invocation<'a>(&'a self, what: &Invocation<'a>) -> Invocation<'a> {
        Invocation {
            words: &self.words,
            env: &self.env,
            ..*what
        }
    }

    fn integrated(what: &Invocation<'_>, directory: &Path) -> io::Result<Self> {
        let aid = random_aid()?;
        let start = Start {
            words: what.words,
            login: what.login,
            env: what.env,
            directory,
            aid: &aid,
        };
        let Some(injection) = Injection::of(&start) else {
            return Ok(Self::plain(what));
        };
        injection.write(directory)?;
        Ok(Self {
            env: injection.variables(&start),
            words: injection.words,
            aid: Some(aid),
        })
    }
}
