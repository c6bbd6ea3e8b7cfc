//! `/v1/terminals/{id}/clients`: who is attached.

use super::error::ApiError;
use super::openapi::ClientShape;
use super::{ErrorBody, ask, resolve};
use crate::service::Service;
use axum::Json;
use axum::extract::{Path, State};
use holder::protocol::{ClientInfo, Op, Outcome};
use std::sync::Arc;

/// The attached clients, in the order they came; none without a holder.
#[utoipa::path(get, path = "/v1/terminals/{id}/clients", params(("id" = String, Path, description = "id or name")),
    responses((status = 200, body = Vec<ClientShape>), (status = 404, body = ErrorBody)))]
pub(super) async fn clients(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Json<Vec<ClientInfo>>, ApiError> {
    let entry = resolve(&service, &id, false).await?;
    let Some(link) = &entry.link else {
        return Ok(Json(Vec::new()));
    };
    match ask(link, &entry.status.name, Op::Clients).await? {
        Outcome::Clients { clients } => Ok(Json(clients)),
        other => Err(ApiError::failed(format!("the holder answered {other:?}"))),
    }
}
