//! The state machine of one terminal: it ties the subjects together and says what changed.

mod program;

use crate::attention::{Attentions, Cause, News};
use crate::command::{Commands, Ended, LONG};
use crate::label::label_of;
use crate::progress::Progress;
use crate::prompt::Prompt;
use crate::records::Records;
use crate::shown::{TITLE_CHARS, one_line, some_line};
use crate::state::{Basis, state_of};
use crate::title::Titles;
use crate::{Duration, EventKind, Lifecycle, Now, Size, Source, State, Status};
use jiff::Timestamp;
use signals::Signal;

/// What is fixed about a terminal when it starts.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The id.
    pub id: String,
    /// The name; the id where none was given.
    pub name: String,
    /// When it was first created.
    pub created_at: Timestamp,
    /// The command as the person gave it, for the title; `None` for an interactive shell.
    pub initial_command: Option<String>,
    /// The size.
    pub size: Size,
    /// The directory it starts in.
    pub cwd: Option<String>,
    /// Attention numbers start after this one (of an earlier incarnation); 0 at first.
    pub attention_after: u64,
    /// The secret `aid=` of our own shell integration, where it was handed to the shell.
    pub own_aid: Option<String>,
}

/// What holds the foreground of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreground {
    /// The foreground process group.
    pub pgid: i32,
    /// The name of its executable.
    pub name: String,
    /// It is the interactive shell that the terminal runs.
    pub is_shell: bool,
}

/// What happens to a terminal.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum Event {
    /// A signal was read; the alternate screen was active or not at that point.
    Signal {
        signal: Signal,
        alternate_screen: bool,
    },
    /// The program runs.
    Started,
    /// The program was reaped: a code or the name of a signal (`KILL`), never both.
    Exited {
        code: Option<i32>,
        signal: Option<String>,
    },
    /// The program was reaped, and the terminal goes on as a shell (`--then-shell`), with our
    /// integration under this secret if it was handed to it.
    ReturnedToShell {
        code: Option<i32>,
        signal: Option<String>,
        own_aid: Option<String>,
    },
    /// The shell of the terminal became another one (`exec fish`).
    ShellReplaced,
    /// The holder is gone without having announced an exit.
    Lost,
    /// The process group that had the foreground is gone, and another program than the shell has it.
    GroupEnded,
    /// The foreground changed (or is unknown).
    Foreground(Option<Foreground>),
    /// A client in this terminal shows another terminal (its name) from now on, or no longer.
    /// Meanwhile the signals are that terminal's, and nothing counts twice.
    Carries(Option<String>),
    /// The number of attached clients, and whether a present one has it on screen.
    Clients { count: u32, seen: bool },
    /// A person acknowledged: entries up to `seq` (`None`: the present one), and records.
    Ack { seq: Option<u64> },
    /// Bring the acknowledged entry back under a new seq: now, or after a time.
    Unack { after: Option<Duration> },
    /// A person clears finished and failed records: all, or one with all beneath it.
    ClearRecords { id: Option<String> },
    /// A person pressed Ctrl-C: an exit of 130 that follows asks for no attention.
    Interrupted,
    /// A person signals the program so that it ends: an end soon after asks for no attention.
    EndOrdered,
    /// The name changed.
    Renamed(String),
    /// The size changed.
    Resized(Size),
    /// Notifications off or on.
    Muted(bool),
    /// Time passed: expire what is due.
    Tick,
}

/// What changed: one event of the journal each, in order.
///
/// What has no word of its own comes under the nearest: the working directory under
/// `command`, the number of clients under `size`, `muted` under `renamed`.
pub type Change = EventKind;

/// The code of a shell's command that Ctrl-C ended (128 + SIGINT).
const INTERRUPTED: i32 = 130;

/// An end this soon after a person ordered it is what was ordered: programs take a moment to tidy up.
const ENDS_BY_ORDER: Duration = Duration::from_secs(10);

/// Startup files take this long at most before the integration says that they are over: after that,
/// whoever has the foreground decides. Some wait ten seconds for a network.
const INTEGRATION_SPEAKS: Duration = Duration::from_secs(20);

/// The longest directory that is kept, in characters: Linux's `PATH_MAX`.
const PATH_CHARS: usize = 4096;

