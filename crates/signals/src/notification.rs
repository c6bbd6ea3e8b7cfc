//! Notification requests: OSC 9 with text, OSC 777, OSC 99.
//!
//! ```text
//! OSC 9 ; text                        iTerm2
//! OSC 9 ; 4 …                         progress, see there
//! OSC 9 ; n [; …]                     n = 1–12: commands of ConEmu, ignored
//! OSC 777 ; notify ; title ; body     rxvt; the title ends at the next ;
//! OSC 99 ; metadata ; payload         kitty
//! metadata   [key=value *(: key=value)]
//!   i=  identifier [A-Za-z0-9_+.-]+   d=  0: more follows, else complete
//!   p=  title (if missing), body, close, ?, alive; others are skipped
//!   e=1 the payload is base64
//! payload    at most 2048 bytes plain, 4096 encoded
//! ```
//!
//! Requests are attention with text; they are not forwarded, or every attached window
//! would raise them again. The parts of one OSC 99 notification are joined by identifier.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::control_string::{BODY_LIMIT, ControlString, Memory, Protocol, Route, Said};
use crate::{Notification, QueryKind, RejectionReason, Signal, Terminator, progress, text};

pub(crate) static OSC_9: Protocol = Protocol {
    numbers: &[9],
    route: |payload, complete| match command(payload.unwrap_or_default(), complete) {
        Command::Undecided => Route::Undecided,
        Command::Number(_) => Route::Forward,
        Command::None => Route::Remove,
    },
    read: |string, _, said| {
        let payload = string.payload.unwrap_or_default();
        match command(payload, true) {
            Command::Number(4) => progress::read(&payload[1..], said),
            Command::Number(_) => {}
            _ => notify(None, payload, None, said),
        }
    },
    overlong: |payload| {
        matches!(command(payload, true), Command::Number(4)).then_some(RejectionReason::Frame)
    },
    ..Protocol::DEFAULT
};

pub(crate) static OSC_777: Protocol = Protocol {
    numbers: &[777],
    route: |payload, complete| {
        let payload = payload.unwrap_or_default();
        if payload == NOTIFY || payload.starts_with(b"notify;") {
            if payload == NOTIFY && !complete {
                Route::Undecided
            } else {
                Route::Remove
            }
        } else if !complete && NOTIFY.starts_with(payload) {
            Route::Undecided
        } else {
            Route::Forward
        }
    },
    read: |string, _, said| {
        let payload = string.payload.unwrap_or_default();
        if let Some(fields) = payload.strip_prefix(b"notify;") {
            let end = fields
                .iter()
                .position(|byte| *byte == b';')
                .unwrap_or(fields.len());
            let body = fields.get(end + 1..).unwrap_or_default();
            notify(Some(&fields[..end]), body, None, said);
        }
    },
    ..Protocol::DEFAULT
};

pub(crate) static OSC_99: Protocol = Protocol {
    numbers: &[99],
    route: |_, _| Route::Remove,
    read: read_99,
    ..Protocol::DEFAULT
};

/// The command of OSC 777 that is read.
const NOTIFY: &[u8] = b"notify";

/// Longest body of a notification, in characters.
pub const BODY_CHARACTERS: usize = 2048;

/// Longest payload of OSC 99, in bytes: plain, and in base64.
const PLAIN_LIMIT: usize = 2048;
const ENCODED_LIMIT: usize = 4096;

/// Notifications of OSC 99 that wait for their end; beyond it the oldest is given up.
const PENDING_LIMIT: usize = 16;

/// The numbers that ConEmu gave to its commands.
const CONEMU: std::ops::RangeInclusive<u8> = 1..=12;

enum Command {
    Undecided,
    Number(u8),
    None,
}

/// The numbered command that an OSC 9 body is.
fn command(payload: &[u8], complete: bool) -> Command {
    let digits = payload
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    match payload.get(digits) {
        None if !complete && digits <= 2 => return Command::Undecided,
        None | Some(b';') => {}
        Some(_) => return Command::None,
    }
    let number = std::str::from_utf8(&payload[..digits])
        .ok()
        .and_then(|text| text.parse().ok());
    match number {
        Some(number) if CONEMU.contains(&number) && payload[0] != b'0' => Command::Number(number),
        _ => Command::None,
    }
}

