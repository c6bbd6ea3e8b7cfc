//! `/metrics`, in the OpenMetrics text format.

use crate::service::Service;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Terminals by state, clients, queue drops, notifications, event latency.
#[utoipa::path(get, path = "/metrics",
    responses((status = 200, body = String, content_type = "application/openmetrics-text")))]
pub(super) async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let channels = service.channels.get();
    let reports = channels.map_or(Vec::new(), crate::notify::Channels::reports);
    let text = service.metrics.text(&service.registry.list(), &reports);
    ([(CONTENT_TYPE, OPENMETRICS)], text).into_response()
}
