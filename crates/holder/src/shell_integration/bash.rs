//! How Bash is injected.

use super::{Injection, Start};

/// What Bash then does.
pub(super) const SCRIPT: &str = include_str!("bash/integration.bash");

/// Bash is not injected.
pub(super) fn injection(_start: &Start<'_>) -> Option<Injection> {
    None
}