fn notify(title: Option<&[u8]>, body: &[u8], id: Option<String>, said: &mut Said) {
    let title = title.map(text::title).filter(|title| !title.is_empty());
    let body = text::bounded(text::shown(body), BODY_CHARACTERS);
    if title.is_some() || !body.is_empty() {
        said.signal(Signal::Notify(Notification { title, body, id }));
    }
}

/// Notifications of OSC 99 whose end has not come, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Pending(Vec<Part>);

#[derive(Debug, Default)]
struct Part {
    id: Option<String>,
    title: Vec<u8>,
    body: Vec<u8>,
}

fn read_99(string: &ControlString<'_>, memory: &mut Memory, said: &mut Said) {
    let fields = string.payload.unwrap_or_default();
    let end = fields
        .iter()
        .position(|byte| *byte == b';')
        .unwrap_or(fields.len());
    let metadata = Metadata::parse(&fields[..end]);
    let payload = fields.get(end + 1..).unwrap_or_default();
    let id_or_zero = || metadata.id.clone().unwrap_or_else(|| "0".to_owned());
    match metadata.part {
        b"?" => said.query(
            QueryKind::NotificationSupport(id_or_zero()),
            string.terminator,
        ),
        b"alive" => said.query(
            QueryKind::NotificationsAlive(id_or_zero()),
            string.terminator,
        ),
        b"close" => {
            if let Some(id) = metadata.id {
                memory
                    .notifications
                    .0
                    .retain(|part| part.id.as_ref() != Some(&id));
                said.signal(Signal::NotifyClose(id));
            }
        }
        _ => {
            if let Some(payload) = metadata.decode(payload) {
                memory.notifications.add(metadata, &payload, said);
            }
        }
    }
}

impl Pending {
    fn add(&mut self, metadata: Metadata<'_>, payload: &[u8], said: &mut Said) {
        let index = self.0.iter().position(|part| part.id == metadata.id);
        let mut part = index.map(|index| self.0.remove(index)).unwrap_or_default();
        let text = match metadata.part {
            b"title" => Some(&mut part.title),
            b"body" => Some(&mut part.body),
            _ => None,
        };
        if let Some(text) = text {
            let room = BODY_LIMIT.saturating_sub(text.len());
            text.extend_from_slice(&payload[..payload.len().min(room)]);
        }
        if metadata.more {
            part.id = metadata.id;
            if self.0.len() == PENDING_LIMIT {
                self.0.remove(0);
            }
            self.0.push(part);
        } else if text::shown(&part.title).is_empty() {
            notify(Some(&part.body), b"", metadata.id, said);
        } else {
            notify(Some(&part.title), &part.body, metadata.id, said);
        }
    }
}

struct Metadata<'a> {
    id: Option<String>,
    part: &'a [u8],
    more: bool,
    encoded: bool,
}

impl<'a> Metadata<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let mut metadata = Self {
            id: None,
            part: b"title",
            more: false,
            encoded: false,
        };
        for pair in bytes.split(|byte| *byte == b':') {
            match pair {
                [b'i', b'=', id @ ..] => metadata.id = identifier(id),
                [b'p', b'=', part @ ..] => metadata.part = part,
                [b'd', b'=', done @ ..] => metadata.more = done == b"0",
                [b'e', b'=', encoded @ ..] => metadata.encoded = encoded == b"1",
                _ => {}
            }
        }
        metadata
    }

    /// The text of the payload; `None` if it is too long or no base64.
    fn decode(&self, payload: &[u8]) -> Option<Vec<u8>> {
        if !self.encoded {
            return (payload.len() <= PLAIN_LIMIT).then(|| payload.to_vec());
        }
        let payload = (payload.len() <= ENCODED_LIMIT).then_some(payload)?;
        LENIENT.decode(payload).ok()
    }
}

