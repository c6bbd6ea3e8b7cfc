//! `wigwag decode`: bytes on standard input or of a file to signals, one JSON line each, in the
//! shape of interfaces.md (Signals).
//!
//! The input is read in pieces as it comes, so a growing stream is followed and any length is fine.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;
use serde::Serialize;
use signals::{
    Kind, Mark, Options, ProgressState, Query, QueryKind, Reader, RejectionReason, ReportState,
    Signal, Sink,
};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Bytes read at once.
const PIECE: usize = 64 * 1024;

/// Arguments of `decode`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to read; `-` or none: standard input
    file: Option<PathBuf>,
    /// The bytes come from a tmux pane: read what is wrapped for passthrough too
    #[arg(long)]
    tmux: bool,
}

/// Runs `decode`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let mut input: Box<dyn Read> = match args.file.as_deref() {
        None => Box::new(io::stdin().lock()),
        Some(path) if path == Path::new("-") => Box::new(io::stdin().lock()),
        Some(path) => Box::new(File::open(path).map_err(|error| cannot_read(path, &error))?),
    };
    let mut reader = Reader::new(Options {
        tmux_passthrough: args.tmux,
    });
    let mut lines = Lines::default();
    let mut piece = vec![0; PIECE];
    loop {
        let count = match input.read(&mut piece) {
            Ok(0) => return Ok(ExitCode::SUCCESS),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let path = args.file.as_deref().unwrap_or(Path::new("standard input"));
                return Err(cannot_read(path, &error));
            }
        };
        reader.read(&piece[..count], &mut lines);
        if !lines.text.is_empty() {
            context.write(lines.text.as_bytes())?;
            lines.text.clear();
        }
    }
}

fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!("cannot read {}: {error}", path.display()))
}

/// Collects the lines of one piece.
#[derive(Debug, Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn push(&mut self, at: u64, said: Said) {
        let line = serde_json::to_string(&Line { at, said });
        self.text
            .push_str(&line.expect("strings and numbers always make JSON"));
        self.text.push('\n');
    }
}

impl Sink for Lines {
    fn text(&mut self, _bytes: &[u8]) {}

    fn signal(&mut self, at: u64, signal: Signal) {
        self.push(at, said(signal));
    }

    fn query(&mut self, at: u64, query: Query) {
        if query.kind == QueryKind::ProgramStatus {
            let what = "program_status";
            self.push(at, Said::Query { what });
        }
    }
}

/// One line; the order of the fields is that of interfaces.md.
#[derive(Debug, Serialize)]
struct Line {
    at: u64,
    #[serde(flatten)]
    said: Said,
}

/// What a line says.
#[derive(Debug, Serialize)]
#[serde(tag = "signal", rename_all = "snake_case")]
enum Said {
    Bell,
    Title {
        text: String,
    },
    TitlePush,
    TitlePop,
    Progress {
        state: &'static str,
        percent: Option<u8>,
    },
    Notify {
        title: Option<String>,
        body: String,
        id: Option<String>,
    },
    NotifyClose {
        id: String,
    },
    Prompt,
    Input,
    Command {
        line: Option<String>,
    },
    CommandDone {
        exit_code: Option<i32>,
    },
    Cwd {
        host: Option<String>,
        path: Option<String>,
    },
    Report {
        id: String,
        state: &'static str,
        kind: Option<&'static str>,
        progress: Option<u8>,
        app: Option<String>,
        title: Option<String>,
        msg: Option<String>,
    },
    Clear {
        id: String,
    },
    Query {
        what: &'static str,
    },
    Reset,
    Rejected {
        protocol: &'static str,
        reason: &'static str,
    },
}

fn said(signal: Signal) -> Said {
    match signal {
        Signal::Bell => Said::Bell,
        Signal::Title(text) => Said::Title { text },
        Signal::TitlePush => Said::TitlePush,
        Signal::TitlePop => Said::TitlePop,
        Signal::Progress(progress) => Said::Progress {
            state: progress_word(progress.state),
            percent: progress.percent,
        },
        Signal::Notify(notification) => Said::Notify {
            title: notification.title,
            body: notification.body,
            id: notification.id,
        },
        Signal::NotifyClose(id) => Said::NotifyClose { id },
        Signal::Mark { mark, aid: _ } => match mark {
            Mark::Prompt | Mark::NewPrompt | Mark::PromptIfNone => Said::Prompt,
            Mark::Input => Said::Input,
            Mark::Command(line) => Said::Command { line },
            Mark::CommandDone(exit_code) => Said::CommandDone { exit_code },
        },
        Signal::Cwd(cwd) => {
            let (host, path) = cwd.map_or((None, None), |cwd| (cwd.host, Some(cwd.path)));
            Said::Cwd { host, path }
        }
        Signal::Report(report) => Said::Report {
            id: report.id,
            state: state_word(report.state),
            kind: report.kind.map(kind_word),
            progress: report.progress,
            app: report.app,
            title: report.title,
            msg: report.msg,
        },
        Signal::Clear(clear) => Said::Clear { id: clear.id },
        Signal::Reset => Said::Reset,
        Signal::Rejected(rejection) => {
            let (protocol, reason) = match rejection.reason {
                RejectionReason::State => ("program_status", "state"),
                RejectionReason::Id => ("program_status", "id"),
                RejectionReason::Limit => ("program_status", "limit"),
                RejectionReason::Text => ("program_status", "text"),
                RejectionReason::Reply => ("program_status", "reply"),
                RejectionReason::Frame => ("progress", "frame"),
            };
            Said::Rejected { protocol, reason }
        }
    }
}

fn progress_word(state: ProgressState) -> &'static str {
    match state {
        ProgressState::Clear => "clear",
        ProgressState::Normal => "normal",
        ProgressState::Error => "error",
        ProgressState::Busy => "busy",
        ProgressState::Paused => "paused",
    }
}

fn state_word(state: ReportState) -> &'static str {
    match state {
        ReportState::Idle => "idle",
        ReportState::Working => "working",
        ReportState::Done => "done",
        ReportState::Blocked => "blocked",
        ReportState::Error => "error",
    }
}

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Permission => "permission",
        Kind::Question => "question",
        Kind::Auth => "auth",
    }
}
