//! What `doctor` looks at, one function each.

use super::{Finding, login_shell};
use crate::commands::{notify, probe};
use crate::holder_census::{self, Holder};
use crate::output::Context;
use client::Client;
use holder::paths::{Paths, check_private};
use holder::spawn;
use jiff::Timestamp;
use rustix::fs::{Access, access};
use std::collections::BTreeMap;
use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Less free space than this and the journal will soon not be written.
const LITTLE_SPACE: u64 = 16 << 20;

/// How long the terminal has to answer.
const PROBE_LIMIT: Duration = Duration::from_secs(1);

/// All findings. The terminal is asked last: its conversation takes over the signals of this
/// process.
pub(super) fn all(paths: &Paths, context: &Context) -> Vec<Finding> {
    let mut findings = vec![runtime(paths)];
    findings.extend(strangers(paths));
    findings.extend([state(paths), holder_executable()]);
    findings.extend(daemon(paths));
    findings.extend(holders(paths));
    findings.extend(config(paths));
    findings.extend(login_shell::command());
    findings.extend(notifications(paths));
    findings.extend(logout());
    findings.extend(term(env::var("TERM").ok().as_deref(), context.terminal));
    findings.extend(locale(context));
    findings.extend(tmux());
    findings.extend(terminal(context));
    findings
}

fn runtime(paths: &Paths) -> Finding {
    let first = paths.runtime[0].display();
    match paths.create() {
        Ok(()) => match write_something(&paths.runtime[0]) {
            Ok(()) => Finding::good("sockets", format!("in {first}")),
            Err(error) => Finding::wrong(
                "sockets",
                format!("cannot write in {first}: {error}"),
                "free some space there or make it writable: without it no terminal can be started",
            ),
        },
        Err(error) => Finding::wrong(
            "sockets",
            error.to_string(),
            "it must be a directory of your own with mode 700: move away what is there, or set \
             XDG_RUNTIME_DIR",
        ),
    }
}

/// Other places for sockets that are not only ours: what is there is passed over.
fn strangers(paths: &Paths) -> Vec<Finding> {
    let others = paths.runtime.iter().skip(1);
    let there = others.filter(|path| std::fs::symlink_metadata(path).is_ok());
    let wrong = there.filter_map(|path| check_private(path).err());
    let advice = "terminals there are not shown: look who made it";
    wrong
        .map(|error| Finding::advice("sockets", error.to_string(), advice))
        .collect()
}

fn state(paths: &Paths) -> Finding {
    let place = paths.state.display();
    if let Err(error) = paths
        .create_state()
        .and_then(|()| write_something(&paths.state))
    {
        return Finding::wrong(
            "state",
            format!("cannot write in {place}: {error}"),
            "terminals work, but what a reboot ends cannot be restarted, and attention is not \
             kept: free some space or make the directory writable",
        );
    }
    match rustix::fs::statvfs(&paths.state) {
        Ok(disk) if disk.f_bavail.saturating_mul(disk.f_frsize) < LITTLE_SPACE => Finding::wrong(
            "state",
            format!("the disk of {place} is almost full"),
            "free some space: soon nothing can be kept",
        ),
        _ => Finding::good("state", format!("in {place}")),
    }
}

/// A full or read-only disk shows only when something is written.
fn write_something(directory: &Path) -> std::io::Result<()> {
    let path = directory.join(format!(".doctor-{}", std::process::id()));
    let written = std::fs::File::create(&path).and_then(|mut file| {
        file.write_all(&[0; 4096])?;
        file.sync_all()
    });
    // It may not have been created.
    let _ = std::fs::remove_file(&path);
    written
}

fn holder_executable() -> Finding {
    let path = spawn::holder_executable();
    let place = path.display().to_string();
    if !path.is_file() {
        Finding::wrong(
            "holder",
            format!("{place} is not there"),
            "install wigwag-holder beside wigwag: without it no terminal can be started",
        )
    } else if access(&path, Access::EXEC_OK).is_err() {
        Finding::wrong(
            "holder",
            format!("{place} cannot be executed"),
            "make it executable: without it no terminal can be started",
        )
    } else {
        Finding::good("holder", place)
    }
}

fn daemon(paths: &Paths) -> Vec<Finding> {
    let Ok(client) = Client::connect_existing(paths) else {
        let message = "not running; the next command that needs it starts it";
        return vec![Finding::good("daemon", message)];
    };
    let health = match client.health() {
        Ok(health) => health,
        Err(error) => {
            let advice = "`wigwag daemon logs` may say why; `wigwag daemon stop` ends it, and \
                          terminals go on";
            return vec![Finding::wrong("daemon", error.to_string(), advice)];
        }
    };
    let message = format!("version {}, process {}", health.version, health.pid);
    let advice = "`wigwag daemon stop` lets the new one start; terminals go on";
    let mut findings = Vec::new();
    findings.push(if health.replaced {
        let message = format!("{message}; its executable was replaced since");
        Finding::advice("daemon", message, advice)
    } else if health.version != env!("CARGO_PKG_VERSION") {
        let own = env!("CARGO_PKG_VERSION");
        Finding::advice("daemon", format!("{message}; this is {own}"), advice)
    } else {
        Finding::good("daemon", message)
    });
    for warning in health.warnings {
        // The configuration has a check of its own.
        if warning.what != "config" {
            let message = format!("{}: {}", warning.what, warning.message);
            findings.push(Finding::wrong(
                "daemon",
                message,
                "`wigwag daemon logs` says more",
            ));
        }
    }
    findings
}

