//! The state of one terminal, and how it begins.
//!
//! What is done with it stands beside it, a subject a file: `round` is the loop, `printed` what the
//! program prints, `serve`, `requests` and `view` the clients, `exit` and `removal` the end.

use super::claim::Claim;
use super::client::Client;
use super::event_log::EventLog;
use super::focus::Focus;
use super::foreground::FOREGROUND_CHECK;
use super::hooks::Hooks;
use super::input_queue::InputQueue;
use super::integration::Prepared;
use super::output::Batch;
use super::own_signals::Signals;
use super::program::{Invocation, Program};
use super::serve::Accepts;
use super::state_file::StateWriter;
use super::{clock, environment, shell, ssh_agent};
use crate::paths::Paths;
use crate::spawn::{Spec, StartRequest};
use rustix::fs::Mode;
use screen::Screen;
use signals::Reader;
use status::{Event, EventKind, Facts, Foreground, Terminal};
use std::ffi::OsString;
use std::io;
use std::time::Duration;

/// One read of the PTY: large, so that a flood costs few rounds; the screen and the clients are
/// fed from it.
const READ: usize = 64 * 1024;

/// Sizes where the caller knows none.
const DEFAULT_SIZE: (u16, u16) = (80, 24);

/// One terminal.
pub(super) struct Holder {
    pub(super) paths: Paths,
    pub(super) spec: Spec,
    pub(super) claim: Claim,
    pub(super) umask: Mode,
    pub(super) incarnation: u64,
    /// The variables of its programs.
    pub(super) variables: Vec<(OsString, OsString)>,
    pub(super) program: Program,
    /// The program is the interactive shell of the terminal.
    pub(super) runs_shell: bool,
    pub(super) shell: shell::Image,
    pub(super) reader: Reader,
    pub(super) screen: Screen,
    pub(super) terminal: Terminal,
    pub(super) events: EventLog,
    pub(super) events_this_round: usize,
    /// Kinds of events that a flood left for the end of the round.
    pub(super) later: Vec<EventKind>,
    pub(super) clients: Vec<Client>,
    pub(super) next_client: u64,
    /// The client that owns the size.
    pub(super) owner: Option<u64>,
    pub(super) input: InputQueue,
    pub(super) focus: Focus,
    pub(super) hooks: Hooks,
    pub(super) state: StateWriter,
    pub(super) signals: Signals,
    pub(super) buffer: Vec<u8>,
    pub(super) scratch: Vec<u8>,
    /// Code was used that waiting does not need.
    pub(super) code_used: bool,
    pub(super) batch: Batch,
    /// Whether connections are taken.
    pub(super) accepts: Accepts,
    /// The kernel refuses to wait for so many descriptors.
    pub(super) waits_blindly: bool,
    /// The other user who was refused last.
    pub(super) stranger: Option<u32>,
    /// Since when the owner of the size holds the PTY back.
    pub(super) stalled_since: Option<Duration>,
    pub(super) synchronized_until: Option<Duration>,
    pub(super) foreground: Option<Foreground>,
    pub(super) foreground_check: Option<Duration>,
    /// Attached people, and whether one of them sees the terminal, as the status knows.
    pub(super) seen: (u32, bool),
    /// Counts the changes of the people that subscribers are told.
    pub(super) people_changes: u64,
    /// The colour-scheme report the program knows, while it asked for such.
    pub(super) scheme_told: Option<Vec<u8>>,
    pub(super) size_reports: bool,
    /// The terminal that a client inside this one shows.
    pub(super) carried: Option<String>,
    pub(super) unmute_at: Option<Duration>,
    /// A forced removal is under way: when to kill, once.
    pub(super) removing: Option<Option<Duration>>,
    /// Requests (client and number) to answer when the terminal is gone.
    pub(super) remove_requests: Vec<(u64, u64)>,
    /// The program exited with 0 while it was seen.
    pub(super) leaves_by_itself: bool,
    /// Until then clients may take the last words of a terminal that leaves by itself.
    pub(super) leaves_at: Option<Duration>,
    pub(super) ended: bool,
}

impl Holder {
    /// A terminal with its program running; the claim back if that cannot be.
    pub(super) fn new(
        request: StartRequest,
        claim: Claim,
        umask: Mode,
        words: &[OsString],
    ) -> Result<Self, (Box<Claim>, io::Error)> {
        match Self::parts(request, &claim, umask, words) {
            Ok(parts) => Ok(parts(claim)),
            Err(error) => Err((Box::new(claim), error)),
        }
    }

