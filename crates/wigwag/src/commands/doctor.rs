//! `wigwag doctor`: checks everything that commands rely on, and says what to do where something is
//! wrong. Exit code 1 if something is.

mod checks;
mod login_shell;

use super::Outcome;
use crate::daemon_client::paths;
use crate::output::Context;
use serde::Serialize;
use status::Colour;
use std::process::ExitCode;

/// Columns of the names on the left.
const NAMES: usize = 14;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// As it should be.
    Good,
    /// It works, and could be better.
    Advice,
    /// Something does not work.
    Wrong,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Finding {
    check: &'static str,
    verdict: Verdict,
    message: String,
    advice: Option<String>,
}

impl Finding {
    fn good(check: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            check,
            verdict: Verdict::Good,
            message,
            advice: None,
        }
    }

    fn advice(check: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Advice,
            advice: Some(advice.into()),
            ..Self::good(check, message)
        }
    }

    fn wrong(check: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Wrong,
            ..Self::advice(check, message, advice)
        }
    }
}

/// Runs `doctor`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let Args {} = args;
    let findings = checks::all(&paths()?, context);
    let wrong = findings
        .iter()
        .filter(|f| f.verdict == Verdict::Wrong)
        .count();
    if context.json {
        context.say_json(&findings)?;
    } else {
        for finding in &findings {
            context.say(line(finding, context))?;
        }
        match wrong {
            0 => context.say("\nNothing is wrong")?,
            1 => context.say("\n1 thing is wrong")?,
            many => context.say(format!("\n{many} things are wrong"))?,
        }
    }
    Ok(ExitCode::from(u8::from(wrong > 0)))
}

fn line(finding: &Finding, context: &Context) -> String {
    let (unicode, ascii, colour) = match finding.verdict {
        Verdict::Good => ("✓", "+", Colour::Green),
        Verdict::Advice => ("△", "?", Colour::Orange),
        Verdict::Wrong => ("✗", "x", Colour::Red),
    };
    let glyph = if context.unicode { unicode } else { ascii };
    let glyph = context.paint(colour, glyph);
    let message = context.shown(&finding.message);
    let mut text = format!("{glyph} {:<NAMES$} {message}", finding.check);
    if let Some(advice) = &finding.advice {
        let indent = " ".repeat(NAMES + 3);
        let arrow = if context.unicode { "→" } else { "->" };
        text += &format!("\n{indent}{arrow} {}", context.shown(advice));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::context;

    #[test]
    fn what_is_wrong_is_said_with_what_to_do() {
        let finding = Finding::wrong("state", "cannot write", "free some space");
        let text = line(&finding, &context(false, false));
        assert_eq!(
            text,
            "x state          cannot write\n                 -> free some space"
        );
    }
}
