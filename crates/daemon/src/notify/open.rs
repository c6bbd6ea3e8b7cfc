//! Opening a terminal from a notification: the person's terminal program, with `wigwag attach` in it.
//!
//! The program is what `[notify.desktop] open` says. Without it: `$TERMINAL`, the program that the
//! desktop has for this, or the first that is installed.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// Stands for the terminal's name in `open`.
const PLACE: &str = "{terminal}";

/// Terminal programs, and what stands before the command that they are to run. The first two are
/// whatever the person or the distribution chose.
const PROGRAMS: [(&str, &[&str]); 14] = [
    ("xdg-terminal-exec", &[]),
    ("x-terminal-emulator", &["-e"]),
    ("ptyxis", &["--"]),
    ("gnome-terminal", &["--"]),
    ("kgx", &["-e"]),
    ("konsole", &["-e"]),
    ("xfce4-terminal", &["-x"]),
    ("kitty", &[]),
    ("ghostty", &["-e"]),
    ("foot", &[]),
    ("alacritty", &["-e"]),
    ("wezterm", &["start", "--"]),
    ("terminator", &["-x"]),
    ("xterm", &["-e"]),
];

/// What is run for this terminal; `None`: the picker. The error says what to set.
pub(crate) fn words(
    configured: Option<&[String]>,
    terminal: Option<&str>,
    chosen: Option<&str>,
    is_installed: impl Fn(&str) -> bool,
    own: &str,
) -> Result<Vec<String>, String> {
    if let Some(words) = configured {
        let words = words
            .iter()
            .filter(|word| terminal.is_some() || *word != PLACE);
        let fill = |word: &String| word.replace(PLACE, terminal.unwrap_or_default());
        return Ok(words.map(fill).collect());
    }
    let chosen = chosen.filter(|program| !program.is_empty() && is_installed(program));
    let known = |program: &str| {
        let name = Path::new(program)
            .file_name()
            .and_then(|name| name.to_str());
        let entry = PROGRAMS.iter().find(|(known, _)| Some(*known) == name);
        entry.map_or(&["-e"][..], |(_, before)| before)
    };
    let installed = PROGRAMS
        .iter()
        .map(|(program, _)| *program)
        .find(|program| is_installed(program));
    let Some(program) = chosen.or(installed) else {
        return Err(
            "no terminal program is found: set `[notify.desktop] open` to yours, such as \
             [\"kitty\", \"wigwag\", \"attach\", \"{terminal}\"]"
                .to_owned(),
        );
    };
    let mut words = vec![program.to_owned()];
    words.extend(known(program).iter().map(|word| (*word).to_owned()));
    words.extend([own.to_owned(), "attach".to_owned()]);
    words.extend(terminal.map(str::to_owned));
    Ok(words)
}

/// Whether a program is found, by path or by name.
pub(crate) fn is_installed(program: &str) -> bool {
    let is_program = |path: PathBuf| {
        path.is_file() && rustix::fs::access(&path, rustix::fs::Access::EXEC_OK).is_ok()
    };
    if program.contains('/') {
        return is_program(program.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| is_program(directory.join(program)))
}

/// This executable, also after it was replaced by a newer one at the same place.
pub(crate) fn own() -> String {
    let path = std::env::current_exe().unwrap_or_else(|_| "wigwag".into());
    let path = path.to_string_lossy();
    path.strip_suffix(" (deleted)").unwrap_or(&path).to_owned()
}

/// Starts it, detached from the daemon; whatever it says is nobody's.
pub(crate) fn start(words: &[String], variables: &[(String, String)]) -> Result<(), String> {
    let Some((program, args)) = words.split_first() else {
        return Err("`[notify.desktop] open` names no program".to_owned());
    };
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    // Where the daemon runs in a terminal, the window is none of its own.
    command.env_remove("WIGWAG_TERMINAL").env_remove("TMUX");
    for (name, value) in variables {
        command.env(name, value);
    }
    let started = command.spawn();
    let mut child = started.map_err(|error| format!("cannot run {program}: {error}"))?;
    let program = program.clone();
    tokio::spawn(async move {
        match child.wait().await {
            Ok(status) if !status.success() => tracing::warn!("{program}: {status}"),
            _ => {}
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(
        configured: Option<&[&str]>,
        terminal: Option<&str>,
        chosen: Option<&str>,
        installed: &[&str],
    ) -> Result<String, String> {
        let configured: Option<Vec<String>> =
            configured.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
        let is_installed = |program: &str| installed.contains(&program);
        let words = words(
            configured.as_deref(),
            terminal,
            chosen,
            is_installed,
            "/bin/wigwag",
        );
        words.map(|words| words.join(" "))
    }

    #[test]
    fn what_is_configured_is_run_with_the_terminal_s_name() {
        let kitty = [
            "kitty",
            "-T",
            "{terminal}",
            "wigwag",
            "attach",
            "{terminal}",
        ];
        let run = found(Some(&kitty), Some("build"), Some("xterm"), &["xterm"]);
        assert_eq!(run.unwrap(), "kitty -T build wigwag attach build");
        // Of several terminals, the picker.
        let several = found(
            Some(&["kitty", "wigwag", "attach", "{terminal}"]),
            None,
            None,
            &[],
        );
        assert_eq!(several.unwrap(), "kitty wigwag attach");
    }

    #[test]
    fn without_it_the_person_s_then_the_desktop_s_then_any() {
        let all = ["foot", "xterm", "xdg-terminal-exec"];
        let with = |chosen, installed: &[&str]| found(None, Some("b"), chosen, installed).unwrap();
        assert_eq!(with(Some("foot"), &all), "foot /bin/wigwag attach b");
        assert_eq!(
            with(Some("gone"), &all),
            "xdg-terminal-exec /bin/wigwag attach b"
        );
        assert_eq!(with(None, &["xterm"]), "xterm -e /bin/wigwag attach b");
        assert_eq!(with(Some("st"), &["st"]), "st -e /bin/wigwag attach b");
    }

    #[test]
    fn without_any_it_is_said_what_to_set() {
        assert!(
            found(None, Some("b"), None, &[])
                .unwrap_err()
                .contains("[notify.desktop] open")
        );
    }
}
