//! The rules of the report, by name; cut anywhere, and encoded again.

use proptest::prelude::*;

use super::*;
use crate::reader::testing::{only_signals, queries, record};

/// The one signal of a body.
fn said(body: &str) -> Signal {
    let mut signals = only_signals(format!("\x1b]7501;{body}\x1b\\").as_bytes());
    assert_eq!(signals.len(), 1, "{body}: {signals:?}");
    signals.remove(0)
}

fn report(body: &str) -> Report {
    match said(body) {
        Signal::Report(report) => report,
        other => panic!("{body}: {other:?}"),
    }
}

fn reason(body: &str) -> RejectionReason {
    match said(body) {
        Signal::Rejected(rejection) => rejection.reason,
        other => panic!("{body}: {other:?}"),
    }
}

fn empty(state: ReportState) -> Report {
    Report {
        id: String::new(),
        state,
        kind: None,
        progress: None,
        app: None,
        title: None,
        msg: None,
    }
}

#[test]
fn every_state_is_read() {
    for (word, state) in [
        ("idle", ReportState::Idle),
        ("working", ReportState::Working),
        ("done", ReportState::Done),
        ("blocked", ReportState::Blocked),
        ("error", ReportState::Error),
    ] {
        assert_eq!(report(&format!("state={word}")), empty(state));
    }
    assert_eq!(
        said("state=clear"),
        Signal::Clear(Clear { id: String::new() })
    );
    assert_eq!(
        said("state=clear:id=a/b"),
        Signal::Clear(Clear { id: "a/b".into() })
    );
}

#[test]
fn a_whole_report_is_read() {
    let expected = Report {
        id: "a/b.c".into(),
        kind: Some(Kind::Permission),
        progress: Some(7),
        app: Some("terraform".into()),
        title: Some("Häh".into()),
        msg: Some("Apply?".into()),
        ..empty(ReportState::Blocked)
    };
    let body = "state=blocked:id=a/b.c:kind=permission:progress=7:app=terraform:title=SMOkaA==:msg=QXBwbHk/";
    assert_eq!(report(body), expected);
}

#[test]
fn spaces_and_tabs_around_keys_and_values_are_trimmed() {
    let expected = Report {
        app: Some("x".into()),
        ..empty(ReportState::Idle)
    };
    assert_eq!(report(" state\t= idle :\tapp = x\t"), expected);
}

#[test]
fn a_malformed_pair_is_skipped() {
    for pair in [
        "app",
        "App=x",
        "a_p=x",
        "=x",
        "app=x y",
        "app=x;y",
        "app=\u{e9}",
        "",
        "a1=x",
        "?",
    ] {
        assert_eq!(
            report(&format!("{pair}x:state=idle:{pair}")),
            empty(ReportState::Idle),
            "{pair}"
        );
    }
    assert_eq!(report("state=done:state=id le"), empty(ReportState::Done));
}

#[test]
fn unknown_keys_are_ignored() {
    assert_eq!(report("colour=red:state=idle:x="), empty(ReportState::Idle));
}

#[test]
fn the_last_of_a_repeated_key_wins() {
    assert_eq!(report("state=idle:state=done"), empty(ReportState::Done));
    assert_eq!(report("state=working:progress=1:progress=x").progress, None);
    assert_eq!(report("state=idle:app=a:app=b").app.as_deref(), Some("b"));
    assert_eq!(report("state=idle:msg=QQ:msg=").msg, None);
    assert_eq!(reason("state=idle:state=bogus"), RejectionReason::State);
}

#[test]
fn a_missing_or_unknown_state_ignores_the_report() {
    for body in [
        "",
        "app=x",
        "state=",
        "state=Idle",
        "state=busy",
        "id=a:msg=QQ",
    ] {
        assert_eq!(reason(body), RejectionReason::State, "{body:?}");
    }
    assert_eq!(
        only_signals(b"\x1b]7501\x07"),
        [rejected(RejectionReason::State)]
    );
}

#[test]
fn an_id_has_up_to_8_levels_of_32_bytes_and_128_in_all() {
    let long = [
        "x".repeat(32),
        "y".repeat(32),
        "z".repeat(32),
        "w".repeat(29),
    ]
    .join("/");
    assert_eq!(long.len(), 128);
    for id in ["a", "a/b", "A-Z_0.9+", "1/2/3/4/5/6/7/8", &long] {
        assert_eq!(report(&format!("state=idle:id={id}")).id, id);
    }
    let longer = long.clone() + "w";
    for id in ["1/2/3/4/5/6/7/8/9", &longer, &"x".repeat(33)] {
        assert_eq!(
            reason(&format!("state=idle:id={id}")),
            RejectionReason::Limit,
            "{id}"
        );
    }
}

