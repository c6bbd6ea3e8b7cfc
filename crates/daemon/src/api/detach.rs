//! `/v1/terminals/{id}/detach`: all clients.

use super::error::ApiError;
use super::{Done, ErrorBody, order};
use crate::service::Service;
use axum::Json;
use axum::extract::{Path, State};
use holder::protocol::Op;
use std::sync::Arc;

/// Detaches all clients.
#[utoipa::path(post, path = "/v1/terminals/{id}/detach", params(("id" = String, Path, description = "id or name")),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn detach(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Json<Done>, ApiError> {
    order(&service, &id, Op::Detach { others: false }).await
}
