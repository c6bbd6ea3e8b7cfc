//! The HTTP API (interfaces.md, HTTP API): its shapes in `shapes.rs`, one file a resource beside it,
//! and here what they share: the router, the look-up, the way to a holder.

mod ack;
mod attach;
mod capture;
mod clear;
mod clients;
mod detach;
mod error;
mod events;
mod extract;
mod health;
mod input;
mod metrics;
mod notify;
mod openapi;
mod processes;
mod settings;
mod shapes;
mod signal;
mod terminals;

pub use shapes::{
    AckBody, AttachSettings, CaptureQuery, Channel, ClearBody, CommandSettings, CreateBody,
    Created, DesktopSettings, Done, ErrorBody, ErrorDetail, Health, InputBody, LastDelivery,
    Notifications, NotifySettings, NotifyTest, NtfySettings, PatchBody, Settings, SignalBody,
    SizeBody, Tested, Warning,
};

use crate::process_end;
use crate::registry::{Ask, Entry, Link, Unresolved};
use crate::service::Service;
use axum::Json;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use error::ApiError;
use holder::protocol::{Op, Outcome};
use status::{EventKind, LifecycleState, Status};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The greatest body: a paste of 1 MB, with room for what JSON escapes.
const MAX_BODY: usize = 4 << 20;

/// A holder answers in microseconds; one that is stopped does not.
const ANSWER: Duration = Duration::from_secs(10);

/// A removed terminal is hung up, then killed after 5 s; then it must be gone.
const REMOVAL: Duration = Duration::from_secs(8);

/// A holder gives its clients a second to hear that the terminal was removed; then it ends.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// The routes and the document that describes them.
fn api() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::with_openapi(openapi::head())
        .routes(routes!(terminals::list, terminals::create))
        .routes(routes!(
            terminals::show,
            terminals::change,
            terminals::remove
        ))
        .routes(routes!(terminals::restart))
        .routes(routes!(input::input))
        .routes(routes!(signal::signal))
        .routes(routes!(ack::ack))
        .routes(routes!(clear::clear))
        .routes(routes!(detach::detach))
        .routes(routes!(capture::capture))
        .routes(routes!(processes::processes))
        .routes(routes!(clients::clients))
        .routes(routes!(attach::attach))
        .routes(routes!(events::events))
        .routes(routes!(settings::show, settings::change))
        .routes(routes!(notify::list))
        .routes(routes!(notify::test))
        .routes(routes!(health::health))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openapi::document))
}

/// The document served at `/v1/openapi.json`.
fn document() -> utoipa::openapi::OpenApi {
    api().into_openapi()
}

/// The whole API.
pub(crate) fn router(service: Arc<Service>) -> Router {
    let (router, _) = api().split_for_parts();
    router
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(service)
}

async fn no_route(uri: axum::http::Uri) -> ApiError {
    ApiError::new("usage", format!("there is nothing at {}", uri.path()))
        .hint("GET /v1/openapi.json lists what there is")
        .with_status(StatusCode::NOT_FOUND)
}

async fn no_method(method: axum::http::Method, uri: axum::http::Uri) -> ApiError {
    ApiError::new("usage", format!("{} does not take {method}", uri.path()))
        .hint("GET /v1/openapi.json lists what it takes")
        .with_status(StatusCode::METHOD_NOT_ALLOWED)
}

/// The terminal that a word means; looks for new ones before it says that there is none.
async fn resolve(service: &Arc<Service>, word: &str, prefix: bool) -> Result<Entry, ApiError> {
    let first = service.registry.resolve(word, prefix);
    let living = first.as_ref().is_ok_and(|entry| entry.link.is_some());
    let found = if living {
        first
    } else {
        // Started or restarted a moment ago, perhaps.
        service.scan().await;
        service.registry.resolve(word, prefix)
    };
    found.map_err(|why| match why {
        Unresolved::None => ApiError::not_found(word),
        Unresolved::Many(meant) => ApiError::ambiguous(word, &meant),
    })
}

