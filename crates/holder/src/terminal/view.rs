//! What clients see: whose size it is, snapshots, the stream.

use super::client::{Client, SizeOwner};
use super::client_queue::{Class, MAX_QUEUE};
use super::holder::{Holder, status_size};
use super::{clock, event_log, log};
use crate::frame::encode;
use crate::protocol::{Moment, SnapshotStart, kind};
use screen::{Colors, Rgb, SnapshotExtras};
use signals::{Progress, ProgressState, Report, ReportState, Terminator, program_status, progress};
use status::{Event, Record, RecordKind, RecordState, Status};
use std::time::Duration;

/// From this much in the queue of the size's owner on, the PTY may be held back…
const HOLD_FROM: usize = 256 * 1024;
/// …until it has gone down to this…
const HOLD_UNTIL: usize = 128 * 1024;
/// …but at most that long.
const HOLD_LIMIT: Duration = Duration::from_millis(50);

/// A snapshot is sent in frames of this size.
const SNAPSHOT_FRAME: usize = 64 * 1024;

impl Holder {
    /// Brings everybody up to date: who is there, whose size it is, snapshots, gaps.
    pub(super) fn settle_clients(&mut self) {
        if self.clients.iter().any(|client| client.gone) {
            for gone in self.clients.iter().filter(|client| client.gone) {
                self.hooks.forget(gone.id);
            }
            self.clients.retain(|client| !client.gone);
            self.code_used = true;
            self.accepts.try_again();
            if self
                .owner
                .is_some_and(|owner| self.clients.iter().all(|client| client.id != owner))
            {
                self.owner = None;
            }
        }
        self.watch_carrying();
        self.settle_size();
        self.watch_presence();
        self.watch_modes();
        self.write_input();
        let ids: Vec<u64> = self.clients.iter().map(|client| client.id).collect();
        for id in ids {
            self.settle_client(id);
        }
    }

    fn settle_client(&mut self, id: u64) {
        let size = status_size(self.screen.size());
        let owner = match self.owner {
            Some(owner) if owner == id => SizeOwner::Itself,
            Some(_) => SizeOwner::Another,
            None => SizeOwner::Nobody,
        };
        let between_sequences = self.reader.unfinished().is_some();
        let Some(client) = self.client(id) else {
            return;
        };
        if client.closing.is_some() {
            return;
        }
        if client.subscribed {
            self.tell_people(id);
        }
        let Some(client) = self.client(id) else {
            return;
        };
        if let Some(attached) = &mut client.attached {
            if attached.waits_for_end && between_sequences {
                attached.wants_snapshot = true;
            }
            let told = attached.told.replace((size, owner));
            if told != attached.told {
                let owns_size = owner == SizeOwner::Itself;
                attached.wants_snapshot |= told.is_none_or(|(before, owner)| {
                    (before, owner == SizeOwner::Itself) != (size, owns_size)
                });
                if told.is_some() {
                    client.send_moment(&Moment::Size {
                        size,
                        owns_size,
                        owned: owner != SizeOwner::Nobody,
                    });
                }
            }
        }
        let wants = client
            .attached
            .as_ref()
            .is_some_and(|attached| attached.wants_snapshot);
        // A client that reads nothing while the size changes and changes gets one snapshot in the end.
        if wants && client.queue.bytes() > MAX_QUEUE / 4 {
            client.queue.lose_stream();
        }
        let ready = client.queue.wants_snapshot() || wants && !client.queue.stream_is_lost();
        if client.attached.is_some() && ready {
            self.send_snapshot(id);
        }
        let gap = self
            .client(id)
            .is_some_and(|client| client.queue.wants_gap());
        if gap {
            let frame =
                event_log::gap(self.events.seq(), self.terminal.status(), clock::now().wall);
            if let Some(client) = self.client(id) {
                client.queue.restart_events();
                client.queue.push_later(frame, Class::Event);
            }
        }
        self.flush_client(id);
    }