/// The state machine of one terminal.
#[derive(Debug, Clone)]
pub struct Terminal {
    id: String,
    name: String,
    created_at: Timestamp,
    /// It runs a program and no shell; `None` once a shell is there.
    program: Option<String>,
    lifecycle: Lifecycle,
    /// The name of this machine, to tell its directories from another's.
    hostname: Option<String>,
    /// When the program started, monotonic.
    started: Duration,
    foreground: Option<Foreground>,
    foreground_since: Now,
    /// Until when our integration is awaited, monotonic.
    integration_due: Option<Duration>,
    /// It shows another terminal.
    carries: bool,
    /// The shell is known to have the terminal whenever no command runs.
    shell_is_there: bool,
    shell_is_fish: bool,
    prompt: Prompt,
    titles: Titles,
    commands: Commands,
    progress: Progress,
    records: Records,
    /// A program reported since RIS or the last prompt: progress decides no longer.
    reported: bool,
    attention: Attentions,
    cwd: Option<String>,
    size: Size,
    clients: u32,
    seen: bool,
    muted: bool,
    /// A person pressed Ctrl-C since the last prompt or start of a command.
    interrupted: bool,
    /// When a person last ordered the end, monotonic.
    end_ordered: Option<Duration>,
}

impl Terminal {
    /// A terminal that is starting.
    pub fn new(facts: Facts, now: Now) -> Self {
        let program = facts.initial_command;
        Self {
            name: one_line(&facts.name, TITLE_CHARS),
            id: facts.id,
            created_at: facts.created_at,
            lifecycle: Lifecycle::starting(),
            hostname: None,
            started: now.mono,
            foreground: None,
            carries: false,
            shell_is_there: false,
            shell_is_fish: false,
            foreground_since: now,
            integration_due: (facts.own_aid.is_some() && program.is_none())
                .then(|| now.mono + INTEGRATION_SPEAKS),
            prompt: Prompt::new(facts.own_aid),
            titles: Titles::new(program.as_deref()),
            program,
            commands: Commands::default(),
            progress: Progress::default(),
            records: Records::default(),
            reported: false,
            attention: Attentions::new(facts.attention_after),
            cwd: facts.cwd.and_then(|cwd| some_line(&cwd, PATH_CHARS)),
            size: facts.size,
            clients: 0,
            seen: false,
            muted: false,
            interrupted: false,
            end_ordered: None,
        }
    }

    /// Tells the name of this machine: a directory that a shell reports with it is local, as
    /// one with `localhost` or without a host is.
    pub fn on_host(mut self, hostname: &str) -> Self {
        self.hostname = Some(hostname.to_owned());
        self
    }

    /// Applies one event. The changes, in order, without repetition; empty: nothing a client
    /// sees has changed (a renewed progress frame, say).
    ///
    /// What is due by `now` expires first, whether or not a [`Event::Tick`] came in time.
    pub fn apply(&mut self, event: Event, now: Now) -> Vec<Change> {
        let mut changes = Changes::default();
        self.expire(now, &mut changes);
        match event {
            Event::Signal {
                signal,
                alternate_screen,
            } => self.signal(signal, alternate_screen, now, &mut changes),
            Event::Started => self.started(now, &mut changes),
            Event::Exited { code, signal } => self.exited(code, signal, now, &mut changes),
            Event::ReturnedToShell {
                code,
                signal,
                own_aid,
            } => self.returned_to_shell(code, signal, own_aid, now, &mut changes),
            Event::ShellReplaced => self.shell_replaced(now, &mut changes),
            Event::Lost => self.lost(now, &mut changes),
            Event::GroupEnded => self.prompt.group_ended(),
            Event::Foreground(foreground) => self.foreground(foreground, now, &mut changes),
            Event::Carries(name) if !self.lifecycle.is_over() => {
                self.carries = name.is_some();
                self.titles.carry(name.as_deref());
            }
            Event::Carries(_) => {}
            Event::Clients { count, seen } => self.clients(count, seen, &mut changes),
            Event::Ack { seq } => {
                if let Some(news) = self.attention.acknowledge(seq) {
                    let records = self.records.see();
                    changes.add_if(Change::Read, records);
                    changes.news(news);
                }
            }
            Event::Unack { after } => match after.filter(|after| !after.is_zero()) {
                None => self.bring_back(false, &mut changes),
                Some(after) => {
                    self.attention.remind(after, now);
                    self.read(&mut changes);
                }
            },
            Event::ClearRecords { id } => {
                let cleared = self.records.clear_ended(id.as_deref());
                changes.add_if(Change::Report, cleared);
                self.reconcile(&mut changes);
            }
            Event::Interrupted => self.interrupted = true,
            Event::EndOrdered => self.end_ordered = Some(now.mono),
            Event::Renamed(name) => {
                let name = one_line(&name, TITLE_CHARS);
                changes.add_if(Change::Renamed, name != self.name);
                self.name = name;
            }
            Event::Resized(size) => {
                changes.add_if(Change::Size, size != self.size);
                self.size = size;
            }
            Event::Muted(muted) => {
                changes.add_if(Change::Renamed, muted != self.muted);
                self.muted = muted;
            }
            Event::Tick => {}
        }
        let retitled = self.titles.refresh();
        changes.add_if(Change::Title, retitled);
        changes.0
    }

