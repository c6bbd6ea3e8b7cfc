//! `/v1/health`: how the daemon is, for `doctor`.

use super::{Health, Warning};
use crate::service::Service;
use axum::Json;
use axum::extract::State;
use std::sync::Arc;

/// How the daemon is.
#[utoipa::path(get, path = "/v1/health", responses((status = 200, body = Health)))]
pub(super) async fn health(State(service): State<Arc<Service>>) -> Json<Health> {
    let mut warnings = Vec::new();
    if let Some(failure) = service.journal.failure() {
        warnings.push(Warning {
            what: "store".to_owned(),
            message: format!(
                "events are not stored ({failure}): they are kept in memory and stored once that \
                 works; free space or make the directory writable"
            ),
        });
    }
    if let Some(error) = service.config_error() {
        warnings.push(Warning {
            what: "config".to_owned(),
            message: format!("{error}; the settings before hold"),
        });
    }
    Json(Health {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        started_at: service.started_at.to_string(),
        replaced: is_replaced(),
        seq: service.journal.head(),
        terminals: service.registry.list().len(),
        warnings,
    })
}

/// Linux says so of an executable that was replaced or removed since it started.
fn is_replaced() -> bool {
    std::fs::read_link("/proc/self/exe")
        .is_ok_and(|path| path.to_string_lossy().ends_with(" (deleted)"))
}
