//! The bodies of control strings: any bytes as the payload of every protocol.
//!
//! Promises: text that is shown is bounded and free of what is hidden; a report that was
//! read can be sent again and is read as the same.

use signals::{Options, Reader, Signal, Sink, Terminator, program_status, progress, text};

/// What the payload is put behind, and what ends the string.
const STRINGS: &[(&str, &str)] = &[
    ("]0;", "\x07"),
    ("]4;", "\x1b\\"),
    ("]7;", "\x07"),
    ("]7;file://", "\x07"),
    ("]9;", "\x07"),
    ("]9;4", "\x1b\\"),
    ("]10;", "\x07"),
    ("]52;", "\x07"),
    ("]99;", "\x1b\\"),
    ("]133;", "\x07"),
    ("]133;C;cmdline=", "\x07"),
    ("]633;", "\x07"),
    ("]777;", "\x07"),
    ("]1337;", "\x07"),
    ("]7501;", "\x1b\\"),
    ("]7501;state=working:", "\x07"),
    ("P$q", "\x1b\\"),
    ("P+q", "\x1b\\"),
    ("_G", "\x1b\\"),
];

struct Signals(Vec<Signal>);

impl Sink for Signals {
    fn signal(&mut self, _: u64, signal: Signal) {
        self.0.push(signal);
    }
}

fn signals(bytes: &[u8]) -> Vec<Signal> {
    let mut signals = Signals(Vec::new());
    Reader::new(Options::default()).read(bytes, &mut signals);
    signals.0
}

/// The target.
pub fn osc_bodies(data: &[u8]) {
    for (start, end) in STRINGS {
        let bytes = [b"\x1b", start.as_bytes(), data, end.as_bytes()].concat();
        for signal in signals(&bytes) {
            check(&signal);
        }
    }
}

fn check(signal: &Signal) {
    match signal {
        Signal::Title(title) => check_text(title, text::TITLE_CHARACTERS),
        Signal::Notify(said) => {
            check_text(
                said.title.as_deref().unwrap_or_default(),
                text::TITLE_CHARACTERS,
            );
            check_text(&said.body, 2048);
        }
        Signal::Cwd(Some(cwd)) => check_text(&cwd.path, usize::MAX),
        Signal::Progress(said) => {
            assert!(said.percent.is_none_or(|percent| percent <= 100));
            let bytes = progress::encode(*said, Terminator::St);
            assert_eq!(signals(&bytes), [Signal::Progress(*said)]);
        }
        Signal::Report(report) => {
            check_text(
                report.title.as_deref().unwrap_or_default(),
                program_status::TITLE_LIMIT,
            );
            check_text(
                report.msg.as_deref().unwrap_or_default(),
                program_status::MSG_LIMIT,
            );
            let bytes = program_status::encode(report, Terminator::Bell);
            let bytes = bytes.unwrap_or_else(|error| panic!("{report:?}: {error}"));
            assert_eq!(signals(&bytes), std::slice::from_ref(signal));
        }
        Signal::Clear(clear) => {
            let bytes = program_status::encode_clear(clear, Terminator::Bell);
            let bytes = bytes.unwrap_or_else(|error| panic!("{clear:?}: {error}"));
            assert_eq!(signals(&bytes), std::slice::from_ref(signal));
        }
        _ => {}
    }
}

fn check_text(shown: &str, characters: usize) {
    assert_eq!(text::clean(shown), shown);
    assert_eq!(shown.trim(), shown);
    assert!(shown.chars().count() <= characters);
}

#[cfg(test)]
mod tests {
    #[test]
    fn bodies_of_control_strings_keep_their_promises() {
        let dictionary: &[&[u8]] = &[
            b"state=",
            b"idle",
            b"working",
            b"blocked",
            b"clear",
            b":",
            b"=",
            b"id=",
            b"a/b",
            b"kind=auth",
            b"progress=",
            b"app=",
            b"title=",
            b"msg=",
            b"QQ==",
            b"4oCu",
            b"?",
            b";",
            b"4;1;",
            b"notify;",
            b"i=1",
            b"p=body",
            b"d=0",
            b"e=1",
            b"p=close",
            b"file://",
            b"%1b",
            b"%e2%80%ae",
            b"cmdline=",
            b"cmdline_url=",
            b"$'",
            b"\\x1b",
            b"\\u00",
            b"aid=",
            b"k=s",
            b"Cwd=",
            b"\xe2\x80\xae",
            b"\xf0\x9f\x90\x9c",
            b"\t",
            b" ",
            b"/",
        ];
        crate::mutation::run("osc_bodies", dictionary, super::osc_bodies);
    }
}
