//! Ends of commands and programs: which are worth telling. A setting says what is long; it
//! changes what is told, never a state.

use super::Settings;
use crate::command::LONG;
use crate::label::exit_of;
use crate::{Attention, AttentionKind, Duration, EventKind, LifecycleState, Status, age_since};

/// The code of a shell's command that Ctrl-C ended (128 + SIGINT).
const INTERRUPTED: i32 = 130;

/// Whether an entry is to be told, by how long that ran of which it tells the end.
pub(super) fn is_worth_telling(status: &Status, attention: &Attention, long: Duration) -> bool {
    match attention.kind {
        AttentionKind::Command => ran(status) >= long,
        AttentionKind::Exit => {
            let failed = exit_of(status).is_none_or(|ended| ended.is_failure());
            let lived = status
                .lifecycle
                .at
                .map_or(Duration::MAX, |at| age_since(status.created_at, at));
            failed || lived >= long
        }
        _ => true,
    }
}

/// Whether with this event something ended that the settings call long, and status.md does not:
/// there is no entry for it.
pub(super) fn just_ended(event: EventKind, status: &Status, settings: &Settings) -> bool {
    let kind = match status.lifecycle.state {
        LifecycleState::Exited => AttentionKind::Exit,
        _ => AttentionKind::Command,
    };
    let interrupted = status
        .last_command
        .as_ref()
        .is_some_and(|last| last.exit_code == Some(INTERRUPTED));
    event == EventKind::Command
        && status.command.is_none()
        && settings.kinds.contains(&kind)
        && !interrupted
        && (settings.long_command..LONG).contains(&ran(status))
}

/// How long the last command ran.
fn ran(status: &Status) -> Duration {
    let seconds = status.last_command.as_ref().map(|last| last.seconds);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .unwrap_or_default()
}
