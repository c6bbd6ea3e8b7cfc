//! Shell integration: OSC 133 (FinalTerm, fish 4, kitty, Ghostty) and OSC 633 (VS Code).
//!
//! ```text
//! OSC 133|633 ; letter [; field …]          field = [key=]value
//!   A         a prompt starts; with k=s|c|r a continuation or right prompt: no mark
//!   N         the command ended, a prompt starts
//!   P         a prompt, with k=i or no k, if no A or N came since the last D
//!   B  I      the prompt ended, the person types
//!   C         a command starts; cmdline= to the end of the body, as Bash's printf %q
//!             writes a word, or cmdline_url=, percent-encoded
//!   D [; n]   the command ended; the first field is its exit code if it is an integer
//! OSC 633 ; E ; text [; nonce]              the text of the next command
//! OSC 633 ; P ; Cwd=path                    the working directory
//!             both with the escapes \\ and \xAB
//! ```
//!
//! `aid=` is carried by every mark: whose it is, is decided elsewhere. Other letters and
//! fields are skipped.

use percent_encoding::{NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

use crate::control_string::{ControlString, Memory, Protocol, Said};
use crate::{Cwd, Mark, Signal, Terminator, text};

/// Longest body, in bytes: it may carry the whole text of a command.
const LIMIT: usize = 512 * 1024;

pub(crate) static OSC_133: Protocol = Protocol {
    numbers: &[133],
    limit: LIMIT,
    read: |string, memory, said| read_mark(string.payload.unwrap_or_default(), memory, said),
    ..Protocol::DEFAULT
};

pub(crate) static OSC_633: Protocol = Protocol {
    numbers: &[633],
    limit: LIMIT,
    read: |string, memory, said| {
        let payload = string.payload.unwrap_or_default();
        if let Some(fields) = payload.strip_prefix(b"E;") {
            memory.command.0 = Some(text::command(&unescape(first_field(fields).0)));
        } else if let Some(path) = payload.strip_prefix(b"P;Cwd=") {
            let path = text::shown(&unescape(path));
            said.signal(Signal::Cwd(
                (!path.is_empty()).then_some(Cwd { host: None, path }),
            ));
        } else if !payload.starts_with(b"P") {
            // `633;P` sets properties; it is no prompt.
            read_mark(payload, memory, said);
        }
    },
    ..Protocol::DEFAULT
};

/// The text of `633;E` for the command that starts next.
#[derive(Debug, Default)]
pub(crate) struct Pending(Option<String>);

fn read_mark(payload: &[u8], memory: &mut Memory, said: &mut Said) {
    let (letter, fields) = first_field(payload);
    let fields = Fields::parse(fields.unwrap_or_default());
    let mark = match letter {
        b"A" if matches!(fields.kind, Some(b"s" | b"c" | b"r")) => return,
        b"A" => Mark::Prompt,
        b"N" => Mark::NewPrompt,
        b"P" if matches!(fields.kind, None | Some(b"i")) => Mark::PromptIfNone,
        b"B" | b"I" => Mark::Input,
        b"C" => Mark::Command(fields.command.clone().or_else(|| memory.command.0.take())),
        b"D" => Mark::CommandDone(fields.first.and_then(exit_code)),
        _ => return,
    };
    if !matches!(mark, Mark::Input) {
        // A text that no command took belongs to none that comes later.
        memory.command.0 = None;
    }
    said.signal(Signal::Mark {
        mark,
        aid: fields.aid,
    });
}

/// What stands before the first `;`, and what after it.
fn first_field(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    match bytes.iter().position(|byte| *byte == b';') {
        Some(end) => (&bytes[..end], Some(&bytes[end + 1..])),
        None => (bytes, None),
    }
}

#[derive(Default)]
struct Fields<'a> {
    first: Option<&'a [u8]>,
    kind: Option<&'a [u8]>,
    aid: Option<String>,
    command: Option<String>,
}

impl<'a> Fields<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let mut fields = Self::default();
        let mut rest = Some(bytes);
        while let Some(bytes) = rest {
            if let Some(word) = bytes.strip_prefix(b"cmdline=") {
                fields.command = told(&unquote(word));
                return fields;
            }
            let (field, next) = first_field(bytes);
            fields.first.get_or_insert(field);
            if let Some(url) = field.strip_prefix(b"cmdline_url=") {
                fields.command = told(&percent_decode(url).collect::<Vec<u8>>());
            } else if let Some(aid) = field.strip_prefix(b"aid=") {
                fields.aid = Some(text::shown(aid));
            } else if let Some(kind) = field.strip_prefix(b"k=") {
                fields.kind = Some(kind);
            }
            rest = next;
        }
        fields
    }
}

