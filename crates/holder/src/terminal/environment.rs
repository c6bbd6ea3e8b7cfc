//! The environment of a terminal's program (interfaces.md, Environment of a terminal).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Variables that name an outer terminal, or say what only that one can do.
const OUTER: &[&str] = &[
    "COLORTERM",
    "COLUMNS",
    "INSIDE_EMACS",
    "LC_TERMINAL",
    "LC_TERMINAL_VERSION",
    "LINES",
    "STY",
    "TERM",
    "TERMINAL_EMULATOR",
    "TERMINATOR_UUID",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "TILIX_ID",
    "TMUX",
    "TMUX_PANE",
    "VTE_VERSION",
    "WINDOW",
    "WINDOWID",
    "WT_PROFILE_ID",
    "WT_SESSION",
    "XTERM_LOCALE",
    "XTERM_SHELL",
    "XTERM_VERSION",
];

/// Families of such variables.
const OUTER_PREFIXES: &[&str] = &[
    "ALACRITTY_",
    "CONTOUR_",
    "FOOT_",
    "GHOSTTY_",
    "GNOME_TERMINAL_",
    "ITERM_",
    "KITTY_",
    "KONSOLE_",
    "TMUX_",
    "VSCODE_INJECTION",
    "WARP_",
    "WEZTERM_",
    "WIGWAG_",
    "ZELLIJ",
];

/// What the holder tells the program.
pub(super) struct Own<'a> {
    /// The id.
    pub(super) id: &'a str,
    /// The name.
    pub(super) name: &'a str,
    /// The holder's socket.
    pub(super) socket: &'a Path,
    /// The directory it starts in.
    pub(super) cwd: &'a Path,
    /// The link to an agent, where the caller has one.
    pub(super) ssh_agent: Option<&'a Path>,
}

/// The caller's variables without those of outer terminals, then ours, then what was asked
/// for explicitly.
pub(super) fn environment(
    caller: &[(OsString, OsString)],
    own: &Own<'_>,
    set: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> = Vec::with_capacity(caller.len() + 10);
    let mut put =
        |key: &OsStr, value: &OsStr| match variables.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => value.clone_into(old),
            None => variables.push((key.to_owned(), value.to_owned())),
        };
    for (key, value) in caller
        .iter()
        .filter(|(key, _)| is_key(key) && !names_outer_terminal(key))
    {
        put(key, value);
    }
    let text = OsStr::new;
    put(text("WIGWAG_TERMINAL"), text(own.id));
    put(text("WIGWAG_NAME"), text(own.name));
    put(text("WIGWAG_SOCKET"), own.socket.as_os_str());
    put(text("TERM"), text("xterm-256color"));
    put(text("COLORTERM"), text("truecolor"));
    put(text("TERM_PROGRAM"), text("wigwag"));
    put(
        text("TERM_PROGRAM_VERSION"),
        text(env!("CARGO_PKG_VERSION")),
    );
    put(text("PWD"), own.cwd.as_os_str());
    if let Some(agent) = own.ssh_agent {
        put(text("SSH_AUTH_SOCK"), agent.as_os_str());
    }
    for (key, value) in set.iter().filter(|(key, _)| is_key(key)) {
        put(key, value);
    }
    variables
}

/// `execve` takes any bytes but these; a key with them would panic or change another variable.
fn is_key(key: &OsStr) -> bool {
    !key.is_empty() && !key.as_bytes().iter().any(|byte| matches!(byte, b'=' | 0))
}

fn names_outer_terminal(key: &OsStr) -> bool {
    let Some(key) = key.to_str() else {
        return false;
    };
    OUTER.contains(&key) || OUTER_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs
            .iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect()
    }

    fn of(
        caller: &[(&str, &str)],
        agent: Option<&str>,
        set: &[(&str, &str)],
    ) -> Vec<(OsString, OsString)> {
        let own = Own {
            id: "k3vq7a2m",
            name: "build",
            socket: Path::new("/run/sock"),
            cwd: Path::new("/src"),
            ssh_agent: agent.map(Path::new),
        };
        environment(&pairs(caller), &own, &pairs(set))
    }

    fn get<'a>(variables: &'a [(OsString, OsString)], key: &str) -> Option<&'a str> {
        variables
            .iter()
            .find(|(known, _)| known == key)
            .and_then(|(_, value)| value.to_str())
    }

    #[test]
    fn variables_of_outer_terminals_are_removed_and_others_kept() {
        let variables = of(
            &[
                ("TMUX", "x"),
                ("KITTY_WINDOW_ID", "1"),
                ("WT_SESSION", "x"),
                ("VTE_VERSION", "7"),
                ("WIGWAG_NAME", "outer"),
                ("TERM", "xterm-kitty"),
                ("PATH", "/bin"),
                ("LANG", "C"),
            ],
            None,
            &[],
        );
        for gone in ["TMUX", "KITTY_WINDOW_ID", "WT_SESSION", "VTE_VERSION"] {
            assert_eq!(get(&variables, gone), None, "{gone}");
        }
        assert_eq!(get(&variables, "PATH"), Some("/bin"));
        assert_eq!(get(&variables, "LANG"), Some("C"));
        assert_eq!(get(&variables, "WIGWAG_NAME"), Some("build"));
        assert_eq!(get(&variables, "TERM"), Some("xterm-256color"));
        assert_eq!(get(&variables, "PWD"), Some("/src"));
        assert_eq!(get(&variables, "SSH_AUTH_SOCK"), None);
    }

    #[test]
    fn what_is_set_explicitly_wins() {
        let variables = of(
            &[],
            Some("/run/agent"),
            &[("TERM_PROGRAM", "iTerm.app"), ("A", "b")],
        );
        assert_eq!(get(&variables, "TERM_PROGRAM"), Some("iTerm.app"));
        assert_eq!(get(&variables, "A"), Some("b"));
        assert_eq!(get(&variables, "SSH_AUTH_SOCK"), Some("/run/agent"));
    }
}
