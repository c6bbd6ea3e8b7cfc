//! `name — context · state`, by what is known (status.md, Label).

use crate::command::Ended;
use crate::shown::{TITLE_CHARS, some_line};
use crate::state::Basis;
use crate::{LifecycleState, ProgressWord, RecordKind, RecordState, State, Status};

/// The label. `status.state` is already decided.
pub(crate) fn label_of(status: &Status, basis: Basis<'_>) -> String {
    // The end of a command is told with the command, although the prompt's title is back.
    let ended = basis
        .unread_end
        .filter(|_| matches!(status.state, State::Failed | State::Finished))
        .filter(|_| !status.lifecycle.is_over());
    let line = ended.and_then(|ended| some_line(ended.line.as_deref()?, TITLE_CHARS));
    let context = line.as_deref().or(status.title.as_deref());
    let words = words_of(status, basis);
    match (context, status.state) {
        (Some(context), State::Running | State::Idle) => format!("{} — {context}", status.name),
        (Some(context), _) => format!("{} — {context} · {words}", status.name),
        (None, _) => format!("{} — {words}", status.name),
    }
}

/// The state in words, with what belongs to it.
fn words_of(status: &Status, basis: Basis<'_>) -> String {
    match status.state {
        State::Waiting => waiting(status).to_owned(),
        State::Failed => match basis.unread_end.filter(|end| end.is_failure()) {
            Some(end) => with_end("failed", end),
            None => "failed".to_owned(),
        },
        State::Attention => "needs attention".to_owned(),
        State::Working if status.is_paused() => with_percent("paused", percent(status)),
        State::Working => with_percent("working", percent(status)),
        State::Exited => match exit_of(status) {
            Some(end) if end.is_failure() => with_end("exited", &end),
            _ => "exited".to_owned(),
        },
        State::Finished | State::Running | State::Idle | State::Lost => {
            status.state.word().to_owned()
        }
    }
}

fn waiting(status: &Status) -> &'static str {
    let blocked = || {
        status
            .reports
            .iter()
            .filter(|r| r.state == RecordState::Blocked)
    };
    // The root speaks for all, unless it says less than a child.
    match blocked().find_map(|record| record.kind) {
        Some(RecordKind::Permission) => "waiting for approval",
        Some(RecordKind::Question) => "waiting for an answer",
        Some(RecordKind::Auth) => "waiting for sign-in",
        None => "waiting",
    }
}

/// A working record's own percentage, else that of progress.
fn percent(status: &Status) -> Option<u8> {
    let working = || {
        status
            .reports
            .iter()
            .filter(|r| r.state == RecordState::Working)
    };
    if let Some(percent) = working().find_map(|record| record.progress) {
        return Some(percent);
    }
    let progress = status.progress?;
    let beside = working().next().is_some();
    // Beside a record that works, only progress that goes on says how far it is.
    let counts = !beside || progress.state == ProgressWord::Normal;
    progress.percent.filter(|_| counts)
}

fn with_percent(word: &str, percent: Option<u8>) -> String {
    match percent {
        Some(percent) => format!("{word} {percent}%"),
        None => word.to_owned(),
    }
}

fn with_end(word: &str, end: &Ended) -> String {
    match end.how() {
        Some(how) => format!("{word} ({how})"),
        None => word.to_owned(),
    }
}

/// How the program of an exited terminal ended.
pub(crate) fn exit_of(status: &Status) -> Option<Ended> {
    let lifecycle = &status.lifecycle;
    (lifecycle.state == LifecycleState::Exited).then(|| Ended {
        line: None,
        code: lifecycle.code,
        signal: lifecycle.signal.clone(),
    })
}
