//! The holder protocol: frames on a unix socket.
//!
//! A frame is a length (u32, little endian: of the body, at most [`MAX_BODY`]), a kind (u8) and
//! the body. Bytes travel as bytes; control bodies are JSON, unknown fields are ignored,
//! missing ones defaulted, unknown kinds skipped. The client speaks first ([`Hello`]); the holder
//! answers with [`Welcome`]; both then speak the older one's version.
//!
//! | kind | from | body |
//! | --- | --- | --- |
//! | `0x01` hello | client | [`Hello`] |
//! | `0x02` attach | client | [`Attach`] |
//! | `0x03` input | client | bytes for the program |
//! | `0x04` resize | client | [`Resize`]: the client's window |
//! | `0x05` presence | client | [`Presence`] |
//! | `0x06` request | client | [`Request`] |
//! | `0x81` welcome | holder | [`Welcome`] |
//! | `0x82` snapshot start | holder | [`SnapshotStart`]; output frames up to the end are the snapshot |
//! | `0x83` output | holder | bytes of the snapshot or of the raw stream |
//! | `0x84` snapshot end | holder | empty |
//! | `0x85` event | holder | [`status::JournalEvent`] with the holder's own `seq` |
//! | `0x86` reply | holder | [`Reply`] |
//! | `0x87` data | holder | request id (u64, little endian), then bytes that belong to its reply |
//! | `0x88` moment | holder | [`Moment`]: something at this point of the raw stream |
//! | `0x89` bye | holder | [`Bye`]; the holder closes after it |
//! | `0x8a` people | holder | [`People`], to whoever subscribed |

use serde::{Deserialize, Serialize};
use status::{Size, Status};

/// The newest version that this code speaks.
pub const VERSION: u32 = 1;

/// The greatest body of a frame, in bytes.
pub const MAX_BODY: usize = 1 << 20;

/// The kinds of frames.
#[allow(missing_docs, reason = "the module's table says what each is")]
pub mod kind {
    pub const HELLO: u8 = 0x01;
    pub const ATTACH: u8 = 0x02;
    pub const INPUT: u8 = 0x03;
    pub const RESIZE: u8 = 0x04;
    pub const PRESENCE: u8 = 0x05;
    pub const REQUEST: u8 = 0x06;
    pub const WELCOME: u8 = 0x81;
    pub const SNAPSHOT_START: u8 = 0x82;
    pub const OUTPUT: u8 = 0x83;
    pub const SNAPSHOT_END: u8 = 0x84;
    pub const EVENT: u8 = 0x85;
    pub const REPLY: u8 = 0x86;
    pub const DATA: u8 = 0x87;
    pub const MOMENT: u8 = 0x88;
    pub const BYE: u8 = 0x89;
    pub const PEOPLE: u8 = 0x8a;
}

/// First frame of a client.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hello {
    /// The newest version the client speaks.
    pub version: u32,
    /// The client's name and version, for `doctor` and logs.
    pub program: String,
}

impl Hello {
    /// The newest version, and the running executable's name with the version of this code.
    pub fn this_program() -> Self {
        let own = std::env::current_exe().ok();
        let name = own
            .as_ref()
            .and_then(|path| path.file_name())
            .and_then(|name| name.to_str());
        let program = format!(
            "{} {}",
            name.unwrap_or("unknown"),
            env!("CARGO_PKG_VERSION")
        );
        Self {
            version: VERSION,
            program,
        }
    }
}

/// The holder's answer to [`Hello`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Welcome {
    /// The version both speak from here: the smaller of the two newest.
    pub version: u32,
    /// The holder's name and version.
    pub program: String,
    /// The process id of the holder.
    pub pid: u32,
    /// One number for each life of the holder of this terminal (a restart is another one):
    /// milliseconds since the Unix epoch at its start.
    pub incarnation: u64,
    /// The status at this moment.
    pub status: Status,
    /// The seq of the latest event that `status` includes.
    pub seq: u64,
}

/// Attaches: the client receives a snapshot, then the raw stream from exactly that point.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attach {
    /// The client's window in cells. 0 where the client has none (it takes what comes).
    pub cols: u16,
    /// The client's window in cells.
    pub rows: u16,
    /// Take the size of the terminal for this window.
    pub take_size: bool,
    /// Only look: input, resizes and terminal replies of this client are refused.
    pub view: bool,
    /// At most that many history lines in the first snapshot.
    pub history: u32,
    /// Counts as an attached client, and its presence as seeing (`capture --follow` does not).
    pub person: bool,
    /// It is focused at once (unknown to terminals without focus reports: `true`).
    pub focused: bool,
    /// Window colours and cell pixels, where known; used while the client owns the size.
    pub colors: Colors,
    /// What carries the client: a Wigwag terminal (`wigwag:ID`) or tmux pane (`tmux:SOCKET,PANE`).
    pub carrier: Option<String>,
    /// Send a `wigwag:` carrier chain so that attaching to oneself is refused: ids of the
    /// terminals this client runs in, innermost first.
    pub inside: Vec<String>,
    /// `SSH_AUTH_SOCK` of the client, to re-point the terminal's link to.
    pub ssh_auth_sock: Option<String>,
}

