//! How fish is injected.

use super::{Injection, Start};

/// What fish then does.
pub(super) const SCRIPT: &str = include_str!("fish/integration.fish");

/// fish is not injected.
pub(super) fn injection(_start: &Start<'_>) -> Option<Injection> {
    None
}