/// The text of a command; an empty one tells nothing.
fn told(bytes: &[u8]) -> Option<String> {
    Some(text::command(bytes)).filter(|text| !text.is_empty())
}

fn exit_code(field: &[u8]) -> Option<i32> {
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    let integer = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(field)
        .ok()
        .filter(|_| integer)?
        .parse()
        .ok()
}

/// Undoes `\\` and `\xAB`; anything else stays.
fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, next)) = rest.split_first() {
        rest = match (byte, next) {
            (b'\\', [b'\\', next @ ..]) => {
                plain.push(b'\\');
                next
            }
            (b'\\', [b'x', high, low, next @ ..])
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                plain.push(hex(&[*high, *low]) as u8);
                next
            }
            _ => {
                plain.push(byte);
                next
            }
        };
    }
    plain
}

/// The value of hexadecimal digits; at most eight are given.
fn hex(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value, digit| {
        value << 4 | (*digit as char).to_digit(16).unwrap_or(0)
    })
}

/// Undoes the quoting of one word of a shell: backslashes, `'…'`, `"…"` and `$'…'`.
fn unquote(word: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((&byte, next)) = rest.split_first() {
        rest = match (byte, next) {
            (b'\\', [escaped, next @ ..]) => {
                plain.push(*escaped);
                next
            }
            (b'$', [b'\'', next @ ..]) => unquote_ansi(next, &mut plain),
            (b'\'', _) => {
                let end = next
                    .iter()
                    .position(|byte| *byte == b'\'')
                    .unwrap_or(next.len());
                plain.extend_from_slice(&next[..end]);
                next.get(end + 1..).unwrap_or_default()
            }
            (b'"', _) => unquote_double(next, &mut plain),
            _ => {
                plain.push(byte);
                next
            }
        };
    }
    plain
}

/// The inside of `"…"`, to what follows it.
fn unquote_double<'a>(mut rest: &'a [u8], plain: &mut Vec<u8>) -> &'a [u8] {
    loop {
        rest = match rest {
            [] => return rest,
            [b'"', next @ ..] => return next,
            [b'\\', escaped @ (b'$' | b'`' | b'"' | b'\\'), next @ ..] => {
                plain.push(*escaped);
                next
            }
            [byte, next @ ..] => {
                plain.push(*byte);
                next
            }
        };
    }
}

/// The inside of `$'…'`, to what follows it.
fn unquote_ansi<'a>(mut rest: &'a [u8], plain: &mut Vec<u8>) -> &'a [u8] {
    loop {
        rest = match rest {
            [] => return rest,
            [b'\'', next @ ..] => return next,
            [b'\\', letter, next @ ..] => {
                let simple = match letter {
                    b'a' => Some(0x07),
                    b'b' => Some(0x08),
                    b'e' | b'E' => Some(0x1b),
                    b'f' => Some(0x0c),
                    b'n' => Some(b'\n'),
                    b'r' => Some(b'\r'),
                    b't' => Some(b'\t'),
                    b'v' => Some(0x0b),
                    b'\\' | b'\'' | b'"' | b'?' => Some(*letter),
                    _ => None,
                };
                if let Some(byte) = simple {
                    plain.push(byte);
                    next
                } else {
                    unquote_code(*letter, next, plain)
                }
            }
            [byte, next @ ..] => {
                plain.push(*byte);
                next
            }
        };
    }
}

/// A code inside `$'…'`: `\nnn`, `\xHH`, `\uHHHH`, `\UHHHHHHHH`, `\cx`.
fn unquote_code<'a>(letter: u8, rest: &'a [u8], plain: &mut Vec<u8>) -> &'a [u8] {
    let count = |limit: usize| {
        rest.iter()
            .take(limit)
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count()
    };
    match letter {
        b'0'..=b'7' => {
            let more = rest
                .iter()
                .take(2)
                .take_while(|byte| (b'0'..=b'7').contains(byte))
                .count();
            let value = rest[..more]
                .iter()
                .fold(u32::from(letter - b'0'), |value, digit| {
                    value * 8 + u32::from(digit - b'0')
                });
            plain.push(value as u8);
            &rest[more..]
        }
        b'x' if count(2) > 0 => {
            plain.push(hex(&rest[..count(2)]) as u8);
            &rest[count(2)..]
        }
        b'u' | b'U' if count(4) > 0 => {
            let digits = count(if letter == b'u' { 4 } else { 8 });
            let character = char::from_u32(hex(&rest[..digits])).unwrap_or('\u{fffd}');
            plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            &rest[digits..]
        }
        b'c' if !rest.is_empty() => {
            plain.push(rest[0] & 0x1f);
            &rest[1..]
        }
        _ => {
            plain.extend_from_slice(&[b'\\', letter]);
            rest
        }
    }
}

