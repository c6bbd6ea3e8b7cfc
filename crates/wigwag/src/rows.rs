//! One line a terminal, as `list` and the picker show it: glyph, label, age, size, clients.
//!
//! The label takes what the other columns leave, with the message of a report after it. Where that is
//! too little for name and state, the other columns are left out, the last first.

use crate::output::Context;
use crate::present::{ago, padded, since};
use jiff::Timestamp;
use status::{Colour, State, Status};
use unicode_width::UnicodeWidthStr;

/// A label narrower than this says nothing; then the columns after it are left out.
const NARROWEST_LABEL: usize = 16;
/// Stands before the state in a label.
const STATE: &str = " · ";
/// Of name and context at least that much is shown before the state.
const NARROWEST_CONTEXT: usize = 10;
/// Of a message at least that much is shown, where it is cut.
const NARROWEST_MESSAGE: usize = 10;
/// Between each two columns.
const GAP: usize = 2;
/// Glyph and space.
const GLYPH: usize = 2;

/// Above the labels, and above what follows them: `1 client` says itself what it is.
const HEADINGS: (&str, [&str; 3]) = ("terminal", ["age", "size", ""]);

/// The lines, none wider than `columns`, in the order of `terminals`.
pub(crate) fn rows(
    terminals: &[Status],
    now: Timestamp,
    columns: usize,
    context: &Context,
) -> Vec<String> {
    table(terminals, now, columns, false, context)
}

/// The same below a line that says what stands in which column; without it where there is no room
/// for columns.
pub(crate) fn rows_with_headings(
    terminals: &[Status],
    now: Timestamp,
    columns: usize,
    context: &Context,
) -> Vec<String> {
    table(terminals, now, columns, true, context)
}

fn table(
    terminals: &[Status],
    now: Timestamp,
    columns: usize,
    headings: bool,
    context: &Context,
) -> Vec<String> {
    let tails: Vec<[String; 3]> = terminals.iter().map(|t| tail(t, now, context)).collect();
    let (head, heads) = if headings { HEADINGS } else { ("", [""; 3]) };
    let mut widths = [0, 1, 2].map(|column| {
        let widest = tails.iter().map(|tail| tail[column].width()).max();
        widest.unwrap_or(0).max(heads[column].width())
    });
    let room = columns.saturating_sub(GLYPH);
    let needed = terminals.iter().map(|terminal| needed(terminal, context));
    let needed = needed.max().unwrap_or(0).max(head.width());
    let tail_width = |widths: &[usize; 3]| -> usize {
        let present = widths.iter().filter(|width| **width > 0);
        present.map(|width| width + GAP).sum()
    };
    // The last column tells least.
    for column in (0..3).rev() {
        if room.saturating_sub(tail_width(&widths)) < needed {
            widths[column] = 0;
        }
    }
    let with_tail = widths[0] > 0;
    let room = room.saturating_sub(tail_width(&widths));
    let labels: Vec<(String, String)> = terminals
        .iter()
        .map(|terminal| label_and_message(terminal, room, context))
        .collect();
    let label_width = labels
        .iter()
        .map(|(label, message)| label.width() + message.width());
    let label_width = label_width.max().unwrap_or(0).max(head.width());
    let after_label = |width: usize, tail: [&str; 3]| {
        let [age, size, clients] = [0, 1, 2].map(|column| match widths[column] {
            0 => "",
            _ => tail[column],
        });
        let indent = label_width - width + GAP + widths[0] - age.width();
        let rest = format!("{age}  {}  {clients}", padded(size, widths[1]));
        " ".repeat(indent) + &context.paint(Colour::Grey, rest.trim_end())
    };
    let line =
        |((terminal, (label, message)), tail): ((&Status, &(String, String)), &[String; 3])| {
            let glyph = format!("{} ", context.glyph(terminal));
            let unread = terminal
                .attention
                .as_ref()
                .is_some_and(|entry| entry.unread);
            let mut line = context.paint(terminal.colour(), &glyph);
            line += &match unread {
                true => context.bold(label),
                false => label.clone(),
            };
            line += &context.paint(Colour::Grey, message);
            if with_tail {
                let width = label.width() + message.width();
                line += &after_label(width, tail.each_ref().map(String::as_str));
            }
            line.trim_end().to_owned()
        };
    let heading = (headings && with_tail).then(|| {
        let head = " ".repeat(GLYPH) + &context.paint(Colour::Grey, HEADINGS.0);
        head + &after_label(HEADINGS.0.width(), heads)
    });
    let lines = terminals.iter().zip(&labels).zip(&tails).map(line);
    heading.into_iter().chain(lines).collect()
}

