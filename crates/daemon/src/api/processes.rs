//! `/v1/terminals/{id}/processes`: what lives in it.

use super::error::ApiError;
use super::openapi::ProcessShape;
use super::{ErrorBody, ask, resolve};
use crate::service::Service;
use axum::Json;
use axum::extract::{Path, State};
use holder::protocol::{Op, Outcome, Process};
use std::sync::Arc;

/// The processes of the terminal's session that live, the program first; none without a holder.
#[utoipa::path(get, path = "/v1/terminals/{id}/processes", params(("id" = String, Path, description = "id or name")),
    responses((status = 200, body = Vec<ProcessShape>), (status = 404, body = ErrorBody)))]
pub(super) async fn processes(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Json<Vec<Process>>, ApiError> {
    let entry = resolve(&service, &id, false).await?;
    let Some(link) = &entry.link else {
        return Ok(Json(Vec::new()));
    };
    match ask(link, &entry.status.name, Op::Processes).await? {
        Outcome::Processes { processes } => Ok(Json(processes)),
        other => Err(ApiError::failed(format!("the holder answered {other:?}"))),
    }
}
