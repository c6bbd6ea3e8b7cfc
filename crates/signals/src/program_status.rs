//! Program status: OSC 7501, revision 0.4: parser, encoder, query.
//!
//! ```text
//! OSC 7501 ; pair *(: pair)
//! pair    key = value            spaces and tabs around both are trimmed
//! key     [a-z]{1,16}
//! value   [A-Za-z0-9_.,+/=-]*
//!   state     idle working done blocked error clear; required
//!   id        segment *(/ segment), segment [A-Za-z0-9_.+-]{1,32}; absent: the root
//!   kind      permission question auth; with blocked only
//!   progress  0–100; with working and blocked only
//!   app       [A-Za-z0-9_.+-]{1,32}
//!   title     base64 of one line of UTF-8
//!   msg       the same
//! OSC 7501 ; ?                   asks whether the terminal understands
//! OSC 7501 ; ? : pair …          a terminal's answer
//! ```
//!
//! A malformed pair is skipped, an unknown key ignored, the last of a repeated key wins. But
//! all pairs are checked before anything is taken: a broken limit, wherever it stands, and
//! an `id` that is none discard the report. Nothing of it is forwarded.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::control_string::{ControlString, Protocol, Route};
use crate::{
    Clear, Kind, QueryKind, Rejection, RejectionReason, Report, ReportState, Signal, Terminator,
    text,
};

/// Longest sequence, `ESC ]` through terminator, in bytes.
pub const SEQUENCE_LIMIT: usize = 4096;
/// Longest key, in bytes.
pub const KEY_LIMIT: usize = 16;
/// Longest `msg`, encoded and decoded, in bytes.
pub const MSG_ENCODED_LIMIT: usize = 2732;
/// Longest `msg`, decoded, in bytes.
pub const MSG_LIMIT: usize = 2048;
/// Longest `title`, encoded, in bytes.
pub const TITLE_ENCODED_LIMIT: usize = 256;
/// Longest `title`, decoded, in bytes.
pub const TITLE_LIMIT: usize = 192;
/// Longest `app`, in bytes.
pub const APP_LIMIT: usize = 32;
/// Longest `id`, in bytes.
pub const ID_LIMIT: usize = 128;
/// Longest segment of an `id`, in bytes.
pub const SEGMENT_LIMIT: usize = 32;
/// Most segments of an `id`.
pub const LEVEL_LIMIT: usize = 8;

pub(crate) static PROGRAM_STATUS: Protocol = Protocol {
    numbers: &[7501],
    limit: SEQUENCE_LIMIT,
    route: |_, _| Route::Remove,
    read: |string, _, said| {
        if string.length > SEQUENCE_LIMIT {
            said.signal(rejected(RejectionReason::Limit));
            return;
        }
        match parse(string.payload.unwrap_or_default()) {
            Ok(Said::Report(report)) => said.signal(Signal::Report(report)),
            Ok(Said::Clear(clear)) => said.signal(Signal::Clear(clear)),
            Ok(Said::Query) => said.query(QueryKind::ProgramStatus, string.terminator),
            Err(reason) => said.signal(rejected(reason)),
        }
    },
    overlong: |_| Some(RejectionReason::Limit),
    ..Protocol::DEFAULT
};

fn rejected(reason: RejectionReason) -> Signal {
    Signal::Rejected(Rejection { reason })
}

#[derive(Debug, PartialEq, Eq)]
enum Said {
    Report(Report),
    Clear(Clear),
    Query,
}

/// The last value of each key.
#[derive(Default)]
struct Values<'a> {
    state: Option<&'a [u8]>,
    id: Option<&'a [u8]>,
    kind: Option<&'a [u8]>,
    progress: Option<&'a [u8]>,
    app: Option<&'a [u8]>,
    title: Option<&'a [u8]>,
    msg: Option<&'a [u8]>,
}

fn parse(body: &[u8]) -> Result<Said, RejectionReason> {
    let mut pairs = body.split(|byte| *byte == b':');
    if pairs.next().is_some_and(|first| trim(first) == b"?") {
        return if pairs.next().is_none() {
            Ok(Said::Query)
        } else {
            Err(RejectionReason::Reply)
        };
    }
    let mut values = Values::default();
    for pair in body.split(|byte| *byte == b':') {
        values.take(pair)?;
    }
    values.judge()
}

