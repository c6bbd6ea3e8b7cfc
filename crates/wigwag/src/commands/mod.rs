//! The commands of interfaces.md, one file each, named as the command.

mod ack;
mod attach;
mod bell;
mod capture;
mod clear;
mod completions;
mod daemon;
mod decode;
mod detach;
mod doctor;
mod events;
mod help;
mod keys;
mod kill;
mod list;
mod mute;
mod new;
mod next;
mod notify;
mod probe;
mod progress;
mod prune;
mod remove;
mod rename;
mod report;
mod restart;
mod send;
mod shell_integration;
mod show;
mod unmute;
mod version;
mod wait;

pub(crate) use completions::VARIABLE as COMPLETE_VARIABLE;

use crate::failure::Failure;
use crate::output::Context;
use clap::Subcommand;
use std::process::ExitCode;

/// What a command returns: its exit code, or why it did not do what it was asked to.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a terminal and attach to it
    #[command(visible_alias = "n")]
    New(new::Args),
    /// Attach to a terminal
    #[command(visible_alias = "a")]
    Attach(attach::Args),
    /// Attach to the most urgent unread terminal
    Next(next::Args),
    /// Detach clients
    Detach(detach::Args),
    /// List the terminals, most urgent first
    #[command(visible_aliases = ["l", "ls"])]
    List(list::Args),
    /// Show everything that is known about a terminal
    #[command(visible_alias = "s")]
    Show(show::Args),
    /// Type text into a terminal
    Send(send::Args),
    /// Press named keys in a terminal
    Keys(keys::Args),
    /// Print the screen of a terminal as text
    #[command(visible_alias = "c")]
    Capture(capture::Args),
    /// Wait until a terminal settles, or for a state, a prompt, output or the exit
    #[command(visible_alias = "w")]
    Wait(wait::Args),
    /// Print the journal of events
    Events(events::Args),
    /// Mark what a terminal asks for as read
    Ack(ack::Args),
    /// Drop finished and failed reports
    Clear(clear::Args),
    /// Raise no notifications for a terminal
    Mute(mute::Args),
    /// Raise notifications for a terminal again
    Unmute(unmute::Args),
    /// List, test and set up notifications
    Notify(notify::Args),
    /// Give a terminal another name
    Rename(rename::Args),
    /// Hang up the program of a terminal, as closing its window would
    #[command(visible_alias = "k")]
    Kill(kill::Args),
    /// Run the same command again in the same place
    Restart(restart::Args),
    /// Forget an exited terminal
    Remove(remove::Args),
    /// Forget all exited terminals
    Prune(prune::Args),
    /// Send a program status, or run a command and report on it
    Report(report::Args),
    /// Send a progress signal
    Progress(progress::Args),
    /// Ring the bell of this terminal
    Bell(bell::Args),
    /// Run, start, stop or look at the daemon
    Daemon(daemon::Args),
    /// Check that everything works, with advice
    Doctor(doctor::Args),
    /// Print the versions of client, daemon and holders
    Version(version::Args),
    /// Print the integration of a shell, for people who source it themselves
    ShellIntegration(shell_integration::Args),
    /// Bytes to signals, one JSON line each
    Decode(decode::Args),
    /// Ask this terminal what it supports
    Probe(probe::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Say what a command does and takes
    Help(help::Args),
}

/// Runs a command; none is `list`.
pub(crate) fn run(command: Option<Command>, context: &Context) -> Outcome {
    match command {
        None => list::run(list::Args::default(), context),
        Some(Command::New(args)) => new::run(args, context),
        Some(Command::Attach(args)) => attach::run(args, context),
        Some(Command::Next(args)) => next::run(args, context),
        Some(Command::Detach(args)) => detach::run(args, context),
        Some(Command::List(args)) => list::run(args, context),
        Some(Command::Show(args)) => show::run(args, context),
        Some(Command::Send(args)) => send::run(args, context),
        Some(Command::Keys(args)) => keys::run(args, context),
        Some(Command::Capture(args)) => capture::run(args, context),
        Some(Command::Wait(args)) => wait::run(args, context),
        Some(Command::Events(args)) => events::run(args, context),
        Some(Command::Ack(args)) => ack::run(args, context),
        Some(Command::Clear(args)) => clear::run(args, context),
        Some(Command::Mute(args)) => mute::run(args, context),
        Some(Command::Unmute(args)) => unmute::run(args, context),
        Some(Command::Notify(args)) => notify::run(args, context),
        Some(Command::Rename(args)) => rename::run(args, context),
        Some(Command::Kill(args)) => kill::run(args, context),
        Some(Command::Restart(args)) => restart::run(args, context),
        Some(Command::Remove(args)) => remove::run(args, context),
        Some(Command::Prune(args)) => prune::run(args, context),
        Some(Command::Report(args)) => report::run(args, context),
        Some(Command::Progress(args)) => progress::run(args, context),
        Some(Command::Bell(args)) => bell::run(args, context),
        Some(Command::Daemon(args)) => daemon::run(args, context),
        Some(Command::Doctor(args)) => doctor::run(args, context),
        Some(Command::Version(args)) => version::run(args, context),
        Some(Command::ShellIntegration(args)) => shell_integration::run(args, context),
        Some(Command::Decode(args)) => decode::run(args, context),
        Some(Command::Probe(args)) => probe::run(args, context),
        Some(Command::Completions(args)) => completions::run(args, context),
        Some(Command::Help(args)) => help::run(args, context),
    }
}