    /// When the next [`Event::Tick`] is due, on the monotonic clock. `None`: never.
    pub fn deadline(&self) -> Option<Duration> {
        let progress = self.progress.deadline();
        let others = self.attention.deadline().into_iter();
        progress
            .into_iter()
            .chain(others)
            .chain(self.integration_due())
            .min()
    }

    /// The whole status.
    pub fn status(&self) -> Status {
        let title = self.titles.current();
        let mut status = Status {
            id: self.id.clone(),
            name: self.name.clone(),
            host: "local".to_owned(),
            source: Source::Holder,
            lifecycle: self.lifecycle.clone(),
            title: title.map(|(_, title)| title.to_owned()),
            title_source: title.map(|(source, _)| source),
            label: String::new(),
            state: State::Idle,
            progress: self.progress.status(),
            command: self.commands.running().cloned(),
            last_command: self.commands.last().cloned(),
            reports: self.records.list(),
            attention: self.attention.shown().cloned(),
            cwd: self.cwd.clone(),
            size: self.size,
            clients: self.clients,
            created_at: self.created_at,
            muted: self.muted,
            tmux: None,
        };
        let basis = Basis {
            progress_decides: !self.reported,
            shell_is_there: self.shell_is_there,
            unread_end: self.attention.unread_end(),
        };
        status.state = state_of(&status, basis);
        status.label = label_of(&status, basis);
        status
    }

    /// OSC 99 identifiers that stand (for the answer to `p=alive`).
    pub fn notifications_alive(&self) -> Vec<String> {
        self.attention.alive().to_vec()
    }

    fn expire(&mut self, now: Now, changes: &mut Changes) {
        if self.integration_due().is_some_and(|due| due <= now.mono) {
            self.go_by_foreground(changes);
        }
        if self.progress.expire(now) {
            changes.add(Change::Progress);
            self.reconcile(changes);
        }
        changes.news(self.attention.expire(now));
        if self.attention.reminder_is_due(now) {
            self.bring_back(self.seen, changes);
        }
    }

    fn started(&mut self, now: Now, changes: &mut Changes) {
        if !self.lifecycle.start() {
            return;
        }
        changes.add(Change::Lifecycle);
        self.started = now.mono;
        if let Some(line) = &self.program {
            self.commands.start(Some(line), now);
            changes.add(Change::Command);
        }
    }

    fn exited(
        &mut self,
        code: Option<i32>,
        signal: Option<String>,
        now: Now,
        changes: &mut Changes,
    ) {
        if !self.lifecycle.exit(code, signal, now) {
            return;
        }
        changes.add(Change::Lifecycle);
        let mut ended = Ended {
            line: None,
            code: self.lifecycle.code,
            signal: self.lifecycle.signal.clone(),
        };
        // The exit of a program is the end of its command; a shell that ends while a command
        // runs does not say how that command ended.
        let (code, signal) = match self.program {
            Some(_) => (ended.code, ended.signal.as_deref()),
            None => (None, None),
        };
        if let Some((command, _)) = self.commands.end(code, signal, now) {
            changes.add(Change::Command);
            ended.line = command.line;
        }
        self.end_running(changes);
        let ran = now.mono.saturating_sub(self.started);
        self.ask_for(ended, ran, Cause::Exit, now, changes);
    }

