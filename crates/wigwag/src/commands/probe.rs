//! `wigwag probe`: asks the terminal this runs in what it supports, with a time limit.
//!
//! All questions go out at once, the one that every terminal answers (DA1) last: its answer ends
//! the waiting. The terminal is raw meanwhile, and is given back as it was, with nothing left to
//! read, on every way out.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;
use crate::raw_terminal::{RawTerminal, Read};
use serde::Serialize;
use signals::Terminator;
use signals::answer::{Answer, answer_of};
use std::process::ExitCode;
use std::time::{Duration, Instant};

mod replies;
use replies::{Replies, Reply};

/// Arguments of `probe`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How long to wait for answers
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = status::parse_duration)]
    timeout: Duration,
}

/// What the terminal said; `null` where it said nothing.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Answers {
    /// XTVERSION.
    version: Option<String>,
    /// DA1: the attribute numbers.
    primary_attributes: Option<String>,
    /// OSC 7501: what it says after the `?`.
    program_status: Option<String>,
    /// Kitty keyboard: the flags in force.
    kitty_keyboard: Option<u32>,
    /// Whether the modes are known to it (DECRQM).
    modes: Modes,
    /// OSC 10: `rgb:…`.
    foreground: Option<String>,
    /// OSC 11.
    background: Option<String>,
    /// OSC 99: what it says after `p=?`.
    notifications: Option<String>,
    /// All answers came before the time ran out.
    complete: bool,
}

/// The words of DECRPM: `set`, `reset`, `always set`, `always reset`, `unknown`.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Modes {
    synchronized_output: Option<&'static str>,
    bracketed_paste: Option<&'static str>,
    focus_events: Option<&'static str>,
    size_reports: Option<&'static str>,
}

