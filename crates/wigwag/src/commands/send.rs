//! `wigwag send`: type text into a terminal, and perhaps wait until it settles.
//!
//! It talks to the holder, which is single-threaded: the number of the latest event in its answer
//! parts what happened before the sending from what came of it.

mod pieces;

use super::Outcome;
use super::wait;
use crate::daemon_client::{connect, find, paths};
use crate::failure::{Code, Failure};
use crate::output::Context;
use client::Match;
use holder::connection::Connection;
use holder::protocol::{self, Hello, Op, kind};
use pieces::Pieces;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use status::{Condition, JournalEvent, LifecycleState, State, Status, Wait};
use std::io::{self, Read};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A holder answers in microseconds; one that is stopped does not.
const ANSWER: Duration = Duration::from_secs(10);

/// What was sent to a shell at its prompt and started nothing in that time that anybody was told of (an
/// empty line, a command that ended before it was seen) has settled.
const QUIET: Duration = Duration::from_secs(1);

/// A program that reports its end ends a moment later: the shell's next line comes after that.
const ENDING: Duration = Duration::from_millis(300);

/// Arguments of `send`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal
    #[arg(add = crate::candidates::terminals())]
    terminal: String,
    /// Press Enter after the text
    #[arg(long, short)]
    enter: bool,
    /// As a paste: the program sees that it was not typed
    #[arg(long)]
    paste: bool,
    /// Then wait until it settles, counting only changes after the sending
    #[arg(long, short)]
    wait: bool,
    /// With --wait: how long [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = status::parse_duration, requires = "wait")]
    timeout: Option<Duration>,
    /// The text, its words joined by a space; `-` reads standard input. Before a text that begins
    /// with `-` write `--`
    #[arg(required_unless_present = "enter")]
    text: Vec<String>,
}

/// Runs `send`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Exact)?;
    let mut typist = Typist::open(&status, args.wait)?;
    if args.text == ["-"] {
        let pieces = Pieces::new(io::stdin().lock(), args.paste);
        typist.type_pieces(pieces, &args)?;
    } else {
        let text = args.text.join(" ");
        typist.type_pieces(Pieces::new(text.as_bytes(), true), &args)?;
    }
    if args.wait {
        let limit = args.timeout.map(|timeout| Instant::now() + timeout);
        let (status, word) = typist.until_settled(limit)?;
        wait::say(context, &status, word, false)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (count, name) = (typist.taken, &status.name);
    let bytes = if count == 1 { "byte" } else { "bytes" };
    let enter = match (args.enter, count) {
        (true, 0) => "Enter".to_owned(),
        (true, _) => format!("{count} {bytes} and Enter"),
        (false, _) => format!("{count} {bytes}"),
    };
    context.did(&format!("{name}: sent {enter}"), &status, typist.seq)?;
    Ok(ExitCode::SUCCESS)
}

/// A connection to the holder of the terminal that is typed into.
#[derive(Debug)]
struct Typist {
    connection: Connection,
    name: String,
    /// Bytes that the holder took.
    taken: u64,
    /// The holder's latest event when it took the last of them.
    seq: u64,
}

impl Typist {
    fn open(status: &Status, with_events: bool) -> Result<Self, Failure> {
        let name = status.name.clone();
        if status.lifecycle.state == LifecycleState::Lost {
            return Err(
                Failure::refused(format!("{name} is lost: nothing runs in it"))
                    .hint(format!("`wigwag restart {name}` runs its command again")),
            );
        }
        let socket = paths()?.holder_socket(&status.id);
        let connection = Connection::open(&socket, &Hello::this_program());
        let connection = connection.map_err(|error| unreachable(&name, &error))?;
        // Reading begins when something has come, or is owed.
        connection.stream().set_read_timeout(Some(ANSWER))?;
        let mut typist = Self {
            seq: connection.welcome.seq,
            connection,
            name,
            taken: 0,
        };
        if with_events {
            typist.ask(Op::Subscribe {
                since: typist.connection.welcome.seq,
                incarnation: typist.connection.welcome.incarnation,
            })?;
        }
        Ok(typist)
    }

    /// Types everything, then Enter where it is wanted.
    fn type_pieces(&mut self, mut pieces: Pieces<impl Read>, args: &Args) -> Result<(), Failure> {
        while let Some(text) = pieces.next()? {
            let count = text.len() as u64;
            self.ask(Op::Input {
                text,
                paste: args.paste,
                enter: false,
            })?;
            self.taken += count;
        }
        if args.enter {
            // The holder pauses before it, after whatever still waits to be typed.
            self.ask(Op::Input {
                text: String::new(),
                paste: false,
                enter: true,
            })?;
        }
        Ok(())
    }

