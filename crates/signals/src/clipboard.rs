//! The clipboard: OSC 52.
//!
//! ```text
//! OSC 52 ; selections ; base64      sets: forwarded
//! OSC 52 ; selections ; ?           reads: removed, not answered
//! ```
//!
//! A program never reads the clipboard of whoever happens to look on.

use crate::QueryKind;
use crate::control_string::{Protocol, Route};

pub(crate) static CLIPBOARD: Protocol = Protocol {
    numbers: &[52],
    route,
    read: |string, _, said| {
        if route(string.payload, true) == Route::Remove {
            said.query(QueryKind::Unanswered, string.terminator);
        }
    },
    ..Protocol::DEFAULT
};

fn route(payload: Option<&[u8]>, complete: bool) -> Route {
    let payload = payload.unwrap_or_default();
    let data = payload
        .iter()
        .position(|byte| *byte == b';')
        .map(|at| &payload[at + 1..]);
    match data {
        Some([b'?', ..]) => Route::Remove,
        Some([_, ..]) => Route::Forward,
        _ if complete => Route::Forward,
        _ => Route::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use crate::QueryKind;
    use crate::reader::testing::{queries, record};

    #[test]
    fn reading_the_clipboard_is_removed_and_not_answered() {
        let bytes = b"\x1b]52;c;?\x07";
        assert_eq!(queries(bytes), [QueryKind::Unanswered]);
        assert_eq!(record(bytes).forwarded, b"");
    }

    #[test]
    fn setting_the_clipboard_is_forwarded() {
        for bytes in ["\x1b]52;c;aGk=\x07", "\x1b]52;;\x1b\\"] {
            assert_eq!(queries(bytes.as_bytes()), []);
            assert_eq!(record(bytes.as_bytes()).forwarded, bytes.as_bytes());
        }
    }
}
