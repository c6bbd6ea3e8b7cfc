//! One terminal shown in the window: the conversation with its holder.
//!
//! One thread waits for the window, the holder and signals. Where the window has the terminal's size, the
//! stream is passed through ([`Translator`]) to the outer terminal's ordinary screen; elsewhere it is
//! drawn on an emulator and rendered, cropped, on the alternate screen. While the window takes nothing,
//! nothing is read from the holder, which then sends a new snapshot in place of what was missed.

use super::fitted::Fitted;
use super::input::{Answer, Token};
use super::notices;
use super::outer::{self, Outer, Ready};
use super::prefix::{Action, PrefixKey};
use super::reports::Reports;
use super::translate::Translator;
use crate::failure::Failure;
use ::daemon::config::Prefix;
use holder::connection::Connection;
use holder::frame::{self, Frame, FrameReader};
use holder::protocol::{
    Attach, Bye, Hello, Moment, Op, Outcome, Presence, Reply, Request, Resize, SnapshotStart, kind,
};
use holder::socket_address;
use rustix::event::PollFlags;
use serde::de::DeserializeOwned;
use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
use signals::{Progress, ProgressState, Terminator, progress};
use status::{Lifecycle, Size};
use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// What waits for the window before nothing more is read from the holder.
const MAX_PENDING: usize = 256 * 1024;
/// What waits for the holder before no more keys are read.
const MAX_TYPED: usize = 1024 * 1024;
/// Our own sequences that wait for the end of one of the program's; a program that never ends it
/// costs them, not memory.
const MAX_ASIDES: usize = 64 * 1024;
/// Read from the holder at once.
const READ: usize = 64 * 1024;
/// A holder that does not say hello in that time is unreachable.
const HELLO_LIMIT: Duration = Duration::from_secs(10);
/// The outer terminal's answers are not waited for any longer.
const ANSWERS_LIMIT: Duration = Duration::from_secs(2);

/// Why a terminal is not shown any longer.
#[derive(Debug)]
pub(crate) enum Leave {
    /// By the prefix key, or by somebody else.
    Detached,
    /// Its program ended; `None`: the holder left before it could be asked how.
    Exited(Option<Lifecycle>),
    Removed,
    /// The holder ended without a word.
    Lost,
    Refused(String),
    Next,
    Previous,
    Picker,
    Help,
    /// To the terminal with this id: a command inside this one asks for it.
    Switch(String),
    /// The window was closed.
    HungUp,
    /// A signal asks this process to end.
    Asked(i32),
}

/// How the terminal is shown.
#[derive(Debug)]
enum Display {
    /// No snapshot has come.
    Nothing,
    /// The stream itself.
    Stream,
    /// Rendered, since the sizes differ.
    Fitted(Box<Fitted>),
}

/// The connection to one terminal's holder.
#[derive(Debug)]
pub(crate) struct Session {
    stream: UnixStream,
    frames: FrameReader,
    /// Where a read goes, kept: clearing it for each key costs more than the key.
    buffer: Vec<u8>,
    to_holder: Vec<u8>,
    next_request: u64,
    /// The name of the terminal.
    pub(crate) name: String,
    window: (u16, u16),
    /// Of the terminal.
    size: Size,
    owns_size: bool,
    /// Another client does.
    other_owns_size: bool,
    display: Display,
    translator: Translator,
    reports: Reports,
    /// Our own sequences, until the stream has a place for them.
    asides: Vec<u8>,
    prefix: PrefixKey,
    view: bool,
    inside: Vec<String>,
    carrier: Option<String>,
    /// Colours were told.
    colors_told: bool,
    answers_until: Option<Instant>,
    /// The window does not report its focus, as the holder knows.
    unreported: Option<bool>,
    /// The program has exited, and its holder is asked how, by this request.
    exited: Option<u64>,
    /// Nothing came but one snapshot.
    only_snapshot: bool,
    /// Output frames are a snapshot's.
    in_snapshot: bool,
    /// The program had exited when this client came.
    ended_before: bool,
    /// How it ended.
    lifecycle: Option<Lifecycle>,
    /// Something was printed on the ordinary screen before.
    began: bool,
}

