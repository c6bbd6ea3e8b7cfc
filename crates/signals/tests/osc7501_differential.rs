//! OSC 7501 against two other readers of revision 0.4. Each known difference is a named
//! case with its reason; on everything else generated here, all three agree.

use osc7501_parser as parser;
use proptest::prelude::*;
use signals::{Kind, Options, Query, QueryKind, Reader, Report, ReportState, Signal, Sink, text};
use termstate_core as termstate;

/// What a body comes to. Which reason it was ignored for, is not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Report(Report),
    Clear(String),
    Query,
    Ignored,
}

fn ours(body: &[u8]) -> Outcome {
    struct One(Vec<Outcome>);
    impl Sink for One {
        fn signal(&mut self, _: u64, signal: Signal) {
            self.0.push(match signal {
                Signal::Report(report) => Outcome::Report(report),
                Signal::Clear(clear) => Outcome::Clear(clear.id),
                Signal::Rejected(_) => Outcome::Ignored,
                other => panic!("{other:?}"),
            });
        }
        fn query(&mut self, _: u64, query: Query) {
            assert_eq!(query.kind, QueryKind::ProgramStatus);
            self.0.push(Outcome::Query);
        }
    }
    let mut one = One(Vec::new());
    let bytes = [b"\x1b]7501;", body, b"\x1b\\"].concat();
    Reader::new(Options::default()).read(&bytes, &mut one);
    assert_eq!(one.0.len(), 1, "{body:?}");
    one.0.remove(0)
}

fn is_bare_query(body: &[u8]) -> bool {
    body.iter().filter(|byte| !b" \t".contains(byte)).eq(b"?")
}

fn shown(line: &str) -> Option<String> {
    Some(text::clean(line).trim().to_owned()).filter(|line| !line.is_empty())
}

fn termstate_says(body: &[u8]) -> Outcome {
    let message = match termstate::parse_body(body) {
        Ok(message) => message,
        Err(_) => return Outcome::Ignored,
    };
    let line = |text: termstate::Text<'_>| {
        shown(
            text.decode_into(&mut [0; 4096])
                .expect("a buffer larger than any limit"),
        )
    };
    match message {
        termstate::Message::Report(report) => Outcome::Report(Report {
            id: report.id.map(|id| id.to_string()).unwrap_or_default(),
            state: state(report.state.as_str()),
            kind: report.kind.map(|word| kind(word.as_str())),
            progress: report.progress,
            app: report.app.map(|app| app.as_str().to_owned()),
            title: report.title.and_then(line),
            msg: report.msg.and_then(line),
        }),
        termstate::Message::Clear { id } => {
            Outcome::Clear(id.map(|id| id.to_string()).unwrap_or_default())
        }
        termstate::Message::Feature(_) if is_bare_query(body) => Outcome::Query,
        termstate::Message::Feature(_) => Outcome::Ignored,
    }
}

fn parser_says(body: &[u8]) -> Outcome {
    let report = match parser::parse_body(body) {
        Ok(Some(parser::Event::Report(report))) => report,
        Ok(Some(parser::Event::Query)) => return Outcome::Query,
        Ok(_) | Err(_) => return Outcome::Ignored,
    };
    let line = |text: parser::EncodedText<'_>| {
        shown(
            text.decode_into(&mut [0; 4096])
                .expect("a buffer larger than any limit"),
        )
    };
    let id = report
        .id()
        .map(|id| id.as_str().to_owned())
        .unwrap_or_default();
    let said = match report.action() {
        parser::Action::Clear => return Outcome::Clear(id),
        parser::Action::Set(said) => said,
    };
    Outcome::Report(Report {
        id,
        state: state(said.as_str()),
        kind: report.kind().map(|word| kind(word.as_str())),
        progress: report.progress().map(|progress| progress.get()),
        app: report.app().map(|app| app.as_str().to_owned()),
        title: report.title().and_then(line),
        msg: report.message().and_then(line),
    })
}

fn state(word: &str) -> ReportState {
    match word {
        "idle" => ReportState::Idle,
        "working" => ReportState::Working,
        "done" => ReportState::Done,
        "blocked" => ReportState::Blocked,
        "error" => ReportState::Error,
        other => panic!("{other}"),
    }
}

fn kind(word: &str) -> Kind {
    match word {
        "permission" => Kind::Permission,
        "question" => Kind::Question,
        "auth" => Kind::Auth,
        other => panic!("{other}"),
    }
}

