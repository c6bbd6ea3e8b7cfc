//! What a program said: one enum, every meaning that is read from output.

/// One meaning read from the output of a terminal. Text is already cleaned for display
/// (signals.md, Stream rules), bounded, and valid UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// BEL in ground state: an attention request.
    Bell,
    /// OSC 0 or 2. Empty clears the application title. At most 256 characters.
    Title(String),
    /// `CSI 22 t`, `CSI 22;0 t`, `CSI 22;2 t`.
    TitlePush,
    /// `CSI 23 t`, `CSI 23;0 t`, `CSI 23;2 t`.
    TitlePop,
    /// A valid OSC 9;4 frame.
    Progress(Progress),
    /// OSC 9 with text, OSC 777 `notify`, or a complete OSC 99.
    Notify(Notification),
    /// OSC 99 `p=close` with this identifier.
    NotifyClose(String),
    /// OSC 133 or 633: a prompt mark.
    Mark {
        /// Which mark, with what it carries.
        mark: Mark,
        /// The value of `aid=`, by which a shell's own marks are told from a program's.
        aid: Option<String>,
    },
    /// OSC 7 or `633;P;Cwd=`. `None` clears.
    Cwd(Option<Cwd>),
    /// A valid OSC 7501 report.
    Report(Report),
    /// OSC 7501 `state=clear`.
    Clear(Clear),
    /// `ESC c` (RIS).
    Reset,
    /// An OSC 7501 body or OSC 9;4 frame that had no effect; for `decode` only.
    Rejected(Rejection),
}

/// A working directory as a program said it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cwd {
    /// The host, `None` for this host (empty or `localhost`).
    pub host: Option<String>,
    /// The path, percent-decoded where the scheme asks for it, cleaned.
    pub path: String,
}

/// OSC 9;4: state and percentage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The state digit.
    pub state: ProgressState,
    /// 0–100; `None` when unknown. Always `None` for `Clear` and `Busy`.
    pub percent: Option<u8>,
}

/// The state digit of OSC 9;4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressState {
    /// 0
    Clear,
    /// 1
    Normal,
    /// 2
    Error,
    /// 3: active, no percentage.
    Busy,
    /// 4
    Paused,
}

/// A notification request of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Absent for OSC 9, and for OSC 99 and 777 without one.
    pub title: Option<String>,
    /// The text.
    pub body: String,
    /// OSC 99 `i=`.
    pub id: Option<String>,
}

/// OSC 133 and 633 marks that mean something (signals.md, Shell integration).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// `A` without `k=s|c|r`: a prompt starts.
    Prompt,
    /// `N`: the command ended without a code, and a prompt starts.
    NewPrompt,
    /// `P` with `k=i` or no `k`: a prompt, if no `A` or `N` came since the last `D`.
    PromptIfNone,
    /// `B` or `I`: the prompt ended, the person types.
    Input,
    /// `C`: a command starts, with its whole text where it was told (from `cmdline=`,
    /// `cmdline_url=` or a preceding `633;E`). Multi-line text keeps its line feeds.
    Command(Option<String>),
    /// `D`: the command ended, with its exit code if one was told.
    CommandDone(Option<i32>),
}

/// OSC 7501 states, `clear` apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the words are the protocol's")]
pub enum ReportState {
    Idle,
    Working,
    Done,
    Blocked,
    Error,
}

/// OSC 7501 `kind`: what a blocked program waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the words are the protocol's")]
pub enum Kind {
    Permission,
    Question,
    Auth,
}

/// A valid OSC 7501 report; fields that the protocol says to drop are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The record; empty is the root.
    pub id: String,
    /// What the program says it does.
    pub state: ReportState,
    /// Only with [`ReportState::Blocked`].
    pub kind: Option<Kind>,
    /// 0–100, only with `Working` and `Blocked`.
    pub progress: Option<u8>,
    /// The program's name for itself.
    pub app: Option<String>,
    /// Decoded, at most 192 bytes.
    pub title: Option<String>,
    /// Decoded, at most 2048 bytes.
    pub msg: Option<String>,
}

/// OSC 7501 `state=clear`: the record and all beneath it; the root's id is empty: all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clear {
    /// The record; empty is the root.
    pub id: String,
}

/// What was ignored, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejection {
    /// OSC 7501 (`true`) or OSC 9;4 (`false`) is said by the reason: `Frame` is progress.
    pub reason: RejectionReason,
}

/// One word each in `decode` (interfaces.md, Signals).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectionReason {
    /// `state` missing or unknown.
    State,
    /// `id` malformed.
    Id,
    /// A length limit broken.
    Limit,
    /// `title` or `msg` not base64, not UTF-8, or with a control character.
    Text,
    /// A `?` body with further pairs.
    Reply,
    /// OSC 9;4: an invalid frame.
    Frame,
}