/// Runs `probe`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let answers = ask(args.timeout)?;
    if context.json {
        context.say_json(&answers)?;
    } else {
        context.write(describe(&answers, args.timeout).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What `doctor` wants to know of it: the terminal's own words for itself, and whether it
/// understands program status.
pub(crate) fn summary(timeout: Duration) -> Result<(Option<String>, bool), Failure> {
    let answers = ask(timeout)?;
    Ok((answers.version, answers.program_status.is_some()))
}

fn ask(timeout: Duration) -> Result<Answers, Failure> {
    let mut terminal = RawTerminal::open()?;
    terminal.write(&questions())?;
    let limit = Instant::now() + timeout;
    let mut replies = Replies::default();
    let mut answers = Answers::default();
    while !answers.complete {
        match terminal.read_until(limit)? {
            Read::Bytes(bytes) => {
                for reply in replies.read(&bytes) {
                    answers.take(reply)?;
                }
            }
            Read::TimeOut | Read::End => break,
            Read::Interrupted => return Err(Failure::interrupted()),
        }
    }
    Ok(answers)
}

/// Every question, DA1 last.
fn questions() -> Vec<u8> {
    let mut bytes = signals::program_status::query(Terminator::St).to_vec();
    bytes.extend(b"\x1b[>q\x1b[?u\x1b[?2026$p\x1b[?2004$p\x1b[?1004$p\x1b[?2048$p");
    bytes.extend(b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\");
    bytes.extend(signals::notification::query_support(
        "wigwag",
        Terminator::St,
    ));
    bytes.extend(b"\x1b[c");
    bytes
}

impl Answers {
    /// Notes one reply.
    fn take(&mut self, reply: Reply) -> Result<(), Failure> {
        match reply {
            Reply::Key(0x03) => return Err(Failure::interrupted()),
            Reply::Key(_) => {}
            Reply::Csi(body) => self.take_csi(&body),
            Reply::Osc(body) => self.take_osc(&body),
            Reply::Dcs(body) => {
                if let Some(version) = body.strip_prefix(">|") {
                    self.version = Some(clean(version));
                }
            }
        }
        Ok(())
    }

    fn take_csi(&mut self, body: &str) {
        let Some(inner) = body.strip_prefix('?') else {
            return;
        };
        if let Some(attributes) = inner.strip_suffix('c') {
            self.primary_attributes = Some(clean(attributes));
            self.complete = true;
        } else if let Some(flags) = inner.strip_suffix('u') {
            self.kitty_keyboard = flags.parse().ok();
        } else if let Some((mode, value)) = inner
            .strip_suffix("$y")
            .and_then(|mode| mode.split_once(';'))
        {
            let word = Some(match value {
                "1" => "set",
                "2" => "reset",
                "3" => "always set",
                "4" => "always reset",
                _ => "unknown",
            });
            match mode {
                "2026" => self.modes.synchronized_output = word,
                "2004" => self.modes.bracketed_paste = word,
                "1004" => self.modes.focus_events = word,
                "2048" => self.modes.size_reports = word,
                _ => {}
            }
        }
    }

    fn take_osc(&mut self, body: &str) {
        match answer_of(body) {
            Some(Answer::ProgramStatus(said)) => self.program_status = Some(clean(said)),
            Some(Answer::Notifications(said)) => self.notifications = Some(clean(said)),
            None => match body.split_once(';') {
                Some(("10", color)) => self.foreground = Some(clean(color)),
                Some(("11", color)) => self.background = Some(clean(color)),
                _ => {}
            },
        }
    }
}

/// What a terminal says of itself is shown without anything that a screen could act on.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(256).collect()
}

/// The answers for a person, one line each.
fn describe(answers: &Answers, timeout: Duration) -> String {
    let silent = "no answer".to_owned();
    let word = |word: Option<&'static str>| match word {
        Some("unknown") => "not supported".to_owned(),
        Some(word) => format!("supported ({word})"),
        None => silent.clone(),
    };
    let said = |text: &Option<String>| text.clone().unwrap_or_else(|| silent.clone());
    let understood = |text: &Option<String>| match text {
        Some(text) if text.is_empty() => "understood".to_owned(),
        Some(text) => format!("understood ({text})"),
        None => silent.clone(),
    };
    let keyboard = match answers.kitty_keyboard {
        Some(flags) => format!("supported (flags {flags})"),
        None => silent.clone(),
    };
    let lines = [
        ("terminal", said(&answers.version)),
        (
            "program status (OSC 7501)",
            understood(&answers.program_status),
        ),
        ("notifications (OSC 99)", understood(&answers.notifications)),
        ("kitty keyboard", keyboard),
        (
            "synchronized output (2026)",
            word(answers.modes.synchronized_output),
        ),
        (
            "bracketed paste (2004)",
            word(answers.modes.bracketed_paste),
        ),
        ("focus events (1004)", word(answers.modes.focus_events)),
        ("size reports (2048)", word(answers.modes.size_reports)),
        ("foreground", said(&answers.foreground)),
        ("background", said(&answers.background)),
        ("attributes (DA1)", said(&answers.primary_attributes)),
    ];
    let mut text = String::new();
    for (what, answer) in lines {
        text.push_str(&format!("{what:<27} {answer}\n"));
    }
    if !answers.complete {
        let seconds = timeout.as_secs_f64();
        text.push_str(&format!(
            "The time limit of {seconds} s passed before the last answer: there may be more.\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(bytes: &[u8]) -> Answers {
        let mut answers = Answers::default();
        for reply in Replies::default().read(bytes) {
            answers.take(reply).unwrap();
        }
        answers
    }

    #[test]
    fn every_answer_is_read() {
        let said = answers(
            b"\x1b]7501;?:states=idle:kinds=auth\x1b\\\x1bP>|term 1.0\x1b\\\x1b[?5u\x1b[?2026;2$y\
              \x1b[?2004;1$y\x1b[?1004;0$y\x1b]10;rgb:ff/ff/ff\x07\x1b]11;rgb:0/0/0\x1b\\\
              \x1b]99;i=wigwag:p=?;p=title,body\x1b\\\x1b[?62;22c",
        );
        assert_eq!(
            said,
            Answers {
                version: Some("term 1.0".into()),
                primary_attributes: Some("62;22".into()),
                program_status: Some("states=idle:kinds=auth".into()),
                kitty_keyboard: Some(5),
                modes: Modes {
                    synchronized_output: Some("reset"),
                    bracketed_paste: Some("set"),
                    focus_events: Some("unknown"),
                    size_reports: None,
                },
                foreground: Some("rgb:ff/ff/ff".into()),
                background: Some("rgb:0/0/0".into()),
                notifications: Some("p=title,body".into()),
                complete: true,
            }
        );
    }

    #[test]
    fn a_silent_terminal_is_said_to_be_silent() {
        let text = describe(&Answers::default(), Duration::from_secs(2));
        assert!(
            text.contains("program status (OSC 7501)   no answer"),
            "{text}"
        );
        assert!(text.contains("time limit of 2 s passed"), "{text}");
    }

    #[test]
    fn keys_typed_meanwhile_are_no_answers_and_ctrl_c_interrupts() {
        assert_eq!(answers(b"ls\r"), Answers::default());
        let mut none = Answers::default();
        assert_eq!(none.take(Reply::Key(3)), Err(Failure::interrupted()));
    }

    #[test]
    fn the_last_question_is_the_one_that_every_terminal_answers() {
        assert!(questions().ends_with(b"\x1b[c"));
    }
}
