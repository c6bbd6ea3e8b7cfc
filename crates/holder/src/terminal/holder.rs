//! The state of one terminal and the loop around it.
//!
//! A round: wait, take what came (signals, the PTY, clients), then settle: sizes, presence, focus,
//! snapshots, the state file. Deadlines exist only while something is pending; an idle holder
//! sleeps without one.

use super::claim::Claim;
use super::client::Client;
use super::event_log::EventLog;
use super::focus::Focus;
use super::hooks::Hooks;
use super::input_queue::InputQueue;
use super::output::{Batch, Cut, Recorder, Step};
use super::program::{Exit, Invocation, Program};
use super::serve::Accepts;
use super::state_file::StateWriter;
use super::{clock, environment, log, processes, shell, ssh_agent};
use crate::frame::{HEADER, header};
use crate::paths::Paths;
use crate::protocol::{Bye, Moment, kind};
use crate::spawn::{Spec, StartRequest, StateFile};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::Mode;
use screen::Screen;
use signals::{Mark, Query, QueryKind, Reader, Signal, Terminator, notification, program_status};
use status::{Event, EventKind, Facts, Foreground, Terminal};
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// One read of the PTY: large, so that a flood costs few rounds; the screen and the clients are
/// fed from it.
const READ: usize = 64 * 1024;

/// After an exit the PTY is read until nothing is left, but at most that much…
const DRAIN_BYTES: usize = 1 << 20;
/// …and that long: a child that was left behind may print for ever.
const DRAIN_TIME: Duration = Duration::from_millis(100);

/// A synchronized update that its program does not end is ended after that.
const SYNCHRONIZED_LIMIT: Duration = Duration::from_millis(150);

/// The foreground is looked at that long after something happened.
const FOREGROUND_CHECK: Duration = Duration::from_millis(100);

/// A forced removal hangs up, and kills what is left after that.
const KILL_AFTER: Duration = Duration::from_secs(5);

/// A client that is behind has that long to catch up before a terminal leaves by itself.
const LAST_WORDS_LIMIT: Duration = Duration::from_secs(5);

/// Events of one round that are told one by one; the rest of a flood is told as one a kind.
const EVENTS_A_ROUND: usize = 64;

/// Sizes where the caller knows none.
const DEFAULT_SIZE: (u16, u16) = (80, 24);

/// One terminal.
pub(super) struct Holder {
    pub(super) paths: Paths,
    pub(super) spec: Spec,
    pub(super) claim: Claim,
    umask: Mode,
    pub(super) incarnation: u64,
    /// The variables of its programs.
    variables: Vec<(OsString, OsString)>,
    pub(super) program: Program,
    /// The program is the interactive shell of the terminal.
    runs_shell: bool,
    pub(super) reader: Reader,
    pub(super) screen: Screen,
    pub(super) terminal: Terminal,
    pub(super) events: EventLog,
    events_this_round: usize,
    /// Kinds of events that a flood left for the end of the round.
    later: Vec<EventKind>,
    pub(super) clients: Vec<Client>,
    pub(super) next_client: u64,
    /// The client that owns the size.
    pub(super) owner: Option<u64>,
    pub(super) input: InputQueue,
    pub(super) focus: Focus,
    pub(super) hooks: Hooks,
    state: StateWriter,
    signals: Signals,
    buffer: Vec<u8>,
    pub(super) scratch: Vec<u8>,
    batch: Batch,
    /// Whether connections are taken.
    pub(super) accepts: Accepts,
    /// Since when the owner of the size holds the PTY back.
    pub(super) stalled_since: Option<Duration>,
    synchronized_until: Option<Duration>,
    foreground: Option<Foreground>,
    foreground_check: Option<Duration>,
    /// Attached people, and whether one of them sees the terminal, as the status knows.
    pub(super) seen: (u32, bool),
    /// The colour-scheme report the program knows, while it asked for such.
    pub(super) scheme_told: Option<Vec<u8>>,
    pub(super) size_reports: bool,
    /// The terminal that a client inside this one shows.
    pub(super) carried: Option<String>,
    pub(super) unmute_at: Option<Duration>,
    /// A forced removal is under way: when to kill, once.
    removing: Option<Option<Duration>>,
    /// Requests (client and number) to answer when the terminal is gone.
    remove_requests: Vec<(u64, u64)>,
    /// The program exited with 0 while it was seen.
    leaves_by_itself: bool,
    /// Until then clients may take the last words of a terminal that leaves by itself.
    leaves_at: Option<Duration>,
    ended: bool,
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
        program.start(&invocation)?;

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
            own_aid: spec.own_aid.clone(),
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
                batch: Batch::default(),
                accepts: Accepts::Yes,
                stalled_since: None,
                synchronized_until: None,
                foreground: None,
                foreground_check: Some(now.mono + FOREGROUND_CHECK),
                seen: (0, false),
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

