//! The records of a terminal as a tree, each with who said it and when.

use crate::output::Context;
use crate::present::{ago, word};
use jiff::Timestamp;
use status::{Colour, Record, RecordState, State};

/// How a tree is drawn.
struct Branches {
    fork: &'static str,
    last: &'static str,
    line: &'static str,
    none: &'static str,
}

const UNICODE: Branches = Branches {
    fork: "├ ",
    last: "└ ",
    line: "│ ",
    none: "  ",
};
const ASCII: Branches = Branches {
    fork: "+ ",
    last: "` ",
    line: "| ",
    none: "  ",
};

/// One line a record, children beneath their parent. A record whose parent does not stand is
/// shown where the parent would be, by its whole id.
pub(super) fn tree(records: &[Record], now: Timestamp, context: &Context) -> Vec<String> {
    let mut lines = Vec::new();
    let roots: Vec<&Record> = records
        .iter()
        .filter(|record| parent(records, &record.id).is_none())
        .collect();
    for root in roots {
        lines.push(line(root, "", now, context));
        branch(records, root, "", now, context, &mut lines);
    }
    lines
}

fn branch(
    records: &[Record],
    of: &Record,
    indent: &str,
    now: Timestamp,
    context: &Context,
    lines: &mut Vec<String>,
) {
    let drawn = if context.unicode { &UNICODE } else { &ASCII };
    let is_child = |record: &&Record| parent(records, &record.id) == Some(&of.id);
    let children: Vec<&Record> = records.iter().filter(is_child).collect();
    for (at, child) in children.iter().enumerate() {
        let is_last = at + 1 == children.len();
        let (mark, below) = match is_last {
            true => (drawn.last, drawn.none),
            false => (drawn.fork, drawn.line),
        };
        lines.push(format!(
            "{indent}{mark}{}",
            line(child, &of.id, now, context)
        ));
        // Ids get longer on the way down, so this ends.
        let indent = format!("{indent}{below}");
        branch(records, child, &indent, now, context, lines);
    }
}

/// The nearest ancestor that stands: its id.
fn parent<'a>(records: &'a [Record], id: &str) -> Option<&'a str> {
    let mut id = id;
    loop {
        id = match id.rfind('/') {
            _ if id.is_empty() => return None,
            Some(cut) => &id[..cut],
            None => "",
        };
        if let Some(found) = records.iter().find(|record| record.id == id) {
            return Some(&found.id);
        }
    }
}

/// `task/3  blocked (permission) 42%: title: message (pi, 3 m ago)`.
fn line(record: &Record, parent: &str, now: Timestamp, context: &Context) -> String {
    let own_id = record.id.strip_prefix(parent).unwrap_or(&record.id);
    let own_id = own_id.trim_start_matches('/');
    let mut text = String::new();
    if !own_id.is_empty() {
        text += &format!("{} ", context.shown(own_id));
    }
    text += &context.paint(colour(record.state), &word(&record.state));
    if let Some(kind) = &record.kind {
        text += &format!(" ({})", word(kind));
    }
    if let Some(progress) = record.progress {
        text += &format!(" {progress}%");
    }
    for said in [&record.title, &record.msg].into_iter().flatten() {
        text += &format!(": {}", context.shown(said));
    }
    let who = record.app.as_deref().map(|app| context.shown(app) + ", ");
    let seen = if record.seen { ", seen" } else { "" };
    let age = ago(record.updated_at, now);
    format!("{text} ({}{age} ago{seen})", who.unwrap_or_default())
}

/// As the state of a terminal that shows this record.
fn colour(state: RecordState) -> Colour {
    match state {
        RecordState::Blocked => State::Waiting.colour(),
        RecordState::Error => State::Failed.colour(),
        RecordState::Done => State::Finished.colour(),
        RecordState::Working => State::Working.colour(),
        RecordState::Idle => State::Idle.colour(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::context;
    use serde_json::json;

    fn record(id: &str, state: &str) -> Record {
        serde_json::from_value(json!({
            "id": id, "state": state, "kind": null, "progress": null, "app": "pi",
            "title": null, "msg": null, "updated_at": "2026-11-30T22:00:00Z"
        }))
        .unwrap()
    }

    fn now() -> Timestamp {
        "2026-11-30T22:03:00Z".parse().unwrap()
    }

    #[test]
    fn children_stand_beneath_their_parents() {
        let mut asks = record("a/x", "blocked");
        asks.kind = Some(status::RecordKind::Permission);
        asks.msg = Some("Apply?".into());
        let mut half = record("b", "working");
        half.progress = Some(50);
        half.title = Some("tests".into());
        let records = [record("", "working"), record("a", "done"), asks, half];
        assert_eq!(
            tree(&records, now(), &context(true, false)),
            [
                "working (pi, 3 m ago)",
                "├ a done (pi, 3 m ago)",
                "│ └ x blocked (permission): Apply? (pi, 3 m ago)",
                "└ b working 50%: tests (pi, 3 m ago)",
            ]
        );
        assert!(
            tree(&records, now(), &context(false, false))
                .iter()
                .all(|line| line.is_ascii())
        );
    }

    #[test]
    fn a_record_without_a_parent_is_shown_all_the_same() {
        let mut orphan = record("task/3", "error");
        orphan.seen = true;
        assert_eq!(
            tree(&[orphan], now(), &context(true, false)),
            ["task/3 error (pi, 3 m ago, seen)"]
        );
        let beneath_none = [record("", "working"), record("task/3", "idle")];
        assert_eq!(
            tree(&beneath_none, now(), &context(true, false))[1],
            "└ task/3 idle (pi, 3 m ago)"
        );
    }
}
