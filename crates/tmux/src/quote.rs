//! Text for tmux that nothing expands, and text of tmux that nothing breaks.
//!
//! *Towards tmux.* A command travels as a line ([`word`]) or as arguments of a process
//! ([`argument`]); some commands expand formats in an argument, which [`literal`] prevents.
//!
//! ```text
//! word       '"' *( plain / "\" ( '"' / "\" / "$" ) / "\n" / "\" 3octal ) '"'
//! literal    "#" written as "##"; a "[" behind it as "#{l:[}", or the two would be left for a style
//! ```
//!
//! *From tmux.* Names, titles and directories may hold anything, line feeds included. A listing
//! asks for each field as `#{q:field}` ([`record`]): tmux puts a backslash before space, `%` and other
//! characters that mean something to a shell. So an unquoted space ends a field, no line begins
//! with a guard of control mode whatever a program called its directory, and the number of fields tells
//! where a record ends.

use std::fmt::Write;

/// One word of a command line (control mode, `source-file`). Any text; it comes back as it is.
pub fn word(text: &str) -> String {
    let mut word = String::with_capacity(text.len() + 2);
    word.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' => word.extend(['\\', c]),
            '\0' => {}
            '\n' => word.push_str("\\n"),
            '\x01'..='\x1f' | '\x7f' => {
                // Writing to a string cannot fail.
                let _ = write!(word, "\\{:03o}", u32::from(c));
            }
            _ => word.push(c),
        }
    }
    word.push('"');
    word
}

/// One argument of a `tmux` process: a `;` at its end would begin another command.
pub fn argument(text: &str) -> String {
    match text.strip_suffix(';') {
        Some(before) => format!("{before}\\;"),
        None => text.to_owned(),
    }
}

/// Text where tmux expands a format. It holds no NUL, which no argument of a process can.
pub fn literal(text: &str) -> String {
    text.replace("#[", "#\0")
        .replace('#', "##")
        .replace('\0', "#{l:[}")
}

/// The format of one record of these fields (names of format variables), to be read by [`records`].
pub fn record(fields: &[&str]) -> String {
    let mut format = String::new();
    for field in fields {
        // Each field ends with a space, also the last: an empty one is seen.
        let _ = write!(format, "#{{q:{field}}} ");
    }
    format
}

/// The records of so many fields that a listing printed. A record that is not whole ends it: the
/// listing was cut.
pub fn records(listing: &[u8], fields: usize) -> Vec<Vec<String>> {
    let mut listing = Fields::new(listing);
    std::iter::from_fn(|| listing.record(fields)).collect()
}

/// Reads a listing field by field.
#[derive(Debug)]
pub struct Fields<'a>(std::slice::Iter<'a, u8>);

impl<'a> Fields<'a> {
    /// From its beginning.
    pub fn new(listing: &'a [u8]) -> Self {
        Self(listing.iter())
    }

    /// So many fields, and the line feed behind them.
    pub fn record(&mut self, fields: usize) -> Option<Vec<String>> {
        let record: Vec<String> = self.by_ref().take(fields).collect();
        self.0.next();
        (record.len() == fields).then_some(record)
    }
}

impl Iterator for Fields<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut field = Vec::new();
        while let Some(&byte) = self.0.next() {
            match byte {
                b'\\' => field.extend(self.0.next()),
                b' ' => return Some(String::from_utf8_lossy(&field).into_owned()),
                byte => field.push(byte),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_word_holds_any_text() {
        assert_eq!(word("a b"), "\"a b\"");
        assert_eq!(
            word("\"$HOME\" \\ ~ #{pid} ;"),
            "\"\\\"\\$HOME\\\" \\\\ ~ #{pid} ;\""
        );
        assert_eq!(word("a\nb\t\x7f"), "\"a\\nb\\011\\177\"");
    }

    #[test]
    fn an_argument_that_ends_with_a_semicolon_begins_no_command() {
        assert_eq!(argument("a;"), "a\\;");
        assert_eq!(argument("a;b"), "a;b");
        assert_eq!(argument("\\;"), "\\\\;");
    }

    #[test]
    fn a_literal_is_not_expanded() {
        assert_eq!(literal("#{pid} ##[x] [y]"), "##{pid} #####{l:[}x] [y]");
    }

    #[test]
    fn fields_with_spaces_and_line_feeds_are_read_right() {
        let listing = b"a\\ b \\%end\n\\\\\\|\\\"\\#{pid} \xc3\xa9\t \n  c \n";
        assert_eq!(
            records(listing, 3),
            [
                vec!["a b", "%end\n\\|\"#{pid}", "\u{e9}\t"],
                vec!["", "", "c"]
            ]
        );
    }

    #[test]
    fn a_record_that_is_not_whole_is_none() {
        assert_eq!(records(b"a b \nc ", 2), [vec!["a", "b"]]);
        assert_eq!(records(b"a b \nc d", 2), [vec!["a", "b"]]);
        assert!(records(b"", 2).is_empty());
    }

    proptest! {
        #[test]
        fn no_listing_whatsoever_panics(listing in prop::collection::vec(any::<u8>(), 0..60), fields in 1usize..4) {
            for record in records(&listing, fields) {
                prop_assert_eq!(record.len(), fields);
            }
        }
    }
}