    /// Serves until the terminal is removed.
    pub(super) fn run(&mut self) {
        while !self.ended {
            self.settle();
            self.wait(true);
            self.pass_deadlines();
        }
        self.leave();
    }

    /// Waits for something and takes it. `whole`: everything, otherwise clients only (at a
    /// test's named point).
    pub(super) fn wait(&mut self, whole: bool) {
        const HUNG_UP: PollFlags = PollFlags::HUP.union(PollFlags::ERR);
        let now = clock::mono();
        let held_back = self.holds_pty_back(now);
        let deadline = if whole {
            self.next_deadline()
        } else {
            self.clients_deadline()
        };
        let timeout = deadline.map(|at| timespec(at.saturating_sub(now)));
        let mut fds = Vec::with_capacity(3 + self.clients.len());
        let mut pty_at = None;
        if whole {
            fds.push(PollFd::new(&self.signals.pipe, PollFlags::IN));
            let mut flags = if held_back {
                PollFlags::empty()
            } else {
                PollFlags::IN
            };
            if self.input.wants_write() && self.program.pid().is_some() {
                flags |= PollFlags::OUT;
            }
            if let Some(pty) = self.program.pty().filter(|_| !flags.is_empty()) {
                pty_at = Some(fds.len());
                fds.push(PollFd::from_borrowed_fd(pty, flags));
            }
        }
        let listener_at = self.accepts.now().then(|| {
            fds.push(PollFd::new(&self.claim.listener, PollFlags::IN));
            fds.len() - 1
        });
        let clients_at = fds.len();
        let mut polled = Vec::with_capacity(self.clients.len());
        for client in &self.clients {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, client.is_read());
            flags.set(PollFlags::OUT, client.queue.bytes() > 0);
            if !flags.is_empty() {
                polled.push(client.id);
                fds.push(PollFd::new(&client.stream, flags));
            }
        }
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                log::error(&format!("cannot wait: {error}"));
                return;
            }
        }
        let ready: Vec<PollFlags> = fds.iter().map(PollFd::revents).collect();
        drop(fds);

        for (index, id) in polled.into_iter().enumerate() {
            let flags = ready[clients_at + index];
            if flags.contains(PollFlags::OUT) {
                self.flush_client(id);
            }
            if flags.intersects(PollFlags::IN | HUNG_UP) {
                self.read_client(id);
            }
        }
        if listener_at.is_some_and(|at| !ready[at].is_empty()) {
            self.accept();
        }
        if let Some(at) = pty_at {
            if ready[at].contains(PollFlags::OUT) {
                self.write_input();
            }
            if ready[at].intersects(PollFlags::IN | HUNG_UP) && !held_back {
                self.reach("pty_read");
                self.read_pty();
            }
        }
        if whole && !ready[0].is_empty() {
            self.take_signals();
        }
    }

    /// The next moment at which something is to be done; `None` when nothing is pending.
    fn next_deadline(&self) -> Option<Duration> {
        [
            self.terminal.deadline(),
            self.state.deadline(),
            self.input.deadline(),
            self.synchronized_until,
            self.foreground_check,
            self.unmute_at,
            self.accepts.deadline(),
            self.removing.flatten(),
            self.leaves_at.filter(|_| self.removing.is_some()),
            self.clients_deadline(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn pass_deadlines(&mut self) {
        let now = clock::mono();
        let due = |deadline: Option<Duration>| deadline.is_some_and(|at| at <= now);
        if due(self.terminal.deadline()) {
            self.apply(Event::Tick);
        }
        if due(self.synchronized_until) {
            self.end_synchronized();
        }
        if due(self.foreground_check) {
            self.foreground_check = None;
            self.check_foreground();
        }
        if due(self.accepts.deadline()) {
            self.accepts = Accepts::Again;
        }
        if due(self.unmute_at) {
            self.unmute_at = None;
            self.apply(Event::Muted(false));
        }
        if due(self.removing.flatten()) {
            self.removing = Some(None);
            self.kill_everything();
        }
        if self.input.wants_write() || due(self.input.deadline()) {
            self.write_input();
        }
        self.pass_client_deadlines(now);
    }

    /// Stands at a named point while a test wants it to.
    pub(super) fn reach(&mut self, point: &'static str) {
        if self.hooks.is_off() {
            return;
        }
        for (client, request) in self.hooks.reached(point) {
            self.reply_done(client, request);
        }
        while self.hooks.stands_at(point) {
            self.settle_clients();
            self.wait(false);
            self.pass_client_deadlines(clock::mono());
        }
    }

    /// Reads the PTY once; how much there was.
    fn read_pty(&mut self) -> usize {
        let mut buffer = std::mem::take(&mut self.buffer);
        let length = self.program.read(&mut buffer);
        if length > 0 {
            self.take_output(&buffer[..length]);
        }
        self.buffer = buffer;
        if self.program.pty().is_none() && self.leaves_by_itself {
            // The last child that was left behind has closed the terminal.
            self.leave_by_itself();
        }
        length
    }

    /// What the program printed: to the clients first, then on the screen, questions answered and
    /// signals applied in their order.
    fn take_output(&mut self, read: &[u8]) {
        let mut batch = std::mem::take(&mut self.batch);
        batch.begin();
        self.reader.read(
            read,
            &mut Recorder {
                batch: &mut batch,
                read,
            },
        );
        self.forward(&mut batch);
        let steps = std::mem::take(&mut batch.steps);
        for step in &steps {
            match step {
                Step::Draw(place) => self.screen.feed(batch.bytes(read, *place)),
                Step::Signal(signal) => self.take_signal(signal.clone()),
                Step::Query(query) => self.answer(query),
            }
        }
        batch.steps = steps;
        self.batch = batch;
        self.mark_history();
        self.watch_synchronized(read);
        self.watch_modes();
        self.expect_activity();
        self.write_input();
    }

    fn forward(&mut self, batch: &mut Batch) {
        let cuts = std::mem::take(&mut batch.cuts);
        if cuts.is_empty() {
            self.forward_frame(&mut batch.forward);
            return;
        }
        let bytes = &batch.forward[HEADER..];
        let mut start = 0;
        for (position, cut) in cuts {
            let end = position - HEADER;
            self.forward_frame(&mut [&[0; HEADER], &bytes[start..end]].concat());
            start = end;
            let now = clock::mono();
            for client in self.clients.iter_mut().filter(|client| client.streams()) {
                let sees = client
                    .attached
                    .as_ref()
                    .is_some_and(|attached| attached.is_present(now));
                match &cut {
                    Cut::Bell if sees => client.send_moment(&Moment::Bell),
                    Cut::Bell => {}
                    Cut::Report(sequence) => {
                        client.send_moment(&Moment::Report {
                            sequence: sequence.clone(),
                        });
                    }
                }
            }
        }
        self.forward_frame(&mut [&[0; HEADER], &bytes[start..]].concat());
    }

    /// Sends bytes after room for a header to everybody who gets the stream.
    fn forward_frame(&mut self, frame: &mut [u8]) {
        if frame.len() <= HEADER {
            return;
        }
        let length = frame.len() - HEADER;
        frame[..HEADER].copy_from_slice(&header(kind::OUTPUT, length));
        self.send_output(frame);
    }

    fn take_signal(&mut self, signal: Signal) {
        if self.carries() {
            // They are another terminal's, which counts them itself.
            return;
        }
        self.look_before(&signal);
        let ended = matches!(
            signal,
            Signal::Mark {
                mark: Mark::Prompt | Mark::NewPrompt,
                ..
            }
        );
        let alternate_screen = self.screen.modes().alternate_screen;
        self.apply(Event::Signal {
            signal,
            alternate_screen,
        });
        if ended {
            self.state.change();
        }
    }

    /// Looks at the foreground before a signal whose meaning depends on who has it.
    pub(super) fn look_before(&mut self, signal: &Signal) {
        if matches!(
            signal,
            Signal::Mark { .. } | Signal::Title(_) | Signal::Report(_) | Signal::Progress(_)
        ) {
            // Whose it is depends on who has the foreground now, not 100 ms ago.
            let known = self.foreground.as_ref().map(|known| known.pgid);
            if self.program.foreground() != known {
                self.check_foreground();
            }
        }
    }

    /// Answers one question of the program.
    fn answer(&mut self, query: &Query) {
        let end = query.terminator;
        let answer = match &query.kind {
            QueryKind::ProgramStatus => Some(program_status::answer(end).to_vec()),
            QueryKind::NotificationSupport(id) => Some(notification::answer_support(id, end)),
            QueryKind::NotificationsAlive(id) => {
                let alive = self.terminal.notifications_alive();
                let alive = alive.iter().map(String::as_str);
                Some(notification::answer_alive(id, alive, end))
            }
            _ => self.screen.answer(query),
        };
        if let Some(answer) = answer {
            self.input.answer(&answer);
        }
    }

    /// Tells the program what it asked to be told: focus, size, light or dark.
    pub(super) fn watch_modes(&mut self) {
        let modes = self.screen.modes();
        let focused = self.clients.iter().any(|client| {
            client
                .attached
                .as_ref()
                .is_some_and(|attached| attached.person && attached.focused)
        });
        if let Some(report) = self.focus.update(modes.focus_events, focused) {
            self.input.answer(report);
        }
        if modes.size_reports && !self.size_reports {
            let report = self.screen.size_report();
            self.input.answer(&report);
        }
        self.size_reports = modes.size_reports;
        let scheme = Query {
            kind: QueryKind::ColorScheme,
            terminator: Terminator::St,
        };
        let scheme = if modes.scheme_reports {
            self.screen.answer(&scheme)
        } else {
            None
        };
        if let Some(report) = scheme.as_ref().filter(|report| {
            self.scheme_told
                .as_ref()
                .is_some_and(|told| told != *report)
        }) {
            self.input.answer(report);
        }
        self.scheme_told = scheme;
    }

    /// A synchronized update has a time limit, counted from its last beginning.
    fn watch_synchronized(&mut self, read: &[u8]) {
        const BEGIN: &[u8] = b"?2026h";
        if !self.screen.modes().synchronized {
            self.synchronized_until = None;
        } else if self.synchronized_until.is_none()
            || read.windows(BEGIN.len()).any(|at| at == BEGIN)
        {
            self.synchronized_until = Some(clock::mono() + SYNCHRONIZED_LIMIT);
        }
    }

    fn end_synchronized(&mut self) {
        self.synchronized_until = None;
        self.screen.end_synchronized();
        // Clients end it too, unless they are inside another sequence.
        if self.reader.unfinished().is_some_and(<[u8]>::is_empty) {
            self.forward_frame(&mut [&[0; HEADER][..], b"\x1b[?2026l"].concat());
        }
    }

    /// Something happened: look at the foreground soon.
    pub(super) fn expect_activity(&mut self) {
        if self.foreground_check.is_none() && self.program.pid().is_some() {
            self.foreground_check = Some(clock::mono() + FOREGROUND_CHECK);
        }
    }

    fn check_foreground(&mut self) {
        let Some(program) = self.program.pid() else {
            return;
        };
        let Some(group) = self.program.foreground() else {
            return;
        };
        // A group whose leader is gone keeps the name it had.
        let known = self.foreground.as_ref().filter(|known| known.pgid == group);
        let name = processes::name_of(group).or_else(|| known.map(|known| known.name.clone()));
        let foreground = name.map(|name| Foreground {
            pgid: group,
            name,
            is_shell: self.runs_shell && group == program,
        });
        if foreground != self.foreground {
            self.foreground.clone_from(&foreground);
            self.apply(Event::Foreground(foreground));
        }
    }

    /// Applies an event to the status and tells what changed.
    pub(super) fn apply(&mut self, event: Event) {
        for change in self.terminal.apply(event, clock::now()) {
            if self.events_this_round < EVENTS_A_ROUND {
                self.publish(change);
            } else if !self.later.contains(&change) {
                self.later.push(change);
            }
        }
    }

    fn publish(&mut self, event: EventKind) {
        self.events_this_round += 1;
        let status = self.terminal.status();
        let frame = self.events.add(event, &status, clock::now().wall);
        self.state.change();
        self.send_event(&frame);
    }

    fn send_event(&mut self, frame: &Rc<[u8]>) {
        for client in self.clients.iter_mut().filter(|client| client.subscribed) {
            let mut shared = Some(Rc::clone(frame));
            let class = super::client_queue::Class::Event;
            if client
                .queue
                .push(frame, &mut shared, class, &mut &client.stream)
                .is_err()
            {
                client.gone = true;
            }
        }
    }

    /// The end of a round.
    fn settle(&mut self) {
        self.settle_clients();
        for event in std::mem::take(&mut self.later) {
            self.publish(event);
        }
        self.events_this_round = 0;
        let now = clock::mono();
        if self.state.deadline().is_some_and(|due| due <= now) {
            let state = self.state_file();
            self.state.write_if_due(now, || state);
        }
        if self.removing.is_some() && self.program.pid().is_none() && !self.waits_for_clients(now) {
            self.end();
        }
    }

    fn state_file(&self) -> StateFile {
        StateFile {
            spec: self.spec.clone(),
            incarnation: self.incarnation,
            status: self.terminal.status(),
        }
    }

    /// Why the state file was not written, if it was not.
    pub(super) fn state_failure(&self) -> Option<&str> {
        self.state.failure()
    }

    pub(super) fn write_state_now(&mut self) {
        let state = self.state_file();
        self.state.write_now(clock::mono(), state);
    }

    fn take_signals(&mut self) {
        self.signals.drain();
        if let Some(exit) = self.program.reap() {
            self.take_exit(exit);
        }
        if self.signals.terminated.load(Ordering::Relaxed) {
            // The machine shuts down, or somebody ends holders by hand: the terminal is lost, with
            // what is known of it.
            self.write_state_now();
            std::process::exit(0);
        }
    }

    /// The program was reaped: its last words first, then the news.
    fn take_exit(&mut self, exit: Exit) {
        self.reach("exit_noticed");
        let until = clock::mono() + DRAIN_TIME;
        let mut drained = 0;
        while drained < DRAIN_BYTES && clock::mono() < until {
            match self.read_pty() {
                0 => break,
                length => drained += length,
            }
        }
        self.reach("before_exit_announced");
        self.input.clear();
        if self.spec.then_shell && !self.runs_shell && self.goes_on_after(&exit) {
            match self.start_shell(&exit) {
                Ok(()) => return,
                Err(error) => log::error(&format!("cannot go on as a shell: {error}")),
            }
        }
        self.foreground_check = None;
        let (code, signal) = match exit {
            Exit::Code(code) => (Some(code), None),
            Exit::Signal(signal) => (None, Some(signal)),
        };
        let clean = code == Some(0);
        self.watch_presence();
        // From here on the name is free for another terminal, and the file says how it ended: who
        // hears of the exit can count on both.
        let _ = self.claim.running.unlock();
        let changes = self
            .terminal
            .apply(Event::Exited { code, signal }, clock::now());
        self.write_state_now();
        changes.into_iter().for_each(|change| self.publish(change));
        for client in self.clients.iter_mut().filter(|client| client.streams()) {
            client.send_moment(&Moment::Exited);
        }
        if clean && self.seen.1 {
            self.leaves_by_itself = true;
            if self.program.pty().is_none() {
                self.leave_by_itself();
            }
        }
    }

    fn leave_by_itself(&mut self) {
        self.leaves_at = Some(clock::mono() + LAST_WORDS_LIMIT);
        self.begin_removal();
    }

    /// A command that was told to end the terminal (HUP, TERM) is not followed by a shell.
    fn goes_on_after(&self, exit: &Exit) -> bool {
        self.removing.is_none()
            && !matches!(exit, Exit::Signal(signal) if signal == "HUP" || signal == "TERM")
    }

    /// The command ended, the terminal goes on as the login shell.
    fn start_shell(&mut self, exit: &Exit) -> io::Result<()> {
        let words = [shell::login_shell(&self.spec.env).into_os_string()];
        self.program.start(&Invocation {
            words: &words,
            login: true,
            cwd: &self.spec.cwd,
            env: &self.variables,
            umask: self.umask,
        })?;
        self.runs_shell = true;
        let (code, signal) = match exit {
            Exit::Code(code) => (Some(*code), None),
            Exit::Signal(signal) => (None, Some(signal.clone())),
        };
        self.apply(Event::ReturnedToShell { code, signal });
        self.check_foreground();
        self.write_state_now();
        Ok(())
    }

    /// Ends the program by hanging up, and kills it later; then the holder ends.
    pub(super) fn begin_removal(&mut self) {
        if self.removing.is_some() {
            return;
        }
        let running = self.program.pid().is_some();
        self.removing = Some(running.then(|| clock::mono() + KILL_AFTER));
        self.program.signal(rustix::process::Signal::HUP);
    }

    /// The program is over, and nobody may come after its end is told.
    pub(super) fn has_exited(&self) -> bool {
        self.program.pid().is_none()
    }

    /// Whether somebody still has last words to take before the terminal leaves by itself.
    fn waits_for_clients(&self, now: Duration) -> bool {
        let behind = |client: &Client| {
            client.attached.is_some() && (client.queue.bytes() > 0 || client.queue.stream_is_lost())
        };
        self.leaves_at.is_some_and(|at| now < at) && self.clients.iter().any(behind)
    }

    /// A request that is answered once the terminal is gone.
    pub(super) fn answer_when_removed(&mut self, client: u64, request: u64) {
        self.remove_requests.push((client, request));
    }

    /// Kills every process of the terminal's sessions.
    pub(super) fn kill_everything(&mut self) {
        self.program.signal(rustix::process::Signal::KILL);
        for process in self.program.processes() {
            if let Some(pid) = rustix::process::Pid::from_raw(process.pid) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }

    /// Nothing of the terminal is left on the file system; then everybody is told, and the loop
    /// ends when they have heard it.
    fn end(&mut self) {
        if self.ended {
            return;
        }
        self.ended = true;
        self.accepts = Accepts::Never;
        let id = &self.claim.id;
        let done = self
            .paths
            .forget_names(id)
            .and_then(|()| crate::paths::remove_file(&self.paths.state_file(id)))
            .and_then(|()| crate::paths::remove_directory(&self.claim.directory))
            .and_then(|()| crate::paths::remove_file(&self.paths.log_file(id)));
        if let Err(error) = done {
            log::error(&format!("cannot forget the terminal: {error}"));
        }
        self.publish(EventKind::Removed);
        for (client, request) in std::mem::take(&mut self.remove_requests) {
            self.reply_done(client, request);
        }
        for client in &mut self.clients {
            client.bye(&Bye::Removed, clock::mono());
        }
    }

    /// Everybody gets the last words.
    fn leave(&mut self) {
        loop {
            self.clients.retain(|client| !client.gone);
            if self.clients.is_empty() {
                return;
            }
            self.wait(false);
            self.pass_client_deadlines(clock::mono());
        }
    }
}

/// The same size for the status.
pub(super) fn status_size(size: screen::Size) -> status::Size {
    status::Size {
        cols: size.cols,
        rows: size.rows,
    }
}

fn timespec(duration: Duration) -> Timespec {
    // A deadline is reached, never missed by a fraction and waited for again.
    let nanos = i64::from(duration.subsec_nanos());
    Timespec {
        tv_sec: duration.as_secs() as i64,
        tv_nsec: nanos as _,
    }
}

fn hostname() -> Option<String> {
    let name = rustix::system::uname();
    name.nodename().to_str().ok().map(str::to_owned)
}

/// Signals to the holder, as something to poll on.
struct Signals {
    pipe: UnixStream,
    terminated: Arc<AtomicBool>,
}

impl Signals {
    fn catch() -> io::Result<Self> {
        let (pipe, write) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let terminated = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(libc::SIGTERM, Arc::clone(&terminated))?;
        signal_hook::low_level::pipe::register(libc::SIGTERM, write.try_clone()?)?;
        signal_hook::low_level::pipe::register(libc::SIGCHLD, write)?;
        Ok(Self { pipe, terminated })
    }

    fn drain(&self) {
        let mut bytes = [0; 64];
        while matches!((&self.pipe).read(&mut bytes), Ok(n) if n == bytes.len()) {}
    }
}
