//! Bodies, queries and answers of the API, as both ends write them in JSON.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// Every error: `{"error": {"code": …, "message": …, "hint": …}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorDetail,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorDetail {
    /// `not_found`, `ambiguous`, `refused`, `taken`, `name`, `running`, `exited`, `busy`, `usage`,
    /// `unreachable` or `failed`.
    pub code: String,
    /// What was wrong: one plain sentence.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

/// Something to type: `text`, or named `keys`, never both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InputBody {
    /// Text as typed.
    pub text: Option<String>,
    /// The text is a paste: bracketed where the program asked for it, and made safe.
    pub paste: bool,
    /// Then Enter, after a short pause.
    pub enter: bool,
    /// Names of keys (`C-c`, `Enter`, `Up`), encoded for the modes in force.
    pub keys: Option<Vec<String>>,
}

/// A signal for the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignalBody {
    /// A name, with or without `SIG`: `HUP`, `TERM`, `KILL`.
    pub signal: String,
}

/// Marks the attention entry read, or brings it back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AckBody {
    /// The entry that was seen: a newer one stays. Absent: the present one.
    pub seq: Option<u64>,
    /// Bring the entry back, now.
    pub undo: bool,
    /// Bring the entry back after that many milliseconds.
    pub remind_ms: Option<u64>,
}

/// Drops finished and failed records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClearBody {
    /// This record with all beneath it. Absent: all.
    pub id: Option<String>,
}

/// Changes a terminal: each field that is present.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PatchBody {
    /// The new name.
    pub name: Option<String>,
    /// No notifications (`true`), or again.
    pub muted: Option<bool>,
    /// With `muted`: only for that many milliseconds.
    pub mute_ms: Option<u64>,
}

/// A size in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeBody {
    /// Columns, 1 to 1000.
    pub cols: u16,
    /// Rows, 1 to 500.
    pub rows: u16,
}

/// Starts a terminal, with the environment of a fresh login.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CreateBody {
    /// A proposed id: a second creation with it answers with the terminal that exists.
    pub id: Option<String>,
    /// Its name. Absent: the id.
    pub name: Option<String>,
    /// The program and its arguments. Absent: the login shell.
    pub command: Option<Vec<String>>,
    /// Go on as a login shell when the command ends.
    pub then_shell: bool,
    /// The working directory. Absent: the home directory.
    pub cwd: Option<String>,
    /// Variables added to the environment.
    pub env: BTreeMap<String, String>,
    /// Its size. Absent: 80×24.
    pub size: Option<SizeBody>,
}

/// A terminal was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Created {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The exited or lost terminal that had the name before and was forgotten.
    pub replaced: Option<String>,
}

/// Which part of the screen, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CaptureQuery {
    /// At most that many lines, the last ones.
    pub lines: Option<usize>,
    /// With history.
    pub scrollback: bool,
    /// With colours, as escape sequences.
    pub ansi: bool,
}

/// An order was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Done {
    /// The journal's number at that moment: everything the order changed at once has a number up to
    /// it and is in the listing; what comes of it later has a greater one.
    pub seq: u64,
}

/// How the daemon is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// The daemon's version.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// When it started, RFC 3339.
    pub started_at: String,
    /// Its executable was replaced on disk since it started.
    pub replaced: bool,
    /// The number of the latest event.
    pub seq: u64,
    /// How many terminals it knows.
    pub terminals: usize,
    /// What is not well, for `doctor`; empty when all is.
    pub warnings: Vec<Warning>,
}

/// Something that is not well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Warning {
    /// One word: `store`, `config`, `log`, `holder`.
    pub what: String,
    /// What is wrong and what to do.
    pub message: String,
}

/// The channels of notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Notifications {
    /// The master switch.
    pub enabled: bool,
    /// Each channel.
    pub channels: Vec<Channel>,
}

/// A channel of notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Channel {
    /// `window`, `desktop`, `ntfy` or `command`.
    pub name: String,
    /// Why it is not used, and what changes that.
    #[schema(required = true)]
    pub off: Option<String>,
    /// Orders that wait for it.
    pub waiting: usize,
    /// Notifications that stand there.
    pub standing: usize,
    /// With `waiting`, after a failure: until the next try.
    #[schema(required = true)]
    pub again_in_ms: Option<u64>,
    /// How the last one went; since the daemon started.
    #[schema(required = true)]
    pub last: Option<LastDelivery>,
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastDelivery {
    /// It arrived.
    pub ok: bool,
    /// What happened.
    pub message: String,
    /// When, RFC 3339.
    pub at: String,
}

/// Tries channels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NotifyTest {
    /// This one. Absent: all that are set up.
    pub channel: Option<String>,
}

/// What came of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tested {
    /// The channel.
    pub channel: String,
    /// It arrived.
    pub ok: bool,
    /// What happened.
    pub message: String,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Settings {
    /// Where they are written.
    pub file: String,
    /// Lines a terminal keeps.
    pub scrollback: usize,
    /// `[attach]`.
    pub attach: AttachSettings,
    /// `[notify]`.
    pub notify: NotifySettings,
}

/// `[attach]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AttachSettings {
    /// Such as `ctrl-\`; or `none`.
    pub prefix: String,
    /// Lines printed on attach.
    pub history: u32,
}

/// `[notify]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotifySettings {
    /// The master switch.
    pub enabled: bool,
    /// Which kinds of attention are told.
    pub kinds: Vec<String>,
    /// From here on a command's end is told, such as `30s`.
    pub long_command: String,
    /// How long the phone waits for somebody nearer.
    pub phone_after: String,
    /// `false`: state words only.
    pub text: bool,
    /// `[notify.desktop]`.
    pub desktop: DesktopSettings,
    /// `[notify.ntfy]`.
    pub ntfy: NtfySettings,
    /// `[notify.command]`.
    pub command: CommandSettings,
}

/// `[notify.desktop]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DesktopSettings {
    /// It is used.
    pub enabled: bool,
    /// What opens a terminal; set in the file alone.
    #[schema(required = true)]
    pub open: Option<Vec<String>>,
}

/// `[notify.ntfy]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NtfySettings {
    /// It is used, where a topic is set.
    pub enabled: bool,
    /// The server.
    pub url: String,
    /// The topic.
    #[schema(required = true)]
    pub topic: Option<String>,
    /// There is a token, which is shown nowhere.
    pub token_set: bool,
    /// The file that has it; set in the file alone.
    #[schema(required = true)]
    pub token_file: Option<String>,
    /// What a tap opens.
    #[schema(required = true)]
    pub click: Option<String>,
}

/// `[notify.command]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommandSettings {
    /// It is used, where a program is set.
    pub enabled: bool,
    /// The program and its arguments; set in the file alone.
    #[schema(required = true)]
    pub run: Option<Vec<String>>,
}
