//! The journal as server-sent events: each follower reads pages from where it is, so a slow one
//! costs a page and loses nothing but time.
//!
//! Each event has the journal's number as its id, so that `Last-Event-ID` goes on after it. Who
//! asks for events that are no longer kept gets a message of the type `resync` (what it knew
//! before is void) and then one event `gap` with the whole status for each terminal.

use crate::service::Service;
use axum::body::{Body, Bytes};
use status::{EventKind, JournalEvent};
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::{mpsc, watch};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

/// Events in one piece of the answer. With the greatest statuses (about 0.5 MB) that bounds a follower.
const PAGE: usize = 64;

/// The body of the answer: everything after `since`; then, while `follow`, what comes.
pub(crate) fn stream(service: Arc<Service>, since: u64, follow: bool) -> Body {
    let (pieces, body) = mpsc::channel::<Bytes>(1);
    let head = service.journal.announcements();
    let writer = Writer {
        service,
        pieces,
        head,
        at: since,
    };
    tokio::spawn(writer.run(follow));
    Body::from_stream(ReceiverStream::new(body).map(Ok::<_, Infallible>))
}

struct Writer {
    service: Arc<Service>,
    pieces: mpsc::Sender<Bytes>,
    head: watch::Receiver<u64>,
    at: u64,
}

impl Writer {
    async fn run(mut self, follow: bool) {
        // Sent at once, so that the head of the answer is, too.
        let mut piece = format!(": journal at {}\n\n", *self.head.borrow());
        loop {
            self.head.borrow_and_update();
            let page = self.service.journal.page(self.at, PAGE).await;
            if page.gap {
                piece.push_str(&self.resync());
            }
            for row in &page.rows {
                self.at = row.seq;
                // A String takes what is written to it.
                let _ = write!(piece, "id: {}\ndata: {}\n\n", row.seq, row.line);
            }
            if !piece.is_empty()
                && self
                    .pieces
                    .send(std::mem::take(&mut piece).into())
                    .await
                    .is_err()
            {
                return;
            }
            if !page.rows.is_empty() || page.gap {
                continue;
            }
            if !follow {
                return;
            }
            tokio::select! {
                changed = self.head.changed() => if changed.is_err() { return },
                () = self.pieces.closed() => return,
            }
        }
    }

    /// The whole state, as of now.
    fn resync(&mut self) -> String {
        self.service.metrics.gaps.fetch_add(1, Ordering::Relaxed);
        self.at = self.service.journal.head();
        let seq = self.at;
        let list = self.service.registry.list();
        let mut text = format!("event: resync\ndata: {{\"seq\":{seq}}}\n");
        for status in list {
            let event = JournalEvent {
                seq,
                at: crate::mirror::now(),
                terminal: status.id.clone(),
                event: EventKind::Gap,
                status: Some((*status).clone()),
            };
            // An event is plain data: it always has a JSON form.
            let line = serde_json::to_string(&event).unwrap_or_default();
            let _ = write!(text, "\ndata: {line}\n");
        }
        // The number stands with the last message only: who breaks off before it gets all of them again.
        let _ = write!(text, "id: {seq}\n\n");
        text
    }
}