    /// The program of the terminal ended: worth a look if it failed or ran long.
    fn ask_for(
        &mut self,
        ended: Ended,
        ran: Duration,
        cause: fn(Ended) -> Cause,
        now: Now,
        changes: &mut Changes,
    ) {
        let by_ctrl_c = self.interrupted
            && (ended.code == Some(INTERRUPTED) || ended.signal.as_deref() == Some("INT"));
        let by_order = self
            .end_ordered
            .is_some_and(|at| now.mono.saturating_sub(at) <= ENDS_BY_ORDER);
        if !by_ctrl_c && !by_order && (ended.is_failure() || ran >= LONG) {
            let cause = cause(ended);
            let text = match &cause {
                // The terminal's title is still the program's.
                Cause::Exit(ended) => ended.how(),
                Cause::Command(ended) => ended.in_words(),
                _ => None,
            };
            self.raise(cause, text.as_deref(), now, changes);
        }
    }

    fn returned_to_shell(
        &mut self,
        code: Option<i32>,
        signal: Option<String>,
        own_aid: Option<String>,
        now: Now,
        changes: &mut Changes,
    ) {
        if self.lifecycle.is_over() || self.program.take().is_none() {
            return;
        }
        self.integration_due = own_aid.is_some().then(|| now.mono + INTEGRATION_SPEAKS);
        self.prompt = Prompt::new(own_aid);
        self.titles.command_ended();
        let code = code.filter(|_| signal.is_none());
        if let Some((ended, ran)) = self.commands.end(code, signal.as_deref(), now) {
            changes.add(Change::Command);
            self.ask_for(ended, ran, Cause::Command, now, changes);
        }
        self.interrupted = false;
        self.end_running(changes);
        self.set_reported(false, changes);
    }

    fn lost(&mut self, now: Now, changes: &mut Changes) {
        if !self.lifecycle.lose(now.wall) {
            return;
        }
        changes.add(Change::Lifecycle);
        let forgotten = self.commands.forget_running();
        changes.add_if(Change::Command, forgotten);
        self.end_running(changes);
    }

    /// The end of the terminal: nothing goes on in it any longer.
    fn end_running(&mut self, changes: &mut Changes) {
        let progress = self.progress.end();
        changes.add_if(Change::Progress, progress);
        let records = self.records.end_running();
        changes.add_if(Change::Report, records);
        self.attention.forget_alive();
        self.reconcile(changes);
    }

    fn clients(&mut self, count: u32, seen: bool, changes: &mut Changes) {
        changes.add_if(Change::Size, count != self.clients);
        self.clients = count;
        // What happens while it is seen is consumed as it comes; what a person marked unread
        // while looking at it stays so until they look again.
        if seen && !self.seen {
            self.read(changes);
        }
        self.seen = seen;
    }

    fn read(&mut self, changes: &mut Changes) {
        let records = self.records.see();
        changes.add_if(Change::Read, records);
        changes.news(self.attention.see());
    }

    fn bring_back(&mut self, seen: bool, changes: &mut Changes) {
        if let Some(cause) = self.attention.bring_back(seen) {
            changes.add(Change::Attention);
            if let (Cause::Record(id, _), false) = (cause, seen) {
                self.records.unsee(&id);
            }
        }
    }

    fn raise(&mut self, cause: Cause, text: Option<&str>, now: Now, changes: &mut Changes) {
        self.attention.raise(cause, text, self.seen, now);
        changes.add(Change::Attention);
    }

    fn reconcile(&mut self, changes: &mut Changes) {
        let progress_failed = self.progress.is_error();
        changes.news(self.attention.reconcile(&self.records, progress_failed));
    }
}

