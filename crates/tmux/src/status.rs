//! The status of one pane: what it prints through the signal reader, what tmux tells beside it.
//!
//! *Whose mark is it?* tmux tells the name in the foreground, up to a second late; by a name that is
//! late no mark can be judged. So until the shell is known to mark its prompts the name counts: it tells an idle
//! shell from a program. It is known when a mark comes while a shell has the foreground, or
//! when its integration noted a command; from then on only the order of marks counts
//! (signals.md, "where that cannot be known").
//!
//! *A watcher that starts late* knows the title (`pane_title`), the directory, and the command, where
//! `@wigwag_command` holds it. All else was not seen and is not invented. Afterwards the
//! stream tells; the noted command is looked at again only after output was lost.
//!
//! *Dead panes* (`remain-on-exit`) exited, with code or signal. One whose program is started again begins
//! anew under its id.

use crate::id::PaneId;
use crate::listing::Pane;
use crate::server::Identity;
use signals::{Cwd, Mark, Options, Reader, Signal, Sink};
use status::{
    Change, Duration, Event, Facts, Foreground, Now, Size, Source, State, Status, Terminal,
    TmuxPlace,
};
use std::path::{Path, PathBuf};

/// The largest size of a status (its JSON shape).
const LARGEST: Size = Size {
    cols: 1000,
    rows: 500,
};

/// Interactive shells, as far as their names tell.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "sh", "tcsh",
    "xonsh", "yash", "zsh",
];

/// The status of one pane.
#[derive(Debug)]
pub struct PaneStatus {
    id: String,
    socket: PathBuf,
    pane: Pane,
    stream: Stream,
    terminal: Terminal,
    /// The shell marks its prompts: the order of marks decides.
    marked: bool,
    /// The directory that tmux told last.
    cwd: String,
    /// Output was lost.
    gap: bool,
}

/// The output as it is read.
#[derive(Debug)]
struct Stream {
    reader: Reader,
    alternate_screen: bool,
}

impl Stream {
    fn new(alternate_screen: bool) -> Self {
        Self {
            reader: Reader::new(Options {
                tmux_passthrough: true,
            }),
            alternate_screen,
        }
    }
}

/// The id of a pane: 8 characters of lower-case base32, the same as long as its server lives.
pub fn id(socket: &Path, server: &Identity, pane: PaneId) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut hash = Fnv::default();
    hash.add(socket.as_os_str().as_bytes());
    hash.add(&server.pid.to_le_bytes());
    hash.add(&server.started_at.as_second().to_le_bytes());
    hash.add(&pane.0.to_le_bytes());
    let hash = hash.mixed();
    let letter = |place: u32| {
        let five_bits = (hash >> (64 - 5 * (place + 1))) & 31;
        char::from(b"abcdefghijklmnopqrstuvwxyz234567"[five_bits as usize])
    };
    (0..8).map(letter).collect()
}