/// The columns without which a label does not say what and how.
fn needed(status: &Status, context: &Context) -> usize {
    let whole = context.shown(&status.label).width();
    let least = match state_in(status) {
        Some((_, state)) => NARROWEST_CONTEXT + context.shown(state).width(),
        None => NARROWEST_LABEL,
    };
    whole.min(least)
}

/// What stands before the state in a label, and the state with the sign before it.
fn state_in(status: &Status) -> Option<(&str, &str)> {
    // A label that says no state may have such a sign in its title.
    if matches!(status.state, State::Running | State::Idle) {
        return None;
    }
    status
        .label
        .rfind(STATE)
        .map(|at| status.label.split_at(at))
}

/// The label; and the message, where there is room for some of it.
fn label_and_message(status: &Status, room: usize, context: &Context) -> (String, String) {
    let label = label(status, room, context);
    let message = status.message().map(|message| context.shown(message));
    let message = message.filter(|message| !message.trim().is_empty());
    let left = room.saturating_sub(label.width());
    let message = message
        .map(|message| context.fit(&format!(": {message}"), left))
        .filter(|message| left >= NARROWEST_MESSAGE || !message.ends_with(['…', '.']));
    (label, message.unwrap_or_default())
}

/// The label in at most `room` columns. What is cut is the context: the state stays, as long as
/// some of the name does.
fn label(status: &Status, room: usize, context: &Context) -> String {
    let whole = context.shown(&status.label);
    if whole.width() <= room {
        return whole;
    }
    if let Some((head, state)) = state_in(status) {
        let state = context.shown(state);
        let left = room.saturating_sub(state.width());
        if left >= NARROWEST_CONTEXT {
            return context.fit(&context.shown(head), left) + &state;
        }
    }
    context.fit(&whole, room)
}

