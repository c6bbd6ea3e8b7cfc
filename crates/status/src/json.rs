//! The JSON shapes of interfaces.md: the status of one terminal as every client sees it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Everything known about one terminal at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// 8 characters of lower-case base32.
    pub id: String,
    /// Our own name; equals `id` where none was given.
    pub name: String,
    /// `local` or the name of a host.
    pub host: String,
    /// Who owns the PTY.
    pub source: Source,
    /// Whether it lives.
    pub lifecycle: Lifecycle,
    /// The title that counts; absent when there is none.
    pub title: Option<String>,
    /// Where it comes from.
    pub title_source: Option<TitleSource>,
    /// `name — context · state`.
    pub label: String,
    /// The one word.
    pub state: State,
    /// OSC 9;4, while it lasts.
    pub progress: Option<ProgressStatus>,
    /// The command that runs.
    pub command: Option<Command>,
    /// The command that ended last.
    pub last_command: Option<LastCommand>,
    /// The records, root first, then by id.
    #[serde(default)]
    pub reports: Vec<Record>,
    /// The latest attention entry.
    pub attention: Option<Attention>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The size in cells.
    pub size: Size,
    /// How many clients are attached.
    #[serde(default)]
    pub clients: u32,
    /// When it was started first.
    pub created_at: Timestamp,
    /// No notifications.
    #[serde(default)]
    pub muted: bool,
    /// Where it stands in tmux.
    pub tmux: Option<TmuxPlace>,
}

/// Who owns the PTY.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words are the shape's")]
pub enum Source {
    Holder,
    Tmux,
}

/// `{"state": …, "code": …, "signal": …, "at": …}`, all keys always present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lifecycle {
    /// The word.
    pub state: LifecycleState,
    /// The exit code of an exited program.
    pub code: Option<i32>,
    /// The name of the signal that ended it, such as `KILL`.
    pub signal: Option<String>,
    /// When it exited or, as far as it is known, was lost.
    pub at: Option<Timestamp>,
}

/// Whether a terminal lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words are status.md's")]
pub enum LifecycleState {
    Starting,
    Running,
    Exited,
    Lost,
}

/// The source word of a title (status.md, Title).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words are status.md's")]
pub enum TitleSource {
    Application,
    Command,
    Initial,
    Shell,
    Process,
}

/// One word a terminal, most urgent first: `Ord` puts the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words are status.md's")]
pub enum State {
    Waiting,
    Failed,
    Attention,
    Finished,
    Working,
    Running,
    Idle,
    Exited,
    Lost,
}

/// Progress as shown; there is no `clear` here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgressStatus {
    /// `normal`, `error`, `busy`, `paused`.
    pub state: ProgressWord,
    /// 0–100, `null` when unknown.
    pub percent: Option<u8>,
}

/// The words of `progress.state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words are interfaces.md's")]
pub enum ProgressWord {
    Normal,
    Error,
    Busy,
    Paused,
}

/// The command that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The whole line, `null` where the shell did not tell it.
    pub line: Option<String>,
    /// When it started.
    pub started_at: Timestamp,
}

/// The command that ended last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastCommand {
    /// The whole line.
    pub line: Option<String>,
    /// `null` when it was not told.
    pub exit_code: Option<i32>,
    /// How long it ran.
    pub seconds: f64,
}

/// One record of a program (OSC 7501).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Empty: the root.
    pub id: String,
    /// What the program said.
    pub state: RecordState,
    /// What it waits for.
    pub kind: Option<RecordKind>,
    /// 0–100.
    pub progress: Option<u8>,
    /// Its own or the nearest ancestor's.
    pub app: Option<String>,
    /// One line.
    pub title: Option<String>,
    /// One line.
    pub msg: Option<String>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// A person has seen it since its last report.
    #[serde(default)]
    pub seen: bool,
}

/// OSC 7501 states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words are the protocol's")]
pub enum RecordState {
    Idle,
    Working,
    Done,
    Blocked,
    Error,
}

/// OSC 7501 kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words are the protocol's")]
pub enum RecordKind {
    Permission,
    Question,
    Auth,
}

/// The latest thing a person should see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attention {
    /// Issued by the owner of the terminal, from 1, never reused within an incarnation.
    pub seq: u64,
    /// What happened.
    pub kind: AttentionKind,
    /// Its text, cleaned.
    pub text: Option<String>,
    /// When.
    pub at: Timestamp,
    /// Nobody has seen it.
    pub unread: bool,
}

/// What happened (status.md, Attention).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words are status.md's")]
pub enum AttentionKind {
    Bell,
    Notify,
    Waiting,
    Finished,
    Failed,
    Command,
    Exit,
}

/// A size in cells: at least 1×1, at most 1000×500.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-evident")]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

/// Where a pane stands in tmux.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "tmux's own terms")]
pub struct TmuxPlace {
    pub socket: String,
    pub session: String,
    pub window: u32,
    pub window_name: String,
    pub pane: String,
}

/// One line of the journal (interfaces.md, Events).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEvent {
    /// Whose numbers these are: a holder's towards the daemon, the journal's towards clients.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// The id of the terminal.
    pub terminal: String,
    /// What changed.
    pub event: EventKind,
    /// The whole status after the event; `None` only for `removed`.
    pub status: Option<Status>,
}