/// What [`Session::open`] needs to know.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) socket: &'a Path,
    pub(crate) view: bool,
    pub(crate) history: u32,
    pub(crate) prefix: Option<Prefix>,
    /// Ids of the terminals that this runs in, innermost first.
    pub(crate) inside: Vec<String>,
    pub(crate) carrier: Option<String>,
}

impl Session {
    /// Connects and attaches.
    pub(crate) fn open(start: Start<'_>, outer: &Outer) -> Result<Self, Failure> {
        let unreachable = |error: io::Error| {
            Failure::unreachable(format!("the terminal's holder does not answer: {error}"))
                .hint("`wigwag list` shows whether it was lost; `wigwag restart` runs it again")
        };
        let stream = socket_address::connect(start.socket).map_err(unreachable)?;
        stream.set_read_timeout(Some(HELLO_LIMIT))?;
        stream.set_write_timeout(Some(HELLO_LIMIT))?;
        let connection = Connection::over(stream, &Hello::this_program()).map_err(unreachable)?;
        let stream = connection.stream().try_clone()?;
        stream.set_nonblocking(true)?;
        let status = &connection.welcome.status;
        let window = outer.size();
        let mut session = Self {
            stream,
            frames: FrameReader::default(),
            buffer: vec![0; READ],
            to_holder: Vec::new(),
            next_request: 1,
            name: status.name.clone(),
            window,
            size: status.size,
            owns_size: false,
            other_owns_size: false,
            display: Display::Nothing,
            translator: Translator::new(&status.name, Vec::new()),
            reports: Reports::default(),
            asides: Vec::new(),
            prefix: PrefixKey::new(start.prefix),
            view: start.view,
            inside: start.inside,
            carrier: start.carrier,
            colors_told: outer.known.complete,
            answers_until: Some(Instant::now() + ANSWERS_LIMIT),
            unreported: None,
            exited: None,
            only_snapshot: true,
            in_snapshot: false,
            ended_before: false,
            lifecycle: None,
            began: false,
        };
        if outer.known.complete {
            session.reports.set_understood(outer.known.program_status);
        }
        session.attach(outer, start.history);
        Ok(session)
    }

    fn attach(&mut self, outer: &Outer, history: u32) {
        let attach = Attach {
            cols: self.window.0,
            rows: self.window.1,
            take_size: !self.view,
            view: self.view,
            history,
            person: true,
            focused: true,
            colors: outer.known.colors.clone(),
            carrier: self.carrier.clone(),
            inside: self.inside.clone(),
            ssh_auth_sock: std::env::var("SSH_AUTH_SOCK").ok(),
        };
        self.unreported = None;
        self.send_json(kind::ATTACH, &attach);
    }

    /// Shows the terminal until something ends that.
    pub(crate) fn run(&mut self, outer: &mut Outer) -> Result<Leave, Failure> {
        let mut tokens = Vec::new();
        loop {
            if outer.is_gone() {
                return Ok(Leave::HungUp);
            }
            self.write_asides(outer);
            self.render(outer);
            let ready = self.wait(outer)?;
            if ready.signals
                && let Some(leave) = self.take_signals(outer)?
            {
                return Ok(leave);
            }
            if ready.keys {
                outer.read(&mut tokens);
            }
            outer.pass_deadline(&mut tokens);
            let mut came = std::mem::take(&mut tokens).into_iter();
            while let Some(mut token) = came.next() {
                loop {
                    let (leave, rest) = self.take_token(token, outer);
                    if let Some(leave) = leave {
                        outer.unread(rest.into_iter().chain(came));
                        return Ok(leave);
                    }
                    match rest {
                        Some(rest) => token = rest,
                        None => break,
                    }
                }
            }
            let now = Instant::now();
            if self.answers_until.is_some_and(|at| at <= now) || outer.known.complete {
                self.take_answers(outer);
            }
            self.reports.send_due(now, &mut self.asides);
            if ready.socket
                && let Some(leave) = self.read_holder(outer)?
            {
                return Ok(leave);
            }
        }
    }

    /// Takes back what the outer terminal shows of this one's status; the modes are the outer terminal's
    /// own matter.
    pub(crate) fn clear_status(&mut self, outer: &mut Outer) {
        self.reports.clear_all(outer.out());
        if std::mem::replace(&mut self.translator.progress, false) {
            let clear = Progress {
                state: ProgressState::Clear,
                percent: None,
            };
            outer.out().extend(progress::encode(clear, Terminator::St));
        }
    }

