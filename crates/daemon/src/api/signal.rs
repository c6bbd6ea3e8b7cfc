//! `/v1/terminals/{id}/signal`: hang up, or another signal.

use super::error::ApiError;
use super::extract::Body;
use super::{Done, ErrorBody, SignalBody, order};
use crate::service::Service;
use axum::Json;
use axum::extract::{Path, State};
use holder::protocol::Op;
use std::sync::Arc;

/// Signals the program; `HUP` as closing a window does.
#[utoipa::path(post, path = "/v1/terminals/{id}/signal", params(("id" = String, Path, description = "id or name")),
    request_body = SignalBody,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn signal(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Body(body): Body<SignalBody>,
) -> Result<Json<Done>, ApiError> {
    let signal = body.signal.to_ascii_uppercase();
    let signal = signal.strip_prefix("SIG").unwrap_or(&signal).to_owned();
    order(&service, &id, Op::Signal { signal }).await
}