/// Age, size, clients.
fn tail(status: &Status, now: Timestamp, context: &Context) -> [String; 3] {
    let clients = match status.clients {
        0 => String::new(),
        1 => "1 client".to_owned(),
        many => format!("{many} clients"),
    };
    [ago(since(status), now), context.size(status.size), clients]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A status made for a test of its look.
    pub(crate) fn status(name: &str, label: &str, state: &str) -> Status {
        serde_json::from_value(serde_json::json!({
            "id": "aaaaaaaa", "name": name, "host": "local", "source": "holder",
            "lifecycle": {"state": "running", "code": null, "signal": null, "at": null},
            "title": null, "title_source": null, "label": label, "state": state,
            "progress": null, "command": null, "last_command": null, "reports": [],
            "attention": null, "cwd": null, "size": {"cols": 80, "rows": 24}, "clients": 1,
            "created_at": "2026-11-30T21:59:00Z", "muted": false, "tmux": null
        }))
        .unwrap()
    }

    /// How a command speaks in a test.
    pub(crate) fn context(unicode: bool, color: bool) -> Context {
        Context {
            json: false,
            terminal: false,
            color,
            unicode,
        }
    }

    fn now() -> Timestamp {
        "2026-11-30T22:02:00Z".parse().unwrap()
    }

    #[test]
    fn columns_stand_below_each_other() {
        let all = [
            status("a", "a — running", "running"),
            status("long", "long", "idle"),
        ];
        assert_eq!(
            rows(&all, now(), 120, &context(true, false)),
            [
                "› a — running  3 m  80×24  1 client",
                "  long         3 m  80×24  1 client"
            ]
        );
    }

    #[test]
    fn headings_stand_above_their_columns_and_give_way_in_a_narrow_window() {
        let all = [status("a", "a", "running")];
        let context = &context(true, false);
        assert_eq!(
            rows_with_headings(&all, now(), 120, context),
            ["  terminal  age  size", "› a         3 m  80×24  1 client"]
        );
        assert_eq!(
            rows_with_headings(&all, now(), 30, context),
            ["  terminal  age  size", "› a         3 m  80×24"]
        );
        assert_eq!(rows_with_headings(&all, now(), 12, context), ["› a"]);
        let dim = &rows_with_headings(&all, now(), 120, &self::context(true, true))[0];
        assert!(dim.starts_with("  \x1b[90mterminal\x1b[0m"), "{dim:?}");
    }

    #[test]
    fn ages_are_aligned_to_the_right_and_wide_labels_by_their_cells() {
        let mut old = status("b", "日本", "idle");
        old.created_at = "2026-11-30T21:42:00Z".parse().unwrap();
        old.clients = 0;
        old.size = status::Size {
            cols: 200,
            rows: 50,
        };
        let all = [status("a", "abcdef", "running"), old];
        assert_eq!(
            rows(&all, now(), 120, &context(true, false)),
            ["› abcdef   3 m  80×24   1 client", "  日本    20 m  200×50"]
        );
    }

    #[test]
    fn without_utf_8_everything_is_ascii() {
        let line = rows(
            &[status("a", "a — b · waiting", "waiting")],
            now(),
            120,
            &context(false, false),
        );
        assert_eq!(line, ["! a - b - waiting  3 m  80x24  1 client"]);
    }

    #[test]
    fn a_line_never_exceeds_the_window() {
        let all = [
            status("a", &"日本".repeat(100), "running"),
            status("b", "b", "idle"),
        ];
        for unicode in [true, false] {
            for columns in 0..130 {
                for line in rows_with_headings(&all, now(), columns, &context(unicode, false)) {
                    assert!(line.width() <= columns.max(GLYPH), "{columns}: {line}");
                }
            }
        }
        let line = &rows(&all, now(), 60, &context(true, false))[0];
        assert!(line.contains('…') && line.ends_with("1 client"), "{line}");
    }

    #[test]
    fn the_state_stays_where_the_context_is_cut() {
        let label = "agent — a very long title of something · waiting for approval";
        let all = [status("agent", label, "waiting")];
        let line = rows(&all, now(), 62, &context(true, false));
        assert_eq!(
            line,
            ["▲ agent — a very… · waiting for approval  3 m  80×24  1 client"]
        );
        let line = rows(&all, now(), 62, &context(false, false));
        assert_eq!(
            line,
            ["! agent - a ve... - waiting for approval  3 m  80x24  1 client"]
        );
        let line = rows(&all, now(), 24, &context(true, false));
        assert_eq!(line, ["▲ agent — a very long t…"]);
    }

    #[test]
    fn columns_give_way_to_name_and_state_the_last_first() {
        let label = "fail1 — sh -c 'echo one; exit 3' · failed (exit 3)";
        let all = [status("fail1", label, "failed")];
        let at = |columns| rows(&all, now(), columns, &context(true, false))[0].clone();
        assert_eq!(at(80), format!("✗ {label}  3 m  80×24  1 client"));
        assert_eq!(at(45), "✗ fail1 — sh -… · failed (exit 3)  3 m  80×24");
        assert_eq!(at(36), "✗ fail1 — sh… · failed (exit 3)  3 m");
        assert_eq!(at(32), "✗ fail1 — sh … · failed (exit 3)");
        // A sign in a title is no state.
        let all = [status("a", "a — one long title · two", "running")];
        let line = rows(&all, now(), 24, &context(true, false));
        assert_eq!(line, ["› a — one long tit…  3 m"]);
    }

    #[test]
    fn the_message_of_a_report_follows_the_label_where_there_is_room() {
        let mut all = [status("a", "a — sh · waiting", "waiting")];
        all[0].reports = serde_json::from_value(serde_json::json!([{
            "id": "", "state": "blocked", "kind": null, "progress": null, "app": null,
            "title": null, "msg": "Apply the\nplan of today?", "updated_at": "2026-11-30T22:01:00Z"
        }]))
        .unwrap();
        let at = |columns| rows(&all, now(), columns, &context(true, false))[0].clone();
        assert_eq!(
            at(120),
            "▲ a — sh · waiting: Apply the plan of today?  1 m  80×24  1 client"
        );
        assert_eq!(
            at(60),
            "▲ a — sh · waiting: Apply the plan of…  1 m  80×24  1 client"
        );
        assert_eq!(at(44), "▲ a — sh · waiting  1 m  80×24  1 client");
        let dim = &rows(&all, now(), 120, &context(true, true))[0];
        assert!(
            dim.contains("\x1b[90m: Apply the plan of today?\x1b[0m"),
            "{dim:?}"
        );
    }

    #[test]
    fn in_a_narrow_window_only_the_label_is_left() {
        let all = [status("a", "a — running", "running")];
        let line = rows(&all, now(), 14, &context(true, false));
        assert_eq!(line, ["› a — running"]);
    }

    #[test]
    fn colour_is_used_only_where_it_is_welcome() {
        let all = [status("a", "a", "waiting")];
        assert!(rows(&all, now(), 120, &context(true, true))[0].contains("\x1b[38;5;208m▲"));
        assert!(!rows(&all, now(), 120, &context(true, false))[0].contains('\x1b'));
    }

    #[test]
    fn what_is_unread_is_bold() {
        let mut unread = status("a", "a", "attention");
        unread.attention = serde_json::from_value(serde_json::json!({
            "seq": 1, "kind": "bell", "text": null, "at": "2026-11-30T22:01:18Z", "unread": true
        }))
        .unwrap();
        let all = [unread];
        let line = &rows(&all, now(), 120, &context(true, true))[0];
        assert!(line.contains("\x1b[1ma\x1b[0m"), "{line:?}");
        assert!(line.contains("42 s"), "since the bell: {line:?}");
    }
}
