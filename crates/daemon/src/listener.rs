//! The daemon's unix socket: 0600, for this user only.

use crate::metrics::Metrics;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{UnixListener, UnixStream};

/// Without descriptors, connections wait in the backlog that long.
const FULL: Duration = Duration::from_millis(100);

pub(crate) struct Listener {
    socket: UnixListener,
    metrics: Arc<Metrics>,
    uid: u32,
    /// The other user who was refused last.
    stranger: Option<u32>,
    /// The last connection could not be taken.
    full: bool,
}

impl Listener {
    /// Replaces what is there: the caller knows that it is a dead process's.
    pub(crate) fn bind(path: &Path, metrics: Arc<Metrics>) -> io::Result<Self> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let socket = holder::socket_address::bind(path)?;
        // The directory (0700) keeps others away until this is done.
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket: UnixListener::from_std(socket)?,
            metrics,
            uid: rustix::process::getuid().as_raw(),
            stranger: None,
            full: false,
        })
    }

    /// Tells another user so, if their end takes it at once, and forgets them.
    fn refuse(&mut self, stream: &UnixStream, uid: u32) {
        // Who tries again and again does not push everything else out of the log.
        if self.stranger.replace(uid) != Some(uid) {
            tracing::warn!("refused a connection of user {uid}");
        }
        let message = format!("this daemon serves user {}, not {uid}", self.uid);
        let body =
            serde_json::json!({"error": {"code": "refused", "message": message, "hint": null}});
        let body = body.to_string();
        let answer = format!(
            "HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        );
        // A new connection has room for that; one that is gone already needs nothing.
        let _ = stream.try_write(answer.as_bytes());
    }
}

impl axum::serve::Listener for Listener {
    type Io = Counted;
    type Addr = ();

    async fn accept(&mut self) -> (Counted, ()) {
        loop {
            match self.socket.accept().await {
                Ok((stream, _)) => match stream.peer_cred() {
                    Ok(peer) if peer.uid() == self.uid => {
                        self.full = false;
                        self.metrics.connections.fetch_add(1, Ordering::Relaxed);
                        let metrics = Arc::clone(&self.metrics);
                        return (Counted { stream, metrics }, ());
                    }
                    Ok(peer) => self.refuse(&stream, peer.uid()),
                    Err(error) => tracing::warn!("refused a connection of nobody: {error}"),
                },
                Err(error) => {
                    // Said once, not ten times a second.
                    if !self.full {
                        tracing::error!("cannot accept connections: {error}");
                        self.full = true;
                    }
                    tokio::time::sleep(FULL).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A connection that is counted while it is open.
pub(crate) struct Counted {
    stream: UnixStream,
    metrics: Arc<Metrics>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
