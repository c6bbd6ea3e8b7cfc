//! `/v1/terminals/{id}/capture`: the screen as text. On a connection of its own, so that a long history
//! does not delay the events of its terminal.

use super::error::ApiError;
use super::extract::Params;
use super::{ANSWER, CaptureQuery, ErrorBody, of_holder, resolve};
use crate::mirror::{connect, greet, next_frame, request};
use crate::service::Service;
use axum::extract::{Path, State};
use holder::frame::FrameReader;
use holder::protocol::{Op, Outcome, Reply, kind};
use std::io;
use std::path::Path as FilePath;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

/// The screen as text.
#[utoipa::path(get, path = "/v1/terminals/{id}/capture",
    params(("id" = String, Path, description = "id, name or unique prefix"), CaptureQuery),
    responses((status = 200, body = String, content_type = "text/plain; charset=utf-8"),
        (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn capture(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Params(query): Params<CaptureQuery>,
) -> Result<String, ApiError> {
    let entry = resolve(&service, &id, true).await?;
    let name = &entry.status.name;
    let Some(link) = &entry.link else {
        return Err(ApiError::new(
            "exited",
            format!("the screen of {name} ended with its holder"),
        )
        .hint(format!("`wigwag restart {name}` runs it again")));
    };
    let op = Op::Capture {
        lines: query.lines,
        scrollback: query.scrollback,
        ansi: query.ansi,
    };
    let asking = ask_alone(&link.socket, op);
    let (outcome, data) = match tokio::time::timeout(ANSWER, asking).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            return Err(ApiError::new(
                "unreachable",
                format!("the holder of {name}: {error}"),
            ));
        }
        Err(_) => return Err(ApiError::unreachable(name)),
    };
    match outcome {
        Outcome::Error { code, message } => Err(of_holder(&code, message)),
        _ => Ok(String::from_utf8_lossy(&data).into_owned()),
    }
}

async fn ask_alone(socket: &FilePath, op: Op) -> io::Result<(Outcome, Vec<u8>)> {
    const ID: u64 = 1;
    let (mut read, mut write) = connect(socket).await?.into_split();
    let mut frames = FrameReader::default();
    greet(&mut read, &mut write, &mut frames).await?;
    write.write_all(&request(ID, op)?).await?;
    let mut data = Vec::new();
    while let Some(frame) = next_frame(&mut read, &mut frames).await? {
        match frame.kind {
            // The number of the request stands first.
            kind::DATA => data.extend_from_slice(frame.body.get(8..).unwrap_or_default()),
            kind::REPLY => {
                let reply: Reply = serde_json::from_slice(&frame.body).map_err(io::Error::other)?;
                return Ok((reply.outcome, data));
            }
            _ => {}
        }
    }
    Err(io::Error::new(
        io::ErrorKind::ConnectionAborted,
        "it went away before it answered",
    ))
}
