//! The user's login shell, and which commands are an interactive shell (status.md, Title).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Programs that are shells when nothing tells them what to run.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "oksh", "pwsh", "rbash",
    "sh", "tcsh", "xonsh", "yash", "zsh",
];

/// `$SHELL` of the caller, or what the user database says, or `/bin/sh`; the first that can be run.
pub(super) fn login_shell(env: &[(OsString, OsString)]) -> PathBuf {
    let chosen = env
        .iter()
        .rev()
        .find(|(key, _)| key == "SHELL")
        .map(|(_, value)| PathBuf::from(value));
    let known = crate::passwd::current_user().map(|user| user.shell);
    let candidates = chosen.into_iter().chain(known);
    candidates
        .into_iter()
        .find(|shell| can_run(shell))
        .unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

fn can_run(path: &Path) -> bool {
    path.is_absolute()
        && path.is_file()
        && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Whether these words start an interactive shell: a shell with options only, none of which gives
/// it something to run.
pub(super) fn is_interactive_shell(words: &[OsString]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    let base = Path::new(program)
        .file_name()
        .and_then(OsStr::to_str)
        .unwrap_or_default();
    if !SHELLS.contains(&base) {
        return false;
    }
    let mut arguments = arguments.iter().map(|argument| argument.as_bytes());
    while let Some(argument) = arguments.next() {
        match argument {
            b"--rcfile" | b"--init-file" | b"--init-command" | b"-C" => {
                arguments.next();
            }
            [b'-', b'-', long @ ..] if long.starts_with(b"command") => return false,
            [b'-', b'-', ..] => {}
            [b'-' | b'+', short @ ..] if !short.contains(&b'c') => {}
            _ => return false,
        }
    }
    true
}

/// What the process of the terminal's shell runs: `exec` can make another shell of it, or a
/// program.
#[derive(Debug, Default)]
pub(super) struct Image {
    /// As `processes::image_of` tells it; `None` before the first look.
    known: Option<u64>,
    /// It became something else than a shell.
    is_other: bool,
}

impl Image {
    /// Takes a look at the process: whether it is another than at the last one. `image` is `None`
    /// where that cannot be known.
    pub(super) fn look(&mut self, image: Option<u64>, name: &str) -> bool {
        let Some(image) = image else { return false };
        let before = self.known.replace(image);
        let replaced = before.is_some_and(|before| before != image);
        if replaced {
            self.is_other = !SHELLS.contains(&name);
        }
        replaced
    }

    /// It is a shell.
    pub(super) fn is_shell(&self) -> bool {
        !self.is_other
    }
}

/// The words as a person would type them.
pub(super) fn command_line(words: &[OsString]) -> String {
    let quoted: Vec<String> = words
        .iter()
        .map(|word| {
            let word = word.to_string_lossy();
            let plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-^".contains(c);
            if !word.is_empty() && word.chars().all(plain) {
                word.into_owned()
            } else {
                format!("'{}'", word.replace('\'', "'\\''"))
            }
        })
        .collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_shell_with_something_to_run_is_a_program() {
        for line in [
            "bash",
            "/bin/zsh -l",
            "bash --rcfile x -i",
            "fish -C init",
            "bash --posix",
        ] {
            assert!(is_interactive_shell(&words(line)), "{line}");
        }
        for line in [
            "sh -c exit",
            "bash script.sh",
            "bash -lc true",
            "python3",
            "fish --command=ls",
        ] {
            assert!(!is_interactive_shell(&words(line)), "{line}");
        }
    }

    #[test]
    fn exec_makes_another_shell_or_a_program_of_the_shell() {
        let mut shell = Image::default();
        // Whatever the login shell is called, it is one.
        assert!(!shell.look(Some(1), "my-shell") && shell.is_shell());
        assert!(!shell.look(Some(1), "my-shell") && !shell.look(None, "my-shell"));
        assert!(shell.look(Some(2), "zsh") && shell.is_shell());
        assert!(shell.look(Some(3), "ssh") && !shell.is_shell());
    }

    #[test]
    fn a_command_line_is_quoted_where_it_must_be() {
        let line: Vec<OsString> = ["sh", "-c", "exit 3", "it's", ""]
            .map(OsString::from)
            .into();
        assert_eq!(command_line(&line), "sh -c 'exit 3' 'it'\\''s' ''");
    }
}
