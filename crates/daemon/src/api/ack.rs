//! `/v1/terminals/{id}/ack`: read, or unread again.

use super::error::ApiError;
use super::extract::Body;
use super::{AckBody, Done, ErrorBody, order_or_own, resolve};
use crate::service::Service;
use axum::Json;
use axum::extract::{Path, State};
use holder::protocol::Op;
use status::EventKind;
use std::sync::Arc;
use std::time::Duration;

/// Marks the attention entry read, or brings it back.
#[utoipa::path(post, path = "/v1/terminals/{id}/ack", params(("id" = String, Path, description = "id or name")),
    request_body = AckBody,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn ack(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Body(body): Body<AckBody>,
) -> Result<Json<Done>, ApiError> {
    if body.undo && (body.remind_ms.is_some() || body.seq.is_some())
        || body.remind_ms.is_some() && body.seq.is_some()
    {
        return Err(ApiError::new(
            "usage",
            "give one of seq, undo and remind_ms",
        ));
    }
    let seq = body.seq;
    if let Some(after) = body.remind_ms {
        let op = Op::Unack {
            after_ms: Some(after),
        };
        let done = order_or_own(&service, &id, op, EventKind::Read, |status| {
            status.acknowledge(None)
        })
        .await?;
        remind_without_holder(&service, &id, after).await;
        return Ok(done);
    }
    if body.undo {
        let op = Op::Unack { after_ms: None };
        return order_or_own(&service, &id, op, EventKind::Attention, |status| {
            status.bring_back()
        })
        .await;
    }
    order_or_own(&service, &id, Op::Ack { seq }, EventKind::Read, |status| {
        status.acknowledge(seq)
    })
    .await
}

/// The daemon owns the attention of a terminal without a holder: it reminds, while it runs.
async fn remind_without_holder(service: &Arc<Service>, id: &str, after_ms: u64) {
    let Ok(entry) = resolve(service, id, false).await else {
        return;
    };
    if entry.link.is_some() {
        return;
    }
    let service = Arc::clone(service);
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(after_ms)).await;
        let id = &entry.status.id;
        let Some(now) = service.registry.get(id).filter(|now| now.link.is_none()) else {
            return;
        };
        let mut status = (*now.status).clone();
        if status.bring_back() {
            service
                .own_event(id, EventKind::Attention, Some(status))
                .await;
        }
    });
}