#[test]
fn any_other_id_discards_the_report_and_never_falls_back_to_the_root() {
    for pair in [
        "id=",
        "id= ",
        "id=/a",
        "id=a/",
        "id=a//b",
        "id=a b",
        "id=\u{e9}",
        "id=a,b",
        "id=a=b",
        "id",
        " id ",
    ] {
        for state in ["idle", "clear"] {
            assert_eq!(
                reason(&format!("state={state}:{pair}")),
                RejectionReason::Id,
                "{pair:?}"
            );
        }
    }
}

#[test]
fn an_id_is_judged_in_every_occurrence() {
    for body in [
        "state=idle:id=a b:id=c",
        "state=idle:id=:id=c",
        "id=c:state=idle:id=a//b",
    ] {
        assert_eq!(reason(body), RejectionReason::Id, "{body}");
    }
    assert_eq!(report("state=idle:id=a:id=b").id, "b");
}

#[test]
fn kind_is_kept_only_with_blocked_and_only_if_known() {
    for (word, kind) in [
        ("permission", Kind::Permission),
        ("question", Kind::Question),
        ("auth", Kind::Auth),
    ] {
        assert_eq!(
            report(&format!("state=blocked:kind={word}")).kind,
            Some(kind)
        );
        for state in ["idle", "working", "done", "error"] {
            assert_eq!(report(&format!("state={state}:kind={word}")).kind, None);
        }
    }
    assert_eq!(report("state=blocked:kind=other").kind, None);
    assert_eq!(report("state=blocked:kind=auth:kind=other").kind, None);
}

#[test]
fn progress_is_an_integer_0_to_100_kept_only_with_working_and_blocked() {
    for (value, progress) in [
        ("0", Some(0)),
        ("100", Some(100)),
        ("0000000042", Some(42)),
        ("101", None),
        ("-1", None),
        ("4.2", None),
        ("", None),
        ("+4", None),
        ("99999999999999999999", None),
        ("x", None),
    ] {
        assert_eq!(
            report(&format!("state=working:progress={value}")).progress,
            progress,
            "{value}"
        );
        assert_eq!(
            report(&format!("state=blocked:progress={value}")).progress,
            progress,
            "{value}"
        );
        for state in ["idle", "done", "error"] {
            assert_eq!(
                report(&format!("state={state}:progress={value}")).progress,
                None
            );
        }
    }
}

#[test]
fn a_wrong_app_is_absent_but_one_over_32_bytes_discards() {
    let longest = "x".repeat(32);
    assert_eq!(
        report(&format!("state=idle:app={longest}")).app,
        Some(longest)
    );
    for app in ["", "a/b", "a,b", "a=b", "a b"] {
        assert_eq!(report(&format!("state=idle:app={app}")).app, None, "{app}");
    }
    assert_eq!(
        reason(&format!("state=idle:app={}", "x".repeat(33))),
        RejectionReason::Limit
    );
}

#[test]
fn a_broken_limit_discards_also_in_a_pair_that_would_lose_or_be_skipped() {
    let long = |length: usize| "A".repeat(length);
    for pair in [
        format!("msg={}", long(2733)),
        format!("title={}", long(257)),
        format!("app={}", long(33)),
        format!("id={}", long(129)),
        format!("{}=x", "k".repeat(17)),
        format!("{}=x", "K".repeat(17)),
        format!("app={} {}", long(16), long(16)),
        format!("title={}\u{e9}", long(256)),
    ] {
        let body = format!("{pair}:state=idle:msg=QQ:title=QQ:app=x:id=a");
        assert_eq!(reason(&body), RejectionReason::Limit, "{pair}");
        let body = format!("state=clear:{pair}");
        assert_eq!(reason(&body), RejectionReason::Limit, "{pair}");
    }
    assert_eq!(
        report(&format!("state=idle:{}=x", "k".repeat(16))),
        empty(ReportState::Idle)
    );
}