/// What the client's window looks like; `None` and 0: unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Colors {
    /// Default foreground, red, green, blue.
    pub foreground: Option<[u8; 3]>,
    /// Default background.
    pub background: Option<[u8; 3]>,
    /// Cursor.
    pub cursor: Option<[u8; 3]>,
    /// Width and height of one cell in pixels.
    pub cell_pixels: [u16; 2],
}

/// The client's window changed, or it wants (or gives up) the size.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Resize {
    /// Columns of the window.
    pub cols: u16,
    /// Rows of the window.
    pub rows: u16,
    /// `Some(true)`: take the size; `Some(false)`: give it up; `None`: as it is. The owner's
    /// resize resizes the terminal; another client's only says what its window is.
    pub take_size: Option<bool>,
}

/// Whether this client's person looks at the terminal (status.md, Presence). Input counts as
/// activity by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Presence {
    /// The client's window has the focus and shows this terminal.
    pub focused: bool,
    /// The window does not report its focus: a person may have turned to another one, and is taken
    /// for present for ten seconds only after a key.
    pub unreported: bool,
    /// This frame follows a key, mouse, touch or focus event of the person.
    pub active: bool,
}

/// A question or order; answered by one [`Reply`] with the same `id`, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The client's number for it.
    pub id: u64,
    /// What is asked.
    #[serde(flatten)]
    pub op: Op,
}

/// What a client can ask or order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// The status: [`Outcome::Status`].
    Status,
    /// The events after `since`, then each new one, as event frames. First, where some of them are
    /// no longer kept, an event `gap`. `since` of another incarnation: everything is a gap.
    Subscribe {
        /// The last seq the client has.
        #[serde(default)]
        since: u64,
        /// The incarnation that `since` belongs to.
        #[serde(default)]
        incarnation: u64,
    },
    /// Text of the screen, as data frames, then [`Outcome::Done`].
    Capture {
        /// At most that many lines, the last ones.
        #[serde(default)]
        lines: Option<usize>,
        /// With history.
        #[serde(default)]
        scrollback: bool,
        /// With colours.
        #[serde(default)]
        ansi: bool,
    },
    /// Types text. Refused whole where the queue (1 MiB) has no room for it.
    Input {
        /// UTF-8 text as typed.
        text: String,
        /// As a paste: bracketed where the program asked for it, made safe.
        #[serde(default)]
        paste: bool,
        /// Then Enter, after a short pause.
        #[serde(default)]
        enter: bool,
    },
    /// Named keys (`C-c`, `Enter`, `Up`), encoded for the modes in force.
    Keys {
        /// Their names.
        keys: Vec<String>,
    },
    /// Signals the program as closing a window would, or with another signal.
    Signal {
        /// `HUP`, `TERM`, `KILL`…: a name without `SIG`.
        signal: String,
    },
    /// Marks read: entries up to `seq` (`null`: the present one).
    Ack {
        /// An older one never clears a newer entry.
        #[serde(default)]
        seq: Option<u64>,
    },
    /// Brings the entry back, now or after that many milliseconds.
    Unack {
        /// `ack --remind`.
        #[serde(default)]
        after_ms: Option<u64>,
    },
    /// Drops finished and failed records: all, or one with all beneath it.
    ClearRecords {
        /// The record.
        #[serde(default)]
        record: Option<String>,
    },
    /// No notifications (`true`), or again.
    Mute {
        /// The new value.
        muted: bool,
        /// Again after that many milliseconds.
        #[serde(default)]
        for_ms: Option<u64>,
    },
    /// Takes another name; refused with `taken` or `name`.
    Rename {
        /// The new name.
        name: String,
    },
    /// Signals as if the program had printed them (`report` without a controlling terminal).
    /// Nothing is drawn or forwarded, questions are not answered.
    Report {
        /// The sequences, text.
        bytes: String,
    },
    /// Detaches clients: all, or all but one.
    Detach {
        /// Keep the asking one; where that is not attached, whoever works at the terminal (the owner
        /// of its size, or else whoever was active last).
        #[serde(default)]
        others: bool,
    },
    /// Ends the holder and forgets the terminal; refused with `running` while the program runs,
    /// unless forced (then the program is hung up, and killed after 5 s).
    Remove {
        /// Also a running one.
        #[serde(default)]
        force: bool,
    },
    /// From a client that runs inside this terminal and shows another one in it: until the
    /// connection ends (or `null` is sent), this terminal shows `attached to NAME` and takes no
    /// signals from its output, so that nothing counts twice.
    Carry {
        /// The other terminal; `null`: none any longer.
        name: Option<String>,
    },
    /// From a program of this terminal: whoever works at it wants to see another terminal in its
    /// place. Refused with `refused` where nobody is attached.
    Switch {
        /// The id of the other terminal.
        to: String,
    },
    /// A new snapshot for the asking client, with the history lines it does not have: its window
    /// showed something else meanwhile.
    Redraw,
    /// What the asking client's window looks like, learned after it attached.
    Colors {
        /// In place of those it attached with.
        colors: Colors,
    },
    /// Shows a notification about another terminal, or withdraws it, in the window of an attached
    /// client. Refused with `refused` where that client is not there any longer.
    Notify {
        /// The number of the client, from [`People`].
        client: u64,
        /// What.
        notice: WindowNotice,
    },
    /// Processes of the terminal's session that still live, for `kill` and `show`.
    Processes,
    /// The attached clients.
    Clients,
    /// Test hooks; refused unless the holder was started with `WIGWAG_TEST_HOOKS`.
    Test {
        /// `pause NAME`, `resume NAME`, `wait NAME`.
        command: String,
    },
}

