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
        })
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
                        self.metrics.connections.fetch_add(1, Ordering::Relaxed);
                        let metrics = Arc::clone(&self.metrics);
                        return (Counted { stream, metrics }, ());
                    }
                    Ok(peer) => tracing::warn!("refused a connection of user {}", peer.uid()),
                    Err(error) => tracing::warn!("refused a connection of nobody: {error}"),
                },
                Err(error) => {
                    tracing::error!("cannot accept connections: {error}");
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
