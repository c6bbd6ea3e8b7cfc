//! `/v1/terminals`, `/v1/terminals/{id}`, `/v1/terminals/{id}/restart`.

use super::error::ApiError;
use super::extract::{Body, Params};
use super::openapi::StatusShape;
use super::{CreateBody, Created, Done, ErrorBody, PatchBody, done, order_or_own, resolve};
use crate::login;
use crate::service::Service;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use holder::protocol::Op;
use holder::spawn::{self, SpawnError, Spec};
use rustix::process::{Resource, getrlimit, setrlimit};
use serde::Deserialize;
use status::{EventKind, Status};
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use utoipa::IntoParams;

/// The size of a terminal that nobody gave one.
const SIZE: (u16, u16) = (80, 24);

/// All terminals, most urgent first, then by name.
#[utoipa::path(get, path = "/v1/terminals", responses((status = 200, body = Vec<StatusShape>)))]
pub(super) async fn list(State(service): State<Arc<Service>>) -> Json<Vec<Arc<Status>>> {
    service.scan().await;
    Json(service.registry.list())
}

/// Starts a terminal with the environment of a fresh login. With an id that exists it answers with the
/// terminal that is there.
#[utoipa::path(post, path = "/v1/terminals", request_body = CreateBody, responses(
    (status = 201, body = Created), (status = 200, body = Created, description = "It was there already"),
    (status = 409, body = ErrorBody)))]
pub(super) async fn create(
    State(service): State<Arc<Service>>,
    Body(body): Body<CreateBody>,
) -> Result<(StatusCode, Json<Created>), ApiError> {
    if let Some(id) = &body.id {
        if !holder::paths::is_id(id) {
            return Err(ApiError::new(
                "usage",
                "an id is 8 characters of lower-case base32: a-z and 2-7",
            ));
        }
        service.scan().await;
        if let Some(entry) = service.registry.get(id) {
            return Ok((StatusCode::OK, Json(created(&entry.status, None))));
        }
    }
    let name = body.name.clone();
    let spec = spec(&service, body)?;
    let paths = service.paths.clone();
    let starting = tokio::task::spawn_blocking(move || {
        let _limit = OwnLimit::restore();
        spawn::start(&paths, &spec)
    });
    let started = match starting.await.map_err(ApiError::failed)? {
        Ok(started) => started,
        Err(SpawnError::IdExists { id }) => {
            let entry = resolve(&service, &id, false).await?;
            return Ok((StatusCode::OK, Json(created(&entry.status, None))));
        }
        Err(error) => return Err(not_started(error, name.as_deref())),
    };
    service.scan().await;
    let body = Created {
        id: started.id,
        name: started.name,
        replaced: started.replaced,
    };
    Ok((StatusCode::CREATED, Json(body)))
}

fn created(status: &Status, replaced: Option<String>) -> Created {
    Created {
        id: status.id.clone(),
        name: status.name.clone(),
        replaced,
    }
}

fn spec(service: &Service, body: CreateBody) -> Result<Spec, ApiError> {
    if let Some(name) = &body.name {
        holder::paths::check_name(name).map_err(|why| ApiError::new("name", why))?;
    }
    if body.command.as_ref().is_some_and(Vec::is_empty) {
        return Err(ApiError::new(
            "usage",
            "command is empty: leave it out for the login shell",
        ));
    }
    let (cols, rows) = body.size.map_or(SIZE, |size| (size.cols, size.rows));
    if !(1..=1000).contains(&cols) || !(1..=500).contains(&rows) {
        return Err(ApiError::new("usage", "a size is 1×1 to 1000×500"));
    }
    let config = service.config();
    let login = login::fresh();
    let pair = |(key, value): (String, String)| (OsString::from(key), OsString::from(value));
    Ok(Spec {
        id: body.id,
        name: body.name,
        command: body
            .command
            .map(|words| words.into_iter().map(OsString::from).collect()),
        then_shell: body.then_shell,
        cwd: body.cwd.map_or(login.home, Into::into),
        env: login.env,
        set_env: config.env.into_iter().chain(body.env).map(pair).collect(),
        cols,
        rows,
        scrollback: config.scrollback,
        plain_shell: !config.shell_integration,
    })
}

fn not_started(error: SpawnError, name: Option<&str>) -> ApiError {
    let message = error.to_string();
    match error {
        SpawnError::NameTaken { .. } => ApiError::new("taken", message).hint(format!(
            "`wigwag attach {}` goes there",
            name.unwrap_or("NAME")
        )),
        SpawnError::Name(_) => ApiError::new("name", message),
        _ => ApiError::failed(message),
    }
}

