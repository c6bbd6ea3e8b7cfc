//! The arguments: which command, what is common to all, and how wrong usage is said.

use crate::commands::{self, Command};
use crate::failure::{Code, Failure, harmless};
use crate::output::Context;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Persistent terminals that say what runs in them.
#[derive(Debug, Parser)]
#[command(
    name = "wigwag",
    version,
    propagate_version = false,
    disable_help_subcommand = true,
    after_help = "TERMINAL is a name, an id, or `.` for the terminal the command runs in. \
                  Without a command: `wigwag list`."
)]
pub(crate) struct Cli {
    /// Answer in JSON; errors too, on standard error
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// What `--help` says after these words of a command line.
    pub(crate) fn help(words: &[OsString], color: bool) -> Result<String, Failure> {
        let asked = [OsString::from("--help")];
        let args = std::iter::once("wigwag".into()).chain(words.iter().chain(&asked).cloned());
        match Self::try_parse_from(args) {
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                let text = error.render();
                Ok(match color {
                    true => text.ansi().to_string(),
                    false => text.to_string(),
                })
            }
            // Every command takes `--help`; only a word that is none can be wrong.
            _ => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                Err(
                    Failure::usage(format!("there is no command `{}`", words.join(" ")))
                        .hint("`wigwag help` names the commands"),
                )
            }
        }
    }
}

/// Runs what the arguments of this process say.
pub(crate) fn main() -> ExitCode {
    // A shell asks what it may offer: answered here, and this process ends.
    clap_complete::CompleteEnv::with_factory(Cli::command)
        .var(commands::COMPLETE_VARIABLE)
        .complete();
    let args: Vec<OsString> = std::env::args_os().collect();
    match Cli::try_parse_from(&args) {
        Ok(cli) => {
            let context = Context::new(cli.json);
            match commands::run(cli.command, &context) {
                Ok(code) => code,
                Err(failure) => failure.report(context.json),
            }
        }
        Err(error) => wrong_usage(&error, &args),
    }
}

/// Help that was asked for goes to standard output; everything else is wrong usage.
fn wrong_usage(error: &clap::Error, args: &[OsString]) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        return match error.print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => Failure::from(error).report(false),
        };
    }
    let before_command = args.iter().take_while(|arg| *arg != "--");
    if before_command.clone().any(|arg| arg == "--json") {
        let text = error.render().to_string();
        let message = text.lines().next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        return Failure::new(Code::Usage, message)
            .hint("`wigwag help` shows the commands and what they take")
            .report(true);
    }
    let text = harmless(&error.render().to_string()) + "\n";
    // There is nobody left to tell when standard error cannot be written.
    let _ = io::stderr().write_all(text.as_bytes());
    ExitCode::from(Code::Usage.exit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_short_command_of_the_interface_is_understood() {
        let cli = Cli::command();
        for short in ["n", "a", "l", "ls"] {
            assert!(cli.find_subcommand(short).is_some(), "{short}");
        }
    }
}
