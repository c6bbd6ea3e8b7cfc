//! `/v1/openapi.json`, and the shapes that other crates own, as the document describes them. A test
//! holds them against what is really sent.

use axum::Json;
use utoipa::ToSchema;
use utoipa::openapi::{InfoBuilder, OpenApi, OpenApiBuilder};

/// Title and version of the document.
pub(super) fn head() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Wigwag")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Terminals of one user on one machine. `{id}` is an id or a name. Errors are \
             `{\"error\": {\"code\", \"message\", \"hint\"}}`.",
        ));
    OpenApiBuilder::new().info(info.build()).build()
}

/// This document.
#[utoipa::path(get, path = "/v1/openapi.json", responses((status = 200, body = Object)))]
pub(super) async fn document() -> Json<OpenApi> {
    Json(super::document())
}

/// Everything known about one terminal.
#[derive(ToSchema)]
#[schema(as = Status)]
#[allow(dead_code, reason = "describes status::Status for the document")]
pub(super) struct StatusShape {
    /// 8 characters of lower-case base32.
    id: String,
    name: String,
    /// `local` or the name of a host.
    host: String,
    /// `holder` or `tmux`.
    source: String,
    lifecycle: LifecycleShape,
    #[schema(required = true)]
    title: Option<String>,
    /// `application`, `command`, `initial`, `shell` or `process`.
    #[schema(required = true)]
    title_source: Option<String>,
    label: String,
    /// `waiting`, `failed`, `attention`, `finished`, `working`, `running`, `idle`, `exited` or `lost`.
    state: String,
    #[schema(required = true)]
    progress: Option<ProgressShape>,
    #[schema(required = true)]
    command: Option<CommandShape>,
    #[schema(required = true)]
    last_command: Option<LastCommandShape>,
    reports: Vec<RecordShape>,
    #[schema(required = true)]
    attention: Option<AttentionShape>,
    #[schema(required = true)]
    cwd: Option<String>,
    size: super::SizeBody,
    /// How many are attached.
    clients: u32,
    /// RFC 3339, UTC; so are all times.
    created_at: String,
    muted: bool,
    #[schema(required = true)]
    tmux: Option<TmuxShape>,
}

#[derive(ToSchema)]
#[schema(as = Lifecycle)]
#[allow(dead_code, reason = "describes status::Lifecycle for the document")]
pub(super) struct LifecycleShape {
    /// `starting`, `running`, `exited` or `lost`.
    state: String,
    #[schema(required = true)]
    code: Option<i32>,
    /// Such as `KILL`.
    #[schema(required = true)]
    signal: Option<String>,
    #[schema(required = true)]
    at: Option<String>,
}

#[derive(ToSchema)]
#[schema(as = Progress)]
#[allow(
    dead_code,
    reason = "describes status::ProgressStatus for the document"
)]
pub(super) struct ProgressShape {
    /// `normal`, `error`, `busy` or `paused`.
    state: String,
    #[schema(required = true)]
    percent: Option<u8>,
}

#[derive(ToSchema)]
#[schema(as = Command)]
#[allow(dead_code, reason = "describes status::Command for the document")]
pub(super) struct CommandShape {
    #[schema(required = true)]
    line: Option<String>,
    started_at: String,
}

#[derive(ToSchema)]
#[schema(as = LastCommand)]
#[allow(dead_code, reason = "describes status::LastCommand for the document")]
pub(super) struct LastCommandShape {
    #[schema(required = true)]
    line: Option<String>,
    #[schema(required = true)]
    exit_code: Option<i32>,
    seconds: f64,
}

#[derive(ToSchema)]
#[schema(as = Record)]
#[allow(dead_code, reason = "describes status::Record for the document")]
pub(super) struct RecordShape {
    /// Empty: the root.
    id: String,
    /// `idle`, `working`, `done`, `blocked` or `error`.
    state: String,
    /// `permission`, `question` or `auth`.
    #[schema(required = true)]
    kind: Option<String>,
    #[schema(required = true)]
    progress: Option<u8>,
    #[schema(required = true)]
    app: Option<String>,
    #[schema(required = true)]
    title: Option<String>,
    #[schema(required = true)]
    msg: Option<String>,
    updated_at: String,
    /// A person has seen it since its last report.
    seen: bool,
}

#[derive(ToSchema)]
#[schema(as = Attention)]
#[allow(dead_code, reason = "describes status::Attention for the document")]
pub(super) struct AttentionShape {
    seq: u64,
    /// `bell`, `notify`, `waiting`, `finished`, `failed`, `command` or `exit`.
    kind: String,
    #[schema(required = true)]
    text: Option<String>,
    at: String,
    unread: bool,
}

#[derive(ToSchema)]
#[schema(as = TmuxPlace)]
#[allow(dead_code, reason = "describes status::TmuxPlace for the document")]
pub(super) struct TmuxShape {
    socket: String,
    session: String,
    window: u32,
    window_name: String,
    pane: String,
}

/// A process of a terminal.
#[derive(ToSchema)]
#[schema(as = Process)]
#[allow(
    dead_code,
    reason = "describes holder::protocol::Process for the document"
)]
pub(super) struct ProcessShape {
    pid: i32,
    command: String,
    /// It has the foreground.
    foreground: bool,
}

/// An attached client.
#[derive(ToSchema)]
#[schema(as = Client)]
#[allow(
    dead_code,
    reason = "describes holder::protocol::ClientInfo for the document"
)]
pub(super) struct ClientShape {
    program: String,
    size: super::SizeBody,
    owns_size: bool,
    view: bool,
    focused: bool,
    queued: u64,
    resyncs: u64,
}