    fn parts(
        request: StartRequest,
        claim: &Claim,
        umask: Mode,
        words: &[OsString],
    ) -> io::Result<impl FnOnce(Claim) -> Self + use<>> {
        let StartRequest {
            paths,
            mut spec,
            before,
        } = request;
        spec.cwd = std::path::absolute(&spec.cwd)?;
        let now = clock::now();
        let size = match (spec.cols, spec.rows) {
            (0, _) | (_, 0) => DEFAULT_SIZE,
            size => size,
        };
        let size = screen::Size::new(size.0, size.1);
        (spec.cols, spec.rows) = (size.cols, size.rows);

        let agent = spec
            .env
            .iter()
            .rev()
            .find(|(key, value)| key == "SSH_AUTH_SOCK" && !value.is_empty());
        let agent = agent.map(|(_, agent)| std::path::PathBuf::from(agent));
        if let Some(agent) = &agent {
            ssh_agent::point(&claim.directory, agent)?;
        }
        let agent = agent.map(|_| ssh_agent::link_path(&claim.directory));
        let own = environment::Own {
            id: &claim.id,
            name: &claim.name,
            socket: &claim.socket,
            cwd: &spec.cwd,
            ssh_agent: agent.as_deref(),
        };
        let variables = environment::environment(&spec.env, &own, &spec.set_env);

        let signals = Signals::catch()?;
        let mut program = Program::open(size.cols, size.rows)?;
        let login = spec.command.is_none();
        let runs_shell = login || shell::is_interactive_shell(words);
        let invocation = Invocation {
            words,
            login,
            cwd: &spec.cwd,
            env: &variables,
            umask,
        };
        let prepared = if runs_shell && !spec.plain_shell {
            Prepared::new(&invocation, &claim.directory)
        } else {
            Prepared::plain(&invocation)
        };
        program.start(&prepared.invocation(&invocation))?;

        let earlier = before.as_ref().map(|before| before.incarnation);
        let incarnation = now.wall.as_millisecond().max(0) as u64;
        let incarnation = incarnation.max(earlier.map_or(0, |earlier| earlier + 1));
        let attention = before
            .as_ref()
            .and_then(|before| before.status.attention.as_ref());
        let facts = Facts {
            id: claim.id.clone(),
            name: claim.name.clone(),
            created_at: before
                .as_ref()
                .map_or(now.wall, |before| before.status.created_at),
            initial_command: (!runs_shell).then(|| shell::command_line(words)),
            size: status_size(size),
            cwd: Some(spec.cwd.to_string_lossy().into_owned()),
            attention_after: attention.map_or(0, |attention| attention.seq),
            own_aid: prepared.aid,
        };
        let mut terminal = Terminal::new(facts, now);
        if let Some(host) = hostname() {
            terminal = terminal.on_host(&host);
        }
        let muted = before.as_ref().is_some_and(|before| before.status.muted);
        let state = StateWriter::new(paths.state_file(&claim.id));
        Ok(move |claim: Claim| {
            let mut holder = Self {
                reader: Reader::new(signals::Options::default()),
                screen: Screen::new(size, spec.scrollback),
                paths,
                spec,
                claim,
                umask,
                incarnation,
                variables,
                program,
                runs_shell,
                shell: shell::Image::default(),
                terminal,
                events: EventLog::default(),
                events_this_round: 0,
                later: Vec::new(),
                clients: Vec::new(),
                next_client: 1,
                owner: None,
                input: InputQueue::default(),
                focus: Focus::default(),
                hooks: Hooks::from_env(),
                state,
                signals,
                buffer: vec![0; READ],
                scratch: vec![0; READ],
                code_used: true,
                batch: Batch::default(),
                accepts: Accepts::Yes,
                waits_blindly: false,
                stranger: None,
                stalled_since: None,
                synchronized_until: None,
                foreground: None,
                foreground_check: Some(now.mono + FOREGROUND_CHECK),
                seen: (0, false),
                people_changes: 1,
                scheme_told: None,
                size_reports: false,
                carried: None,
                unmute_at: None,
                removing: None,
                remove_requests: Vec::new(),
                leaves_by_itself: false,
                leaves_at: None,
                ended: false,
            };
            holder.publish(EventKind::Created);
            holder.apply(Event::Started);
            if muted {
                holder.apply(Event::Muted(true));
            }
            holder.write_state_now();
            holder
        })
    }

    /// What it holds on the file system.
    pub(super) fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Ends the exited terminal that had the name before.
    pub(super) fn end_replaced(&self) -> io::Result<()> {
        self.claim.end_replaced(&self.paths)
    }
}

/// The same size for the status.
pub(super) fn status_size(size: screen::Size) -> status::Size {
    status::Size {
        cols: size.cols,
        rows: size.rows,
    }
}

fn hostname() -> Option<String> {
    let name = rustix::system::uname();
    name.nodename().to_str().ok().map(str::to_owned)
}