impl<'a> Values<'a> {
    fn take(&mut self, pair: &'a [u8]) -> Result<(), RejectionReason> {
        let Some(equals) = pair.iter().position(|byte| *byte == b'=') else {
            // An `id` that lost its value must not become the root.
            return if trim(pair) == b"id" {
                Err(RejectionReason::Id)
            } else {
                Ok(())
            };
        };
        let (key, value) = (trim(&pair[..equals]), trim(&pair[equals + 1..]));
        let limit = match key {
            b"msg" => MSG_ENCODED_LIMIT,
            b"title" => TITLE_ENCODED_LIMIT,
            b"app" => APP_LIMIT,
            _ => usize::MAX,
        };
        if key.len() > KEY_LIMIT || value.len() > limit {
            return Err(RejectionReason::Limit);
        }
        if key == b"id" {
            check_id(value).map_err(IdFault::reason)?;
            self.id = Some(value);
            return Ok(());
        }
        if !value.iter().all(|byte| is_value_byte(*byte)) {
            return Ok(());
        }
        match key {
            b"state" => self.state = Some(value),
            b"kind" => self.kind = Some(value),
            b"progress" => self.progress = Some(value),
            b"app" => self.app = Some(value),
            b"title" => self.title = Some(value),
            b"msg" => self.msg = Some(value),
            _ => {}
        }
        Ok(())
    }

    fn judge(self) -> Result<Said, RejectionReason> {
        let id = ascii(self.id.unwrap_or_default());
        let state = match self.state {
            Some(b"idle") => Some(ReportState::Idle),
            Some(b"working") => Some(ReportState::Working),
            Some(b"done") => Some(ReportState::Done),
            Some(b"blocked") => Some(ReportState::Blocked),
            Some(b"error") => Some(ReportState::Error),
            Some(b"clear") => None,
            _ => return Err(RejectionReason::State),
        };
        let title = decode(self.title, TITLE_LIMIT)?;
        let msg = decode(self.msg, MSG_LIMIT)?;
        let Some(state) = state else {
            return Ok(Said::Clear(Clear { id }));
        };
        let kind = match self.kind {
            Some(b"permission") => Some(Kind::Permission),
            Some(b"question") => Some(Kind::Question),
            Some(b"auth") => Some(Kind::Auth),
            _ => None,
        };
        Ok(Said::Report(Report {
            id,
            state,
            kind: kind.filter(|_| takes_kind(state)),
            progress: self
                .progress
                .and_then(percent)
                .filter(|_| takes_progress(state)),
            app: self.app.filter(|app| is_name(app, APP_LIMIT)).map(ascii),
            title,
            msg,
        }))
    }
}

fn takes_kind(state: ReportState) -> bool {
    state == ReportState::Blocked
}

fn takes_progress(state: ReportState) -> bool {
    matches!(state, ReportState::Working | ReportState::Blocked)
}

fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

fn is_value_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.,+/=-".contains(&byte)
}

fn is_name(bytes: &[u8], limit: usize) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(byte);
    !bytes.is_empty() && bytes.len() <= limit && bytes.iter().all(allowed)
}

/// Bytes that were found to be ASCII.
fn ascii(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IdFault {
    Long,
    LongSegment,
    Deep,
    Malformed,
}

impl IdFault {
    fn reason(self) -> RejectionReason {
        match self {
            Self::Malformed => RejectionReason::Id,
            Self::Long | Self::LongSegment | Self::Deep => RejectionReason::Limit,
        }
    }
}

fn check_id(id: &[u8]) -> Result<(), IdFault> {
    let segments = || id.split(|byte| *byte == b'/');
    if id.len() > ID_LIMIT {
        Err(IdFault::Long)
    } else if segments().count() > LEVEL_LIMIT {
        Err(IdFault::Deep)
    } else if segments().any(|segment| segment.len() > SEGMENT_LIMIT) {
        Err(IdFault::LongSegment)
    } else if segments().all(|segment| is_name(segment, SEGMENT_LIMIT)) {
        Ok(())
    } else {
        Err(IdFault::Malformed)
    }
}

fn percent(digits: &[u8]) -> Option<u8> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0u32, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add((digit - b'0').into())
    });
    u8::try_from(value).ok().filter(|percent| *percent <= 100)
}

/// Complete padding or none (that it is complete, is checked apart); unused bits are zero.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn decode(value: Option<&[u8]>, limit: usize) -> Result<Option<String>, RejectionReason> {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    if value.contains(&b'=') && value.len() % 4 != 0 {
        return Err(RejectionReason::Text);
    }
    let bytes = BASE64.decode(value).map_err(|_| RejectionReason::Text)?;
    if bytes.len() > limit {
        return Err(RejectionReason::Limit);
    }
    let line = String::from_utf8(bytes).map_err(|_| RejectionReason::Text)?;
    if line.chars().any(char::is_control) {
        return Err(RejectionReason::Text);
    }
    let line = text::clean(&line).trim().to_owned();
    Ok(Some(line).filter(|line| !line.is_empty()))
}

