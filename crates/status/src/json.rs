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
    pub reports: Vec<Record>,
    /// The latest attention entry.
    pub attention: Option<Attention>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The size in cells.
    pub size: Size,
    /// How many clients are attached.
    pub clients: u32,
    /// When it was started first.
    pub created_at: Timestamp,
    /// No notifications.
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
    /// When it exited.
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
