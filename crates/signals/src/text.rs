//! Text that a program said, made fit to be shown outside the grid.
//!
//! Titles and messages stand in lists, notifications and page titles, where a control, a
//! bidirectional override or an invisible character could change what a person reads.
//! What a script needs to be written stays: ZWNJ, ZWJ, variation selectors, emoji tags.

use unicode_segmentation::UnicodeSegmentation;

/// Longest title, in characters.
pub const TITLE_CHARACTERS: usize = 256;

/// `bytes` as text: invalid UTF-8 replaced, cleaned, trimmed.
pub(crate) fn shown(bytes: &[u8]) -> String {
    clean(&String::from_utf8_lossy(bytes)).trim().to_owned()
}

/// `bytes` as a title: as [`shown`], at most [`TITLE_CHARACTERS`].
pub(crate) fn title(bytes: &[u8]) -> String {
    bounded(shown(bytes), TITLE_CHARACTERS)
}

/// `bytes` as the text of a command: as [`shown`], but line feeds stay and a tab is a space.
pub(crate) fn command(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let kept: String = text
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|&c| c == '\n' || !is_hidden(c))
        .collect();
    kept.trim().to_owned()
}

/// `text` without control, bidirectional and invisible formatting characters.
pub fn clean(text: &str) -> String {
    text.chars().filter(|&c| !is_hidden(c)).collect()
}

/// `text` cut to at most `characters`, at a grapheme boundary, and trimmed at the cut.
pub fn bounded(text: String, characters: usize) -> String {
    // A byte is at least one character's: short texts need no look.
    if text.len() <= characters {
        return text;
    }
    let mut count = 0;
    for (start, grapheme) in text.grapheme_indices(true) {
        count += grapheme.chars().count();
        if count > characters {
            return text[..start].trim_end().to_owned();
        }
    }
    text
}

/// Control, bidirectional, or invisible formatting (Unicode Cf and Default_Ignorable, and
/// the blank Hangul fillers), except what scripts and emoji need.
fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(c,
        '\u{80}'..='\u{9f}'                     // C1
        | '\u{ad}' | '\u{34f}' | '\u{61c}'      // soft hyphen, grapheme joiner, Arabic letter mark
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
        | '\u{17b4}' | '\u{17b5}' | '\u{180e}'  // Khmer inherent vowels, Mongolian separator
        | '\u{200b}' | '\u{200e}' | '\u{200f}'  // zero width space, left and right marks
        | '\u{2028}'..='\u{202e}'               // line separators, embeddings, overrides
        | '\u{2060}'..='\u{206f}'               // word joiner, isolates, deprecated formatting
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}'  // byte order mark, annotations
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' // shorthand, musical formatting
        | '\u{e0000}'..='\u{e001f}' | '\u{e0080}'..='\u{e00ff}' // language tag and unassigned
        | '\u{e01f0}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_text_loses_control_bidi_and_invisible_characters() {
        assert_eq!(clean("a\u{7}\u{1b}\u{7f}\u{9b}\tb"), "ab");
        assert_eq!(clean("a\u{202e}\u{2066}\u{200f}\u{61c}b"), "ab");
        assert_eq!(
            clean("a\u{200b}\u{ad}\u{feff}\u{2060}\u{3164}\u{e0001}b"),
            "ab"
        );
        assert_eq!(clean("a\u{2028}\u{2029}b"), "ab");
    }

    #[test]
    fn shown_text_keeps_zwnj_zwj_variation_selectors_and_emoji_tags() {
        for kept in [
            "می\u{200c}خواهم",
            "👩\u{200d}💻",
            "❤\u{fe0f}",
            "葛\u{e0100}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
        ] {
            assert_eq!(clean(kept), kept);
        }
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        assert_eq!(shown(b"a\xffb\xc3"), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn text_is_cut_at_a_grapheme_boundary() {
        let family = "👩\u{200d}👩\u{200d}👧"; // five characters, one grapheme
        let text = format!("{}{family}", "a".repeat(254));
        assert_eq!(bounded(text, 256), "a".repeat(254));
        assert_eq!(bounded("é".repeat(300), 256), "é".repeat(256));
        assert_eq!(bounded("é".repeat(256), 256), "é".repeat(256));
    }

    #[test]
    fn a_command_keeps_its_line_feeds() {
        assert_eq!(command(b"for x\n\tdo \x1b[31m\r\n"), "for x\n do [31m");
    }
}
