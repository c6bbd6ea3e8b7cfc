//! A terminal shown in this window, talking to its holder directly.

use crate::commands::Outcome;
use crate::failure::Failure;
use crate::output::Context;
use holder::paths::Paths;

/// How to attach.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wishes {
    /// Only look.
    pub(crate) view: bool,
    /// Lines of history; `None`: as configured.
    pub(crate) history: Option<u32>,
    /// Within the terminal that this runs in, instead of in its place.
    pub(crate) nest: bool,
}

/// Attaches to the terminal with this id until one of both sides ends it.
pub(crate) fn run(paths: &Paths, id: &str, wishes: &Wishes, context: &Context) -> Outcome {
    let _ = (paths, wishes, context);
    Err(Failure::refused(format!(
        "terminal {id} cannot be attached to yet"
    )))
}
