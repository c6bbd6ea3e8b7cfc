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
mod tests;