    /// The program had ended well before this client came, so that its end was not seen.
    pub(crate) fn is_over_and_done(&self) -> bool {
        let code = self.lifecycle.as_ref().and_then(|lifecycle| lifecycle.code);
        self.ended_before && code == Some(0)
    }

    /// Asks the holder to forget the terminal, as it does by itself where the end was seen.
    pub(crate) fn remove(&mut self) {
        self.request(Op::Remove { force: false });
        // A few bytes always find room; where the holder is gone, there is nothing to remove.
        let _ = self.write_holder();
    }

    /// The window shows something else meanwhile: when this goes on, everything is drawn again.
    pub(crate) fn resume(&mut self, outer: &mut Outer) {
        self.window = outer.size();
        self.resize(None);
        outer::reset_modes(outer.out());
        if self.translator.is_alternate() && matches!(self.display, Display::Stream) {
            // What still comes before the new snapshot is meant for it.
            outer.out().extend_from_slice(b"\x1b[?1049h");
        }
        if matches!(self.display, Display::Fitted(_)) {
            outer.out().extend_from_slice(b"\x1b[?1049h");
        }
        self.request(Op::Redraw);
    }

    fn wait(&mut self, outer: &mut Outer) -> io::Result<Ready> {
        self.write_holder()?;
        // Before what is still to be written decides whether more is read: once nothing is, nothing wakes us
        // for it.
        outer.flush();
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, outer.pending() < MAX_PENDING);
        flags.set(PollFlags::OUT, !self.to_holder.is_empty());
        let keys = self.to_holder.len() < MAX_TYPED;
        let answers = self.answers_until.filter(|_| !outer.known.complete);
        let deadline = [self.reports.deadline(), answers]
            .into_iter()
            .flatten()
            .min();
        outer.wait(Some((self.stream.as_fd(), flags)), keys, deadline)
    }

    fn take_signals(&mut self, outer: &mut Outer) -> Result<Option<Leave>, Failure> {
        let mut came = outer.signals.take();
        // Continued and asked to stop at once: which was first is not known, and who does not stop
        // can be asked again.
        came.sort_by_key(|&signal| signal != SIGTSTP);
        let mut came = VecDeque::from(came);
        while let Some(signal) = came.pop_front() {
            match signal {
                SIGWINCH => self.window_changed(outer),
                SIGTSTP => {
                    self.clear_status(outer);
                    outer.give_back();
                    // The shell writes on the ordinary screen now: nothing is drawn before the next
                    // snapshot, which leaves in the scrollback what the shell wrote.
                    self.display = Display::Nothing;
                    self.began = false;
                    // As in the kernel, being continued takes back a stop that did not happen yet: nobody
                    // would continue it again.
                    came.extend(outer.signals.take());
                    match came.iter().position(|&signal| signal == SIGCONT) {
                        Some(at) => drop(came.remove(at)),
                        None => signal_hook::low_level::emulate_default_handler(SIGTSTP)?,
                    }
                    self.go_on(outer)?;
                }
                SIGCONT => self.go_on(outer)?,
                other => return Ok(Some(Leave::Asked(other))),
            }
        }
        Ok(None)
    }

    /// The process was stopped, and the window may have shown other things since.
    fn go_on(&mut self, outer: &mut Outer) -> Result<(), Failure> {
        outer.take()?;
        if matches!(self.display, Display::Fitted(_)) {
            outer.out().extend_from_slice(b"\x1b[?1049h");
        }
        self.window = outer.size();
        self.resize(None);
        self.request(Op::Redraw);
        Ok(())
    }

    fn window_changed(&mut self, outer: &mut Outer) {
        let window = outer.size();
        if window == self.window {
            return;
        }
        self.window = window;
        self.resize(None);
        if let Display::Fitted(fitted) = &mut self.display {
            fitted.dirty = true;
        }
        if !self.owns_size {
            // The sizes may agree now, or not any longer.
            self.request(Op::Redraw);
        }
    }

    /// Does what a token asks for; also what of it comes after a command.
    fn take_token(&mut self, token: Token, outer: &mut Outer) -> (Option<Leave>, Option<Token>) {
        match token {
            Token::Focus(focused) => {
                self.send_json(
                    kind::PRESENCE,
                    &Presence {
                        focused,
                        active: true,
                        unreported: false,
                    },
                );
                if focused && !self.view && !self.owns_size {
                    self.resize(Some(true));
                }
                return (None, None);
            }
            Token::Answer(Answer::Fence) => self.take_answers(outer),
            Token::Answer(_) => return (None, None),
            _ => {}
        }
        let mut actions = Vec::new();
        let rest = self.prefix.take(token, &mut actions);
        let mut leave = None;
        for action in actions {
            match action {
                Action::Type(bytes) => self.type_bytes(&bytes, outer),
                Action::Detach => leave = Some(Leave::Detached),
                Action::Next => leave = Some(Leave::Next),
                Action::Previous => leave = Some(Leave::Previous),
                Action::Picker => leave = Some(Leave::Picker),
                Action::Help => leave = Some(Leave::Help),
                Action::View => self.toggle_view(outer),
            }
        }
        (leave, rest)
    }

    fn type_bytes(&mut self, bytes: &[u8], outer: &mut Outer) {
        if self.view {
            let way_back = self
                .prefix
                .key()
                .map(|prefix| format!(": {prefix} v types again"));
            self.say(
                &format!("only looking{}", way_back.unwrap_or_default()),
                outer,
            );
            return;
        }
        for piece in bytes.chunks(READ) {
            self.send(kind::INPUT, piece);
        }
    }

    /// View only gives up the size; its end takes it again.
    fn toggle_view(&mut self, outer: &mut Outer) {
        self.view = !self.view;
        // Whoever attached to look is refused all else until it attaches anew.
        self.attach(outer, 0);
        if outer.known.complete {
            self.tell_unreported(outer);
        }
        if let Display::Fitted(fitted) = &mut self.display {
            fitted.dirty = true;
        } else {
            let title = self.title();
            outer
                .out()
                .extend_from_slice(format!("\x1b]2;{title}\x1b\\").as_bytes());
        }
    }

    /// The window's, where the program has none.
    fn title(&self) -> String {
        if self.view {
            format!("{} (view only)", self.name)
        } else {
            self.name.clone()
        }
    }

    /// What the outer terminal said of itself.
    fn take_answers(&mut self, outer: &mut Outer) {
        self.answers_until = None;
        self.reports.set_understood(outer.known.program_status);
        self.tell_unreported(outer);
        if !self.colors_told {
            // Answers that come after the limit, over a slow line, are told too.
            self.colors_told = outer.known.complete;
            self.request(Op::Colors {
                colors: outer.known.colors.clone(),
            });
        }
    }

    /// Says that the window does not report its focus, where that is so.
    fn tell_unreported(&mut self, outer: &Outer) {
        let unreported = !outer.known.focus_reports;
        if self.unreported.replace(unreported) != Some(unreported) && unreported {
            let presence = Presence {
                focused: true,
                active: false,
                unreported: true,
            };
            self.send_json(kind::PRESENCE, &presence);
        }
    }

    fn resize(&mut self, take_size: Option<bool>) {
        let (cols, rows) = self.window;
        self.send_json(
            kind::RESIZE,
            &Resize {
                cols,
                rows,
                take_size,
            },
        );
    }

    fn request(&mut self, op: Op) -> u64 {
        let id = self.next_request;
        self.next_request += 1;
        self.send_json(kind::REQUEST, &Request { id, op });
        id
    }

    fn send_json(&mut self, kind: u8, body: &impl serde::Serialize) {
        // Plain data always has a JSON form.
        let body = serde_json::to_vec(body).unwrap_or_default();
        self.send(kind, &body);
    }

    fn send(&mut self, kind: u8, body: &[u8]) {
        self.to_holder.extend_from_slice(&frame::encode(kind, body));
    }

    /// Writes to the holder what it takes now.
    fn write_holder(&mut self) -> io::Result<()> {
        while !self.to_holder.is_empty() {
            match (&self.stream).write(&self.to_holder) {
                Ok(count) => {
                    self.to_holder.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // It left: what it said before is still to be read.
                Err(_) => self.to_holder.clear(),
            }
        }
        Ok(())
    }

    /// Reads once from the holder.
    fn read_holder(&mut self, outer: &mut Outer) -> Result<Option<Leave>, Failure> {
        match (&self.stream).read(&mut self.buffer) {
            Ok(0) => return Ok(Some(self.holder_left())),
            Ok(count) => self.frames.push(&self.buffer[..count]),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                return Ok(None);
            }
            Err(_) => return Ok(Some(self.holder_left())),
        }
        loop {
            let frame = self.frames.next();
            let frame = frame.map_err(|error| Failure::failed(error.to_string()))?;
            let Some(frame) = frame else { return Ok(None) };
            if let Some(leave) = self.take_frame(&frame, outer)? {
                return Ok(Some(leave));
            }
        }
    }

    fn holder_left(&self) -> Leave {
        match self.exited {
            Some(_) => Leave::Exited(None),
            None => Leave::Lost,
        }
    }

    fn take_frame(&mut self, frame: &Frame, outer: &mut Outer) -> Result<Option<Leave>, Failure> {
        self.only_snapshot &= self.in_snapshot || frame.kind != kind::OUTPUT;
        match frame.kind {
            kind::OUTPUT => match &mut self.display {
                Display::Nothing => {}
                Display::Stream => self.translator.pass(&frame.body, outer.out()),
                Display::Fitted(fitted) => fitted.feed(&frame.body),
            },
            kind::SNAPSHOT_START => {
                let start = parse(&frame.body)?;
                self.begin_snapshot(start, outer);
            }
            kind::SNAPSHOT_END => {
                self.in_snapshot = false;
                self.reports.end_snapshot(&mut self.asides);
            }
            kind::MOMENT => {
                // A newer holder may know moments that this does not.
                if let Ok(moment) = parse(&frame.body) {
                    return Ok(self.take_moment(moment, outer));
                }
            }
            kind::REPLY => {
                let reply: Reply = parse(&frame.body)?;
                if self.exited == Some(reply.id) {
                    if let Outcome::Status { status, .. } = reply.outcome {
                        self.lifecycle = Some(status.lifecycle);
                    }
                    return Ok(Some(Leave::Exited(self.lifecycle.clone())));
                }
            }
            kind::BYE => {
                let leave = match parse(&frame.body)? {
                    Bye::Detached => Leave::Detached,
                    Bye::Removed if self.exited.is_some() => Leave::Exited(None),
                    Bye::Removed => Leave::Removed,
                    Bye::Refused { message } | Bye::Protocol { message } => Leave::Refused(message),
                };
                return Ok(Some(leave));
            }
            _ => {}
        }
        Ok(None)
    }

    fn take_moment(&mut self, moment: Moment, outer: &mut Outer) -> Option<Leave> {
        match moment {
            Moment::Switch { to } => return Some(Leave::Switch(to)),
            Moment::Bell => outer.out().push(0x07),
            Moment::Report { sequence } => {
                self.reports
                    .take(sequence, Instant::now(), &mut self.asides);
            }
            Moment::Size {
                size,
                owns_size,
                owned,
            } => {
                self.size = size;
                self.owns_size = owns_size;
                self.other_owns_size = owned && !owns_size;
                if let Display::Fitted(fitted) = &mut self.display {
                    fitted.dirty = true;
                }
            }
            Moment::Notify { notice } => {
                self.asides
                    .extend(notices::bytes(&notice, outer.known.dialect));
            }
            Moment::InputRefused { message, .. } => self.say(&message, outer),
            Moment::Exited if self.exited.is_none() => {
                self.exited = Some(self.request(Op::Status));
                self.ended_before = self.only_snapshot;
            }
            Moment::Exited => {}
        }
        None
    }

    /// Says something that the person should know, where nothing is overwritten by it.
    pub(crate) fn say(&mut self, message: &str, outer: &mut Outer) {
        let title = format!("\x07\x1b]2;{}: {message}\x1b\\", self.name);
        self.asides.extend_from_slice(title.as_bytes());
        self.write_asides(outer);
    }

    /// Writes what is our own where the stream lets it: within a sequence or a character it would
    /// break both.
    fn write_asides(&mut self, outer: &mut Outer) {
        let between = match self.display {
            Display::Stream => self.translator.is_between(),
            Display::Nothing | Display::Fitted(_) => true,
        };
        if between {
            outer.out().append(&mut self.asides);
        } else if self.asides.len() > MAX_ASIDES {
            self.asides.clear();
        }
    }

    /// Everything drawn before is void.
    fn begin_snapshot(&mut self, start: SnapshotStart, outer: &mut Outer) {
        self.in_snapshot = true;
        self.size = start.size;
        self.owns_size = start.owns_size;
        self.other_owns_size = start.owned && !start.owns_size;
        self.reports.begin_snapshot();
        let (cols, rows) = self.window;
        if (cols, rows) != (start.size.cols, start.size.rows) {
            if !matches!(self.display, Display::Fitted(_)) {
                outer::reset_modes(outer.out());
                outer.out().extend_from_slice(b"\x1b[?1049h\x1b[?1004h");
            }
            self.display = Display::Fitted(Box::new(Fitted::new(start.size)));
            return;
        }
        let title = self.title();
        let out = outer.out();
        if !std::mem::replace(&mut self.began, true) && !matches!(self.display, Display::Fitted(_))
        {
            scroll_away(&rule(&self.name, self.prefix.key(), cols), cols, rows, out);
        }
        outer::reset_and_clear(rows, out);
        if start.skipped > 0 {
            let lines = if start.skipped == 1 { "line" } else { "lines" };
            let notice = format!("\x1b[2m[{} {lines} skipped]\x1b[0m", start.skipped);
            out.extend_from_slice(notice.as_bytes());
            (0..rows).for_each(|_| out.extend_from_slice(b"\r\n"));
            out.extend_from_slice(b"\x1b[H");
        }
        out.extend_from_slice(format!("\x1b]2;{title}\x1b\\").as_bytes());
        let mut reset = Vec::new();
        outer::reset_and_clear(rows, &mut reset);
        let progress = self.translator.progress;
        self.translator = Translator::new(&title, reset);
        self.translator.progress = progress;
        self.display = Display::Stream;
    }

    /// Draws what changed, once the window has taken what was drawn before.
    fn render(&mut self, outer: &mut Outer) {
        if let Display::Fitted(fitted) = &mut self.display
            && fitted.dirty
        {
            outer.flush();
            if outer.pending() > 0 {
                return;
            }
            let owner = match self.other_owns_size {
                true => ", another client has the size",
                false => "",
            };
            let view = if self.view { ", view only" } else { "" };
            let line = format!(
                "{} {}x{}{owner}{view}",
                self.name, self.size.cols, self.size.rows
            );
            fitted.render(self.window, &line, outer.out());
        }
    }
}

