//! Colours of the palette and of text, background and cursor.
//!
//! ```text
//! OSC 4 ; index ; spec [; index ; spec …]     spec = ? asks
//! OSC 10 … 19 ; spec [; spec …]               each further spec is the next number's
//! OSC 5 ; … ?     OSC 21 ; key=? …            questions of other terminals: not answered
//! ```
//!
//! A body that sets and asks at once is split: each setting becomes a sequence of its own,
//! each question is removed, in the order written.

use crate::control_string::{ControlString, Protocol, Route, Said};
use crate::{ColorSlot, QueryKind, Terminator};

pub(crate) static COLOR: Protocol = Protocol {
    numbers: &[4, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
    drawn: true,
    route,
    read: |string, _, said| {
        if route(string.payload, true) == Route::Remove {
            split(string, said);
        }
    },
    ..Protocol::DEFAULT
};

/// Special colours of xterm (5) and the colour stack of kitty (21), which others answer.
pub(crate) static OTHER_COLORS: Protocol = Protocol {
    numbers: &[5, 21],
    route,
    read: |string, _, said| {
        if route(string.payload, true) == Route::Remove {
            said.query(QueryKind::Unanswered, string.terminator);
        }
    },
    ..Protocol::DEFAULT
};

fn route(payload: Option<&[u8]>, complete: bool) -> Route {
    let asks = |field: &[u8]| field.last() == Some(&b'?');
    match (complete, payload) {
        (false, _) => Route::Undecided,
        (true, Some(payload)) if payload.split(|byte| *byte == b';').any(asks) => Route::Remove,
        (true, _) => Route::Forward,
    }
}

/// Says each setting and each question on its own.
fn split(string: &ControlString<'_>, said: &mut Said) {
    let payload = string.payload.unwrap_or_default();
    let number = &string.body[..string.body.len() - payload.len() - 1];
    let number = String::from_utf8_lossy(number)
        .parse::<u32>()
        .unwrap_or_default();
    let mut fields = payload.split(|byte| *byte == b';');
    if number == 4 {
        while let (Some(index), Some(spec)) = (fields.next(), fields.next()) {
            let slot = std::str::from_utf8(index)
                .ok()
                .and_then(|index| index.parse().ok());
            let ask = slot.map_or(QueryKind::Unanswered, |index| {
                QueryKind::Color(ColorSlot::Palette(index))
            });
            one(
                &[b"4;", index, b";", spec],
                spec,
                ask,
                string.terminator,
                said,
            );
        }
    } else {
        for (number, spec) in (number..=19).zip(fields) {
            // 10–19 fits.
            let ask = QueryKind::Color(ColorSlot::Dynamic(number as u8));
            let set = format!("{number};");
            one(&[set.as_bytes(), spec], spec, ask, string.terminator, said);
        }
    }
}

fn one(set: &[&[u8]], spec: &[u8], ask: QueryKind, terminator: Terminator, said: &mut Said) {
    if spec.last() == Some(&b'?') {
        said.query(ask, terminator);
    } else if !spec.is_empty() {
        said.sequence([b"\x1b]", set.concat().as_slice(), terminator.bytes()].concat());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::testing::{queries, record};

    fn palette(index: u8) -> QueryKind {
        QueryKind::Color(ColorSlot::Palette(index))
    }

    fn dynamic(number: u8) -> QueryKind {
        QueryKind::Color(ColorSlot::Dynamic(number))
    }

    #[test]
    fn colour_questions_are_removed() {
        for (bytes, kinds) in [
            ("\x1b]4;7;?\x07", vec![palette(7)]),
            ("\x1b]4;7;?;255;?\x1b\\", vec![palette(7), palette(255)]),
            ("\x1b]10;?\x07", vec![dynamic(10)]),
            ("\x1b]10;?;?\x07", vec![dynamic(10), dynamic(11)]),
            ("\x1b]19;?\x07", vec![dynamic(19)]),
            ("\x1b]010;?\x07", vec![dynamic(10)]),
            ("\x1b]4;256;?\x07", vec![QueryKind::Unanswered]),
            ("\x1b]5;0;?\x07", vec![QueryKind::Unanswered]),
            ("\x1b]21;foreground=?\x1b\\", vec![QueryKind::Unanswered]),
        ] {
            assert_eq!(queries(bytes.as_bytes()), kinds, "{bytes:?}");
            let seen = record(bytes.as_bytes());
            assert_eq!(
                (seen.forwarded.len(), seen.drawn.len()),
                (0, 0),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn colour_settings_are_forwarded_and_drawn_as_they_came() {
        for bytes in [
            "\x1b]4;1;#fff;2;rgb:1/2/3\x07",
            "\x1b]11;#000\x1b\\",
            "\x1b]4\x07",
        ] {
            let seen = record(bytes.as_bytes());
            assert_eq!(seen.forwarded, bytes.as_bytes());
            assert_eq!(seen.drawn, bytes.as_bytes());
            assert_eq!(seen.queries, []);
        }
    }

    #[test]
    fn a_body_that_sets_and_asks_at_once_is_split() {
        let seen = record(b"\x1b]4;1;?;2;#fff;3;?\x07");
        assert_eq!(seen.forwarded, b"\x1b]4;2;#fff\x07");
        assert_eq!(seen.drawn, b"\x1b]4;2;#fff\x07");
        assert_eq!(
            queries(b"\x1b]4;1;?;2;#fff;3;?\x07"),
            [palette(1), palette(3)]
        );

        let seen = record(b"\x1b]10;#aaa;?;#bbb\x1b\\");
        assert_eq!(seen.forwarded, b"\x1b]10;#aaa\x1b\\\x1b]12;#bbb\x1b\\");
        assert_eq!(queries(b"\x1b]10;#aaa;?;#bbb\x1b\\"), [dynamic(11)]);
    }
}