/// Base64 with or without padding; what programs send is not always canonical.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// An identifier as it may be sent back to a program; `None` if it is not one.
fn identifier(bytes: &[u8]) -> Option<String> {
    let harmless = |byte: &u8| byte.is_ascii_alphanumeric() || b"_+.-".contains(byte);
    let text = std::str::from_utf8(bytes).ok()?;
    (!bytes.is_empty() && bytes.iter().all(harmless)).then(|| text.to_owned())
}

/// A notification as OSC 9 with text: title and body in one.
pub fn encode_9(notification: &Notification, terminator: Terminator) -> Vec<u8> {
    let body = text::clean(&notification.body);
    let text = match notification.title.as_deref().map(text::clean) {
        Some(title) if body.is_empty() => title,
        Some(title) => format!("{title}: {body}"),
        None => body,
    };
    // A text that looks like a numbered command would be taken for one.
    let space = if text.starts_with(|first: char| first.is_ascii_digit()) {
        " "
    } else {
        ""
    };
    ControlString::osc(&["9;", space, &text], terminator)
}

/// A notification as OSC 777 `notify`. A `;` in the title becomes a comma.
pub fn encode_777(notification: &Notification, terminator: Terminator) -> Vec<u8> {
    let title = text::clean(notification.title.as_deref().unwrap_or_default()).replace(';', ",");
    let body = text::clean(&notification.body);
    ControlString::osc(&["777;notify;", &title, ";", &body], terminator)
}

/// A notification as OSC 99, in parts as long as the protocol allows. An identifier that
/// is not one is left out.
pub fn encode_99(notification: &Notification, terminator: Terminator) -> Vec<u8> {
    let id = notification
        .id
        .as_deref()
        .and_then(|id| identifier(id.as_bytes()));
    let id = format!("i={}", id.as_deref().unwrap_or("0"));
    let title = notification.title.as_deref().unwrap_or_default();
    let (title, body) = if title.is_empty() {
        (&*notification.body, "")
    } else {
        (title, &*notification.body)
    };
    let mut bytes = Vec::new();
    for (part, text) in [("title", title), ("body", body)] {
        for chunk in text.as_bytes().chunks(PLAIN_LIMIT) {
            let payload = LENIENT.encode(chunk);
            let fields = ["99;", &id, ":d=0:e=1:p=", part, ";", &payload];
            bytes.extend(ControlString::osc(&fields, terminator));
        }
    }
    bytes.extend(ControlString::osc(
        &["99;", &id, ":d=1:p=body;"],
        terminator,
    ));
    bytes
}

/// Withdraws the OSC 99 notification `id`; `None` if that is no identifier.
pub fn encode_99_close(id: &str, terminator: Terminator) -> Option<Vec<u8>> {
    let id = identifier(id.as_bytes())?;
    Some(ControlString::osc(&["99;i=", &id, ":p=close;"], terminator))
}

/// The question OSC 99 `p=?`: what notifications are understood? `id` comes back with the answer; `0` stands
/// for one that is no identifier.
pub fn query_support(id: &str, terminator: Terminator) -> Vec<u8> {
    let id = identifier(id.as_bytes()).unwrap_or_else(|| "0".to_owned());
    ControlString::osc(&["99;i=", &id, ":p=?;"], terminator)
}

/// The answer to OSC 99 `p=?` with the identifier that was asked with.
pub fn answer_support(id: &str, terminator: Terminator) -> Vec<u8> {
    let id = identifier(id.as_bytes()).unwrap_or_else(|| "0".to_owned());
    ControlString::osc(
        &["99;i=", &id, ":p=?;p=title,body,?,close,alive:o=always"],
        terminator,
    )
}