/// A line with the name, and how to get out where there is room for it.
fn rule(name: &str, prefix: Option<Prefix>, cols: u16) -> String {
    let cols = usize::from(cols);
    let head = format!("── {name} ");
    let way_out = prefix.map(|prefix| format!("── {prefix} d detaches "));
    let way_out = way_out.filter(|out| head.chars().count() + out.chars().count() < cols);
    let head = head + &way_out.unwrap_or_default();
    head.chars()
        .chain(std::iter::repeat('─'))
        .take(cols)
        .collect()
}

/// What the window showed goes into its scrollback, then the rule; the screen is empty.
fn scroll_away(rule: &str, cols: u16, rows: u16, out: &mut Vec<u8>) {
    // From the middle of a line onto the next one.
    out.extend(std::iter::repeat_n(b' ', usize::from(cols)));
    out.extend_from_slice(b"\r\x1b[J\x1b[2m");
    out.extend_from_slice(rule.as_bytes());
    out.extend_from_slice(b"\x1b[0m");
    (0..rows).for_each(|_| out.extend_from_slice(b"\r\n"));
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        Failure::failed(format!("the holder says what is not understood: {error}"))
            .hint("`wigwag version` shows the versions of client and holders")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKSLASH: Prefix = Prefix {
        key: '\\',
        byte: 0x1c,
    };

    #[test]
    fn the_rule_says_how_to_get_out_by_the_prefix_that_is_set() {
        assert_eq!(
            rule("main", Some(BACKSLASH), 34),
            "── main ── Ctrl-\\ d detaches ─────"
        );
        let other = Prefix {
            key: 'A',
            byte: 0x01,
        };
        assert!(rule("main", Some(other), 40).contains("Ctrl-A d detaches"));
        assert_eq!(rule("main", None, 12), "── main ────");
    }

    #[test]
    fn in_a_narrow_window_the_rule_is_the_name() {
        assert_eq!(rule("main", Some(BACKSLASH), 12), "── main ────");
        assert_eq!(rule("main", Some(BACKSLASH), 5), "── ma");
    }
}
