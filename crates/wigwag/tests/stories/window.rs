//! A person's terminal window: a PTY, and an emulator that draws what comes and answers what
//! is asked, as a real terminal does.

use crate::world::{LIMIT, World};
use pty_process::blocking::Pty;
use screen::{Capture, Colors, Modes, Rgb, Screen, Size};
use signals::{Options, Query, Reader, Signal, Sink};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Instant;

/// The background of every window, told to whoever asks.
const BACKGROUND: Rgb = Rgb {
    r: 0x12,
    g: 0x34,
    b: 0x56,
};

pub(crate) struct Window {
    pty: Arc<Pty>,
    child: Child,
    shared: Arc<(Mutex<Shown>, Condvar)>,
}

/// What the window shows.
pub(crate) struct Shown {
    screen: Screen,
    /// Signals that reached the window, in order.
    pub(crate) signals: Vec<Signal>,
    answers: Vec<u8>,
    /// Answers stay here until [`Window::answer`]: the line is slow.
    holds_answers: bool,
    /// Bytes so far.
    pub(crate) received: u64,
    /// Bytes that the window answered to questions.
    #[allow(dead_code, reason = "for the tests of attach")]
    pub(crate) answered: u64,
    /// Nobody writes to the window any more, and all that was written is shown.
    closed: bool,
}

impl Shown {
    pub(crate) fn text(&self) -> String {
        self.screen.capture(Capture::default())
    }

    pub(crate) fn modes(&self) -> Modes {
        self.screen.modes()
    }

    pub(crate) fn title(&self) -> &str {
        self.screen.title()
    }

    /// The scrollback and the screen.
    #[allow(dead_code, reason = "for the tests of attach")]
    pub(crate) fn history(&self) -> String {
        self.screen.capture(Capture {
            scrollback: true,
            ..Capture::default()
        })
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        self.text().contains(text)
    }
}

impl Sink for Shown {
    fn draw(&mut self, bytes: &[u8]) {
        self.screen.feed(bytes);
    }
    fn signal(&mut self, _: u64, signal: Signal) {
        self.signals.push(signal);
    }
    fn query(&mut self, _: u64, query: Query) {
        self.answers
            .extend(self.screen.answer(&query).unwrap_or_default());
    }
}

impl Window {
    /// Runs `wigwag` in a new window.
    pub(crate) fn open(world: &World, cols: u16, rows: u16, args: &[&str]) -> Self {
        let mut command = world.command(env!("CARGO_BIN_EXE_wigwag"));
        command.args(args);
        Self::run(command, cols, rows)
    }

    /// Runs any command in a new window.
    pub(crate) fn run(command: Command, cols: u16, rows: u16) -> Self {
        Self::run_as(command, cols, rows, false)
    }

    /// Runs any command in a new window that answers only when it is told to.
    #[allow(dead_code, reason = "for the tests of attach")]
    pub(crate) fn run_on_a_slow_line(command: Command, cols: u16, rows: u16) -> Self {
        Self::run_as(command, cols, rows, true)
    }

    fn run_as(command: Command, cols: u16, rows: u16, holds_answers: bool) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(rows, cols)).unwrap();
        let child = pty_process::blocking::Command::from(command)
            .spawn(pts)
            .unwrap();
        let pty = Arc::new(pty);
        let mut screen = Screen::new(Size::new(cols, rows), 10_000);
        screen.set_colors(Colors {
            background: Some(BACKGROUND),
            ..Colors::default()
        });
        let shared = Arc::new((
            Mutex::new(Shown {
                screen,
                signals: Vec::new(),
                answers: Vec::new(),
                holds_answers,
                received: 0,
                answered: 0,
                closed: false,
            }),
            Condvar::new(),
        ));
        let (reader_pty, reader_shared) = (Arc::clone(&pty), Arc::clone(&shared));
        std::thread::spawn(move || {
            read(&reader_pty, &reader_shared);
            reader_shared.0.lock().unwrap().closed = true;
            reader_shared.1.notify_all();
        });
        Self { pty, child, shared }
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    pub(crate) fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shared.0.lock().unwrap()
    }

    /// Waits until the window shows what fits.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, fits: impl Fn(&Shown) -> bool) {
        let deadline = Instant::now() + LIMIT;
        let mut shown = self.shown();
        while !fits(&shown) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{what}: the window shows\n{}",
                shown.text()
            );
            shown = self.shared.1.wait_timeout(shown, left).unwrap().0;
        }
    }

    #[track_caller]
    pub(crate) fn until_text(&self, text: &str) {
        self.until(text, |shown| shown.contains(text));
    }

    /// The answers that were held back, and all others at once from here on.
    #[allow(dead_code, reason = "for the tests of attach")]
    pub(crate) fn answer(&self) {
        let mut shown = self.shown();
        shown.holds_answers = false;
        let answers = std::mem::take(&mut shown.answers);
        drop(shown);
        (&*self.pty).write_all(&answers).unwrap();
    }

    pub(crate) fn type_text(&self, text: &str) {
        (&*self.pty).write_all(text.as_bytes()).unwrap();
    }

    /// Resizes the window.
    #[allow(dead_code, reason = "for the tests of attach")]
    pub(crate) fn resize(&self, cols: u16, rows: u16) {
        self.shown().screen.resize(Size::new(cols, rows));
        self.pty.resize(pty_process::Size::new(rows, cols)).unwrap();
    }

    /// The client is killed, as when its window crashes.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the end of what runs in it; what it wrote is shown then.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let pid = rustix::process::Pid::from_raw(self.pid()).unwrap();
        let pidfd = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).unwrap();
        let mut polled = [rustix::event::PollFd::new(
            &pidfd,
            rustix::event::PollFlags::IN,
        )];
        let limit = rustix::event::Timespec::try_from(LIMIT).unwrap();
        let ended = rustix::event::poll(&mut polled, Some(&limit)).unwrap();
        assert_eq!(ended, 1, "still there: {}", self.shown().text());
        let status = self.child.wait().unwrap();
        self.until("the window is left", |shown| shown.closed);
        status
    }

    /// Stops the client (`kill -STOP`), or lets it go on.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(pty: &Pty, shared: &(Mutex<Shown>, Condvar)) {
    let mut reader = Reader::new(Options::default());
    let mut chunk = [0; 64 * 1024];
    let mut pty = pty;
    while let Ok(count @ 1..) = pty.read(&mut chunk) {
        let mut shown = shared.0.lock().unwrap();
        shown.received += count as u64;
        reader.read(&chunk[..count], &mut *shown);
        let answers = match shown.holds_answers {
            true => Vec::new(),
            false => std::mem::take(&mut shown.answers),
        };
        shared.1.notify_all();
        drop(shown);
        if answers.is_empty() {
            continue;
        }
        if pty.write_all(&answers).is_err() {
            return;
        }
        shared.0.lock().unwrap().answered += answers.len() as u64;
        shared.1.notify_all();
    }
}