impl PaneStatus {
    /// Of a pane that was just found.
    pub fn new(socket: &Path, server: &Identity, pane: &Pane, now: Now) -> Self {
        let mut status = Self {
            id: id(socket, server, pane.id),
            socket: socket.to_owned(),
            pane: pane.clone(),
            stream: Stream::new(pane.alternate_screen),
            terminal: Terminal::new(facts(String::new(), pane, 0, now), now),
            marked: false,
            cwd: pane.cwd.clone(),
            gap: false,
        };
        status.begin(0, now);
        status
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The pane as it was last told.
    pub fn pane(&self) -> &Pane {
        &self.pane
    }

    /// A new terminal for the pane as it is.
    fn begin(&mut self, attention_after: u64, now: Now) {
        let pane = &self.pane;
        let facts = facts(self.id.clone(), pane, attention_after, now);
        self.terminal = Terminal::new(facts, now).on_host(&pane.host);
        self.stream = Stream::new(pane.alternate_screen);
        self.marked = false;
        self.terminal.apply(Event::Started, now);
        match pane.noted_command.clone() {
            Some(line) => self.noted(Some(line), now),
            None => self.foreground(now),
        };
        // A title that nobody set is the name of the host.
        if !self.pane.title.is_empty() && self.pane.title != self.pane.host {
            self.signal(Signal::Title(self.pane.title.clone()), now);
        }
        self.death(now);
    }

    /// What the pane printed. The changes, in order.
    pub fn output(&mut self, bytes: &[u8], now: Now) -> Vec<Change> {
        let mut collector = Collector {
            alternate_screen: self.stream.alternate_screen,
            signals: Vec::new(),
        };
        self.stream.reader.read(bytes, &mut collector);
        self.stream.alternate_screen = collector.alternate_screen;
        let mut changes = Vec::new();
        for (signal, alternate_screen) in collector.signals {
            if let Signal::Mark { .. } = &signal {
                self.marks(&mut changes, now);
            }
            let event = Event::Signal {
                signal,
                alternate_screen,
            };
            add(&mut changes, self.terminal.apply(event, now));
        }
        changes
    }

    /// A mark came: the shell's, where it has the foreground.
    fn marks(&mut self, changes: &mut Vec<Change>, now: Now) {
        if !self.marked && is_shell(&self.pane.command) {
            self.marked = true;
            add(changes, self.terminal.apply(Event::Foreground(None), now));
        }
    }

    /// Output was lost: an unfinished sequence is void. The next update tells what was missed.
    pub fn gap(&mut self) {
        self.stream = Stream::new(self.stream.alternate_screen);
        self.gap = true;
    }

    /// The pane as tmux tells it now. The changes, in order.
    pub fn update(&mut self, pane: &Pane, now: Now) -> Vec<Change> {
        let mut changes = Vec::new();
        let was = std::mem::replace(&mut self.pane, pane.clone());
        if was.dead.is_some() && pane.dead.is_none() {
            let attention = self.terminal.status().attention;
            self.begin(attention.map_or(0, |attention| attention.seq), now);
            return vec![
                Change::Lifecycle,
                Change::Title,
                Change::Command,
                Change::Report,
            ];
        }
        let renamed = self.terminal.apply(Event::Renamed(name(pane)), now);
        add(&mut changes, renamed);
        if (&was.window_name, &was.places) != (&pane.window_name, &pane.places) {
            add(&mut changes, vec![Change::Renamed]);
        }
        add(
            &mut changes,
            self.terminal.apply(Event::Resized(size(pane)), now),
        );
        if std::mem::take(&mut self.gap) {
            self.stream.alternate_screen = pane.alternate_screen;
            let noted = pane.noted_command.clone();
            if self.marked || noted.is_some() {
                add(&mut changes, self.noted(noted, now));
            }
        }
        if !self.marked {
            add(&mut changes, self.foreground(now));
        }
        if self.cwd != pane.cwd {
            self.cwd.clone_from(&pane.cwd);
            let cwd = Cwd {
                host: None,
                path: pane.cwd.clone(),
            };
            let cwd = Some(cwd).filter(|cwd| !cwd.path.is_empty());
            add(&mut changes, self.signal(Signal::Cwd(cwd), now));
        }
        add(&mut changes, self.death(now));
        changes
    }

    /// The command that the shell's integration noted, or that none runs.
    fn noted(&mut self, line: Option<String>, now: Now) -> Vec<Change> {
        self.marked = true;
        let mut changes = self.terminal.apply(Event::Foreground(None), now);
        let running = self.terminal.status().command;
        let running = running.as_ref().map(|command| command.line.as_deref());
        if running == Some(line.as_deref()) {
            return changes;
        }
        let mut mark = |mark| {
            let mark = Signal::Mark { mark, aid: None };
            let event = Event::Signal {
                signal: mark,
                alternate_screen: false,
            };
            add(&mut changes, self.terminal.apply(event, now));
        };
        if running.is_some() {
            // How it ended was not seen.
            mark(Mark::CommandDone(None));
        }
        match line {
            Some(line) => mark(Mark::Command(Some(line))),
            None => mark(Mark::Prompt),
        }
        changes
    }

    fn foreground(&mut self, now: Now) -> Vec<Change> {
        let foreground = Foreground {
            // The group is not told; another name is another program.
            pgid: self.pane.pid,
            name: self.pane.command.trim_start_matches('-').to_owned(),
            is_shell: is_shell(&self.pane.command),
        };
        let foreground = Some(foreground).filter(|foreground| !foreground.name.is_empty());
        self.terminal.apply(Event::Foreground(foreground), now)
    }

    fn death(&mut self, now: Now) -> Vec<Change> {
        match self.pane.dead.clone() {
            Some(death) => {
                let (code, signal) = (death.code, death.signal);
                let code = code.filter(|_| signal.is_none());
                self.terminal.apply(Event::Exited { code, signal }, now)
            }
            None => Vec::new(),
        }
    }

    fn signal(&mut self, signal: Signal, now: Now) -> Vec<Change> {
        let event = Event::Signal {
            signal,
            alternate_screen: self.stream.alternate_screen,
        };
        self.terminal.apply(event, now)
    }

    /// How many people's clients show the pane, and whether a present one does.
    pub fn viewed(&mut self, count: u32, seen: bool, now: Now) -> Vec<Change> {
        self.terminal.apply(Event::Clients { count, seen }, now)
    }

    /// What a person does (acknowledge, mute, clear), or that time passed.
    pub fn apply(&mut self, event: Event, now: Now) -> Vec<Change> {
        self.terminal.apply(event, now)
    }

    /// When the next [`Event::Tick`] is due, on the monotonic clock.
    pub fn deadline(&self) -> Option<Duration> {
        self.terminal.deadline()
    }

    /// The whole status, with the place in tmux.
    pub fn status(&self) -> Status {
        let mut status = self.terminal.status();
        status.source = Source::Tmux;
        status.tmux = self.place();
        status
    }

    fn place(&self) -> Option<TmuxPlace> {
        let place = self.pane.places.first()?;
        Some(TmuxPlace {
            socket: self.socket.to_string_lossy().into_owned(),
            session: place.session_name.clone(),
            window: place.window_index,
            window_name: self.pane.window_name.clone(),
            pane: self.pane.id.to_string(),
        })
    }
}

/// What a window or a session shows: the most urgent state of its panes. `None` without panes.
pub fn most_urgent<'a>(statuses: impl IntoIterator<Item = &'a Status>) -> Option<State> {
    statuses.into_iter().map(|status| status.state).min()
}