/// The sequence that sends `report`, BEL or ESC `\` at its end; `Err` names the limit it breaks.
pub fn encode(report: &Report, terminator: Terminator) -> Result<Vec<u8>, EncodeError> {
    let state = match report.state {
        ReportState::Idle => "idle",
        ReportState::Working => "working",
        ReportState::Done => "done",
        ReportState::Blocked => "blocked",
        ReportState::Error => "error",
    };
    let mut body = format!("7501;state={state}");
    if !report.id.is_empty() {
        validate_id(&report.id)?;
        body += &format!(":id={}", report.id);
    }
    if let Some(kind) = report.kind {
        if !takes_kind(report.state) {
            return Err(wrong("kind", "is only for the state blocked: leave it out"));
        }
        let kind = match kind {
            Kind::Permission => "permission",
            Kind::Question => "question",
            Kind::Auth => "auth",
        };
        body += &format!(":kind={kind}");
    }
    if let Some(progress) = report.progress {
        if !takes_progress(report.state) {
            return Err(wrong(
                "progress",
                "is only for the states working and blocked: leave it out",
            ));
        }
        if progress > 100 {
            return Err(wrong("progress", format!("is {progress}: give 0 to 100")));
        }
        body += &format!(":progress={progress}");
    }
    if let Some(app) = &report.app {
        if !is_name(app.as_bytes(), APP_LIMIT) {
            return Err(wrong(
                "app",
                "must be 1 to 32 of the characters A-Z a-z 0-9 _ . + -",
            ));
        }
        body += &format!(":app={app}");
    }
    if let Some(title) = &report.title {
        body += &format!(":title={}", encode_line("title", title, TITLE_LIMIT)?);
    }
    if let Some(msg) = &report.msg {
        body += &format!(":msg={}", encode_line("msg", msg, MSG_LIMIT)?);
    }
    Ok(ControlString::osc(&[&body], terminator))
}

/// The sequence that clears a record.
pub fn encode_clear(clear: &Clear, terminator: Terminator) -> Result<Vec<u8>, EncodeError> {
    if clear.id.is_empty() {
        return Ok(ControlString::osc(&["7501;state=clear"], terminator));
    }
    validate_id(&clear.id)?;
    Ok(ControlString::osc(
        &["7501;state=clear:id=", &clear.id],
        terminator,
    ))
}

fn validate_id(id: &str) -> Result<(), EncodeError> {
    check_id(id.as_bytes()).map_err(|fault| match fault {
        IdFault::Long => wrong(
            "id",
            format!("has {} bytes: use at most {ID_LIMIT}", id.len()),
        ),
        IdFault::Deep => wrong(
            "id",
            format!("has more than {LEVEL_LIMIT} levels: use fewer slashes"),
        ),
        IdFault::LongSegment => wrong(
            "id",
            format!("has a segment over {SEGMENT_LIMIT} bytes: shorten it"),
        ),
        IdFault::Malformed => wrong(
            "id",
            "must be segments of the characters A-Z a-z 0-9 _ . + - with single slashes between",
        ),
    })
}

fn encode_line(field: &'static str, line: &str, limit: usize) -> Result<String, EncodeError> {
    if line.len() > limit {
        return Err(wrong(
            field,
            format!("has {} bytes: use at most {limit}", line.len()),
        ));
    }
    if line.chars().any(char::is_control) {
        return Err(wrong(
            field,
            "must be one line without control characters: take them out",
        ));
    }
    Ok(BASE64.encode(line))
}

fn wrong(field: &'static str, problem: impl Into<String>) -> EncodeError {
    EncodeError {
        field,
        problem: problem.into(),
    }
}

/// The question `OSC 7501 ; ?`.
pub fn query(terminator: Terminator) -> &'static [u8] {
    match terminator {
        Terminator::Bell => b"\x1b]7501;?\x07",
        Terminator::St => b"\x1b]7501;?\x1b\\",
    }
}

/// The one answer to the question.
pub fn answer(terminator: Terminator) -> &'static [u8] {
    match terminator {
        Terminator::Bell => {
            b"\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x07"
        }
        Terminator::St => {
            b"\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\"
        }
    }
}

/// Why a report cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct EncodeError {
    /// The field.
    pub field: &'static str,
    /// What is wrong with it, ending where the user can act.
    pub problem: String,
}

#[cfg(test)]
mod tests {
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
        let body =
            "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth";
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
}
