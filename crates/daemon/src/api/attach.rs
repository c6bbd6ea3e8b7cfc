//! `/v1/terminals/{id}/attach`: a WebSocket on a terminal. Binary messages are bytes; text messages are JSON
//! control: from the client `{"type":"resize",…}` and `{"type":"presence",…}` (the holder protocol's
//! bodies), from the daemon `snapshot` (its head; binary messages up to `snapshot_end` are the
//! snapshot), `moment`, `bye`.
//!
//! The connection has a queue nowhere but in the holder: the daemon reads on only when the socket
//! took what came before, so a slow socket loses its queue and gets a new snapshot like any slow client.

use super::error::ApiError;
use super::extract::Params;
use super::{ErrorBody, resolve};
use crate::mirror::{connect, greet, next_frame};
use crate::service::Service;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::response::Response;
use holder::frame::{Frame, FrameReader, encode};
use holder::protocol::{Attach, Presence, Resize, kind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use utoipa::IntoParams;

/// The greatest message of a client: a paste of 1 MB.
const MAX_MESSAGE: usize = 2 << 20;
/// Input travels in frames of at most this.
const PIECE: usize = holder::protocol::MAX_BODY / 4;
/// Lines of history in the first snapshot, where the client does not say.
const HISTORY: u32 = 1000;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Join {
    /// Columns of the client's screen.
    cols: u16,
    /// Rows.
    rows: u16,
    /// Take the size of the terminal.
    take_size: bool,
    /// Only look.
    view: bool,
    /// Lines of history in the first snapshot.
    history: u32,
    /// It has the focus.
    focused: bool,
}

impl Default for Join {
    fn default() -> Self {
        Self {
            cols: 80,
            rows: 24,
            take_size: false,
            view: false,
            history: HISTORY,
            focused: false,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Control {
    Resize(Resize),
    Presence(Presence),
}

/// Attaches: a snapshot, then the stream from exactly that point.
#[utoipa::path(get, path = "/v1/terminals/{id}/attach",
    params(("id" = String, Path, description = "id, name or unique prefix"), Join),
    responses((status = 101, description = "A WebSocket"), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn attach(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Params(join): Params<Join>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let entry = resolve(&service, &id, true).await?;
    let name = &entry.status.name;
    let link = entry.link.as_ref().ok_or_else(|| ApiError::over(name))?;
    let upgrade = upgrade.map_err(|rejection| {
        ApiError::new("usage", rejection.body_text()).with_status(rejection.status())
    })?;
    let stream = connect(&link.socket)
        .await
        .map_err(|error| ApiError::new("unreachable", format!("the holder of {name}: {error}")))?;
    Ok(upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .on_upgrade(async move |socket| {
            if let Err(error) = proxy(&service, socket, stream, &join).await {
                tracing::debug!("an attached socket ended: {error}");
            }
        }))
}

async fn proxy(
    service: &Service,
    mut socket: WebSocket,
    stream: UnixStream,
    join: &Join,
) -> io::Result<()> {
    let (mut read, mut write) = stream.into_split();
    let mut frames = FrameReader::default();
    if greet(&mut read, &mut write, &mut frames).await?.is_none() {
        return Ok(());
    }
    let body = serde_json::to_vec(&attach_of(join)?).map_err(io::Error::other)?;
    write.write_all(&encode(kind::ATTACH, &body)).await?;
    let mut snapshots = 0;
    loop {
        tokio::select! {
            frame = next_frame(&mut read, &mut frames) => {
                // A holder that goes ends the socket as one that says so.
                let Ok(Some(frame)) = frame else { break };
                if frame.kind == kind::SNAPSHOT_START {
                    snapshots += 1;
                    if snapshots > 1 {
                        service.metrics.resyncs.fetch_add(1, Ordering::Relaxed);
                    }
                }
                if let Some(message) = message_of(frame) {
                    socket.send(message).await.map_err(io::Error::other)?;
                }
            }
            message = socket.recv() => match message {
                Some(Ok(message)) => {
                    let bytes = frames_of(&message)?;
                    // A holder that takes no input says so by a moment; it always reads.
                    write.write_all(&bytes).await?;
                }
                Some(Err(error)) => return Err(io::Error::other(error)),
                None => return Ok(()),
            }
        }
    }
    let _ = socket.send(Message::Close(None)).await;
    Ok(())
}

/// The holder's own shape, by its JSON: fields that a newer holder adds keep their defaults.
fn attach_of(join: &Join) -> io::Result<Attach> {
    serde_json::from_value(json!({
        "cols": join.cols, "rows": join.rows, "take_size": join.take_size, "view": join.view,
        "history": join.history, "person": true, "focused": join.focused,
    }))
    .map_err(io::Error::other)
}

/// A frame of the holder for the socket.
fn message_of(frame: Frame) -> Option<Message> {
    let control = |kind: &str, body: &[u8]| {
        let mut value: Value = serde_json::from_slice(body).unwrap_or_else(|_| json!({}));
        value
            .as_object_mut()?
            .insert("type".to_owned(), kind.into());
        Some(Message::text(value.to_string()))
    };
    match frame.kind {
        kind::OUTPUT => Some(Message::binary(frame.body)),
        kind::SNAPSHOT_START => control("snapshot", &frame.body),
        kind::SNAPSHOT_END => control("snapshot_end", b"{}"),
        kind::MOMENT => control("moment", &frame.body),
        kind::BYE => control("bye", &frame.body),
        _ => None,
    }
}

/// A message of the socket for the holder.
fn frames_of(message: &Message) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match message {
        Message::Binary(input) => {
            for piece in input.chunks(PIECE) {
                bytes.extend(encode(kind::INPUT, piece));
            }
        }
        Message::Text(text) => {
            let control = serde_json::from_str(text.as_str()).map_err(io::Error::other)?;
            let (kind, body) = match control {
                Control::Resize(resize) => (kind::RESIZE, serde_json::to_vec(&resize)),
                Control::Presence(presence) => (kind::PRESENCE, serde_json::to_vec(&presence)),
            };
            bytes = encode(kind, &body.map_err(io::Error::other)?);
        }
        // Pings are answered by the library; the end comes as the end of the stream.
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => {}
    }
    Ok(bytes)
}
