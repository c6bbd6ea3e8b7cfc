//! Text that is shown outside the grid: cleaned and bounded.
//!
//! What `signals` reads is already clean; what comes from elsewhere (command lines, names of
//! executables, directories, what a person typed) passes through here, by the same rule:
//! no control, bidi or invisible formatting characters, except ZWNJ, ZWJ, variation selectors
//! and emoji tags.

use unicode_segmentation::UnicodeSegmentation;

/// What fits a line of a list and a notification; a longer title says nothing more.
pub(crate) const TITLE_CHARS: usize = 256;

/// A command line in the status, in bytes. Every event of the journal carries the whole
/// status, so a script pasted as one command must not make each of them half a megabyte.
pub(crate) const LINE_BYTES: usize = 16 * 1024;

/// The text of an attention entry: the longest message of a report (2048 bytes) fits.
pub(crate) const TEXT_CHARS: usize = 2048;

/// One clean line of at most `limit` characters, cut at a grapheme boundary. Lines are joined
/// by a space, and so are tabs.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut gap = false;
    for c in text.chars() {
        if is_break(c) || c == ' ' {
            gap = !line.is_empty();
        } else if !is_hidden(c) {
            if gap {
                line.push(' ');
                gap = false;
            }
            line.push(c);
        }
        // Enough to cut from; the rest would be thrown away.
        if line.len() > limit.saturating_mul(4) + 64 {
            break;
        }
    }
    cut_chars(&mut line, limit);
    line
}

/// A command line as it is kept: line feeds and tabs stay, at most [`LINE_BYTES`].
pub(crate) fn command_line(text: &str) -> String {
    let mut line = String::new();
    for c in text.trim().chars() {
        if line.len() + c.len_utf8() > LINE_BYTES {
            break;
        }
        if c == '\n' || c == '\t' || !is_hidden(c) {
            line.push(c);
        }
    }
    line
}

/// `Some` clean line, or `None` if nothing of it can be seen.
pub(crate) fn some_line(text: &str, limit: usize) -> Option<String> {
    Some(one_line(text, limit)).filter(|line| !line.is_empty())
}

fn is_break(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}'
        )
}

fn cut_chars(line: &mut String, limit: usize) {
    if line.chars().count() <= limit {
        return;
    }
    let mut chars = 0;
    let mut end = 0;
    for (at, grapheme) in line.grapheme_indices(true) {
        chars += grapheme.chars().count();
        if chars > limit {
            break;
        }
        end = at + grapheme.len();
    }
    line.truncate(end);
    line.truncate(line.trim_end().len());
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