/// Orders something of a holder.
async fn ask(link: &Link, name: &str, op: Op) -> Result<Outcome, ApiError> {
    let (reply, answer) = oneshot::channel();
    let asked = tokio::time::timeout(ANSWER, async {
        if link.asks.send(Ask { op, reply }).await.is_err() {
            return None;
        }
        answer.await.ok()
    });
    match asked.await {
        Ok(Some(Outcome::Error { code, message })) => Err(of_holder(&code, message)),
        Ok(Some(outcome)) => Ok(outcome),
        Ok(None) => Err(ApiError::new(
            "unreachable",
            format!("the holder of {name} went away before it answered"),
        )
        .hint("`wigwag list` says what became of it")),
        Err(_) => Err(ApiError::unreachable(name)),
    }
}

/// A refusal of a holder, in the API's words.
fn of_holder(code: &str, message: String) -> ApiError {
    match code {
        "refused" | "taken" | "name" | "running" | "exited" | "busy" => {
            ApiError::new(code, message)
        }
        "request" => ApiError::new("usage", message),
        "unknown" => ApiError::new("refused", message)
            .hint("the terminal was started by an older version: restart it to use this"),
        _ => ApiError::failed(message),
    }
}

/// Orders something of the holder of a terminal that must have one, and says when that is in the journal.
async fn order(service: &Arc<Service>, word: &str, op: Op) -> Result<Json<Done>, ApiError> {
    let entry = resolve(service, word, false).await?;
    let name = &entry.status.name;
    let link = entry.link.as_ref().ok_or_else(|| ApiError::over(name))?;
    ask(link, name, op).await?;
    Ok(done(service).await)
}

/// Everything received so far is in the journal.
async fn done(service: &Service) -> Json<Done> {
    let seq = service.journal.flush().await;
    Json(Done { seq })
}

/// Orders something of the holder; or, where there is none, does it to what the daemon keeps.
async fn order_or_own(
    service: &Arc<Service>,
    word: &str,
    op: Op,
    event: EventKind,
    own: impl FnOnce(&mut Status) -> bool,
) -> Result<Json<Done>, ApiError> {
    let entry = resolve(service, word, false).await?;
    if let Some(link) = &entry.link {
        ask(link, &entry.status.name, op).await?;
    } else {
        let mut status = Status::clone(&entry.status);
        if own(&mut status) {
            let id = status.id.clone();
            service.own_event(&id, event, Some(status)).await;
        }
    }
    Ok(done(service).await)
}

/// Forgets a terminal that ended: by its holder, or its files where it has none.
pub(crate) async fn forget(service: &Arc<Service>, id: &str) -> Result<(), ApiError> {
    remove(service, id, false).await
}

async fn remove(service: &Arc<Service>, word: &str, force: bool) -> Result<(), ApiError> {
    let entry = resolve(service, word, false).await?;
    let id = entry.status.id.clone();
    let name = &entry.status.name;
    let Some(link) = &entry.link else {
        let paths = service.paths.clone();
        let forgotten = id.clone();
        // It takes a lock that a start may hold.
        let forgetting = tokio::task::spawn_blocking(move || paths.forget(&forgotten));
        match forgetting.await.map_err(ApiError::failed)? {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
                return Err(ApiError::new("busy", error.to_string()).hint("try again"));
            }
            Err(error) => {
                return Err(ApiError::failed(error)
                    .hint("make the state directory writable, then remove it again"));
            }
        }
        service.own_event(&id, EventKind::Removed, None).await;
        return Ok(());
    };
    // While it is connected, the number is its own.
    let process = link.process.and_then(process_end::watch);
    let mut announcements = service.journal.announcements();
    match ask(link, name, Op::Remove { force }).await {
        Ok(_) => {}
        // It may be gone before its answer arrives; whether it is, is seen below.
        Err(error) if link.asks.is_closed() && error.is_unreachable() => {
            tracing::debug!("removing {id}: {error}");
        }
        Err(error) => return Err(error),
    }
    let gone = announcements.wait_for(|_| service.registry.get(&id).is_none());
    if tokio::time::timeout(REMOVAL, gone).await.is_err() {
        return Err(ApiError::new("busy", format!("{name} is still ending"))
            .hint("`wigwag list` shows when it is gone"));
    }
    // The terminal is gone; its holder is, once everybody has heard so.
    if let Some(process) = process
        && !process.within(LAST_WORDS).await
    {
        tracing::warn!("the holder of {id}, which was removed, does not end");
    }
    Ok(())
}

fn is_running(status: &Status) -> bool {
    matches!(
        status.lifecycle.state,
        LifecycleState::Starting | LifecycleState::Running
    )
}
