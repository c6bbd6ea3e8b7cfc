//! Images: recognised and removed; the emulator cannot hold them, so no client shows one.
//!
//! ```text
//! DCS parameters q data ST                      sixel
//! APC G control-data [; payload] ST             kitty graphics
//! OSC 1337 ; File= | MultipartFile= | FilePart= | FileEnd …     iTerm2
//! ```
//!
//! A kitty query (`a=q`) is a question without an answer: the program learns from the
//! answer to the next one that graphics are not understood.

use crate::QueryKind;
use crate::control_string::{Protocol, Route};

pub(crate) static SIXEL: Protocol = Protocol {
    route: |_, _| Route::Remove,
    ..Protocol::DEFAULT
};

pub(crate) static KITTY: Protocol = Protocol {
    route: |_, _| Route::Remove,
    read: |string, _, said| {
        let control = string.payload.unwrap_or_default();
        let control = control
            .split(|byte| *byte == b';')
            .next()
            .unwrap_or_default();
        if control
            .split(|byte| *byte == b',')
            .any(|pair| pair == b"a=q")
        {
            said.query(QueryKind::Unanswered, string.terminator);
        }
    },
    ..Protocol::DEFAULT
};

pub(crate) static ITERM2: Protocol = Protocol {
    numbers: &[1337],
    route,
    ..Protocol::DEFAULT
};

/// The commands of OSC 1337 that carry a file.
const FILES: &[&[u8]] = &[b"File=", b"MultipartFile=", b"FilePart=", b"FileEnd"];

fn route(payload: Option<&[u8]>, complete: bool) -> Route {
    let payload = payload.unwrap_or_default();
    if FILES.iter().any(|file| payload.starts_with(file)) {
        Route::Remove
    } else if !complete && FILES.iter().any(|file| file.starts_with(payload)) {
        Route::Undecided
    } else {
        Route::Forward
    }
}

#[cfg(test)]
mod tests {
    use crate::QueryKind;
    use crate::reader::testing::{queries, record};

    #[test]
    fn sixel_kitty_and_iterm2_images_are_neither_forwarded_nor_drawn() {
        for image in [
            "\x1bP0;1;0q\"1;1;1;1#0~-\x1b\\",
            "\x1bPq~\x1b\\",
            "\x1b_Gf=100,a=T;AAAA\x1b\\",
            "\x1b]1337;File=inline=1:AAAA\x07",
            "\x1b]1337;MultipartFile=name=x\x07\x1b]1337;FilePart=AAAA\x07\x1b]1337;FileEnd\x07",
        ] {
            let seen = record(format!("a{image}b").as_bytes());
            assert_eq!(
                (seen.forwarded, seen.drawn),
                (b"ab".to_vec(), b"ab".to_vec()),
                "{image:?}"
            );
            assert_eq!(queries(image.as_bytes()), []);
        }
    }

    #[test]
    fn an_image_of_any_length_stays_removed_to_its_terminator() {
        for (start, end) in [
            ("\x1b_Gf=100;", "\x1b\\"),
            ("\x1bPq", "\x1b\\"),
            ("\x1b]1337;File=:", "\x07"),
        ] {
            let image = format!("a{start}{}{end}b", "A".repeat(100_000));
            let seen = record(image.as_bytes());
            assert_eq!(
                (seen.forwarded, seen.drawn),
                (b"ab".to_vec(), b"ab".to_vec())
            );
        }
    }

    #[test]
    fn a_kitty_graphics_query_is_removed_and_not_answered() {
        assert_eq!(
            queries(b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"),
            [QueryKind::Unanswered]
        );
    }

    #[test]
    fn other_iterm2_commands_are_forwarded() {
        let bytes = b"\x1b]1337;SetMark\x07\x1b]1337;Fil\x07\x1b]1337\x07";
        assert_eq!(record(bytes).forwarded, bytes);
    }
}