    fn ask(&mut self, op: Op) -> Result<(), Failure> {
        let answer = self.connection.request(op);
        let (outcome, _) = answer.map_err(|error| unreachable(&self.name, &error))?;
        match outcome {
            protocol::Outcome::Error { code, message } => Err(self.refused(&code, message)),
            protocol::Outcome::Done { seq } => {
                self.seq = seq;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn refused(&self, code: &str, message: String) -> Failure {
        if code == "busy" {
            let (name, taken) = (&self.name, self.taken);
            return Failure::refused(format!("{name}: {message}; {taken} bytes were taken"))
                .hint("send the rest when the program has read some");
        }
        let code = match code {
            "request" => Code::Usage,
            _ => Code::Refused,
        };
        Failure::new(code, message)
    }

    /// Waits until what was sent has settled; the status then, and the word for it.
    fn until_settled(&mut self, limit: Option<Instant>) -> Result<(Status, &'static str), Failure> {
        let mut before = self.connection.welcome.status.clone();
        let mut wait: Option<Wait> = None;
        let mut settled: Option<(Status, &'static str)> = None;
        // A shell that still starts reads what was sent at its first prompt.
        let mut heard = Instant::now();
        let mut ending = None;
        loop {
            let quiet = before.at_prompt().then(|| heard + QUIET);
            let until = [limit, quiet, ending].into_iter().flatten().min();
            if !self.connection.has_kept() && !self.is_readable(until)? {
                let now = Instant::now();
                return match settled {
                    Some(settled) => Ok(settled),
                    None if quiet.is_some_and(|quiet| quiet <= now) => Ok((before, "prompt")),
                    None => Err(wait::timeout(&[&before])),
                };
            }
            let frame = self.connection.receive();
            let frame = frame.map_err(|error| unreachable(&self.name, &error))?;
            let event = match frame {
                Some(frame) if frame.kind != kind::EVENT => continue,
                Some(frame) => Some(serde_json::from_slice(&frame.body).map_err(|error| {
                    Failure::failed(format!("an event is not understood: {error}"))
                })?),
                None => None,
            };
            let status = event
                .as_ref()
                .and_then(|event: &JournalEvent| event.status.clone());
            let (Some(event), Some(status)) = (event, status) else {
                return settled.ok_or_else(|| wait::ended(&before, &["settled".to_owned()]));
            };
            if event.seq > self.seq {
                let wait = wait.get_or_insert_with(|| Wait::after(&[Condition::Settled], &before));
                let weak = |(status, word): &(Status, &str)| {
                    *word == State::Finished.word() && is_end_untold(status)
                };
                if let Some(word) = wait.observe(&status)
                    && settled.as_ref().is_none_or(weak)
                {
                    settled = Some((status.clone(), word));
                    ending.get_or_insert_with(|| Instant::now() + ENDING);
                }
                // Nothing follows where no command runs, or one that waits for somebody.
                let goes_on = status.command.is_some() && !status.lifecycle.is_over();
                if let Some(settled) = &settled
                    && !weak(settled)
                    && (!goes_on || settled.1 == State::Waiting.word())
                {
                    return Ok((status, settled.1));
                }
            }
            if !before.at_prompt() {
                heard = Instant::now();
            }
            before = status;
        }
    }

    /// Whether anything came before the limit.
    fn is_readable(&self, limit: Option<Instant>) -> Result<bool, Failure> {
        loop {
            let mut source = [PollFd::new(self.connection.stream(), PollFlags::IN)];
            let left = limit.map(|limit| limit.saturating_duration_since(Instant::now()));
            let left = left.map(|left| Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            });
            match poll(&mut source, left.as_ref()) {
                Ok(count) => return Ok(count > 0),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }
}

/// Nobody told how the last command ended: its own report may, which is read after the shell has the
/// terminal again.
fn is_end_untold(status: &Status) -> bool {
    let last = status.last_command.as_ref();
    last.is_none_or(|last| last.exit_code.is_none())
}

fn unreachable(name: &str, error: &io::Error) -> Failure {
    let why = match error.kind() {
        // So a read ends that ran out of time.
        io::ErrorKind::WouldBlock => String::new(),
        _ => format!(": {error}"),
    };
    Failure::unreachable(format!("the holder of {name} does not answer{why}"))
        .hint("`wigwag list` says what became of the terminal")
}
