//! `wigwag events`: the journal, one line an event.

use super::Outcome;
use crate::daemon_client::connect;
use crate::output::Context;
use crate::present::{clock, life, word};
use client::{Next, Since};
use jiff::tz::TimeZone;
use status::{EventKind, JournalEvent, Status};
use std::collections::HashMap;
use std::process::ExitCode;

/// Arguments of `events`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only events after this number [default: from the oldest; with --follow: from now]
    #[arg(long, value_name = "SEQ")]
    since: Option<u64>,
    /// Stay, and print each new event
    #[arg(long, short)]
    follow: bool,
}

/// Runs `events`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let since = match args.since {
        Some(seq) => Since::Seq(seq),
        None if args.follow => Since::Now,
        None => Since::Seq(0),
    };
    let mut events = connect()?.events(since, args.follow)?;
    let mut journal = Journal::new(TimeZone::system());
    loop {
        match events.next(None)? {
            Next::Event(event) if context.json => context.say_json(&event)?,
            Next::Event(event) => context.say(context.shown(&journal.line(&event)))?,
            Next::Timeout => {}
            Next::End => return Ok(ExitCode::SUCCESS),
        }
    }
}

/// What the lines before said.
struct Journal {
    /// Where they are read.
    zone: TimeZone,
    /// Names by id: a removed terminal has no status any more.
    names: HashMap<String, String>,
}

impl Journal {
    fn new(zone: TimeZone) -> Self {
        Self {
            zone,
            names: HashMap::new(),
        }
    }

    /// Number, time, terminal, what changed, and how it is after it.
    fn line(&mut self, event: &JournalEvent) -> String {
        let id = &event.terminal;
        let name = match &event.status {
            Some(status) => {
                self.names.insert(id.clone(), status.name.clone());
                status.name.clone()
            }
            None => self.names.remove(id).unwrap_or_else(|| id.clone()),
        };
        let seq = event.seq;
        let at = clock(event.at, &self.zone);
        let kind = word(&event.event);
        let what = event
            .status
            .as_ref()
            .map(|status| what(event.event, status));
        let line = format!(
            "{seq:>6}  {at}  {name}  {kind}  {}",
            what.unwrap_or_default()
        );
        line.trim_end().to_owned()
    }
}

/// What an event of this kind changed.
fn what(kind: EventKind, status: &Status) -> String {
    let said = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    match kind {
        EventKind::Lifecycle => life(&status.lifecycle),
        EventKind::Title => said(&status.title),
        EventKind::Progress => match &status.progress {
            None => "none".to_owned(),
            Some(progress) => {
                let percent = progress.percent.map(|percent| format!(" {percent}%"));
                word(&progress.state) + &percent.unwrap_or_default()
            }
        },
        EventKind::Command => match (&status.command, &status.last_command) {
            (Some(command), _) => format!("{} started", line_of(&command.line)),
            (None, Some(last)) => match last.exit_code {
                Some(code) => format!("{} ended with {code}", line_of(&last.line)),
                None => format!("{} ended", line_of(&last.line)),
            },
            (None, None) => "none".to_owned(),
        },
        EventKind::Attention => match &status.attention {
            None => "none".to_owned(),
            Some(entry) => {
                let text = entry.text.as_ref().map(|text| format!(": {text}"));
                word(&entry.kind) + &text.unwrap_or_default()
            }
        },
        EventKind::Size => format!("{}×{}", status.size.cols, status.size.rows),
        EventKind::Gap => format!("some events were lost; now {}", status.label),
        EventKind::Created | EventKind::Report | EventKind::Read => status.label.clone(),
        // The name stands before it.
        EventKind::Renamed | EventKind::Removed => String::new(),
    }
}

fn line_of(line: &Option<String>) -> String {
    line.clone().unwrap_or_else(|| "a command".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::status;
    use serde_json::json;

    fn event(kind: &str, status: Option<Status>) -> JournalEvent {
        serde_json::from_value(json!({
            "seq": 7, "at": "2026-11-30T22:01:00Z", "terminal": "aaaaaaaa", "event": kind,
            "status": status
        }))
        .unwrap()
    }

    #[test]
    fn a_line_says_when_whose_and_what() {
        let mut told = serde_json::to_value(status("agent", "agent — pi", "waiting")).unwrap();
        told["attention"] = json!({"seq": 4, "kind": "waiting", "text": "Apply?",
            "at": "2026-11-30T22:01:00Z", "unread": true});
        told["progress"] = json!({"state": "normal", "percent": 42});
        told["last_command"] = json!({"line": "make", "exit_code": 2, "seconds": 1.0});
        let told: Status = serde_json::from_value(told).unwrap();
        let mut journal = Journal::new(TimeZone::UTC);
        for (kind, line) in [
            ("attention", "agent  attention  waiting: Apply?"),
            ("progress", "agent  progress  normal 42%"),
            ("command", "agent  command  make ended with 2"),
            ("lifecycle", "agent  lifecycle  running"),
            ("title", "agent  title  none"),
            ("size", "agent  size  80×24"),
            ("report", "agent  report  agent — pi"),
            ("renamed", "agent  renamed"),
        ] {
            let said = journal.line(&event(kind, Some(told.clone())));
            assert_eq!(said, format!("     7  2026-11-30 22:01:00  {line}"));
        }
    }

    #[test]
    fn a_removed_terminal_is_named_while_its_name_is_known() {
        let mut journal = Journal::new(TimeZone::UTC);
        journal.line(&event("created", Some(status("agent", "agent", "idle"))));
        assert!(
            journal
                .line(&event("removed", None))
                .ends_with("agent  removed")
        );
        assert!(
            journal
                .line(&event("removed", None))
                .ends_with("aaaaaaaa  removed")
        );
    }
}
