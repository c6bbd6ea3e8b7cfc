//! `wigwag progress`: a progress signal (OSC 9;4) from a script.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;
use crate::own_terminal::{self, Wrap};
use signals::{Progress, ProgressState, Terminator};
use std::process::ExitCode;

/// Arguments of `progress`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// 0 to 100, or `busy`, `error`, `paused`, `clear`
    #[arg(value_name = "PERCENT|STATE")]
    what: String,
    /// 0 to 100, with `error` and `paused`
    percent: Option<String>,
}

/// Runs `progress`.
pub(crate) fn run(args: Args, _context: &Context) -> Outcome {
    let progress = parse(&args.what, args.percent.as_deref()).map_err(Failure::usage)?;
    own_terminal::print(
        &signals::progress::encode(progress, Terminator::St),
        Wrap::InTmux,
    )?;
    Ok(ExitCode::SUCCESS)
}

fn parse(what: &str, percent: Option<&str>) -> Result<Progress, String> {
    let number = |text: &str| -> Result<u8, String> {
        let number = text.parse().ok().filter(|percent| *percent <= 100);
        number.ok_or(format!(
            "{text} is no percentage: use a whole number from 0 to 100"
        ))
    };
    let state = match what {
        "busy" => ProgressState::Busy,
        "error" => ProgressState::Error,
        "paused" => ProgressState::Paused,
        "clear" => ProgressState::Clear,
        _ => {
            if percent.is_some() {
                return Err("only `error` and `paused` take a percentage beside them".into());
            }
            let percent = number(what)
                .map_err(|wrong| format!("{wrong}, or busy, error, paused or clear"))?;
            return Ok(Progress {
                state: ProgressState::Normal,
                percent: Some(percent),
            });
        }
    };
    let percent = match (state, percent) {
        (_, None) => None,
        (ProgressState::Error | ProgressState::Paused, Some(percent)) => Some(number(percent)?),
        _ => return Err(format!("`{what}` takes no percentage")),
    };
    Ok(Progress { state, percent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_and_states_are_read() {
        for (what, percent, state, number) in [
            ("42", None, ProgressState::Normal, Some(42)),
            ("0", None, ProgressState::Normal, Some(0)),
            ("busy", None, ProgressState::Busy, None),
            ("error", Some("100"), ProgressState::Error, Some(100)),
            ("error", None, ProgressState::Error, None),
            ("paused", Some("7"), ProgressState::Paused, Some(7)),
            ("clear", None, ProgressState::Clear, None),
        ] {
            let expected = Progress {
                state,
                percent: number,
            };
            assert_eq!(parse(what, percent), Ok(expected), "{what}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for (what, percent) in [
            ("101", None),
            ("-1", None),
            ("42%", None),
            ("4.2", None),
            ("done", None),
            ("42", Some("1")),
            ("busy", Some("1")),
            ("clear", Some("1")),
            ("error", Some("101")),
        ] {
            assert!(parse(what, percent).is_err(), "{what} {percent:?}");
        }
    }
}
