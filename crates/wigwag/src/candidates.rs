//! What a shell offers where a terminal, a state or a key is to be named. Asked at each Tab, so never slow:
//! a daemon that does not run is not started for it.

use crate::daemon_client::paths;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate};
use client::Client;
use status::{State, Status};
use std::ffi::OsStr;

/// What `--until` takes beside the states.
const CONDITIONS: [(&str, &str); 5] = [
    ("settled", "waiting, finished, failed, attention or exit"),
    ("prompt", "the shell is at its prompt"),
    ("command", "a command ended"),
    ("exit", "the program ended"),
    (
        "output:",
        "something like this is printed: a pattern; takes the rest",
    ),
];

/// Keys that are pressed often, beside those with a name.
const CHORDS: [&str; 4] = ["C-c", "C-d", "C-z", "C-l"];

/// The names of all terminals, each with its label.
pub(crate) fn terminals() -> ArgValueCandidates {
    ArgValueCandidates::new(|| known().iter().map(candidate).collect::<Vec<_>>())
}

/// States and conditions, one after another with commas between.
pub(crate) fn conditions() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| match current.to_str() {
        Some(current) => conditions_after(current),
        None => Vec::new(),
    })
}

/// Named keys.
pub(crate) fn keys() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let names = holder::terminal::key_names().chain(CHORDS);
        names.map(CompletionCandidate::new).collect::<Vec<_>>()
    })
}

fn known() -> Vec<Status> {
    let client = paths()
        .ok()
        .and_then(|paths| Client::connect_existing(&paths).ok());
    client
        .and_then(|client| client.list().ok())
        .unwrap_or_default()
}

fn candidate(status: &Status) -> CompletionCandidate {
    let label = signals::text::clean(&status.label);
    CompletionCandidate::new(&status.name).help(Some(label.into()))
}

fn conditions_after(current: &str) -> Vec<CompletionCandidate> {
    let (before, begun) = match current.rfind(',') {
        Some(comma) => current.split_at(comma + 1),
        None => ("", current),
    };
    // A pattern may have commas: it takes the rest.
    if current.contains("output:") {
        return Vec::new();
    }
    let states = State::ALL.map(|state| (state.word(), ""));
    let all = CONDITIONS.into_iter().chain(states);
    all.filter(|(word, _)| word.starts_with(begun))
        .map(|(word, means)| {
            let means = Some(means).filter(|means| !means.is_empty());
            CompletionCandidate::new(format!("{before}{word}")).help(means.map(Into::into))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(current: &str) -> Vec<String> {
        let candidates = conditions_after(current);
        let value =
            |candidate: &CompletionCandidate| candidate.get_value().to_string_lossy().into_owned();
        candidates.iter().map(value).collect()
    }

    #[test]
    fn conditions_are_offered_after_each_comma() {
        assert!(
            words("").contains(&"settled".to_owned()) && words("").contains(&"waiting".to_owned())
        );
        assert_eq!(words("wa"), ["waiting"]);
        assert_eq!(words("finished,fa"), ["finished,failed"]);
        assert_eq!(words("exit,out"), ["exit,output:"]);
        assert!(words("output:a,b").is_empty());
    }
}