fn holders(paths: &Paths) -> Vec<Finding> {
    let found = match paths.scan() {
        Ok(found) => found,
        Err(error) => {
            let advice = "make the runtime directory readable";
            return vec![Finding::wrong("terminals", error.to_string(), advice)];
        }
    };
    let mut programs: BTreeMap<String, usize> = BTreeMap::new();
    let (mut silent, mut dead, mut leftover) = (Vec::new(), Vec::new(), Vec::new());
    for terminal in &found {
        match holder_census::ask(&terminal.socket) {
            Holder::Living(program) => *programs.entry(program).or_default() += 1,
            Holder::Silent => silent.push(terminal.id.clone()),
            Holder::Dead if paths.read_state(&terminal.id).is_ok() => {
                dead.push(terminal.id.clone());
            }
            // One that starts in this moment has nothing but its directory, too.
            Holder::Dead if is_old(&paths.terminal_directory(&terminal.id)) => {
                let directory = paths.terminal_directory(&terminal.id);
                leftover.push(directory.display().to_string());
            }
            Holder::Dead => {}
        }
    }
    let living: usize = programs.values().sum();
    let own = format!("wigwag-holder {}", env!("CARGO_PKG_VERSION"));
    let others: Vec<String> = programs
        .iter()
        .filter(|(program, _)| **program != own)
        .map(|(program, count)| format!("{count} by {program}"))
        .collect();
    let mut message = format!("{living} with a living holder");
    if !others.is_empty() {
        message += &format!(" ({}, which go on serving)", others.join(", "));
    }
    let mut findings = vec![Finding::good("terminals", message)];
    if !silent.is_empty() {
        findings.push(Finding::wrong(
            "terminals",
            format!("with a holder that does not answer: {}", silent.join(", ")),
            "is it stopped? `kill -CONT` its process wigwag-holder, or `wigwag remove ID --force` once it goes on",
        ));
    }
    if !dead.is_empty() {
        findings.push(Finding::advice(
            "terminals",
            format!("without a holder: {}", dead.join(", ")),
            "`wigwag restart --lost` runs them again, `wigwag remove ID` forgets one",
        ));
    }
    if !leftover.is_empty() {
        findings.push(Finding::advice(
            "terminals",
            format!("nothing is known of {}", leftover.join(", ")),
            "`rm -r` removes what is left there",
        ));
    }
    findings
}

/// Nothing takes a minute to start.
fn is_old(directory: &Path) -> bool {
    const STARTS_WITHIN: Duration = Duration::from_secs(60);
    let changed = directory.metadata().and_then(|data| data.modified());
    changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STARTS_WITHIN))
}

fn config(paths: &Paths) -> Vec<Finding> {
    let path = paths.config.join("config.toml");
    let config = match ::daemon::config::Config::load(&paths.config) {
        Ok(config) => config,
        Err(error) => {
            let advice = "mend that line; until then the settings before it, or the defaults, hold";
            return vec![Finding::wrong("config", error.to_string(), advice)];
        }
    };
    let from = if path.exists() {
        path.display().to_string()
    } else {
        format!("defaults; there is no {}", path.display())
    };
    let prefix = match config.attach.prefix {
        Some(prefix) => format!("ctrl-{}", prefix.key.to_ascii_lowercase()),
        None => "none".to_owned(),
    };
    let mut values = format!(
        "scrollback = {}, attach.prefix = {prefix}, attach.history = {}",
        config.scrollback, config.attach.history
    );
    for (name, value) in &config.env {
        values += &format!(", env.{name} = {value}");
    }
    vec![
        Finding::good("config", from),
        Finding::good("settings", values),
    ]
}

/// The channels of notifications, as a daemon that runs has them.
fn notifications(paths: &Paths) -> Vec<Finding> {
    let Ok(client) = Client::connect_existing(paths) else {
        return Vec::new();
    };
    // That the daemon does not answer is said elsewhere.
    let (Ok(notifications), Ok(settings)) = (client.notifications(), client.settings()) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    if !notifications.enabled {
        findings.push(Finding::good(
            "notify",
            "off; `wigwag notify on` switches it on",
        ));
    }
    for channel in &notifications.channels {
        let how = format!(
            "{}: {}",
            channel.name,
            notify::how(channel, Timestamp::now())
        );
        let failed = channel.last.as_ref().is_some_and(|last| !last.ok);
        findings.push(match failed && channel.off.is_none() {
            true => Finding::advice(
                "notify",
                how,
                format!("`wigwag notify test {}` tries it again", channel.name),
            ),
            false => Finding::good("notify", how),
        });
    }
    let values = notify::shown(&settings.notify).into_iter();
    let values = values.map(|(key, value)| format!("{key} = {value}"));
    findings.push(Finding::good("", values.collect::<Vec<_>>().join(", ")));
    findings
}