/// The answer to OSC 99 `p=alive`: the identifiers of the notifications that stand.
pub fn answer_alive<'a>(
    id: &str,
    alive: impl IntoIterator<Item = &'a str>,
    terminator: Terminator,
) -> Vec<u8> {
    let id = identifier(id.as_bytes()).unwrap_or_else(|| "0".to_owned());
    let alive: Vec<String> = alive
        .into_iter()
        .filter_map(|id| identifier(id.as_bytes()))
        .collect();
    ControlString::osc(&["99;i=", &id, ":p=alive;", &alive.join(",")], terminator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::testing::{only_signals, queries, record};

    fn said(title: Option<&str>, body: &str, id: Option<&str>) -> Vec<Signal> {
        vec![Signal::Notify(Notification {
            title: title.map(Into::into),
            body: body.into(),
            id: id.map(Into::into),
        })]
    }

    #[test]
    fn osc_9_with_text_is_a_notification() {
        assert_eq!(
            only_signals(b"\x1b]9;Build done; all\x07"),
            said(None, "Build done; all", None)
        );
        assert_eq!(only_signals(b"\x1b]9;13;x\x07"), said(None, "13;x", None));
        assert_eq!(
            only_signals(b"\x1b]9;42 files\x07"),
            said(None, "42 files", None)
        );
        assert_eq!(
            only_signals(b"\x1b]9;4 files; left\x07"),
            said(None, "4 files; left", None)
        );
        assert_eq!(only_signals(b"\x1b]9;0;x\x07"), said(None, "0;x", None));
    }

    #[test]
    fn osc_9_text_never_changes_progress_and_osc_9_4_never_makes_a_notification() {
        for body in ["44", "4.5", "4x;1;42", "x4;1;42", " 4;1;42", "40;1"] {
            let signals = only_signals(format!("\x1b]9;{body}\x07").as_bytes());
            assert!(
                matches!(signals[..], [Signal::Notify(_)]),
                "{body}: {signals:?}"
            );
        }
        for body in ["4", "4;", "4;1;42", "4;9", "4;x", "4;1;Build done"] {
            let signals = only_signals(format!("\x1b]9;{body}\x07").as_bytes());
            let [Signal::Progress(_) | Signal::Rejected(_)] = signals[..] else {
                panic!("{body}: {signals:?}");
            };
        }
    }

    #[test]
    fn numbered_commands_of_conemu_are_ignored_and_forwarded() {
        for number in (1..=12).filter(|number| *number != 4) {
            for rest in ["", ";", ";x;y"] {
                let bytes = format!("\x1b]9;{number}{rest}\x1b\\");
                let seen = record(bytes.as_bytes());
                assert_eq!(seen.signals, [], "{bytes:?}");
                assert_eq!(seen.forwarded, bytes.as_bytes());
                assert_eq!(seen.drawn, b"");
            }
        }
    }

    #[test]
    fn notification_requests_are_not_forwarded() {
        for bytes in [
            "\x1b]9;text\x07",
            "\x1b]777;notify;a;b\x07",
            "\x1b]99;;x\x07",
            "\x1b]99;i=1:p=close;\x07",
            "\x1b]9;\x07",
            "\x1b]777;notify\x07",
        ] {
            let seen = record(format!("a{bytes}b").as_bytes());
            assert_eq!(
                (seen.forwarded, seen.drawn),
                (b"ab".to_vec(), b"ab".to_vec()),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn progress_is_forwarded_and_not_drawn() {
        let seen = record(b"\x1b]9;4;1;42\x07");
        assert_eq!(
            (&seen.forwarded[..], &seen.drawn[..]),
            (&b"\x1b]9;4;1;42\x07"[..], &b""[..])
        );
    }

    #[test]
    fn the_title_of_osc_777_ends_at_the_next_semicolon() {
        assert_eq!(
            only_signals(b"\x1b]777;notify;T;b;c\x07"),
            said(Some("T"), "b;c", None)
        );
        assert_eq!(
            only_signals(b"\x1b]777;notify;;b\x07"),
            said(None, "b", None)
        );
        assert_eq!(
            only_signals(b"\x1b]777;notify;T\x07"),
            said(Some("T"), "", None)
        );
    }

    #[test]
    fn other_commands_of_osc_777_are_forwarded() {
        for bytes in [
            "\x1b]777;preexec\x07",
            "\x1b]777;notifyx;a\x07",
            "\x1b]777;not\x07",
        ] {
            let seen = record(bytes.as_bytes());
            assert_eq!(
                (&seen.forwarded[..], &seen.signals[..]),
                (bytes.as_bytes(), &[][..])
            );
        }
    }

    #[test]
    fn a_notification_without_text_says_nothing() {
        for bytes in [
            "\x1b]9;\x07",
            "\x1b]9\x07",
            "\x1b]777;notify;;\x07",
            "\x1b]99;;\x07",
            "\x1b]99\x07",
        ] {
            assert_eq!(only_signals(bytes.as_bytes()), [], "{bytes:?}");
        }
    }

    #[test]
    fn osc_99_is_a_title_when_p_is_missing() {
        assert_eq!(
            only_signals(b"\x1b]99;;Hello\x1b\\"),
            said(Some("Hello"), "", None)
        );
        assert_eq!(
            only_signals(b"\x1b]99;i=a.b+c-_1;Hello\x1b\\"),
            said(Some("Hello"), "", Some("a.b+c-_1"))
        );
    }

    #[test]
    fn osc_99_parts_are_joined_until_d_is_not_0() {
        let bytes = b"\x1b]99;i=1:d=0;Hel\x1b\\\x1b]99;i=2;other\x1b\\\x1b]99;i=1:d=0;lo\x1b\\\x1b]99;i=1:p=body;there\x1b\\";
        let expected = [
            said(Some("other"), "", Some("2")),
            said(Some("Hello"), "there", Some("1")),
        ]
        .concat();
        assert_eq!(only_signals(bytes), expected);
    }

    #[test]
    fn an_osc_99_body_without_a_title_is_the_title() {
        assert_eq!(
            only_signals(b"\x1b]99;p=body;Hello\x1b\\"),
            said(Some("Hello"), "", None)
        );
    }

    #[test]
    fn osc_99_with_e_1_is_base64() {
        assert_eq!(
            only_signals(b"\x1b]99;e=1;SMOpbA==\x1b\\"),
            said(Some("Hél"), "", None)
        );
        assert_eq!(
            only_signals(b"\x1b]99;e=1;SMOpbA\x1b\\"),
            said(Some("Hél"), "", None)
        );
        assert_eq!(only_signals(b"\x1b]99;e=1;***\x1b\\"), []);
    }

    #[test]
    fn a_character_may_be_cut_between_two_osc_99_parts() {
        let bytes = b"\x1b]99;d=0:e=1;w/==\x1b\\\x1b]99;e=1;qQ==\x1b\\";
        assert_eq!(only_signals(bytes), said(Some("é"), "", None));
    }

    #[test]
    fn an_osc_99_payload_has_at_most_2048_bytes_plain_and_4096_encoded() {
        let plain = |length: usize| format!("\x1b]99;p=body;{}\x1b\\", "a".repeat(length));
        assert_eq!(only_signals(plain(2048).as_bytes()).len(), 1);
        assert_eq!(only_signals(plain(2049).as_bytes()), []);
        let encoded = |length: usize| format!("\x1b]99;e=1;{}\x1b\\", "YWFh".repeat(length / 4));
        assert_eq!(only_signals(encoded(4096).as_bytes()).len(), 1);
        assert_eq!(only_signals(encoded(4100).as_bytes()), []);
    }

    #[test]
    fn icons_buttons_and_unknown_keys_are_skipped() {
        let bytes = b"\x1b]99;i=1:d=0:u=2:zz=9;T\x1b\\\x1b]99;i=1:d=0:p=icon:e=1;AAAA\x1b\\\x1b]99;i=1:p=buttons;Yes\x1b\\";
        assert_eq!(only_signals(bytes), said(Some("T"), "", Some("1")));
    }

    #[test]
    fn p_close_withdraws() {
        assert_eq!(
            only_signals(b"\x1b]99;i=a1:p=close;\x1b\\"),
            [Signal::NotifyClose("a1".into())]
        );
        assert_eq!(only_signals(b"\x1b]99;p=close;\x1b\\"), []);
    }

    #[test]
    fn osc_99_questions_carry_their_identifier_or_0() {
        for (bytes, kind) in [
            (
                "\x1b]99;i=a:p=?;\x1b\\",
                QueryKind::NotificationSupport("a".into()),
            ),
            (
                "\x1b]99;p=?\x1b\\",
                QueryKind::NotificationSupport("0".into()),
            ),
            (
                "\x1b]99;i=<b>:p=?;\x1b\\",
                QueryKind::NotificationSupport("0".into()),
            ),
            (
                "\x1b]99;i=a:p=alive;\x07",
                QueryKind::NotificationsAlive("a".into()),
            ),
        ] {
            assert_eq!(queries(bytes.as_bytes()), [kind], "{bytes:?}");
            assert_eq!(record(bytes.as_bytes()).forwarded, b"");
        }
    }

    #[test]
    fn osc_99_answers_are_as_the_protocol_has_them() {
        let answer = answer_support("a", Terminator::St);
        assert_eq!(
            answer,
            b"\x1b]99;i=a:p=?;p=title,body,?,close,alive:o=always\x1b\\"
        );
        assert_eq!(
            answer_support("\x07", Terminator::Bell)[..10],
            b"\x1b]99;i=0:p"[..]
        );
        let answer = answer_alive("a", ["x", "y;z", "1"], Terminator::Bell);
        assert_eq!(answer, b"\x1b]99;i=a:p=alive;x,1\x07");
    }

    #[test]
    fn pending_notifications_are_bounded() {
        let mut bytes = Vec::new();
        for id in 0..1000 {
            for _ in 0..20 {
                bytes.extend(format!("\x1b]99;i={id}:d=0;{}\x07", "x".repeat(2000)).into_bytes());
            }
        }
        let mut reader = crate::Reader::new(crate::Options::default());
        reader.read(&bytes, &mut crate::reader::testing::Record::default());
        let pending = reader.memory_for_tests().notifications.0.iter();
        let (count, size) = pending.fold((0, 0), |(count, size), part| {
            (count + 1, size + part.title.len())
        });
        assert_eq!((count, size), (PENDING_LIMIT, PENDING_LIMIT * BODY_LIMIT));
    }

    #[test]
    fn encoded_notifications_are_read_back() {
        let sent = Notification {
            title: Some("T\u{1f41c}".into()),
            body: "b ".repeat(2000) + "é",
            id: Some("x1".into()),
        };
        let short = Notification {
            title: Some("a;b".into()),
            body: "c;d".into(),
            id: None,
        };
        let expected = said(
            sent.title.as_deref(),
            &text::bounded(sent.body.clone(), BODY_CHARACTERS),
            Some("x1"),
        );
        assert_eq!(only_signals(&encode_99(&sent, Terminator::St)), expected);
        assert_eq!(
            only_signals(&encode_777(&short, Terminator::Bell)),
            said(Some("a,b"), "c;d", None)
        );
        assert_eq!(
            only_signals(&encode_9(&short, Terminator::Bell)),
            said(None, "a;b: c;d", None)
        );
        let number = Notification {
            title: None,
            body: "4;1;42".into(),
            id: None,
        };
        assert_eq!(
            only_signals(&encode_9(&number, Terminator::Bell)),
            said(None, "4;1;42", None)
        );
        let close = encode_99_close("x1", Terminator::St).unwrap();
        assert_eq!(only_signals(&close), [Signal::NotifyClose("x1".into())]);
        assert_eq!(encode_99_close("x;1", Terminator::St), None);
    }

    #[test]
    fn the_question_for_support_is_read_as_one_with_its_identifier() {
        for (id, asked) in [("wigwag", "wigwag"), ("not one", "0")] {
            let bytes = query_support(id, Terminator::St);
            assert_eq!(
                queries(&bytes),
                [crate::QueryKind::NotificationSupport(asked.into())]
            );
        }
    }
}
