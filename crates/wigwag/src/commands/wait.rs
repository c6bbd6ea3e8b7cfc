//! `wigwag wait`: block until terminals are in a state, at a prompt, ended, or printed something.
//!
//! Driven by the daemon's events, and for `output:` by the raw stream of the terminal's holder;
//! nothing is asked repeatedly.

mod output;

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::failure::{Code, Failure};
use crate::output::Context;
use crate::present::{clock, life};
use client::{Events, Match, Next, Since};
use jiff::tz::TimeZone;
use output::{Found, Output};
use regex::Regex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use status::{Colour, Condition, Status, Wait};
use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Arguments of `wait`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminals, also unique prefixes
    #[arg(required = true, value_name = "TERMINAL")]
    #[arg(add = crate::candidates::terminals())]
    terminals: Vec<String>,
    /// What to wait for, the first that comes: settled (waiting, finished, failed, attention or
    /// exit), a state, prompt, command, exit, or output:REGEX, which comes last and takes the rest, commas
    /// too, and is also fulfilled by what stands on the screen already
    #[arg(long, value_name = "STATE,…|output:REGEX", default_value = "settled", value_parser = parse)]
    #[arg(add = crate::candidates::conditions())]
    until: Vec<Until>,
    /// The first terminal ends the wait [default: all of them]
    #[arg(long)]
    any: bool,
    /// Give up after that long, with exit code 4
    #[arg(long, value_name = "TIME", value_parser = status::parse_duration)]
    timeout: Option<Duration>,
}

/// One argument of `--until`.
#[derive(Debug, Clone)]
struct Until {
    words: Vec<String>,
    conditions: Vec<Condition>,
    output: Option<Regex>,
}

/// Reads `STATE,…`; `output:` takes the rest, since a pattern may have commas.
fn parse(text: &str) -> Result<Until, String> {
    let (states, pattern) = match text.find("output:") {
        Some(at) if at == 0 || text[..at].ends_with(',') => (
            text[..at].trim_end_matches(','),
            Some(&text[at + "output:".len()..]),
        ),
        _ => (text, None),
    };
    let mut until = Until {
        words: Vec::new(),
        conditions: Vec::new(),
        output: None,
    };
    if !states.is_empty() || pattern.is_none() {
        for word in states.split(',') {
            let condition: Condition = word.trim().parse().map_err(|e| format!("{e}"))?;
            until.words.push(word.trim().to_owned());
            until.conditions.push(condition);
        }
    }
    if let Some(pattern) = pattern {
        let regex = regex::RegexBuilder::new(pattern).multi_line(true).build();
        until.output = Some(regex.map_err(|e| format!("output:{pattern} is no pattern: {e}"))?);
        until.words.push("output".to_owned());
    }
    Ok(until)
}

/// One terminal that is waited for.
#[derive(Debug)]
struct Waiting {
    status: Status,
    wait: Wait,
    output: Option<Output>,
    /// The word that ended it.
    word: Option<&'static str>,
    /// Its exit is waited for, by whichever word.
    exit_counts: bool,
    /// It is over: no condition can come true any more.
    over: bool,
}