/// Bodies near the grammar: known keys and words, wrong ones, limits met and broken.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let chosen =
        |words: &'static [&'static str]| proptest::sample::select(words).prop_map(str::to_owned);
    let key = prop_oneof![
        8 => chosen(&["state", "id", "kind", "progress", "app", "title", "msg"]),
        1 => chosen(&["", "State", "x", "colour", "i d", "abcdefghijklmnop", "abcdefghijklmnopq", "?"]),
        1 => "[a-zA-Z ?]{0,18}",
    ];
    let value = prop_oneof![
        3 => chosen(&["idle", "working", "done", "blocked", "error", "clear", "busy"]),
        2 => chosen(&["permission", "question", "auth", "", "0", "42", "100", "101", "007", "QQ==", "QQ", "QQ=", "QR=="]),
        2 => chosen(&["a", "a/b", "a//b", "/a", "1/2/3/4/5/6/7/8", "1/2/3/4/5/6/7/8/9", "a b", "SMOkaA==", "/w==", "Gw==", "4oCu"]),
        1 => "[A-Za-z0-9+/=]{0,12}",
        1 => "[ -9;-~é]{0,6}",
        1 => (0..4usize, proptest::sample::select(vec![32usize, 33, 128, 129, 192, 256, 257, 260, 2732, 2736]))
            .prop_map(|(letter, length)| ["A", "a", "1", "/"][letter].repeat(length)),
    ];
    let space = || chosen(&["", "", "", " ", "\t "]);
    let pair = (
        space(),
        key,
        space(),
        proptest::bool::weighted(0.95),
        space(),
        value,
        space(),
    )
        .prop_map(|(a, key, b, equals, c, value, d)| {
            format!("{a}{key}{b}{}{c}{value}{d}", if equals { "=" } else { "" })
        });
    let query = chosen(&["?", " ? ", "?:states=idle", "?:"]);
    let stated = (
        chosen(&[
            "state=idle",
            "state=working",
            "state=blocked",
            "state=clear",
        ]),
        proptest::collection::vec(pair.clone(), 0..5),
    )
        .prop_map(|(state, pairs)| [vec![state], pairs].concat().join(":"));
    prop_oneof![
        6 => stated,
        2 => proptest::collection::vec(pair, 0..5).prop_map(|pairs| pairs.join(":")),
        1 => query,
    ]
    .prop_map(String::into_bytes)
}

/// The pairs of a body as (key, value), `None` where there is no `=`.
fn pairs(body: &[u8]) -> Vec<(String, Option<String>)> {
    let trimmed = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes)
            .trim_matches([' ', '\t'])
            .to_owned()
    };
    body.split(|byte| *byte == b':')
        .map(|pair| match pair.iter().position(|byte| *byte == b'=') {
            Some(at) => (trimmed(&pair[..at]), Some(trimmed(&pair[at + 1..]))),
            None => (trimmed(pair), None),
        })
        .collect()
}

fn has_bare_id(body: &[u8]) -> bool {
    pairs(body)
        .iter()
        .any(|(key, value)| key == "id" && value.is_none())
}

fn repeats(body: &[u8], repeated: &str) -> bool {
    pairs(body)
        .iter()
        .filter(|(key, _)| key == repeated)
        .count()
        > 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn termstate_core_agrees(body in body()) {
        prop_assume!(!has_bare_id(&body));
        prop_assert_eq!(ours(&body), termstate_says(&body));
    }

    #[test]
    fn osc7501_parser_agrees(body in body()) {
        prop_assume!(!has_bare_id(&body));
        prop_assume!(!["id", "title", "msg"].iter().any(|key| repeats(&body, key)));
        prop_assert_eq!(ours(&body), parser_says(&body));
    }
}

#[test]
fn an_id_without_a_value_discards_here_and_is_skipped_by_both() {
    // They would set the root record for a program that meant another one.
    let body = b"state=idle:id";
    assert_eq!(ours(body), Outcome::Ignored);
    assert!(matches!(termstate_says(body), Outcome::Report(report) if report.id.is_empty()));
    assert!(matches!(parser_says(body), Outcome::Report(report) if report.id.is_empty()));
}

#[test]
fn a_malformed_id_that_is_repeated_rightly_discards_here_and_not_in_osc7501_parser() {
    // The protocol judges an id in every occurrence; termstate-core does too.
    let body = b"state=idle:id=a b:id=c";
    assert_eq!(ours(body), Outcome::Ignored);
    assert_eq!(termstate_says(body), Outcome::Ignored);
    assert!(matches!(parser_says(body), Outcome::Report(report) if report.id == "c"));
}

#[test]
fn a_bad_text_that_loses_is_not_decoded_here_and_discards_in_osc7501_parser() {
    // Text is decoded only where it wins; termstate-core does so too.
    for body in [
        &b"state=idle:msg=Q:msg=QQ"[..],
        b"state=idle:title=Q:title=QQ",
    ] {
        assert!(matches!(ours(body), Outcome::Report(_)));
        assert_eq!(ours(body), termstate_says(body));
        assert_eq!(parser_says(body), Outcome::Ignored);
    }
}

#[test]
fn shown_text_is_cleaned_here_and_left_to_the_caller_by_both() {
    // "a", right-to-left override, "b": whoever shows it must not have to know.
    let body = b"state=idle:msg=YeKArmI=";
    assert!(matches!(ours(body), Outcome::Report(report) if report.msg.as_deref() == Some("ab")));
    let termstate::Message::Report(theirs) = termstate::parse_body(body).unwrap() else {
        panic!()
    };
    assert_eq!(
        theirs.msg.unwrap().decode_into(&mut [0; 64]),
        Some("a\u{202e}b")
    );
}

#[test]
fn what_we_encode_is_read_by_both() {
    let report = Report {
        id: "a/b".into(),
        state: ReportState::Blocked,
        kind: Some(Kind::Auth),
        progress: Some(42),
        app: Some("x".into()),
        title: Some("Häh".into()),
        msg: Some("one line".into()),
    };
    let bytes = signals::program_status::encode(&report, signals::Terminator::Bell).unwrap();
    let body = &bytes[b"\x1b]7501;".len()..bytes.len() - 1];
    assert_eq!(termstate_says(body), Outcome::Report(report.clone()));
    assert_eq!(parser_says(body), Outcome::Report(report));
}