#[test]
fn title_and_msg_are_base64_with_optional_but_complete_padding() {
    for (value, text) in [
        ("QQ==", "A"),
        ("QQ", "A"),
        ("QUI=", "AB"),
        ("QUI", "AB"),
        ("QUJD", "ABC"),
        ("w7/vv70", "ÿ\u{fffd}"),
    ] {
        assert_eq!(
            report(&format!("state=idle:title={value}"))
                .title
                .as_deref(),
            Some(text)
        );
        assert_eq!(
            report(&format!("state=idle:msg={value}")).msg.as_deref(),
            Some(text)
        );
    }
    // Incomplete padding, a single digit, unused bits set, the other alphabet, padding inside.
    for value in [
        "QQ=", "Q", "QQ===", "QR==", "QUJ=", "QUJDR", "_-8", "QQ==QQ==", "=", "====",
    ] {
        for key in ["title", "msg"] {
            assert_eq!(
                reason(&format!("state=idle:{key}={value}")),
                RejectionReason::Text,
                "{value}"
            );
        }
    }
}

#[test]
fn bad_utf8_and_control_characters_discard() {
    for bytes in [
        &b"\xff"[..],
        b"a\xc3",
        b"a\nb",
        b"\x1b[m",
        b"a\x7f",
        "a\u{85}".as_bytes(),
        b"\t",
    ] {
        let value = BASE64.encode(bytes);
        assert_eq!(
            reason(&format!("state=idle:msg={value}")),
            RejectionReason::Text,
            "{bytes:?}"
        );
        assert_eq!(
            reason(&format!("state=clear:title={value}")),
            RejectionReason::Text
        );
    }
}

#[test]
fn title_and_msg_are_decoded_only_where_they_win() {
    assert_eq!(
        report("state=idle:msg=!:msg=Q:msg=QQ").msg.as_deref(),
        Some("A")
    );
}

#[test]
fn an_empty_value_is_absent() {
    assert_eq!(
        report("state=blocked:title=:msg=:app=:kind=:progress="),
        empty(ReportState::Blocked)
    );
}

#[test]
fn msg_has_at_most_2048_bytes_decoded_and_title_192() {
    let encoded = |length| BASE64.encode("x".repeat(length));
    assert_eq!(
        report(&format!("state=idle:msg={}", encoded(2048)))
            .msg
            .map(|msg| msg.len()),
        Some(2048)
    );
    // 2732 digits without padding hold 2049 bytes.
    let over = encoded(2049).trim_end_matches('=').to_owned();
    assert_eq!(over.len(), 2732);
    assert_eq!(
        reason(&format!("state=idle:msg={over}")),
        RejectionReason::Limit
    );
    assert_eq!(
        report(&format!("state=idle:title={}", encoded(192)))
            .title
            .map(|title| title.len()),
        Some(192)
    );
    assert_eq!(
        reason(&format!("state=idle:title={}", encoded(193))),
        RejectionReason::Limit
    );
}

#[test]
fn the_whole_sequence_has_at_most_4096_bytes() {
    for (end, terminator) in [("\x07", 1), ("\x1b\\", 2)] {
        let start = "\x1b]7501;state=idle:x=";
        let full = format!(
            "{start}{}{end}",
            "y".repeat(4096 - start.len() - terminator)
        );
        assert_eq!(full.len(), 4096);
        assert_eq!(
            only_signals(full.as_bytes()),
            [Signal::Report(empty(ReportState::Idle))]
        );
        let longer = full.replacen("x=", "x=y", 1);
        assert_eq!(
            only_signals(longer.as_bytes()),
            [rejected(RejectionReason::Limit)]
        );
    }
    let endless = format!("\x1b]7501;state=idle:x={}\x07", "y".repeat(100_000));
    assert_eq!(
        only_signals(endless.as_bytes()),
        [rejected(RejectionReason::Limit)]
    );
}

#[test]
fn the_query_is_asked_with_or_without_spaces() {
    for body in ["?", " ? ", "\t?"] {
        let bytes = format!("\x1b]7501;{body}\x07");
        assert_eq!(
            queries(bytes.as_bytes()),
            [QueryKind::ProgramStatus],
            "{body:?}"
        );
    }
    for terminator in [Terminator::Bell, Terminator::St] {
        let seen = record(query(terminator)).queries;
        assert_eq!(seen[0].1.terminator, terminator);
    }
}

#[test]
fn a_query_body_with_further_pairs_is_somebodys_reply() {
    for body in [
        "?:states=idle",
        " ? : kinds=auth",
        "?:",
        "?:id= :state=idle",
    ] {
        assert_eq!(reason(body), RejectionReason::Reply, "{body}");
        assert_eq!(queries(format!("\x1b]7501;{body}\x07").as_bytes()), []);
    }
    assert_eq!(
        only_signals(answer(Terminator::St)),
        [rejected(RejectionReason::Reply)]
    );
}

