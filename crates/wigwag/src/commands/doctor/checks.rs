//! What `doctor` looks at, one function each.

use super::Finding;
use crate::commands::probe;
use crate::output::Context;
use client::Client;
use holder::connection::Connection;
use holder::paths::Paths;
use holder::protocol::Hello;
use std::collections::BTreeMap;
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Less free space than this and the journal will soon not be written.
const LITTLE_SPACE: u64 = 16 << 20;

/// How long the terminal has to answer.
const PROBE_LIMIT: Duration = Duration::from_secs(1);

/// All findings. The terminal is asked last: its conversation takes over the signals of this
/// process.
pub(super) fn all(paths: &Paths, context: &Context) -> Vec<Finding> {
    let mut findings = vec![runtime(paths), state(paths), holder_executable()];
    findings.extend(daemon(paths));
    findings.extend(holders(paths));
    findings.extend(config(paths));
    findings.extend(logout());
    findings.extend(locale(context));
    findings.extend(tmux());
    findings.extend(terminal(context));
    findings
}

fn runtime(paths: &Paths) -> Finding {
    let first = paths.runtime[0].display();
    match paths.create() {
        Ok(()) => Finding::good("sockets", format!("in {first}")),
        Err(error) => Finding::wrong(
            "sockets",
            error.to_string(),
            "it must be a directory of your own with mode 700: move away what is there, or set \
             XDG_RUNTIME_DIR",
        ),
    }
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
    let named = env::var_os("WIGWAG_HOLDER").map(PathBuf::from);
    let beside = || Some(env::current_exe().ok()?.parent()?.join("wigwag-holder"));
    match named.or_else(beside) {
        Some(path) if path.is_file() => Finding::good("holder", path.display().to_string()),
        path => Finding::wrong(
            "holder",
            format!("{} is not there", path.unwrap_or_default().display()),
            "install wigwag-holder beside wigwag: without it no terminal can be started",
        ),
    }
}

fn daemon(paths: &Paths) -> Vec<Finding> {
    let health = match Client::connect_existing(paths).and_then(|client| client.health()) {
        Ok(health) => health,
        Err(client::Error::Unreachable { .. }) => {
            let message = "not running; the next command that needs it starts it";
            return vec![Finding::good("daemon", message)];
        }
        Err(error) => {
            let advice = error
                .hint()
                .unwrap_or("`wigwag daemon logs` may say why")
                .to_owned();
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
    let mut dead = Vec::new();
    for terminal in &found {
        match Connection::open(&terminal.socket, &Hello::this_program()) {
            Ok(connection) => *programs.entry(connection.welcome.program).or_default() += 1,
            Err(_) => dead.push(terminal.id.clone()),
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
    if !dead.is_empty() {
        findings.push(Finding::advice(
            "terminals",
            format!("without a holder that answers: {}", dead.join(", ")),
            "`wigwag restart --lost` runs them again, `wigwag remove ID` forgets one",
        ));
    }
    findings
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
    vec![Finding::good("config", from), Finding::good("", values)]
}

/// Whether the machine ends a user's processes at the last logout.
fn logout() -> Option<Finding> {
    if !Path::new("/run/systemd/system").exists() {
        return None;
    }
    let output = Command::new("loginctl")
        .args(["show-user", "--property=Linger", "--value"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let lingers = output.is_ok_and(|output| output.stdout.starts_with(b"yes"));
    if lingers {
        return Some(Finding::good(
            "logout",
            "terminals stay after the last logout (linger)",
        ));
    }
    let kills = Command::new("busctl")
        .args([
            "get-property",
            "org.freedesktop.login1",
            "/org/freedesktop/login1",
        ])
        .args(["org.freedesktop.login1.Manager", "KillUserProcesses"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    if kills.is_ok_and(|output| output.stdout.starts_with(b"b true")) {
        let message = "this machine ends all your processes at the last logout, terminals too";
        let advice = "`loginctl enable-linger` keeps them";
        return Some(Finding::advice("logout", message, advice));
    }
    Some(Finding::good(
        "logout",
        "terminals stay after the last logout",
    ))
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
    let output = Command::new("tmux")
        .args(["show-options", "-Apv", "allow-passthrough"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let value = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    match value.as_deref() {
        Ok("on" | "all") => Some(Finding::good("tmux", "passes program status on")),
        _ => Some(Finding::advice(
            "tmux",
            "drops program status and progress (allow-passthrough is off)",
            "`tmux set -g allow-passthrough on`",
        )),
    }
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