/// The OSC 133 that says `mark`; the text of a command is percent-encoded.
pub fn encode(mark: &Mark, aid: Option<&str>, terminator: Terminator) -> Vec<u8> {
    let mark = match mark {
        Mark::Prompt => "A".to_owned(),
        Mark::NewPrompt => "N".to_owned(),
        Mark::PromptIfNone => "P".to_owned(),
        Mark::Input => "B".to_owned(),
        Mark::Command(None) => "C".to_owned(),
        Mark::Command(Some(line)) => {
            format!(
                "C;cmdline_url={}",
                utf8_percent_encode(line, NON_ALPHANUMERIC)
            )
        }
        Mark::CommandDone(None) => "D".to_owned(),
        Mark::CommandDone(Some(code)) => format!("D;{code}"),
    };
    let aid = aid.map(|aid| format!(";aid={}", text::clean(aid).replace(';', "")));
    ControlString::osc(
        &["133;", &mark, aid.as_deref().unwrap_or_default()],
        terminator,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::testing::{only_signals, record};

    fn marks(body: &str) -> Vec<Mark> {
        only_signals(format!("\x1b]{body}\x07").as_bytes())
            .into_iter()
            .map(|signal| match signal {
                Signal::Mark { mark, .. } => mark,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    fn command(text: &str) -> Vec<Mark> {
        vec![Mark::Command(Some(text.into()))]
    }

    #[test]
    fn each_letter_is_its_mark() {
        for number in ["133", "633"] {
            for (letter, mark) in [
                ("A", Mark::Prompt),
                ("B", Mark::Input),
                ("C", Mark::Command(None)),
                ("D", Mark::CommandDone(None)),
                ("D;2", Mark::CommandDone(Some(2))),
            ] {
                assert_eq!(marks(&format!("{number};{letter}")), [mark], "{letter}");
            }
        }
        assert_eq!(marks("133;N"), [Mark::NewPrompt]);
        assert_eq!(marks("133;P"), [Mark::PromptIfNone]);
        assert_eq!(marks("133;I"), [Mark::Input]);
    }

    #[test]
    fn continuation_and_right_prompts_are_no_prompts() {
        for kind in ["s", "c", "r"] {
            assert_eq!(marks(&format!("133;A;k={kind}")), []);
            assert_eq!(marks(&format!("133;P;cl=m;k={kind}")), []);
        }
        assert_eq!(marks("133;A;k=i"), [Mark::Prompt]);
        assert_eq!(marks("133;P;k=i"), [Mark::PromptIfNone]);
    }

    #[test]
    fn other_letters_and_fields_are_skipped() {
        for body in [
            "133;L",
            "133;Z;x",
            "133;AB",
            "133;",
            "133",
            "633;F",
            "633;P;IsWindows=False",
            "633;P",
        ] {
            assert_eq!(marks(body), [], "{body}");
        }
        assert_eq!(
            marks("133;A;cl=line;redraw=0;click_events=1"),
            [Mark::Prompt]
        );
        assert_eq!(marks("133;D;1;err=CANCEL"), [Mark::CommandDone(Some(1))]);
    }

    #[test]
    fn the_first_field_of_d_is_the_exit_code_only_if_it_is_an_integer() {
        for (fields, code) in [
            ("0", Some(0)),
            ("130", Some(130)),
            ("-1", Some(-1)),
            ("", None),
            ("err=1", None),
            ("aid=7", None),
            ("1x", None),
            ("+1", None),
            ("99999999999", None),
            ("aid=7;3", None),
        ] {
            assert_eq!(
                marks(&format!("133;D;{fields}")),
                [Mark::CommandDone(code)],
                "{fields}"
            );
        }
    }

    #[test]
    fn cmdline_is_a_word_as_printf_q_writes_it_to_the_end_of_the_body() {
        for (word, text) in [
            (r"make\ -j8", "make -j8"),
            (r"a\;b\;\ aid=x", "a;b; aid=x"),
            (r"echo\ \\\'", r"echo \'"),
            (r"$'a\nb\tc\'d\\'", "a\nb c'd\\"),
            (r"$'\303\251\xc3\xa9\u00e9\U0001f41c'", "ééé\u{1f41c}"),
            (r"$'\E[1m\a'x", "[1mx"),
            (r#"'a b'"c \"d\" \e""#, r#"a bc "d" \e"#),
            ("plain;rest", "plain;rest"),
            (r"$'open", "open"),
            (r"'open", "open"),
            ("end\\", "end\\"),
        ] {
            assert_eq!(
                marks(&format!("133;C;cmdline={word}")),
                command(text),
                "{word}"
            );
        }
        assert_eq!(marks("133;C;cmdline=''"), [Mark::Command(None)]);
    }

    #[test]
    fn cmdline_url_is_percent_encoded() {
        assert_eq!(
            marks("133;C;cmdline_url=for%20x%0Ado%20%3B%25;aid=1"),
            command("for x\ndo ;%")
        );
    }

    #[test]
    fn the_text_of_633_e_is_carried_by_the_next_command() {
        let bytes = b"\x1b]633;E;echo a\\x3b b\\\\n\\x0ac;nonce;x\x07\x1b]633;C\x07\x1b]633;C\x07";
        let expected = [command("echo a; b\\n\nc"), vec![Mark::Command(None)]].concat();
        let signals: Vec<_> = expected
            .into_iter()
            .map(|mark| Signal::Mark { mark, aid: None })
            .collect();
        assert_eq!(only_signals(bytes), signals);
    }

    #[test]
    fn the_text_of_633_e_is_forgotten_at_a_prompt_and_a_reset() {
        for between in ["\x1b]633;A\x07", "\x1b]633;D\x07", "\x1bc"] {
            let bytes = format!("\x1b]633;E;old\x07{between}\x1b]633;C\x07");
            let last = only_signals(bytes.as_bytes()).pop();
            assert_eq!(
                last,
                Some(Signal::Mark {
                    mark: Mark::Command(None),
                    aid: None
                })
            );
        }
    }

    #[test]
    fn escapes_of_633_are_two_backslashes_and_x_with_two_digits_only() {
        assert_eq!(unescape(br"a\\b\x41\n\x4\xzz\"), br"a\bA\n\x4\xzz\");
    }

    #[test]
    fn cwd_of_633_is_the_working_directory() {
        let expected = Signal::Cwd(Some(Cwd {
            host: None,
            path: "/a;b".into(),
        }));
        assert_eq!(only_signals(b"\x1b]633;P;Cwd=/a\\x3bb\x07"), [expected]);
        assert_eq!(only_signals(b"\x1b]633;P;Cwd=\x07"), [Signal::Cwd(None)]);
    }

    #[test]
    fn aid_is_carried_by_every_mark() {
        for body in [
            "A;aid=k7",
            "D;0;aid=k7",
            "D;aid=k7;0",
            "C;aid=k7;cmdline=x\\;aid=no",
            "C;cmdline_url=x;aid=k7",
        ] {
            let [Signal::Mark { aid, .. }] =
                &only_signals(format!("\x1b]133;{body}\x07").as_bytes())[..]
            else {
                panic!("{body}");
            };
            assert_eq!(aid.as_deref(), Some("k7"), "{body}");
        }
    }

    #[test]
    fn a_command_text_of_512_kib_is_read_and_a_longer_one_skipped() {
        let text = "x".repeat(LIMIT - "133;C;cmdline=".len());
        assert_eq!(marks(&format!("133;C;cmdline={text}")), command(&text));
        assert_eq!(marks(&format!("133;C;cmdline={text}x")), []);
    }

    #[test]
    fn marks_are_forwarded_and_not_drawn() {
        let bytes = b"\x1b]133;A\x07$ \x1b]633;B\x1b\\";
        let seen = record(bytes);
        assert_eq!(
            (&seen.forwarded[..], &seen.drawn[..]),
            (&bytes[..], &b"$ "[..])
        );
    }

    #[test]
    fn encoded_marks_are_read_back() {
        for mark in [
            Mark::Prompt,
            Mark::NewPrompt,
            Mark::PromptIfNone,
            Mark::Input,
            Mark::Command(None),
            Mark::Command(Some("a;b\n%é".into())),
            Mark::CommandDone(None),
            Mark::CommandDone(Some(-3)),
        ] {
            for aid in [None, Some("k7")] {
                let signals = only_signals(&encode(&mark, aid, Terminator::St));
                assert_eq!(
                    signals,
                    [Signal::Mark {
                        mark: mark.clone(),
                        aid: aid.map(Into::into)
                    }]
                );
            }
        }
    }
}
