//! The watcher of one server: what there is, what it prints, and what changes.
//!
//! *Contract.* [`watch`] runs until the server is gone or nobody listens. It tells [`Event`]s: a pane is
//! added before its output comes, and each change is the whole pane. What a consumer knows after the last
//! event is what the server had when it was last listed, at most a second ago. A consumer
//! that is slow is waited for; what panes print meanwhile is lost with an [`Event::Gap`], never kept
//! without bound, and no program is ever held back.
//!
//! *How it knows.* One control client in each session follows the output of its panes (`client`). What
//! changes is noticed, and then everything is listed again (`listing`), through one of them: a
//! notification of tmux; output of a pane, after which its command and directory may be others; and for
//! what tmux gives no notice of (windows that swap places, a program that ends in a pane which
//! remains), one format subscription of one client, which costs the server one look a second. A
//! server that is idle costs us nothing.
//!
//! *Leaving no trace.* Clients attach to the session that was used least recently first, so that tmux's order
//! of sessions stays. A session that would end when nobody is attached (`destroy-unattached`,
//! `exit-unattached`) is followed only while a person is in it, and left with the last.
//!
//! *Bounded.* Whatever does not answer in time is let go of and tried again, later each time.

mod connection;
mod subscription;

use crate::id::PaneId;
use crate::listing::{Pane, Viewer};
use crate::server::{Error, Identity, Server};
use connection::{Connection, End};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// What a watcher tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The server runs. Told again when it was restarted, after [`Event::Left`].
    Appeared(Identity),
    /// It cannot be watched now, in words for people; what is known of it stays. It is tried again,
    /// unless it is too old: then the watcher ends.
    Unusable(String),
    /// There is a pane.
    PaneAdded(Pane),
    /// A pane is another than before: moved, renamed, resized, dead, another command in it.
    PaneChanged(Pane),
    /// There is no such pane any more.
    PaneRemoved(PaneId),
    /// A pane printed this.
    Output {
        /// Which.
        pane: PaneId,
        /// What: raw, cut anywhere.
        bytes: Vec<u8>,
    },
    /// Output of the pane was lost, or a new stream begins: an unfinished sequence is void. The pane as it
    /// is by then is told next, where it is another.
    Gap(PaneId),
    /// The people who are attached, and what is on their screens; told when that changes.
    Viewers(Vec<Viewer>),
    /// The server is gone, and its panes with it.
    Left,
}

/// What to watch of a server.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Names of sessions to leave out: their panes are not told, and no client attaches to them.
    pub leave_out: BTreeSet<String>,
}

/// What is known across connections.
#[derive(Debug, Default)]
struct Known {
    identity: Option<Identity>,
    panes: BTreeMap<PaneId, Pane>,
    viewers: Vec<Viewer>,
}

/// A socket may be there a moment before its server listens; so often it is tried.
const TRIES_AT_FIRST: u32 = 4;

/// The first pause before another try; each is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// After a connection that lasted so long, pauses are short again.
const LASTED: Duration = Duration::from_secs(60);

/// Watches a server until it is gone, it is too old, or the receiver is dropped.
pub async fn watch(server: Server, options: Options, events: mpsc::Sender<Event>) {
    let mut known = Known::default();
    let mut pause = FIRST_PAUSE;
    let mut tries = 0;
    let mut unusable = None;
    loop {
        let started = Instant::now();
        let end = match server.identify().await {
            Ok(identity) => {
                unusable = None;
                if !known.meet(identity, &events).await {
                    return;
                }
                Connection::run(&server, &options, &mut known, &events).await
            }
            Err(error) => End::Failed(error),
        };
        if started.elapsed() > LASTED {
            pause = FIRST_PAUSE;
            tries = 0;
        }
        tries += 1;
        match end {
            End::NobodyListens => return,
            End::Failed(Error::Gone(_)) if known.identity.is_some() || tries >= TRIES_AT_FIRST => {
                // One that was killed and restarted is noticed by its new socket.
                known.leave(&events).await;
                return;
            }
            End::Failed(Error::Gone(_)) => {}
            End::Failed(error) => {
                let words = error.to_string();
                if unusable.as_ref() != Some(&words) {
                    let told = events.send(Event::Unusable(words.clone())).await;
                    unusable = Some(words);
                    if told.is_err() {
                        return;
                    }
                }
                if let Error::TooOld(_) = error {
                    return;
                }
            }
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = events.closed() => return,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

impl Known {
    /// The server that answers may be another than before. `false`: nobody listens.
    async fn meet(&mut self, identity: Identity, events: &mpsc::Sender<Event>) -> bool {
        if self.identity.as_ref() == Some(&identity) {
            return true;
        }
        self.leave(events).await;
        self.identity = Some(identity.clone());
        events.send(Event::Appeared(identity)).await.is_ok()
    }

    async fn leave(&mut self, events: &mpsc::Sender<Event>) {
        if std::mem::take(self).identity.is_some() {
            // Without a receiver there is nobody to tell.
            let _ = events.send(Event::Left).await;
        }
    }
}
