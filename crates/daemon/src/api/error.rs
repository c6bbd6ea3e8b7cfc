//! Errors as JSON, with the words and the exit codes' meaning of interfaces.md.

use super::{ErrorBody, ErrorDetail};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::fmt;

/// An error of the API.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    status: StatusCode,
    detail: ErrorDetail,
}

impl ApiError {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            status: status_of(code),
            detail: ErrorDetail {
                code: code.to_owned(),
                message: message.into(),
                hint: None,
            },
        }
    }
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.detail.hint = Some(hint.into());
        self
    }
    /// With another HTTP status than its code's.
    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }
    pub(crate) fn not_found(word: &str) -> Self {
        Self::new("not_found", format!("there is no terminal {word}"))
            .hint("`wigwag list` shows the terminals there are")
    }
    pub(crate) fn ambiguous(word: &str, meant: &[String]) -> Self {
        Self::new("ambiguous", format!("{word} may be {}", meant.join(", ")))
            .hint("write one of them in full")
    }
    /// The terminal has no living holder.
    pub(crate) fn over(name: &str) -> Self {
        Self::new("exited", format!("{name} runs no longer"))
            .hint(format!("`wigwag restart {name}` runs it again"))
    }
    pub(crate) fn unreachable(name: &str) -> Self {
        Self::new(
            "unreachable",
            format!("the holder of {name} does not answer"),
        )
        .hint("is it stopped, or the machine very busy? `wigwag doctor` looks")
    }
    /// Nobody answered.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.detail.code == "unreachable"
    }
    pub(crate) fn failed(error: impl fmt::Display) -> Self {
        Self::new("failed", error.to_string())
    }
}

/// What an error code is in HTTP.
fn status_of(code: &str) -> StatusCode {
    match code {
        "not_found" => StatusCode::NOT_FOUND,
        "ambiguous" | "refused" | "taken" | "running" | "exited" => StatusCode::CONFLICT,
        "usage" | "name" => StatusCode::BAD_REQUEST,
        "busy" => StatusCode::SERVICE_UNAVAILABLE,
        "unreachable" => StatusCode::BAD_GATEWAY,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail.message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = ErrorBody { error: self.detail };
        (self.status, Json(body)).into_response()
    }
}
