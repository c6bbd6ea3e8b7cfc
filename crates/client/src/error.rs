//! Why something could not be done, with the exit codes of interfaces.md.

use daemon::api::ErrorDetail;

/// Why something could not be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The daemon does not run, cannot be started or does not answer; or it says so of a holder.
    #[error("{message}")]
    Unreachable {
        /// What was wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// There is no such terminal.
    #[error("{message}")]
    NotFound {
        /// Which.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// More than one terminal is meant.
    #[error("{message}")]
    Ambiguous {
        /// Which are.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// Not allowed, or not possible with this terminal.
    #[error("{message}")]
    Refused {
        /// `refused`, `taken`, `name`, `running`, `exited` or `busy`.
        code: String,
        /// What was wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The question made no sense.
    #[error("{message}")]
    Usage {
        /// What was wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// It was tried and did not work.
    #[error("{message}")]
    Failed {
        /// What was wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
}

impl Error {
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed {
            message: message.into(),
            hint: None,
        }
    }

    /// With what to do.
    pub(crate) fn with_hint(mut self, text: &str) -> Self {
        let (Self::Failed { hint, .. }
        | Self::Usage { hint, .. }
        | Self::Unreachable { hint, .. }
        | Self::NotFound { hint, .. }
        | Self::Ambiguous { hint, .. }
        | Self::Refused { hint, .. }) = &mut self;
        *hint = Some(text.to_owned());
        self
    }

    /// What the daemon said.
    pub(crate) fn from_detail(detail: ErrorDetail) -> Self {
        let ErrorDetail {
            code,
            message,
            hint,
        } = detail;
        match code.as_str() {
            "unreachable" => Self::Unreachable { message, hint },
            "not_found" => Self::NotFound { message, hint },
            "ambiguous" => Self::Ambiguous { message, hint },
            "usage" => Self::Usage { message, hint },
            "refused" | "taken" | "name" | "running" | "exited" | "busy" => Self::Refused {
                code,
                message,
                hint,
            },
            _ => Self::Failed { message, hint },
        }
    }

    /// The exit code of a command that fails with this.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Failed { .. } => 1,
            Self::Usage { .. } => 2,
            Self::Unreachable { .. } => 3,
            Self::NotFound { .. } | Self::Ambiguous { .. } | Self::Refused { .. } => 5,
        }
    }

    /// The word for `--json` errors.
    pub fn code(&self) -> &str {
        match self {
            Self::Failed { .. } => "failed",
            Self::Usage { .. } => "usage",
            Self::Unreachable { .. } => "unreachable",
            Self::NotFound { .. } => "not_found",
            Self::Ambiguous { .. } => "ambiguous",
            Self::Refused { code, .. } => code,
        }
    }

    /// What to do next, where something is to be said.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Failed { hint, .. }
            | Self::Usage { hint, .. }
            | Self::Unreachable { hint, .. }
            | Self::NotFound { hint, .. }
            | Self::Ambiguous { hint, .. }
            | Self::Refused { hint, .. } => hint.as_deref(),
        }
    }
}
