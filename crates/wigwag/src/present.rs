//! How statuses look on a screen: colours, ASCII forms, columns that fit.

use crate::output::Context;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use signals::text::clean;
use status::{Colour, Lifecycle, LifecycleState, Size, Status};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

impl Context {
    /// `text` in a colour, where colours are welcome.
    pub(crate) fn paint(&self, colour: Colour, text: &str) -> String {
        let code = match colour {
            Colour::Orange => "38;5;208",
            Colour::Red => "31",
            Colour::Green => "32",
            Colour::Accent => "36",
            Colour::DimAccent => "2;36",
            Colour::Grey => "90",
            Colour::None => return text.to_owned(),
        };
        if self.color && !text.trim().is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// `text` in bold, where colours are welcome.
    pub(crate) fn bold(&self, text: &str) -> String {
        match self.color {
            true => format!("\x1b[1m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }

    /// The glyph of a status as this screen can show it.
    pub(crate) fn glyph(&self, status: &Status) -> &'static str {
        if self.unicode {
            status.glyph()
        } else {
            status.ascii()
        }
    }

    /// `text` as this screen can show it: one line, without anything that could change what a
    /// person reads, and with ASCII only where the locale has no more.
    pub(crate) fn shown(&self, text: &str) -> String {
        let line = clean(&text.replace(['\n', '\t', '\r'], " "));
        if self.unicode { line } else { ascii(&line) }
    }

    /// `text` cut to `columns`, with an ellipsis where something is missing.
    pub(crate) fn fit(&self, text: &str, columns: usize) -> String {
        let ellipsis = if self.unicode { "…" } else { "..." };
        fit(text, columns, ellipsis)
    }

    /// `80×24`.
    pub(crate) fn size(&self, size: Size) -> String {
        let times = if self.unicode { '×' } else { 'x' };
        format!("{}{times}{}", size.cols, size.rows)
    }
}

/// The ASCII form of our own signs, and `?` for what has none.
fn ascii(text: &str) -> String {
    let mut shown = String::new();
    for grapheme in text.graphemes(true) {
        match grapheme {
            "—" | "–" | "·" => shown.push('-'),
            "…" => shown.push_str("..."),
            "×" => shown.push('x'),
            _ if grapheme.is_ascii() => shown.push_str(grapheme),
            _ => shown.push('?'),
        }
    }
    shown
}

fn fit(text: &str, columns: usize, ellipsis: &str) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(ellipsis.width());
    let mut cut = String::new();
    let mut width = 0;
    for grapheme in text.graphemes(true) {
        width += grapheme.width();
        if width > room {
            break;
        }
        cut.push_str(grapheme);
    }
    if columns >= ellipsis.width() {
        cut.push_str(ellipsis);
    }
    cut
}

/// `text` with spaces up to `columns`.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// How long ago, for people.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    status::age(status::age_since(then, now))
}

/// A moment on the clock of the person who reads it.
pub(crate) fn clock(at: Timestamp, zone: &TimeZone) -> String {
    let at = at.to_zoned_datetime(zone.clone());
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Since when a terminal is as it is: its unread attention, its end, what its programs report,
/// its command, its start.
pub(crate) fn since(status: &Status) -> Timestamp {
    let unread = status.attention.as_ref().filter(|entry| entry.unread);
    unread
        .map(|entry| entry.at)
        .or(status.lifecycle.at)
        .or_else(|| status.reports.iter().map(|report| report.updated_at).max())
        .or(status.command.as_ref().map(|command| command.started_at))
        .unwrap_or(status.created_at)
}

/// The word of a value, as in JSON.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// How a terminal lives or ended, in words.
pub(crate) fn life(lifecycle: &Lifecycle) -> String {
    match (lifecycle.state, lifecycle.code, &lifecycle.signal) {
        (LifecycleState::Exited, _, Some(signal)) => format!("exited by signal {signal}"),
        (LifecycleState::Exited, Some(code), _) => format!("exited with code {code}"),
        (LifecycleState::Exited, None, None) => "exited".to_owned(),
        (LifecycleState::Lost, ..) => {
            "lost: its holder ended without announcing an exit".to_owned()
        }
        (LifecycleState::Starting, ..) => "starting".to_owned(),
        (LifecycleState::Running, ..) => "running".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_does_not_fit_ends_with_an_ellipsis() {
        assert_eq!(fit("abcdef", 6, "…"), "abcdef");
        assert_eq!(fit("abcdefg", 6, "…"), "abcde…");
        assert_eq!(fit("abcdefg", 6, "..."), "abc...");
        assert_eq!(fit("abc", 0, "…"), "");
    }

    #[test]
    fn a_wide_character_is_never_cut_in_half() {
        assert_eq!(fit("日本語", 4, "…"), "日…");
        assert_eq!(fit("日本語", 5, "…"), "日本…");
        assert_eq!(padded("日", 4), "日  ");
    }

    #[test]
    fn text_of_others_cannot_move_the_cursor() {
        let context = crate::rows::tests::context(true, false);
        assert_eq!(context.shown("a\nb\tc\u{1b}[2J\u{202e}d"), "a b c[2Jd");
    }

    #[test]
    fn a_terminal_is_as_old_as_what_its_programs_reported_last() {
        let mut status = crate::rows::tests::status("agent", "agent", "working");
        let started = since(&status);
        let report = |seconds: i64| {
            serde_json::from_value(serde_json::json!({
                "id": "", "state": "working", "kind": null, "progress": null, "app": null,
                "title": null, "msg": null,
                "updated_at": started + jiff::SignedDuration::from_secs(seconds),
            }))
            .unwrap()
        };
        status.reports = vec![report(7), report(3)];
        assert_eq!(since(&status), started + jiff::SignedDuration::from_secs(7));
    }

    #[test]
    fn a_clock_shows_the_time_of_its_place() {
        let at = "2026-11-30T23:01:07Z".parse().unwrap();
        let east = TimeZone::fixed(jiff::tz::offset(1));
        assert_eq!(clock(at, &east), "2026-12-01 00:01:07");
        assert_eq!(clock(at, &TimeZone::UTC), "2026-11-30 23:01:07");
    }

    #[test]
    fn every_sign_of_ours_has_an_ascii_form() {
        assert_eq!(ascii("a — b · c… 80×24 é"), "a - b - c... 80x24 ?");
    }
}