/// Runs `wait`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let limit = args.timeout.map(|timeout| Instant::now() + timeout);
    let conditions: Vec<Condition> = args
        .until
        .iter()
        .flat_map(|until| until.conditions.clone())
        .collect();
    let words: Vec<String> = args
        .until
        .iter()
        .flat_map(|until| until.words.clone())
        .collect();
    let patterns: Vec<Regex> = args.until.iter().filter_map(|u| u.output.clone()).collect();

    let client = connect()?;
    // Before the first statuses, so that nothing falls between.
    let mut events = client.events(Since::Now, true)?;
    let mut all = Vec::new();
    for terminal in &args.terminals {
        let status = find(&client, terminal, Match::Prefix)?;
        let output = if patterns.is_empty() {
            None
        } else {
            Output::open(&status, &patterns)?
        };
        all.push(Waiting {
            wait: Wait::new(&conditions),
            exit_counts: conditions
                .iter()
                .any(|condition| matches!(condition, Condition::Exit | Condition::Settled)),
            over: status.lifecycle.is_over() && output.is_none(),
            output,
            word: None,
            status,
        });
    }
    for waiting in &mut all {
        waiting.word = waiting.wait.observe(&waiting.status);
    }
    let many = all.len() > 1;
    loop {
        if let Some(first) = all
            .iter()
            .find(|waiting| args.any && waiting.word.is_some())
        {
            say(context, &first.status, first.word.unwrap_or_default(), many)?;
            return Ok(ExitCode::SUCCESS);
        }
        if all.iter().all(|waiting| waiting.word.is_some()) {
            for waiting in &all {
                say(
                    context,
                    &waiting.status,
                    waiting.word.unwrap_or_default(),
                    many,
                )?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let over = |waiting: &&Waiting| waiting.over && waiting.word.is_none();
        let hopeless = if args.any {
            all.iter().all(|waiting| over(&waiting))
        } else {
            all.iter().any(|waiting| over(&waiting))
        };
        if hopeless && let Some(waiting) = all.iter().find(over) {
            return Err(ended(&waiting.status, &words));
        }
        step(&mut events, &mut all, limit)?;
    }
}

/// Waits for the next thing that happens, and takes it in.
fn step(events: &mut Events, all: &mut [Waiting], limit: Option<Instant>) -> Result<(), Failure> {
    // What was already read is taken before anything is waited for.
    let mut next = events.ready()?;
    let is_late = limit.is_some_and(|limit| Instant::now() >= limit);
    if next == Next::Timeout && (is_late || !poll_all(events, all, limit)?) {
        let left = all.iter().filter(|waiting| waiting.word.is_none());
        let left: Vec<&Status> = left.map(|waiting| &waiting.status).collect();
        return Err(timeout(&left));
    }
    for waiting in all.iter_mut().filter(|waiting| waiting.word.is_none()) {
        let Some(output) = &mut waiting.output else {
            continue;
        };
        match output.look()? {
            Found::Nothing => {}
            Found::Match => waiting.word = Some("output"),
            // Its exit is announced by an event as well, which may satisfy another condition.
            Found::End => {
                waiting.output = None;
                waiting.over |= waiting.status.lifecycle.is_over();
            }
        }
    }
    loop {
        match next {
            Next::Event(event) => {
                for waiting in all.iter_mut().filter(|w| w.status.id == event.terminal) {
                    if waiting.word.is_some() {
                        continue;
                    }
                    let Some(status) = &event.status else {
                        // Whatever runs in it was ended first; also where nobody told.
                        waiting.word = waiting.exit_counts.then_some("exit");
                        waiting.over = true;
                        continue;
                    };
                    waiting.status = status.clone();
                    waiting.word = waiting.wait.observe(status);
                    // Its last words may still be on the way.
                    waiting.over = status.lifecycle.is_over() && waiting.output.is_none();
                }
            }
            Next::Timeout => return Ok(()),
            Next::End => return Err(Failure::unreachable("the daemon ended its events")),
        }
        next = events.ready()?;
    }
}

/// Whether anything became readable before the limit.
fn poll_all(events: &Events, all: &[Waiting], limit: Option<Instant>) -> Result<bool, Failure> {
    let mut sources = vec![PollFd::from_borrowed_fd(events.as_fd(), PollFlags::IN)];
    for waiting in all.iter().filter(|waiting| waiting.word.is_none()) {
        if let Some(output) = &waiting.output {
            if output.has_more() {
                return Ok(true);
            }
            sources.push(PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN));
        }
    }
    loop {
        let left = limit.map(|limit| {
            let left = limit.saturating_duration_since(Instant::now());
            Timespec {
                tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            }
        });
        match poll(&mut sources, left.as_ref()) {
            Ok(count) => return Ok(count > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(std::io::Error::from(error).into()),
        }
    }
}

/// Prints the word that ended the wait; with several terminals also whose it is. A person who
/// looks is told more, beside the output that scripts read.
pub(super) fn say(
    context: &Context,
    status: &Status,
    word: &str,
    with_name: bool,
) -> Result<(), Failure> {
    if context.json {
        let (id, name) = (&status.id, &status.name);
        return context.say_json(&serde_json::json!({"until": word, "id": id, "name": name}));
    }
    match with_name {
        true => context.say(format!("{} {word}", status.name))?,
        false => context.say(word)?,
    }
    if context.terminal && io::stderr().is_terminal() {
        let more = context.shown(&more(status, word, &TimeZone::system()));
        // Whoever closed it does not want to know.
        let _ = writeln!(io::stderr(), "{}", context.paint(Colour::Grey, &more));
    }
    Ok(())
}

/// What a person wants to know beside the word.
fn more(status: &Status, word: &str, zone: &TimeZone) -> String {
    let name = &status.name;
    let lifecycle = &status.lifecycle;
    if word != "exit" {
        let unread = status.attention.as_ref().filter(|entry| entry.unread);
        let text = unread.and_then(|entry| entry.text.as_ref());
        let text = text.map(|text| format!(": {text}")).unwrap_or_default();
        return status.label.clone() + &text;
    }
    match (lifecycle.is_over(), lifecycle.at) {
        (true, Some(at)) => format!("{name}: {} at {}", life(lifecycle), clock(at, zone)),
        (true, None) => format!("{name}: {}", life(lifecycle)),
        (false, _) => format!("{name}: removed"),
    }
}

/// Time ran out: exit code 4.
pub(super) fn timeout(waited_for: &[&Status]) -> Failure {
    let are = waited_for.iter().map(|status| {
        let (name, word) = (&status.name, status.state.word());
        format!("{name} is {word}")
    });
    let are = are.collect::<Vec<_>>().join(", ");
    let name = waited_for.first().map_or("TERMINAL", |status| &status.name);
    Failure::new(
        Code::Timeout,
        format!("time ran out before the condition came true: {are}"),
    )
    .hint(format!("`wigwag show {name}` says more"))
}

/// It ended before the condition came true.
pub(super) fn ended(status: &Status, words: &[String]) -> Failure {
    let life = if status.lifecycle.is_over() {
        life(&status.lifecycle)
    } else {
        "removed".to_owned()
    };
    let (name, words) = (&status.name, words.join(", "));
    Failure::failed(format!("{name} was not `{words}` before it ended: {life}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_a_pattern_with_commas_are_read() {
        let until = parse("waiting,exit,output:a{1,2},b").unwrap();
        assert_eq!(until.words, ["waiting", "exit", "output"]);
        assert_eq!(until.conditions.len(), 2);
        assert_eq!(until.output.unwrap().as_str(), "a{1,2},b");
        assert!(parse("output:^done$").unwrap().conditions.is_empty());
    }

    #[test]
    fn a_person_is_told_how_it_ended_or_what_it_waits_for() {
        let mut status = crate::rows::tests::status("build", "build — make · waiting", "waiting");
        status.attention = serde_json::from_value(serde_json::json!({
            "seq": 1, "kind": "waiting", "text": "Apply?", "at": "2026-11-30T22:01:00Z", "unread": true
        }))
        .unwrap();
        let told = |status: &Status, word| more(status, word, &TimeZone::UTC);
        assert_eq!(told(&status, "waiting"), "build — make · waiting: Apply?");
        assert_eq!(told(&status, "exit"), "build: removed");
        status.lifecycle = serde_json::from_value(serde_json::json!({
            "state": "exited", "code": 3, "signal": null, "at": "2026-11-30T22:01:00Z"
        }))
        .unwrap();
        assert_eq!(
            told(&status, "exit"),
            "build: exited with code 3 at 2026-11-30 22:01:00"
        );
    }

    #[test]
    fn an_unknown_word_or_a_broken_pattern_is_wrong_usage() {
        assert!(parse("tomorrow").unwrap_err().contains("tomorrow"));
        assert!(parse("").is_err());
        assert!(parse("output:(").unwrap_err().contains("no pattern"));
    }
}