/// What changed, without repetition.
#[derive(Debug, Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn add(&mut self, change: Change) {
        if !self.0.contains(&change) {
            self.0.push(change);
        }
    }

    fn add_if(&mut self, change: Change, happened: bool) {
        if happened {
            self.add(change);
        }
    }

    fn news(&mut self, news: News) {
        match news {
            News::Nothing => {}
            News::Attention => self.add(Change::Attention),
            News::Read => self.add(Change::Read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LifecycleState;
    use crate::testing::{Tried, at, facts};
    use signals::{Cwd, Mark, ReportState};

    fn cwd(host: Option<&str>, path: &str) -> Signal {
        Signal::Cwd(Some(Cwd {
            host: host.map(str::to_owned),
            path: path.into(),
        }))
    }

    #[test]
    fn it_starts_runs_and_exits() {
        let mut terminal = Terminal::new(facts(), at(0));
        let state = |terminal: &Terminal| terminal.status().lifecycle.state;
        assert_eq!(state(&terminal), LifecycleState::Starting);
        assert_eq!(terminal.apply(Event::Started, at(0)), [Change::Lifecycle]);
        assert_eq!(state(&terminal), LifecycleState::Running);
        assert_eq!(terminal.apply(Event::Started, at(1)), []);
        let exit = Event::Exited {
            code: Some(0),
            signal: None,
        };
        assert_eq!(terminal.apply(exit.clone(), at(2)), [Change::Lifecycle]);
        assert_eq!(state(&terminal), LifecycleState::Exited);
        assert_eq!(terminal.status().lifecycle.at, Some(at(2).wall));
        assert_eq!(terminal.apply(exit, at(3)), []);
        assert_eq!(terminal.apply(Event::Lost, at(3)), []);
    }

    #[test]
    fn the_start_of_a_program_is_the_start_of_its_command() {
        let mut terminal = Terminal::new(
            Facts {
                initial_command: Some("make".into()),
                ..facts()
            },
            at(0),
        );
        let changes = terminal.apply(Event::Started, at(5));
        assert_eq!(changes, [Change::Lifecycle, Change::Command]);
        assert_eq!(terminal.status().command.unwrap().started_at, at(5).wall);
    }

    #[test]
    fn an_exit_tells_all_it_ends_in_order() {
        let mut pi = Tried::shell();
        pi.command("pi");
        pi.report("", ReportState::Blocked);
        pi.progress(signals::ProgressState::Busy, None);
        assert_eq!(
            pi.exit(1),
            [
                Change::Lifecycle,
                Change::Command,
                Change::Progress,
                Change::Report,
                Change::Read,
                Change::Attention
            ]
        );
    }

    #[test]
    fn a_program_that_goes_on_as_a_shell_tells_how_it_ended() {
        let ended = |code: i32| Event::ReturnedToShell {
            code: Some(code),
            signal: None,
            own_aid: None,
        };
        let mut make = Tried::program("make");
        make.title("50 %");
        make.progress(signals::ProgressState::Normal, Some(50));
        make.event(ended(2));
        let status = make.status();
        assert_eq!(status.lifecycle.state, LifecycleState::Running);
        assert_eq!(
            (status.command, status.progress, status.title),
            (None, None, None)
        );
        assert_eq!(status.last_command.unwrap().exit_code, Some(2));
        assert_eq!(status.label, "Pi — make · failed (exit 2)");
        make.ack(None);
        make.foreground(9, "zsh", true);
        assert_eq!(make.label(), "Pi — zsh");
        assert_eq!(make.event(ended(0)), []);

        let mut make = Tried::program("true");
        make.event(ended(0));
        assert_eq!(make.attention(), None);
    }

    #[test]
    fn a_directory_of_this_host_is_a_path_and_another_s_is_text() {
        let mut shell = Tried::of(Facts {
            cwd: Some("/root".into()),
            ..facts()
        });
        shell.terminal = shell.terminal.clone().on_host("box");
        assert_eq!(shell.status().cwd.as_deref(), Some("/root"));
        for (host, shown) in [
            (None, "/src"),
            (Some("box"), "/src"),
            (Some("BOX.lan"), "/src"),
            (Some("boxer"), "boxer:/src"),
            (Some("server"), "server:/src"),
        ] {
            shell.signal(cwd(host, "/src"));
            assert_eq!(shell.status().cwd.as_deref(), Some(shown));
        }
        assert_eq!(shell.signal(cwd(Some("server"), "/src")), []);
        assert_eq!(shell.signal(Signal::Cwd(None)), [Change::Command]);
        assert_eq!(shell.status().cwd, None);
    }

    #[test]
    fn size_clients_name_and_mute_are_told_when_they_change() {
        let mut shell = Tried::shell();
        let size = Size {
            cols: 100,
            rows: 30,
        };
        assert_eq!(shell.event(Event::Resized(size)), [Change::Size]);
        assert_eq!(shell.event(Event::Resized(size)), []);
        let clients = Event::Clients {
            count: 2,
            seen: false,
        };
        assert_eq!(shell.event(clients.clone()), [Change::Size]);
        assert_eq!(shell.event(clients), []);
        assert_eq!(
            shell.event(Event::Renamed("work".into())),
            [Change::Renamed]
        );
        assert_eq!(shell.event(Event::Renamed("work".into())), []);
        assert_eq!(shell.event(Event::Muted(true)), [Change::Renamed]);
        assert_eq!(shell.event(Event::Muted(true)), []);
        let status = shell.status();
        assert_eq!((status.size, status.clients, status.muted), (size, 2, true));
        assert_eq!(status.name, "work");
    }

    #[test]
    fn text_from_elsewhere_is_cleaned_and_bounded() {
        let nasty = format!("a\u{1b}]0;x\u{7}\u{202e}b\u{200b}{}", "c".repeat(100_000));
        let mut shell = Tried::of(Facts {
            name: nasty.clone(),
            cwd: Some(nasty.clone()),
            ..facts()
        });
        shell.foreground(1, &nasty, true);
        shell.notify(&nasty);
        shell.command(&nasty);
        shell.done(0);
        shell.signal(cwd(Some(&nasty), &nasty));
        shell.event(Event::Renamed(nasty));
        let written = serde_json::to_string(&shell.status()).unwrap();
        assert!(written.len() < 64 * 1024, "{}", written.len());
        let hidden = ["\\u001b", "\\u0007", "\u{202e}", "\u{200b}"];
        assert!(hidden.iter().all(|hidden| !written.contains(hidden)));
    }

    #[test]
    fn a_terminal_that_shows_another_takes_no_signals_from_it() {
        let mut outer = Tried::shell();
        outer.command("wigwag attach agent");
        outer.title("before");
        assert_eq!(
            outer.event(Event::Carries(Some("agent".into()))),
            [Change::Title]
        );
        assert_eq!(outer.status().title.as_deref(), Some("attached to agent"));
        let before = outer.status();
        assert_eq!(outer.bell(), []);
        assert_eq!(outer.title("PR #123"), []);
        assert_eq!(outer.report("", ReportState::Blocked), []);
        assert_eq!(outer.prompt(), []);
        assert_eq!(outer.status(), before);
        assert_eq!(outer.event(Event::Carries(None)), [Change::Title]);
        assert_eq!(outer.status().title.as_deref(), Some("before"));
        assert_eq!(outer.bell(), [Change::Attention]);
    }

    #[test]
    fn nothing_is_pending_when_idle() {
        let mut shell = Tried::shell();
        shell.command("make");
        shell.title("building");
        shell.report("", ReportState::Done);
        shell.wait(10).bell();
        shell.done(0);
        shell.prompt();
        assert_eq!(shell.terminal.deadline(), None);
    }

    #[test]
    fn a_clock_set_backwards_gives_no_negative_duration() {
        let mut shell = Tried::shell();
        shell.command("make");
        let back = Now {
            mono: at(10).mono,
            wall: at(0).wall - jiff::SignedDuration::from_hours(1),
        };
        let signal = Signal::Mark {
            mark: Mark::CommandDone(Some(0)),
            aid: None,
        };
        let event = Event::Signal {
            signal,
            alternate_screen: false,
        };
        shell.terminal.apply(event, back);
        assert_eq!(shell.status().last_command.unwrap().seconds, 10.0);
        // Not even where the monotonic clock of the caller fails.
        shell.command("ls");
        shell.terminal.apply(Event::Interrupted, at(0));
        let exit = Event::Exited {
            code: Some(0),
            signal: None,
        };
        shell.terminal.apply(exit, at(0));
        assert!(shell.status().last_command.unwrap().seconds >= 0.0);
    }
}