/// The words of `event`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words are interfaces.md's")]
pub enum EventKind {
    Created,
    Lifecycle,
    Title,
    Progress,
    Command,
    Report,
    Attention,
    Read,
    Size,
    Renamed,
    Removed,
    Gap,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of interfaces.md, with the keys that it says are always present.
    const EXAMPLE: &str = r#"{
  "id": "k3vq7a2m", "name": "agent", "host": "local", "source": "holder",
  "lifecycle": {"state": "running", "code": null, "signal": null, "at": null},
  "title": "PR #123", "title_source": "application",
  "label": "agent — PR #123 · waiting for approval",
  "state": "waiting",
  "progress": {"state": "normal", "percent": 42},
  "command": {"line": "pi", "started_at": "2026-11-30T22:00:00Z"},
  "last_command": {"line": "make", "exit_code": 2, "seconds": 41.5},
  "reports": [{"id": "", "state": "blocked", "kind": "permission", "progress": null,
               "app": "pi", "title": null, "msg": "Apply?", "updated_at": "2026-11-30T22:01:00Z",
               "seen": false}],
  "attention": {"seq": 4, "kind": "waiting", "text": "Apply?", "at": "2026-11-30T22:01:00Z", "unread": true},
  "cwd": "/src/app", "size": {"cols": 80, "rows": 24}, "clients": 1,
  "created_at": "2026-11-30T21:59:00Z", "muted": false, "tmux": null
}"#;

    /// Without the white space between tokens: what `to_string` writes, key order included.
    fn compact(json: &str) -> String {
        let mut in_string = false;
        let keep = |c: &char| {
            in_string ^= *c == '"';
            in_string || !c.is_whitespace()
        };
        json.chars().filter(keep).collect()
    }

    #[test]
    fn the_shape_is_that_of_interfaces_md_key_by_key() {
        let status: Status = serde_json::from_str(EXAMPLE).unwrap();
        assert_eq!(serde_json::to_string(&status).unwrap(), compact(EXAMPLE));
    }

    #[test]
    fn a_terminal_writes_the_example_of_interfaces_md() {
        use crate::testing::{Tried, at, facts, report};
        use signals::{Cwd, Kind, ProgressState, ReportState, Signal};
        let mut agent = Tried::of(crate::Facts {
            name: "agent".into(),
            created_at: at(0).wall - jiff::SignedDuration::from_secs(60),
            attention_after: 2,
            ..facts()
        });
        agent.foreground(1, "zsh", true);
        agent.signal(Signal::Cwd(Some(Cwd {
            host: None,
            path: "/src/app".into(),
        })));
        agent.command("make");
        agent.ms = 0;
        agent.wait_ms(41_500).done(2);
        agent.ack(None);
        agent.prompt();
        // The example's moments; the command before it lies in the past all the same.
        agent.ms = 0;
        agent.command("pi");
        agent.title("PR #123");
        agent.progress(ProgressState::Normal, Some(42));
        agent.seen(false);
        agent.wait(60).signal(Signal::Report(signals::Report {
            kind: Some(Kind::Permission),
            app: Some("pi".into()),
            msg: Some("Apply?".into()),
            ..report("", ReportState::Blocked)
        }));
        let written = serde_json::to_string(&agent.status()).unwrap();
        assert_eq!(written, compact(EXAMPLE));
    }

    #[test]
    fn an_exit_says_code_or_signal_and_when() {
        let exited = Lifecycle {
            state: LifecycleState::Exited,
            code: None,
            signal: Some("KILL".into()),
            at: Some("2026-11-30T22:01:00Z".parse().unwrap()),
        };
        assert_eq!(
            serde_json::to_string(&exited).unwrap(),
            r#"{"state":"exited","code":null,"signal":"KILL","at":"2026-11-30T22:01:00Z"}"#
        );
    }

    #[test]
    fn what_is_absent_is_null_and_lists_are_empty() {
        let status = crate::testing::Tried::of(crate::testing::facts()).status();
        let written = serde_json::to_string(&status).unwrap();
        for key in [
            "title",
            "title_source",
            "progress",
            "command",
            "last_command",
            "attention",
            "cwd",
            "tmux",
        ] {
            assert!(
                written.contains(&format!("\"{key}\":null")),
                "{key} in {written}"
            );
        }
        assert!(written.contains(r#""reports":[]"#));
        assert!(written.contains(r#""code":null,"signal":null,"at":null"#));
    }

    #[test]
    fn a_place_in_tmux_has_its_keys() {
        let place = TmuxPlace {
            socket: "/tmp/tmux-1000/default".into(),
            session: "main".into(),
            window: 1,
            window_name: "build".into(),
            pane: "%3".into(),
        };
        assert_eq!(
            serde_json::to_string(&place).unwrap(),
            r#"{"socket":"/tmp/tmux-1000/default","session":"main","window":1,"window_name":"build","pane":"%3"}"#
        );
    }

    #[test]
    fn a_status_of_another_version_is_read() {
        let other = EXAMPLE
            .replace(r#""clients": 1,"#, r#""later": 1,"#)
            .replace(r#", "tmux": null"#, "")
            .replace(r#", "code": null, "signal": null, "at": null"#, "");
        let status: Status = serde_json::from_str(&other).unwrap();
        assert_eq!((status.clients, status.tmux), (0, None));
    }

    #[test]
    fn the_words_are_in_order_of_urgency() {
        let mut states = State::ALL;
        states.reverse();
        states.sort();
        assert_eq!(states, State::ALL);
        for state in State::ALL {
            assert_eq!(
                serde_json::to_string(&state).unwrap(),
                format!("\"{}\"", state.word())
            );
        }
    }
}