/// The answer to a [`Request`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The request's number.
    pub id: u64,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// Done. `seq` is the seq of the latest event at that moment: what the request changed has
    /// a seq up to it.
    Done {
        /// The latest event.
        seq: u64,
    },
    /// The status.
    Status {
        /// The latest event it includes.
        seq: u64,
        /// The status.
        status: Box<Status>,
    },
    /// The processes.
    Processes {
        /// Of the terminal's session, the program first.
        processes: Vec<Process>,
    },
    /// The clients.
    Clients {
        /// In the order they attached.
        clients: Vec<ClientInfo>,
    },
    /// Refused.
    Error {
        /// `refused`, `taken`, `name`, `running`, `exited`, `busy`, `unknown`, `request`, `failed`.
        code: String,
        /// What was wrong and what to do.
        message: String,
    },
}

/// A process of the terminal's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its id.
    pub pid: i32,
    /// Its command line or name.
    pub command: String,
    /// It has the foreground.
    pub foreground: bool,
}

/// The people attached to a terminal, for those who decide where a person is told something. Sent
/// after a subscription and whenever somebody comes, leaves, becomes present or no longer is; that
/// somebody is still active is told every ten seconds at most.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct People {
    /// In the order they attached.
    pub people: Vec<Person>,
}

/// Somebody attached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Person {
    /// The number of the client.
    pub client: u64,
    /// Focused, and active within the last two minutes (status.md, Presence).
    pub present: bool,
    /// Milliseconds since the person was last active.
    pub idle_ms: u64,
}

/// A notification about another terminal, for the window of an attached client.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowNotice {
    /// Names it when it is replaced or withdrawn: `[A-Za-z0-9_+.-]+`.
    pub id: String,
    /// One line; `null`: the notification is withdrawn.
    pub title: Option<String>,
    /// One line.
    pub body: Option<String>,
    /// It replaces the one that stands, and nobody has to notice.
    pub silent: bool,
}

/// An attached client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientInfo {
    /// From its hello.
    pub program: String,
    /// Its window.
    pub size: Size,
    /// It owns the size.
    pub owns_size: bool,
    /// It only looks.
    pub view: bool,
    /// It has the focus.
    pub focused: bool,
    /// Bytes that wait for it.
    pub queued: u64,
    /// How often it lost its queue and got a new snapshot.
    pub resyncs: u64,
    /// What carries it, as it said when it attached.
    #[serde(default)]
    pub carrier: Option<String>,
}

/// Head of a snapshot. Everything drawn before is void.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotStart {
    /// The size of the terminal.
    pub size: Size,
    /// This client owns the size.
    pub owns_size: bool,
    /// Any client owns it; holders that do not say so have another owner.
    #[serde(default = "yes")]
    pub owned: bool,
    /// The number of the first history line in it.
    pub history_first: u64,
    /// How many history lines it has.
    pub history_lines: u64,
    /// History lines that were lost to this client since its last snapshot.
    pub skipped: u64,
}

fn yes() -> bool {
    true
}

/// Something at this point of the raw stream that is not in its bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "moment", rename_all = "snake_case")]
pub enum Moment {
    /// The program rang; sent to clients that see the terminal only.
    Bell,
    /// A report or clear of the program as it came (the whole OSC 7501 sequence): for an outer
    /// terminal that understands it. Those between the start and the end of a snapshot are all
    /// that stand.
    Report {
        /// The sequence.
        sequence: String,
    },
    /// Who has the size, or what it is, changed. A snapshot follows, unless it only passed from another
    /// client to none or back.
    Size {
        /// The new size.
        size: Size,
        /// This client owns it.
        owns_size: bool,
        /// Any client owns it; holders that do not say so have another owner.
        #[serde(default = "yes")]
        owned: bool,
    },
    /// Input of this client was not taken.
    InputRefused {
        /// How much.
        bytes: u64,
        /// Why.
        message: String,
    },
    /// This client is to leave and to attach to another terminal.
    Switch {
        /// Its id.
        to: String,
    },
    /// A notification about another terminal.
    Notify {
        /// What.
        notice: WindowNotice,
    },
    /// The program exited; its last words were sent before. Also after every snapshot of an exited
    /// terminal.
    Exited,
}

/// Why the holder closes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "bye", rename_all = "snake_case")]
pub enum Bye {
    /// Somebody detached this client.
    Detached,
    /// The terminal was removed or is started again.
    Removed,
    /// The client broke the protocol.
    Protocol {
        /// How.
        message: String,
    },
    /// The attach was refused.
    Refused {
        /// Why, and what to do.
        message: String,
    },
}