/// The daemon raised its own limit of descriptors; a terminal gets the usual one. What is open
/// stays open meanwhile.
struct OwnLimit(rustix::process::Rlimit);

impl OwnLimit {
    /// The soft limit a login gets.
    const USUAL: u64 = 1024;

    fn restore() -> Self {
        let raised = getrlimit(Resource::Nofile);
        let mut usual = getrlimit(Resource::Nofile);
        usual.current = usual
            .maximum
            .map(|most| most.min(Self::USUAL))
            .or(Some(Self::USUAL));
        let _ = setrlimit(Resource::Nofile, usual);
        Self(raised)
    }
}

impl Drop for OwnLimit {
    fn drop(&mut self) {
        let _ = setrlimit(Resource::Nofile, self.0);
    }
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Look {
    /// A unique beginning of a name or id is enough.
    prefix: bool,
}

/// One terminal, by id or name.
#[utoipa::path(get, path = "/v1/terminals/{id}", params(("id" = String, Path, description = "id or name"), Look),
    responses((status = 200, body = StatusShape), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn show(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Params(look): Params<Look>,
) -> Result<Json<Arc<Status>>, ApiError> {
    Ok(Json(resolve(&service, &id, look.prefix).await?.status))
}

/// Renames, mutes or unmutes.
#[utoipa::path(patch, path = "/v1/terminals/{id}", params(("id" = String, Path, description = "id or name")),
    request_body = PatchBody,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn change(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Body(body): Body<PatchBody>,
) -> Result<Json<Done>, ApiError> {
    // By id from here on: the name may change.
    let entry = resolve(&service, &id, false).await?;
    let id = entry.status.id.clone();
    if body.mute_ms.is_some() && body.muted != Some(true) {
        return Err(ApiError::new("usage", "mute_ms goes with \"muted\": true"));
    }
    if let Some(name) = body.name {
        holder::paths::check_name(&name).map_err(|why| ApiError::new("name", why))?;
        match &entry.link {
            Some(_) => {
                let _ = super::order(&service, &id, Op::Rename { name }).await?;
            }
            None => rename_without_holder(&service, &entry.status, name).await?,
        }
    }
    if let Some(muted) = body.muted {
        let op = Op::Mute {
            muted,
            for_ms: body.mute_ms,
        };
        let _ = order_or_own(&service, &id, op, EventKind::Renamed, |status| {
            std::mem::replace(&mut status.muted, muted) != muted
        })
        .await?;
    }
    Ok(done(&service).await)
}

async fn rename_without_holder(
    service: &Service,
    status: &Status,
    name: String,
) -> Result<(), ApiError> {
    let paths = service.paths.clone();
    let (id, given) = (status.id.clone(), name.clone());
    // It takes a lock that a start may hold.
    let renaming =
        tokio::task::spawn_blocking(move || spawn::rename_without_holder(&paths, &id, &given));
    let renamed = renaming.await.map_err(ApiError::failed)?;
    renamed.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => ApiError::new("taken", error.to_string()),
        io::ErrorKind::ResourceBusy => ApiError::new("busy", error.to_string()).hint("try again"),
        _ => ApiError::failed(error),
    })?;
    let mut status = status.clone();
    if status.name != name {
        status.rename(&name);
        let id = status.id.clone();
        service
            .own_event(&id, EventKind::Renamed, Some(status))
            .await;
    }
    Ok(())
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Removal {
    /// Also one that runs: it is hung up, and killed after 5 s.
    force: bool,
}

/// Forgets a terminal that ended.
#[utoipa::path(delete, path = "/v1/terminals/{id}", params(("id" = String, Path, description = "id or name"), Removal),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn remove(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Params(removal): Params<Removal>,
) -> Result<Json<Done>, ApiError> {
    super::remove(&service, &id, removal.force).await?;
    Ok(done(&service).await)
}

/// Runs the command of a terminal that ended again: same id, name, place and environment.
#[utoipa::path(post, path = "/v1/terminals/{id}/restart", params(("id" = String, Path, description = "id or name")),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn restart(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Json<Done>, ApiError> {
    let entry = resolve(&service, &id, false).await?;
    let name = entry.status.name.clone();
    if super::is_running(&entry.status) {
        return Err(ApiError::new("running", format!("{name} runs"))
            .hint(format!("`wigwag kill {name}` ends it first")));
    }
    let id = entry.status.id.clone();
    let paths = service.paths.clone();
    let starting = tokio::task::spawn_blocking(move || {
        let _limit = OwnLimit::restore();
        spawn::restart(&paths, &id)
    });
    starting
        .await
        .map_err(ApiError::failed)?
        .map_err(|error| not_started(error, Some(&name)))?;
    service.scan().await;
    Ok(done(&service).await)
}
