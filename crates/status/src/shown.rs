//! Text that is shown outside the grid: cleaned and bounded.
//!
//! What `signals` reads is already clean; what comes from elsewhere (names of executables,
//! directories, what a person typed) passes through here, by the same rule.

use signals::text::{bounded, clean};

/// What fits a line of a list and a notification; a longer title says nothing more.
pub(crate) const TITLE_CHARS: usize = signals::text::TITLE_CHARACTERS;

/// A command line in the status, in bytes. Every event of the journal carries the whole
/// status, so a script pasted as one command must not make each of them half a megabyte.
pub(crate) const LINE_BYTES: usize = 16 * 1024;

/// The text of an attention entry: the longest message of a report (2048 bytes) fits.
pub(crate) const TEXT_CHARS: usize = 2048;

/// One clean line of at most `limit` characters. Lines are joined by one space.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::with_capacity(text.len());
    let mut after_break = false;
    for c in text.trim().chars() {
        let breaks = is_break(c);
        if breaks && !after_break {
            line.push(' ');
        }
        after_break = breaks || (after_break && c == ' ');
        if !after_break {
            line.push(c);
        }
    }
    bounded(clean(&line).trim().to_owned(), limit)
}

/// A command line as it is kept: line feeds and tabs stay, at most [`LINE_BYTES`].
pub(crate) fn command_line(text: &str) -> String {
    let mut line = String::new();
    for part in text.trim().split_inclusive(['\n', '\t']) {
        let end = part
            .chars()
            .next_back()
            .filter(|c| matches!(c, '\n' | '\t'));
        line.push_str(&clean(part));
        line.extend(end);
        if line.len() > LINE_BYTES {
            line.truncate(line.floor_char_boundary(LINE_BYTES));
            break;
        }
    }
    line
}

/// `Some` clean line, or `None` if nothing of it can be seen.
pub(crate) fn some_line(text: &str, limit: usize) -> Option<String> {
    Some(one_line(text, limit)).filter(|line| !line.is_empty())
}

fn is_break(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_by_one_space() {
        assert_eq!(
            one_line("for i in 1\n  do\techo\r\ndone\n", 256),
            "for i in 1 do echo done"
        );
    }

    #[test]
    fn spaces_within_a_line_are_what_they_are() {
        assert_eq!(one_line(" /srv/a  b ", 256), "/srv/a  b");
        assert_eq!(one_line("do\n    echo  x", 256), "do echo  x");
    }

    #[test]
    fn controls_bidi_and_zero_width_characters_are_removed() {
        assert_eq!(
            one_line("a\u{1b}[31m\u{202e}b\u{200b}\u{feff}\u{7f}c\u{9b}", 256),
            "a[31mbc"
        );
    }

    #[test]
    fn joiners_variation_selectors_and_emoji_tags_stay() {
        let text = "👩\u{200d}🔧 ❤\u{fe0f} 🏴\u{e0067}\u{e0062}\u{e007f} ن\u{200c}م";
        assert_eq!(one_line(text, 256), text);
    }

    #[test]
    fn a_long_line_is_cut_at_a_grapheme_boundary() {
        assert_eq!(one_line("abe\u{301}", 3), "ab");
        assert_eq!(one_line(&"x".repeat(300), 256).len(), 256);
        assert_eq!(
            one_line(&format!("{}👩\u{200d}🔧", "x".repeat(254)), 256).len(),
            254
        );
    }

    #[test]
    fn a_grapheme_without_end_is_bounded() {
        assert!(
            one_line(&format!("a{}", "\u{301}".repeat(100_000)), 256)
                .chars()
                .count()
                <= 256
        );
    }

    #[test]
    fn a_command_line_keeps_its_lines_and_is_bounded() {
        assert_eq!(command_line(" cat <<E\n\ta\nE\u{1b}\n"), "cat <<E\n\ta\nE");
        assert!(command_line(&"ü".repeat(LINE_BYTES)).len() <= LINE_BYTES);
    }
}