#[test]
fn the_answer_ends_as_the_question() {
    let answer_bell = answer(Terminator::Bell);
    let body = "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth";
    assert_eq!(answer_bell, format!("{body}\x07").as_bytes());
    assert_eq!(answer(Terminator::St), format!("{body}\x1b\\").as_bytes());
}

#[test]
fn shown_text_is_cleaned() {
    let value = BASE64.encode("a\u{202e}b\u{200b} ");
    assert_eq!(
        report(&format!("state=idle:msg={value}")).msg.as_deref(),
        Some("ab")
    );
}

#[test]
fn a_report_that_breaks_a_limit_is_not_encoded_and_names_the_field() {
    let base = empty(ReportState::Working);
    for (field, wrong) in [
        (
            "id",
            Report {
                id: "a//b".into(),
                ..base.clone()
            },
        ),
        (
            "id",
            Report {
                id: "x".repeat(33),
                ..base.clone()
            },
        ),
        (
            "id",
            Report {
                id: "a/".repeat(8) + "a",
                ..base.clone()
            },
        ),
        (
            "id",
            Report {
                id: "x".repeat(129),
                ..base.clone()
            },
        ),
        (
            "kind",
            Report {
                kind: Some(Kind::Auth),
                ..base.clone()
            },
        ),
        (
            "progress",
            Report {
                progress: Some(101),
                ..base.clone()
            },
        ),
        (
            "progress",
            Report {
                progress: Some(1),
                ..empty(ReportState::Done)
            },
        ),
        (
            "app",
            Report {
                app: Some("a b".into()),
                ..base.clone()
            },
        ),
        (
            "app",
            Report {
                app: Some(String::new()),
                ..base.clone()
            },
        ),
        (
            "title",
            Report {
                title: Some("x".repeat(193)),
                ..base.clone()
            },
        ),
        (
            "title",
            Report {
                title: Some("a\nb".into()),
                ..base.clone()
            },
        ),
        (
            "msg",
            Report {
                msg: Some("x".repeat(2049)),
                ..base.clone()
            },
        ),
        (
            "msg",
            Report {
                msg: Some("\u{85}".into()),
                ..base.clone()
            },
        ),
    ] {
        let error = encode(&wrong, Terminator::St).unwrap_err();
        assert_eq!(error.field, field, "{wrong:?}");
        assert!(error.to_string().starts_with(field) && error.to_string().contains([':', ' ']));
    }
    assert_eq!(
        encode_clear(&Clear { id: "a b".into() }, Terminator::St)
            .unwrap_err()
            .field,
        "id"
    );
}

fn any_report() -> impl Strategy<Value = Report> {
    let line = |limit: usize| {
        proptest::option::of("[^\\pC\\s]([^\\pC\\pZ]{0,40} ?[^\\pC\\pZ]){0,3}").prop_map(
            move |line| {
                line.map(|line| text::clean(&line).trim().to_owned())
                    .filter(|line| !line.is_empty() && line.len() <= limit)
            },
        )
    };
    (
        proptest::option::of("[A-Za-z0-9_.+-]{1,15}(/[A-Za-z0-9_.+-]{1,15}){0,7}"),
        0..5usize,
        proptest::option::of(0..3usize),
        proptest::option::of(0..=100u8),
        proptest::option::of("[A-Za-z0-9_.+-]{1,32}"),
        line(TITLE_LIMIT),
        line(MSG_LIMIT),
    )
        .prop_map(|(id, state, kind, progress, app, title, msg)| {
            use ReportState::*;
            let state = [Idle, Working, Done, Blocked, Error][state];
            let kind = kind.map(|kind| [Kind::Permission, Kind::Question, Kind::Auth][kind]);
            Report {
                id: id.unwrap_or_default(),
                state,
                kind: kind.filter(|_| takes_kind(state)),
                progress: progress.filter(|_| takes_progress(state)),
                app,
                title,
                msg,
            }
        })
}

proptest! {
    #[test]
    fn an_encoded_report_is_read_back(report in any_report(), bell in any::<bool>()) {
        let terminator = if bell { Terminator::Bell } else { Terminator::St };
        let bytes = encode(&report, terminator).unwrap();
        prop_assert!(bytes.len() <= SEQUENCE_LIMIT);
        prop_assert_eq!(only_signals(&bytes), [Signal::Report(report.clone())]);
        let clear = Clear { id: report.id };
        let bytes = encode_clear(&clear, terminator).unwrap();
        prop_assert_eq!(only_signals(&bytes), [Signal::Clear(clear)]);
    }
}
