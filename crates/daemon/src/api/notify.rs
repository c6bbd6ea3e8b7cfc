//! `/v1/notify`: the channels of notifications, how they are, and a test of each.

use super::error::ApiError;
use super::extract::Body;
use super::{Channel, ErrorBody, LastDelivery, Notifications, NotifyTest, Tested};
use crate::notify::{Channels, Report};
use crate::service::Service;
use axum::Json;
use axum::extract::State;
use std::sync::Arc;
use std::time::Duration;

/// A client waits 30 s for its answer; no channel takes that long, unless it is busy with orders.
const TEST: Duration = Duration::from_secs(25);

/// The channels, with their last result.
#[utoipa::path(get, path = "/v1/notify", responses((status = 200, body = Notifications)))]
pub(super) async fn list(State(service): State<Arc<Service>>) -> Json<Notifications> {
    Json(Notifications {
        enabled: service.config().notify.settings.enabled,
        channels: reports(&service).into_iter().map(channel).collect(),
    })
}

/// Shows a test on one channel, or on all that are set up, and says what came of it.
#[utoipa::path(post, path = "/v1/notify/test", request_body = NotifyTest,
    responses((status = 200, body = Vec<Tested>), (status = 404, body = ErrorBody)))]
pub(super) async fn test(
    State(service): State<Arc<Service>>,
    Body(body): Body<NotifyTest>,
) -> Result<Json<Vec<Tested>>, ApiError> {
    let reports = reports(&service);
    let Some(channels) = service.channels.get() else {
        return Err(ApiError::new("busy", "the daemon is starting").hint("try again"));
    };
    let names: Vec<String> = match &body.channel {
        Some(name) => vec![name.clone()],
        None => channels
            .testable(&service)
            .into_iter()
            .map(str::to_owned)
            .collect(),
    };
    // All at once: each takes its time where something hangs.
    let tests: Vec<_> = names
        .into_iter()
        .map(|name| {
            let service = Arc::clone(&service);
            let result = tokio::spawn({
                let name = name.clone();
                async move { test_one(&service, &name).await }
            });
            (name, result)
        })
        .collect();
    let mut tested = Vec::new();
    for (name, result) in tests {
        let Some(result) = result.await.map_err(ApiError::failed)? else {
            let known: Vec<&str> = reports.iter().map(|report| report.name).collect();
            return Err(
                ApiError::new("not_found", format!("there is no channel {name}"))
                    .hint(format!("there are {}", known.join(", "))),
            );
        };
        tested.push(Tested {
            channel: name,
            ok: result.is_ok(),
            message: result.unwrap_or_else(|why| why),
        });
    }
    Ok(Json(tested))
}

async fn test_one(service: &Service, name: &str) -> Option<Result<String, String>> {
    let channels = service.channels.get()?;
    match tokio::time::timeout(TEST, channels.test(service, name)).await {
        Ok(result) => result,
        Err(_) => Some(Err(format!(
            "nothing came of it within {} s",
            TEST.as_secs()
        ))),
    }
}

fn reports(service: &Service) -> Vec<Report> {
    service.channels.get().map_or(Vec::new(), Channels::reports)
}

fn channel(report: Report) -> Channel {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Channel {
        name: report.name.to_owned(),
        off: report.off,
        waiting: report.waiting,
        standing: report.standing,
        again_in_ms: report.again_in.map(millis),
        last: report.last.map(|last| LastDelivery {
            ok: last.result.is_ok(),
            message: last.result.unwrap_or_else(|why| why),
            at: last.at.to_string(),
        }),
    }
}
