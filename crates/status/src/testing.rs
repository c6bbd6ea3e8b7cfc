//! A terminal to try rules on: short words for events, a clock that the test moves.

use crate::{
    Attention, AttentionKind, Change, Duration, Event, Facts, Foreground, Now, Size, State, Status,
    Terminal,
};
use jiff::Timestamp;
use signals::{Clear, Mark, Notification, Progress, ProgressState, Report, ReportState, Signal};

/// So many seconds after the start, on both clocks.
pub(crate) fn at(seconds: u64) -> Now {
    at_ms(seconds * 1000)
}

pub(crate) fn at_ms(ms: u64) -> Now {
    let start: Timestamp = "2026-11-30T22:00:00Z".parse().unwrap();
    Now {
        mono: Duration::from_secs(1000) + Duration::from_millis(ms),
        wall: start + Duration::from_millis(ms),
    }
}

pub(crate) fn facts() -> Facts {
    Facts {
        id: "k3vq7a2m".into(),
        name: "Pi".into(),
        created_at: at(0).wall,
        initial_command: None,
        size: Size { cols: 80, rows: 24 },
        cwd: None,
        attention_after: 0,
        own_aid: None,
    }
}

pub(crate) struct Tried {
    pub(crate) terminal: Terminal,
    pub(crate) ms: u64,
}

impl Tried {
    /// Runs an interactive shell whose marks count.
    pub(crate) fn shell() -> Self {
        let mut tried = Self::of(facts());
        tried.foreground(1, "bash", true);
        tried.prompt();
        tried
    }

    /// Runs an interactive shell that sends no marks.
    pub(crate) fn bare_shell() -> Self {
        let mut tried = Self::of(facts());
        tried.foreground(1, "dash", true);
        tried
    }

    /// Runs a program.
    pub(crate) fn program(line: &str) -> Self {
        Self::of(Facts {
            initial_command: Some(line.into()),
            ..facts()
        })
    }

    pub(crate) fn of(facts: Facts) -> Self {
        let mut tried = Self {
            terminal: Terminal::new(facts, at(0)),
            ms: 0,
        };
        tried.event(Event::Started);
        tried
    }

    pub(crate) fn wait(&mut self, seconds: u64) -> &mut Self {
        self.wait_ms(seconds * 1000)
    }

    pub(crate) fn wait_ms(&mut self, ms: u64) -> &mut Self {
        self.ms += ms;
        self
    }

    pub(crate) fn now(&self) -> Now {
        at_ms(self.ms)
    }

    pub(crate) fn event(&mut self, event: Event) -> Vec<Change> {
        let now = self.now();
        self.terminal.apply(event, now)
    }

    pub(crate) fn tick(&mut self) -> Vec<Change> {
        self.event(Event::Tick)
    }

    pub(crate) fn signal(&mut self, signal: Signal) -> Vec<Change> {
        self.event(Event::Signal {
            signal,
            alternate_screen: false,
        })
    }

    pub(crate) fn bell(&mut self) -> Vec<Change> {
        self.signal(Signal::Bell)
    }

    pub(crate) fn notify(&mut self, body: &str) -> Vec<Change> {
        self.signal(Signal::Notify(Notification {
            title: None,
            body: body.into(),
            id: None,
        }))
    }

    pub(crate) fn title(&mut self, title: &str) -> Vec<Change> {
        self.signal(Signal::Title(title.into()))
    }

    pub(crate) fn mark(&mut self, mark: Mark) -> Vec<Change> {
        self.signal(Signal::Mark { mark, aid: None })
    }

    pub(crate) fn prompt(&mut self) -> Vec<Change> {
        self.mark(Mark::Prompt)
    }

    pub(crate) fn command(&mut self, line: &str) -> Vec<Change> {
        self.mark(Mark::Command(Some(line.into())))
    }

    pub(crate) fn done(&mut self, code: i32) -> Vec<Change> {
        self.mark(Mark::CommandDone(Some(code)))
    }

    pub(crate) fn progress(&mut self, state: ProgressState, percent: Option<u8>) -> Vec<Change> {
        self.signal(Signal::Progress(Progress { state, percent }))
    }

    pub(crate) fn report(&mut self, id: &str, state: ReportState) -> Vec<Change> {
        self.signal(Signal::Report(report(id, state)))
    }

    pub(crate) fn clear(&mut self, id: &str) -> Vec<Change> {
        self.signal(Signal::Clear(Clear { id: id.into() }))
    }

    pub(crate) fn foreground(&mut self, pgid: i32, name: &str, is_shell: bool) -> Vec<Change> {
        self.event(Event::Foreground(Some(Foreground {
            pgid,
            name: name.into(),
            is_shell,
        })))
    }

    pub(crate) fn exit(&mut self, code: i32) -> Vec<Change> {
        self.event(Event::Exited {
            code: Some(code),
            signal: None,
        })
    }

    pub(crate) fn seen(&mut self, seen: bool) -> Vec<Change> {
        self.event(Event::Clients { count: 1, seen })
    }

    pub(crate) fn ack(&mut self, seq: Option<u64>) -> Vec<Change> {
        self.event(Event::Ack { seq })
    }

    pub(crate) fn status(&self) -> Status {
        self.terminal.status()
    }

    pub(crate) fn state(&self) -> State {
        self.status().state
    }

    pub(crate) fn label(&self) -> String {
        self.status().label
    }

    pub(crate) fn attention(&self) -> Option<Attention> {
        self.status().attention
    }

    /// Kind and unread of the entry.
    pub(crate) fn entry(&self) -> Option<(AttentionKind, bool)> {
        self.attention().map(|a| (a.kind, a.unread))
    }

    pub(crate) fn seq(&self) -> u64 {
        self.attention().map_or(0, |a| a.seq)
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.status().reports.into_iter().map(|r| r.id).collect()
    }
}

pub(crate) fn report(id: &str, state: ReportState) -> Report {
    Report {
        id: id.into(),
        state,
        kind: None,
        progress: None,
        app: None,
        title: None,
        msg: None,
    }
}
