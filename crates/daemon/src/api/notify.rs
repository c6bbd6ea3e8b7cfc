//! `/v1/notify`: the channels of notifications, how they are, and a test of each.

use super::error::ApiError;
use super::extract::Body;
use super::{Channel, ErrorBody, LastDelivery, Notifications, NotifyTest, Tested};
use crate::notify::{Channels, Report};
use crate::service::Service;
use axum::Json;
use axum::extract::State;
use std::sync::Arc;

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
    let names: Vec<&str> = match &body.channel {
        Some(name) => vec![name],
        None => channels.testable(&service),
    };
    let mut tested = Vec::new();
    for name in names {
        let Some(result) = channels.test(&service, name).await else {
            let known: Vec<&str> = reports.iter().map(|report| report.name).collect();
            return Err(
                ApiError::new("not_found", format!("there is no channel {name}"))
                    .hint(format!("there are {}", known.join(", "))),
            );
        };
        tested.push(Tested {
            channel: name.to_owned(),
            ok: result.is_ok(),
            message: result.unwrap_or_else(|why| why),
        });
    }
    Ok(Json(tested))
}

fn reports(service: &Service) -> Vec<Report> {
    service.channels.get().map_or(Vec::new(), Channels::reports)
}

fn channel(report: Report) -> Channel {
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
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