    /// Applies the size of its owner: the last one of a round, once.
    fn settle_size(&mut self) {
        let owner = self
            .owner
            .and_then(|owner| self.clients.iter().find(|client| client.id == owner));
        let attached = owner.and_then(|client| client.attached.as_ref());
        self.screen
            .set_colors(attached.map_or_else(Colors::default, |attached| colors(&attached.colors)));
        let Some((cols, rows)) = attached
            .map(|attached| attached.window)
            .filter(|&(cols, rows)| cols > 0 && rows > 0)
        else {
            return;
        };
        let size = screen::Size::new(cols, rows);
        if size == self.screen.size() {
            return;
        }
        // The screen first: what the program prints for the new size is drawn on it.
        self.screen.resize(size);
        if let Err(error) = self.program.set_size(size.cols, size.rows) {
            log::error(&format!("cannot set the size: {error}"));
        }
        if self.screen.modes().size_reports {
            let report = self.screen.size_report();
            self.input.answer(&report);
        }
        self.apply(Event::Resized(status_size(size)));
    }

    /// Another terminal is shown inside this one.
    pub(super) fn carries(&self) -> bool {
        self.carried.is_some()
    }

    /// While a client inside this terminal shows another one, this one says so and takes no signals:
    /// they are the other's.
    pub(super) fn watch_carrying(&mut self) {
        let mut clients = self.clients.iter().rev().filter(|client| !client.gone);
        let carried = clients.find_map(|client| client.carries.clone());
        if carried == self.carried {
            return;
        }
        let title = carried
            .as_ref()
            .map_or_else(String::new, |name| format!("attached to {name}"));
        self.carried = carried;
        self.apply(Event::Signal {
            signal: signals::Signal::Title(title),
            alternate_screen: false,
        });
    }

    /// Sends one frame of output to everybody who gets the stream.
    pub(super) fn send_output(&mut self, frame: &[u8]) {
        let mut shared = None;
        for client in self.clients.iter_mut().filter(|client| client.streams()) {
            let Client { queue, stream, .. } = client;
            if queue
                .push(frame, &mut shared, Class::Stream, &mut &*stream)
                .is_err()
            {
                client.gone = true;
            }
        }
    }

    /// What was forwarded is on the screen now, too: its history lines count as sent.
    pub(super) fn mark_history(&mut self) {
        let number = self.screen.history_end();
        for client in self.clients.iter_mut().filter(|client| client.streams()) {
            client.queue.mark_history(number);
            if let Some(attached) = &mut client.attached {
                attached.history_sent = Some(number);
            }
        }
    }

    /// Whether the owner of the size holds the PTY back now: a fast window loses no line.
    pub(super) fn holds_pty_back(&mut self, now: Duration) -> bool {
        let owner = self
            .owner
            .and_then(|owner| self.clients.iter().find(|client| client.id == owner));
        let queued = owner.map_or(0, |client| client.queue.bytes());
        let stalled = match self.stalled_since {
            None => queued >= HOLD_FROM,
            Some(_) => queued > HOLD_UNTIL,
        };
        self.stalled_since = stalled.then(|| self.stalled_since.unwrap_or(now));
        self.stalled_since
            .is_some_and(|since| now < since + HOLD_LIMIT)
    }

    /// When the PTY is read again although its owner has not caught up; at the same moment as that
    /// was decided, or nothing would wake the holder for it.
    pub(super) fn stall_deadline(&self, now: Duration) -> Option<Duration> {
        let until = self.stalled_since? + HOLD_LIMIT;
        (now < until).then_some(until)
    }

