//! `wigwag show`: everything that is known about a terminal.

mod records;

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::output::Context;
use crate::present::{ago, clock, life};
use client::{ClientInfo, Match, Process};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use status::{Colour, LifecycleState, Status};
use std::process::ExitCode;

/// Instead of a command line: only a shell that was set up for it tells one.
const NOT_TOLD: &str = "not told by the shell";

/// Columns of the words on the left.
const WORDS: usize = 13;

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal, also a unique prefix
    #[arg(add = crate::candidates::terminals())]
    terminal: String,
}

/// Runs `show`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Prefix)?;
    if context.json {
        context.say_json(&status)?;
        return Ok(ExitCode::SUCCESS);
    }
    // A lost terminal has no holder to ask, and one may be removed meanwhile: what is known stays.
    let (processes, clients) = if status.lifecycle.state == LifecycleState::Lost {
        (Vec::new(), Vec::new())
    } else {
        let processes = client.processes(&status.id).unwrap_or_default();
        (processes, client.clients(&status.id).unwrap_or_default())
    };
    let mut page = Page {
        context,
        text: String::new(),
        now: Timestamp::now(),
        zone: TimeZone::system(),
    };
    page.status(&status);
    page.processes(&processes);
    page.clients(&clients);
    page.places(&status);
    context.write(page.text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

struct Page<'a> {
    context: &'a Context,
    text: String,
    now: Timestamp,
    zone: TimeZone,
}

impl Page<'_> {
    /// One line: a word and what it is.
    fn line(&mut self, word: &str, what: &str) {
        let what = self.context.shown(what);
        self.painted(word, &what);
    }

    /// The same for text that is ready to be shown.
    fn painted(&mut self, word: &str, what: &str) {
        let word = self.context.paint(Colour::Grey, &format!("{word:<WORDS$}"));
        self.text.push_str(&format!("{word}{what}\n"));
    }

    /// `3 m ago, 2026-11-30 22:01:07`.
    fn ago(&self, then: Timestamp) -> String {
        let at = clock(then, &self.zone);
        format!("{} ago, {at}", ago(then, self.now))
    }

    fn status(&mut self, status: &Status) {
        let head = format!(
            "{} {}",
            self.context.glyph(status),
            self.context.shown(&status.label)
        );
        let head = self.context.paint(status.colour(), &head);
        self.text.push_str(&format!("{head}\n\n"));
        self.line("state", status.state.word());
        let life_words = match status.lifecycle.at {
            Some(at) => format!("{}, {}", life(&status.lifecycle), self.ago(at)),
            None => life(&status.lifecycle),
        };
        if status.lifecycle.is_over() || status.lifecycle.state == LifecycleState::Starting {
            self.line("life", &life_words);
        }
        if let Some(title) = &status.title {
            let from = status.title_source.map_or("", |source| match source {
                status::TitleSource::Application => " (set by the application)",
                status::TitleSource::Command => " (the command)",
                status::TitleSource::Initial => " (the command it was started with)",
                status::TitleSource::Shell => " (set by the shell)",
                status::TitleSource::Process => " (the foreground process)",
            });
            self.line("title", &format!("{title}{from}"));
        }
        if let Some(progress) = status.progress {
            let word = match progress.state {
                status::ProgressWord::Normal => "normal",
                status::ProgressWord::Error => "error",
                status::ProgressWord::Busy => "busy",
                status::ProgressWord::Paused => "paused",
            };
            let percent = progress.percent.map(|percent| format!(" {percent}%"));
            self.line(
                "progress",
                &format!("{word}{}", percent.unwrap_or_default()),
            );
        }
        if let Some(command) = &status.command {
            let since = ago(command.started_at, self.now);
            let told = command.line.as_deref().map(one_line);
            let line = told.unwrap_or_else(|| NOT_TOLD.to_owned());
            self.line("command", &format!("{line}, running for {since}"));
        }
        if let Some(last) = &status.last_command {
            let told = last.line.as_deref().map(one_line);
            let line = told.unwrap_or_else(|| NOT_TOLD.to_owned());
            let code = last.exit_code.map(|code| format!(", exit {code}"));
            let code = code.unwrap_or_default();
            self.line(
                "last command",
                &format!("{line}{code}, after {:.1} s", last.seconds),
            );
        }
        let tree = records::tree(&status.reports, self.now, self.context);
        for (at, record) in tree.iter().enumerate() {
            self.painted(if at == 0 { "reports" } else { "" }, record);
        }
        if let Some(attention) = &status.attention {
            let kind = match attention.kind {
                status::AttentionKind::Bell => "bell",
                status::AttentionKind::Notify => "notification",
                status::AttentionKind::Waiting => "waiting",
                status::AttentionKind::Finished => "finished",
                status::AttentionKind::Failed => "failed",
                status::AttentionKind::Command => "command ended",
                status::AttentionKind::Exit => "exit",
            };
            let text = attention
                .text
                .as_ref()
                .map_or(String::new(), |text| format!(": {text}"));
            let read = if attention.unread { "unread" } else { "read" };
            let ago = self.ago(attention.at);
            self.line("attention", &format!("{kind}{text} ({read}, {ago})"));
        }
        if status.muted {
            self.line("muted", "no notifications");
        }
    }

    fn processes(&mut self, processes: &[Process]) {
        for (at, process) in processes.iter().enumerate() {
            let word = if at == 0 { "processes" } else { "" };
            let foreground = if process.foreground {
                " (foreground)"
            } else {
                ""
            };
            let command = one_line(&process.command);
            self.line(word, &format!("{} {command}{foreground}", process.pid));
        }
    }

    fn clients(&mut self, clients: &[ClientInfo]) {
        for (at, client) in clients.iter().enumerate() {
            let word = if at == 0 { "clients" } else { "" };
            let mut text = format!(
                "{} {}×{}",
                client.program, client.size.cols, client.size.rows
            );
            for (is, what) in [
                (client.owns_size, "has the size"),
                (client.view, "view only"),
                (client.focused, "focused"),
            ] {
                if is {
                    text += &format!(", {what}");
                }
            }
            self.line(word, &text);
        }
    }

    fn places(&mut self, status: &Status) {
        if let Some(cwd) = &status.cwd {
            self.line("directory", cwd);
        }
        let size = format!("{}×{}", status.size.cols, status.size.rows);
        self.line("size", &size);
        let created = self.ago(status.created_at);
        self.line("created", &created);
        self.line("id", &status.id);
        if let Ok(paths) = crate::daemon_client::paths() {
            if status.lifecycle.state != LifecycleState::Lost {
                self.line(
                    "socket",
                    &paths.holder_socket(&status.id).display().to_string(),
                );
            }
            self.line(
                "state file",
                &paths.state_file(&status.id).display().to_string(),
            );
        }
    }
}

/// A command line on one line, without anything a screen could act on.
fn one_line(line: &str) -> String {
    signals::text::clean(&line.replace(['\n', '\t'], " "))
}