/// Whether the machine ends a user's processes at the last logout.
fn logout() -> Option<Finding> {
    if !Path::new("/run/systemd/system").exists() {
        return None;
    }
    let uid = rustix::process::getuid().as_raw().to_string();
    let property = |name: &str, of: &[&str]| {
        let property = format!("--property={name}");
        said(
            "loginctl",
            &[&["show-user", &property, "--value"], of].concat(),
        )
    };
    // Without a user, it is the manager that is asked.
    let lingers = property("Linger", &[&uid]);
    let kills = property("KillUserProcesses", &[]);
    Some(after_logout(lingers.as_deref(), kills.as_deref()))
}

fn after_logout(lingers: Option<&str>, kills: Option<&str>) -> Finding {
    let advice = "`loginctl enable-linger` keeps them";
    match (lingers, kills) {
        (Some("yes"), _) => {
            Finding::good("logout", "terminals stay after the last logout (linger)")
        }
        (_, Some("no")) => Finding::good("logout", "terminals stay after the last logout"),
        (_, Some("yes")) => Finding::advice(
            "logout",
            "this machine ends all your processes at the last logout, terminals too",
            advice,
        ),
        _ => Finding::advice(
            "logout",
            "this machine does not say whether terminals stay after the last logout",
            advice,
        ),
    }
}

/// What a command prints; nothing where it fails or is not there.
fn said(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Programs draw by it.
fn term(term: Option<&str>, window: bool) -> Option<Finding> {
    match term {
        _ if !window => None,
        None | Some("" | "dumb" | "unknown") => Some(Finding::advice(
            "TERM",
            format!(
                "{}: programs take this window for a teletype",
                term.unwrap_or("not set")
            ),
            "set TERM to what your terminal emulator says, often xterm-256color",
        )),
        Some(term) => Some(Finding::good("TERM", term)),
    }
}

fn locale(context: &Context) -> Option<Finding> {
    (!context.unicode).then(|| {
        Finding::advice(
            "locale",
            "not UTF-8: everything is shown in ASCII",
            "set LANG to one such as C.UTF-8",
        )
    })
}

fn tmux() -> Option<Finding> {
    env::var_os("TMUX").filter(|value| !value.is_empty())?;
    let value = said("tmux", &["show-options", "-Apv", "allow-passthrough"]);
    Some(match value.as_deref() {
        Some("on" | "all") => Finding::good("tmux", "passes program status on"),
        Some(_) => Finding::advice(
            "tmux",
            "drops program status and progress (allow-passthrough is off)",
            "`tmux set -g allow-passthrough on`",
        ),
        // Before 3.3 there was no such option, and everything passed.
        None => Finding::good(
            "tmux",
            "does not know allow-passthrough, or does not answer",
        ),
    })
}

fn terminal(context: &Context) -> Option<Finding> {
    if !context.terminal {
        return None;
    }
    match probe::summary(PROBE_LIMIT) {
        Ok((version, understands)) => {
            let version = version.unwrap_or("this terminal".to_owned());
            let status = if understands {
                "understands program status (OSC 7501)"
            } else {
                "does not understand program status (OSC 7501): it shows titles and progress only"
            };
            Some(Finding::good("this window", format!("{version}: {status}")))
        }
        Err(failure) => Some(Finding::good("this window", failure.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn only_a_machine_that_says_so_is_said_to_keep_terminals_after_the_logout() {
        let verdict = |lingers, kills| after_logout(lingers, kills).verdict;
        assert_eq!(verdict(Some("yes"), Some("yes")), Verdict::Good);
        assert_eq!(verdict(Some("no"), Some("no")), Verdict::Good);
        assert_eq!(verdict(None, Some("no")), Verdict::Good);
        assert_eq!(verdict(Some("no"), Some("yes")), Verdict::Advice);
        assert_eq!(verdict(None, None), Verdict::Advice);
        let advice = after_logout(Some("no"), Some("yes")).advice.unwrap();
        assert!(advice.contains("loginctl enable-linger"));
    }

    #[test]
    fn a_window_without_a_terminal_type_is_advised() {
        for missing in [None, Some(""), Some("dumb")] {
            assert_eq!(term(missing, true).unwrap().verdict, Verdict::Advice);
        }
        assert_eq!(term(Some("xterm"), true).unwrap().verdict, Verdict::Good);
        assert_eq!(term(None, false), None);
    }
}
