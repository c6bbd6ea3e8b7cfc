//! `/v1/events`: the journal as server-sent events.

use super::ErrorBody;
use super::error::ApiError;
use super::extract::Params;
use crate::events;
use crate::service::Service;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

/// The number after which the stream begins, in the head of the answer.
const SINCE: HeaderName = HeaderName::from_static("wigwag-since");

#[derive(Debug, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Follow {
    /// The last number the client has; 0 (and nothing): from the oldest that is kept; `now`: only what comes.
    #[param(value_type = Option<String>)]
    since: Option<String>,
    /// `false`: end after the last event there is.
    follow: bool,
}

impl Default for Follow {
    fn default() -> Self {
        Self {
            since: None,
            follow: true,
        }
    }
}

/// Events of the journal. `Last-Event-ID` goes before `since`. A client that asks for events no longer kept
/// gets a message of the type `resync`, then one event `gap` with the whole status for each terminal.
#[utoipa::path(get, path = "/v1/events", params(Follow, ("Last-Event-ID" = Option<u64>, Header, description = "the last number the client has")),
    responses((status = 200, body = String, content_type = "text/event-stream"), (status = 400, body = ErrorBody)))]
pub(super) async fn events(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    Params(query): Params<Follow>,
) -> Result<Response, ApiError> {
    let last = headers.get("last-event-id");
    let last = last
        .and_then(|value| value.to_str().ok())
        .filter(|text| !text.is_empty());
    let since = match last.or(query.since.as_deref()) {
        None => 0,
        Some("now") => service.journal.flush().await,
        Some(text) => text.parse().map_err(|_| {
            ApiError::new("usage", format!("since is a number or `now`, not {text:?}"))
        })?,
    };
    let head = [
        (CONTENT_TYPE, "text/event-stream".to_owned()),
        (CACHE_CONTROL, "no-store".to_owned()),
        (SINCE, since.to_string()),
    ];
    Ok((head, events::stream(service, since, query.follow)).into_response())
}
