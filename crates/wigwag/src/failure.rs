//! Why a command did not do what it was asked to: the message, what to do next, and the exit
//! code of interfaces.md.

use std::io::{self, Write};
use std::process::ExitCode;

/// What went wrong, by the words of `error.code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// It was tried and did not work.
    Failed,
    /// The arguments make no sense.
    Usage,
    /// The daemon, a holder or a host does not answer.
    Unreachable,
    /// `wait` ran out of time.
    Timeout,
    /// It is not allowed, or cannot be done to this terminal.
    Refused,
    /// There is no such terminal.
    NotFound,
    /// More than one terminal is meant.
    Ambiguous,
    /// The name belongs to another terminal.
    Taken,
    /// Ctrl-C.
    Interrupted,
}

impl Code {
    /// The word in `--json` errors.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::Refused => "refused",
            Self::NotFound => "not_found",
            Self::Ambiguous => "ambiguous",
            Self::Taken => "taken",
            Self::Interrupted => "interrupted",
        }
    }

    /// The exit code.
    pub(crate) fn exit(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::Timeout => 4,
            Self::Refused | Self::NotFound | Self::Ambiguous | Self::Taken => 5,
            Self::Interrupted => 130,
        }
    }
}

/// Why a command did not do what it was asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What kind of failure.
    pub(crate) code: Code,
    /// What was wrong: one plain sentence without a full stop.
    pub(crate) message: String,
    /// What to do next.
    pub(crate) hint: Option<String>,
    /// Nothing more is to be said: the message was already shown, or nobody reads.
    pub(crate) quiet: bool,
}

impl Failure {
    /// A failure of this kind.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            quiet: false,
        }
    }

    /// It was tried and did not work.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Code::Failed, message)
    }

    /// The arguments make no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// Somebody does not answer.
    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(Code::Unreachable, message)
    }

    /// It is not allowed.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(Code::Refused, message)
    }

    /// Ctrl-C: quiet, exit code 130.
    pub(crate) fn interrupted() -> Self {
        Self {
            quiet: true,
            ..Self::new(Code::Interrupted, "interrupted")
        }
    }

    /// With what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Writes it to standard error, as text or as the JSON of interfaces.md, and gives the exit
    /// code.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        if !self.quiet {
            // Both may quote what somebody typed or a program sent.
            let message = harmless(&self.message);
            let hint = self.hint.as_deref().map(harmless);
            let mut text = if json {
                serde_json::json!({"error": {
                    "code": self.code.word(), "message": message, "hint": hint,
                }})
                .to_string()
            } else {
                match hint {
                    Some(hint) => format!("wigwag: {message}\n  {hint}"),
                    None => format!("wigwag: {message}"),
                }
            };
            text.push('\n');
            // There is nobody left to tell when standard error cannot be written.
            let _ = io::stderr().write_all(text.as_bytes());
        }
        ExitCode::from(self.code.exit())
    }
}

/// Lines without anything that could change what a screen shows elsewhere.
pub(crate) fn harmless(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(signals::text::clean).collect();
    lines.join("\n")
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => {
                // The reader of our output left: end as every tool in a pipeline does.
                let _ =
                    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
                Self {
                    quiet: true,
                    ..Self::failed("the reader of the output left")
                }
            }
            _ => Self::failed(error.to_string()),
        }
    }
}