    fn send_snapshot(&mut self, id: u64) {
        let history_end = self.screen.history_end();
        let status = self.terminal.status();
        let unfinished = self.reader.unfinished();
        let exited = self.has_exited();
        let Some(client) = self.clients.iter_mut().find(|client| client.id == id) else {
            return;
        };
        let Some(attached) = &mut client.attached else {
            return;
        };
        let first = attached.history_sent.is_none();
        let from = match attached.history_sent {
            None => history_end.saturating_sub(u64::from(attached.history)),
            // What was dropped from the queue was not shown.
            Some(_) if client.queue.stream_is_lost() => client.queue.history_shown(),
            Some(sent) => sent,
        };
        let progress = progress_sequence(&status, first);
        let extras = SnapshotExtras {
            status: &progress,
            unfinished: unfinished.unwrap_or_default(),
        };
        let snapshot = self.screen.snapshot(from, &extras);
        let start = SnapshotStart {
            size: status_size(snapshot.size),
            owns_size: self.owner == Some(id),
            owned: self.owner.is_some(),
            history_first: snapshot.history_first,
            history_lines: snapshot.history_end.saturating_sub(snapshot.history_first),
            skipped: if first {
                0
            } else {
                snapshot.history_first.saturating_sub(from)
            },
        };
        attached.wants_snapshot = false;
        attached.waits_for_end = unfinished.is_none();
        attached.history_sent = Some(snapshot.history_end);
        client.queue.restart_stream();
        client
            .queue
            .push_snapshot(encode(kind::SNAPSHOT_START, &json(&start)));
        for piece in snapshot.bytes.chunks(SNAPSHOT_FRAME) {
            client.queue.push_snapshot(encode(kind::OUTPUT, piece));
        }
        for sequence in record_sequences(&status) {
            client
                .queue
                .push_snapshot(encode(kind::MOMENT, &json(&Moment::Report { sequence })));
        }
        client.queue.push_snapshot(encode(kind::SNAPSHOT_END, &[]));
        if exited {
            // Also for whoever lost the moment itself.
            let exited = json(&Moment::Exited);
            client.queue.push_snapshot(encode(kind::MOMENT, &exited));
        }
        client.queue.mark_history(snapshot.history_end);
        self.flush_client(id);
        self.reach("snapshot_taken");
    }
}

/// Plain data always has a JSON form.
fn json(body: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(body).unwrap_or_default()
}

fn colors(colors: &crate::protocol::Colors) -> Colors {
    let rgb = |color: Option<[u8; 3]>| color.map(|[r, g, b]| Rgb { r, g, b });
    Colors {
        foreground: rgb(colors.foreground),
        background: rgb(colors.background),
        cursor: rgb(colors.cursor),
        cell_pixels: (colors.cell_pixels[0], colors.cell_pixels[1]),
    }
}

/// OSC 9;4 for the progress in force. None is said only to a client that may show an older one.
fn progress_sequence(status: &Status, first: bool) -> Vec<u8> {
    use status::ProgressWord;
    const CLEAR: Progress = Progress {
        state: ProgressState::Clear,
        percent: None,
    };
    let Some(shown) = &status.progress else {
        return if first {
            Vec::new()
        } else {
            progress::encode(CLEAR, Terminator::St)
        };
    };
    let state = match shown.state {
        ProgressWord::Normal => ProgressState::Normal,
        ProgressWord::Error => ProgressState::Error,
        ProgressWord::Busy => ProgressState::Busy,
        ProgressWord::Paused => ProgressState::Paused,
    };
    let percent = shown.percent;
    progress::encode(Progress { state, percent }, Terminator::St)
}

/// OSC 7501 for every record that stands.
fn record_sequences(status: &Status) -> impl Iterator<Item = String> + '_ {
    status.reports.iter().filter_map(|record| {
        let bytes = program_status::encode(&report_of(record), Terminator::St).ok()?;
        String::from_utf8(bytes).ok()
    })
}

fn report_of(record: &Record) -> Report {
    Report {
        id: record.id.clone(),
        state: match record.state {
            RecordState::Idle => ReportState::Idle,
            RecordState::Working => ReportState::Working,
            RecordState::Done => ReportState::Done,
            RecordState::Blocked => ReportState::Blocked,
            RecordState::Error => ReportState::Error,
        },
        kind: record.kind.map(|kind| match kind {
            RecordKind::Permission => signals::Kind::Permission,
            RecordKind::Question => signals::Kind::Question,
            RecordKind::Auth => signals::Kind::Auth,
        }),
        progress: record.progress,
        app: record.app.clone(),
        title: record.title.clone(),
        msg: record.msg.clone(),
    }
}
