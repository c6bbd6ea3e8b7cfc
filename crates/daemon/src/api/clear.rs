//! `/v1/terminals/{id}/clear`: finished and failed records.

use super::error::ApiError;
use super::extract::Body;
use super::{ClearBody, Done, ErrorBody, order_or_own};
use crate::service::Service;
use axum::Json;
use axum::extract::{Path, State};
use holder::protocol::Op;
use status::EventKind;
use std::sync::Arc;

/// Drops finished and failed records.
#[utoipa::path(post, path = "/v1/terminals/{id}/clear", params(("id" = String, Path, description = "id or name")),
    request_body = ClearBody,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn clear(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Body(body): Body<ClearBody>,
) -> Result<Json<Done>, ApiError> {
    let op = Op::ClearRecords {
        record: body.id.clone(),
    };
    order_or_own(&service, &id, op, EventKind::Report, |status| {
        status.clear_ended(body.id.as_deref())
    })
    .await
}