fn add(changes: &mut Vec<Change>, more: Vec<Change>) {
    for change in more {
        if !changes.contains(&change) {
            changes.push(change);
        }
    }
}

fn facts(id: String, pane: &Pane, attention_after: u64, now: Now) -> Facts {
    Facts {
        id,
        name: name(pane),
        created_at: now.wall,
        initial_command: None,
        size: size(pane),
        cwd: Some(pane.cwd.clone()),
        attention_after,
        own_aid: None,
    }
}

/// The address of a pane: `SESSION:WINDOW.PANE`.
fn name(pane: &Pane) -> String {
    match pane.places.first() {
        Some(place) => format!(
            "{}:{}.{}",
            place.session_name, place.window_index, place.pane_index
        ),
        None => pane.id.to_string(),
    }
}

fn size(pane: &Pane) -> Size {
    Size {
        cols: pane.cols.clamp(1, LARGEST.cols),
        rows: pane.rows.clamp(1, LARGEST.rows),
    }
}

fn is_shell(command: &str) -> bool {
    SHELLS.contains(&command.trim_start_matches('-'))
}

/// Signals, each with whether the alternate screen was active.
struct Collector {
    alternate_screen: bool,
    signals: Vec<(Signal, bool)>,
}

impl Sink for Collector {
    fn text(&mut self, _: &[u8]) {}

    fn sequence(&mut self, bytes: &[u8]) {
        if let Some(parameters) = bytes.strip_prefix(b"\x1b[?")
            && let Some((&last @ (b'h' | b'l'), modes)) = parameters.split_last()
            && modes
                .split(|&byte| byte == b';')
                .any(|mode| matches!(mode, b"47" | b"1047" | b"1049"))
        {
            self.alternate_screen = last == b'h';
        }
    }

    fn signal(&mut self, _at: u64, signal: Signal) {
        if signal == Signal::Reset {
            self.alternate_screen = false;
        }
        self.signals.push((signal, self.alternate_screen));
    }
}

/// FNV-1a, and a mixing of its bits. Stable for ever: ids are kept in the journal.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds a field; its length keeps it apart from the next.
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for &byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn mixed(&self) -> u64 {
        let mut hash = self.0;
        for factor in [0xff51_afd7_ed55_8ccd_u64, 0xc4ce_b9fe_1a85_ec53] {
            hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
        }
        hash ^ (hash >> 33)
    }
}

#[cfg(test)]
mod tests;
