//! `wigwag new`: start a terminal, and attach to it.
//!
//! The holder is a child of this process, so that environment, directory, limits, mask and umask
//! are the caller's. No daemon is needed for it; one is started beside it, and not waited for.

use super::Outcome;
use crate::attach;
use crate::daemon_client::{paths, wake};
use crate::failure::{Code, Failure};
use crate::output::Context;
use ::daemon::config::Config;
use holder::paths::Paths;
use holder::spawn::{self, SpawnError, Spec, Started};
use rustix::termios::{isatty, tcgetwinsize};
use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// The greatest window that the emulator draws.
const MAX_COLS: u16 = 1000;
/// The greatest window that the emulator draws.
const MAX_ROWS: u16 = 500;

/// Arguments of `new`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Name of the terminal; its id without one
    pub(crate) name: Option<String>,
    /// Do not attach: print the id, as where standard input or output is no terminal
    #[arg(short, long)]
    pub(crate) detached: bool,
    /// Attach if NAME exists (not attached, print its id)
    #[arg(short = 'A', long, requires = "name")]
    pub(crate) attach: bool,
    /// Start it on another machine
    #[arg(long, value_name = "HOST", hide = true)]
    pub(crate) host: Option<String>,
    /// Start it as a window of this tmux session
    #[arg(long, value_name = "SESSION", conflicts_with = "host", hide = true)]
    pub(crate) tmux: Option<String>,
    /// Working directory [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Add to the environment of the program
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Size in cells [default: this window, or 80x24]
    #[arg(long, value_name = "COLSxROWS")]
    pub(crate) size: Option<String>,
    /// When CMD ends, go on as a shell
    #[arg(long, requires = "command")]
    pub(crate) then_shell: bool,
    /// The program and its arguments [default: the login shell]
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// Runs `new`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    if args.host.is_some() {
        return Err(elsewhere("on another machine", "log in there with ssh"));
    }
    if args.tmux.is_some() {
        return Err(elsewhere("in tmux", "run it inside the tmux session"));
    }
    let detached = args.detached || !isatty(io::stdin()) || !isatty(io::stdout());
    let paths = paths()?;
    if args.attach
        && let Some(name) = &args.name
        && let Some(id) = paths.id_of_name(name)?
        && paths.is_running(&id)
    {
        wake(&paths);
        return if detached {
            say_started(context, &existing(&paths, id, name))
        } else {
            attach::run(&paths, &id, &attach::Wishes::default(), context)
        };
    }
    let started = start(&args, &paths)?;
    wake(&paths);
    let replaced = started.replaced.as_ref().map(|replaced| {
        format!(
            "{} takes the place of an exited terminal ({replaced})",
            started.name
        )
    });
    for notice in replaced.iter().chain(&started.warning) {
        // Nobody reads it where standard error is closed.
        let _ = writeln!(io::stderr(), "wigwag: {notice}");
    }
    if detached {
        say_started(context, &started)
    } else {
        let wishes = attach::Wishes {
            just_started: true,
            ..attach::Wishes::default()
        };
        attach::run(&paths, &started.id, &wishes, context)
    }
}

/// Starts what the arguments say.
pub(crate) fn start(args: &Args, paths: &Paths) -> Result<Started, Failure> {
    spawn::start(paths, &spec(args, paths)?).map_err(|error| {
        let message = error.to_string();
        match error {
            SpawnError::NameTaken { name } => Failure::new(Code::Taken, message)
                .hint(format!("`wigwag attach {name}` attaches to it")),
            SpawnError::IdExists { .. } => Failure::new(Code::Taken, message),
            SpawnError::Name(_) => Failure::usage(message),
            SpawnError::NoHolder { .. } | SpawnError::Failed(_) => Failure::failed(message),
        }
    })
}

fn spec(args: &Args, paths: &Paths) -> Result<Spec, Failure> {
    let config = Config::load(&paths.config).map_err(|error| Failure::failed(error.to_string()))?;
    let here = env::current_dir();
    let cwd = match (&args.cwd, here) {
        (Some(dir), Ok(here)) => here.join(dir),
        (Some(dir), Err(_)) if dir.is_absolute() => dir.clone(),
        (None, Ok(here)) => here,
        (_, Err(error)) => {
            return Err(
                Failure::failed(format!("this directory is not there any more: {error}"))
                    .hint("`--cwd DIR` names another one"),
            );
        }
    };
    if let Some(dir) = &args.cwd
        && !cwd.is_dir()
    {
        return Err(
            Failure::failed(format!("{} is no directory", dir.display()))
                .hint("`--cwd` takes a directory that exists"),
        );
    }
    let (cols, rows) = match &args.size {
        Some(text) => parse_size(text)?,
        None => window(),
    };
    let configured = config.env.iter();
    let mut set_env: Vec<(OsString, OsString)> = configured
        .map(|(key, value)| (key.into(), value.into()))
        .collect();
    for pair in &args.env {
        match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => set_env.push((key.into(), value.into())),
            _ => {
                return Err(Failure::usage(format!("--env {pair} sets no variable"))
                    .hint("write `--env NAME=VALUE`"));
            }
        }
    }
    Ok(Spec {
        name: args.name.clone(),
        command: Some(args.command.clone()).filter(|words| !words.is_empty()),
        then_shell: args.then_shell,
        cwd,
        env: env::vars_os().collect(),
        set_env,
        cols,
        rows,
        scrollback: config.scrollback,
        plain_shell: !config.shell_integration,
        ..Spec::default()
    })
}

/// The size of this window, where there is one; 0 lets the holder choose.
fn window() -> (u16, u16) {
    let sizes = [tcgetwinsize(io::stdout()), tcgetwinsize(io::stdin())];
    let known = sizes.into_iter().flatten().find(|size| size.ws_col > 0);
    known.map_or((0, 0), |size| {
        (size.ws_col.min(MAX_COLS), size.ws_row.min(MAX_ROWS))
    })
}

fn parse_size(text: &str) -> Result<(u16, u16), Failure> {
    let parsed = text
        .split_once(['x', 'X'])
        .and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
    match parsed {
        Some((cols @ 1..=MAX_COLS, rows @ 1..=MAX_ROWS)) => Ok((cols, rows)),
        _ => Err(
            Failure::usage(format!("--size {text} is no size")).hint(format!(
                "write columns and rows, as 80x24; at most {MAX_COLS}x{MAX_ROWS}"
            )),
        ),
    }
}

fn elsewhere(place: &str, advice: &str) -> Failure {
    Failure::refused(format!("this version starts no terminals {place}")).hint(advice)
}

fn existing(paths: &Paths, id: String, name: &str) -> Started {
    Started {
        socket: paths.holder_socket(&id),
        id,
        name: name.to_owned(),
        replaced: None,
        warning: None,
    }
}

/// The id; and for a person what to do with it.
fn say_started(context: &Context, started: &Started) -> Outcome {
    if context.json {
        context.say_json(started)?;
    } else {
        context.say(&started.id)?;
        if context.terminal {
            context.say(format!("`wigwag attach {}` shows it", started.name))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_columns_and_rows_within_what_can_be_drawn() {
        assert_eq!(parse_size("80x24"), Ok((80, 24)));
        assert_eq!(parse_size("1x1"), Ok((1, 1)));
        assert_eq!(parse_size("1000x500"), Ok((1000, 500)));
        for wrong in [
            "", "80", "80x", "0x24", "1001x24", "80x501", "-1x5", "80x24x3",
        ] {
            assert_eq!(parse_size(wrong).unwrap_err().code, Code::Usage, "{wrong}");
        }
    }
}
