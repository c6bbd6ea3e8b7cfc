//! The command line of Wigwag: `wigwag`, also installed as `ww`.
//!
//! [`main`] reads the arguments, runs one command (one file each in `commands/`), and turns what
//! came of it into the exit codes of interfaces.md.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)] // a closed pipe must not panic: see `output`

mod attach;
mod candidates;
mod canvas;
mod cli;
mod commands;
mod daemon_client;
mod failure;
mod holder_census;
mod holder_stream;
mod output;
mod own_terminal;
mod present;
mod raw_terminal;
mod rows;

use std::process::ExitCode;

/// Runs the command that the arguments of this process name.
pub fn main() -> ExitCode {
    cli::main()
}
