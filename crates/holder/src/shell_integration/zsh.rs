//! How zsh is injected: `ZDOTDIR` names a directory with nothing but a `.zshenv`, the first file of
//! the user's that zsh reads. It puts `ZDOTDIR` back at once, so that everything else is read from
//! where it lies, then defines what the integration does, and last sources the user's own
//! `.zshenv`, which may change `ZDOTDIR` itself. What is defined takes effect at the first prompt
//! (see the script).
//!
//! The machine's own `zshenv` is read before. Where it mentions `ZDOTDIR`, it would find ours in
//! place of the user's: then nothing is injected.

use super::{Injection, Shell, Start, quoted};
use std::ffi::OsString;
use std::path::Path;

/// What zsh then does.
pub(super) const SCRIPT: &str = include_str!("zsh/integration.zsh");

/// Where the machine's `zshenv` may be, by how zsh was built.
const GLOBAL: [&str; 2] = ["/etc/zsh/zshenv", "/etc/zshenv"];

/// The injection of a zsh, unless its arguments or the machine speak against it.
pub(super) fn injection(start: &Start<'_>) -> Option<Injection> {
    let is_harmless = |argument: &OsString| match argument.to_str() {
        Some("--login" | "--interactive" | "--no-global-rcs" | "--no-globalrcs") => true,
        Some(argument) => argument.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.chars().all(|c| "dil".contains(c))
        }),
        None => false,
    };
    let mentions = |path: &str| {
        std::fs::read(path).is_ok_and(|text| text.windows(7).any(|word| word == b"ZDOTDIR"))
    };
    if !start.arguments().iter().all(is_harmless) || GLOBAL.iter().any(|path| mentions(path)) {
        return None;
    }
    let directory = Path::new("zsh");
    Some(Injection {
        words: start.words.to_vec(),
        set: vec![("ZDOTDIR".into(), start.directory.join(directory).into())],
        unset: Vec::new(),
        files: vec![
            (directory.join(".zshenv"), zshenv(start)),
            (
                directory.join("integration.zsh"),
                Shell::Zsh.injected_script(start.aid).into(),
            ),
        ],
    })
}

/// The `.zshenv`. The user's own comes last: an error in it ends the reading of both.
fn zshenv(start: &Start<'_>) -> Vec<u8> {
    let restore = match start.variable("ZDOTDIR") {
        Some(own) => [b"ZDOTDIR=", quoted(own).as_slice()].concat(),
        None => b"unset ZDOTDIR".to_vec(),
    };
    let script = quoted(start.directory.join("zsh/integration.zsh").as_os_str());
    [
        b"# What the user's own variable was; everything else is read from there.\n",
        restore.as_slice(),
        b"\n[[ -o interactive ]] && builtin source ",
        &script,
        b"\n[[ ! -r \"${ZDOTDIR-$HOME}/.zshenv\" ]] || builtin source \"${ZDOTDIR-$HOME}/.zshenv\"\n",
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injected(line: &str, env: &[(OsString, OsString)]) -> Option<Injection> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        injection(&Start {
            words: &words,
            login: false,
            env,
            directory: Path::new("/run/t"),
            aid: "s3cret",
        })
    }

    fn zshenv_of(injection: &Injection) -> String {
        String::from_utf8(injection.files[0].1.clone()).unwrap()
    }

    #[test]
    fn zdotdir_is_put_back_to_what_it_was() {
        let injection = injected("zsh", &[]).unwrap();
        assert_eq!(injection.set, [("ZDOTDIR".into(), "/run/t/zsh".into())]);
        assert!(zshenv_of(&injection).contains("\nunset ZDOTDIR\n"));
        let env = [(OsString::from("ZDOTDIR"), OsString::from("/it's"))];
        let injection = injected("zsh", &env).unwrap();
        assert!(zshenv_of(&injection).contains("\nZDOTDIR='/it'\\''s'\n"));
    }

    #[test]
    fn a_zsh_without_startup_files_or_with_something_unknown_is_left_alone() {
        for line in ["zsh", "/bin/zsh -il", "zsh --login", "zsh -d"] {
            assert!(injected(line, &[]).is_some(), "{line}");
        }
        for line in [
            "zsh -f",
            "zsh --no-rcs",
            "zsh +o",
            "zsh --emulate=sh",
            "zsh -",
            "zsh -s",
        ] {
            assert_eq!(injected(line, &[]), None, "{line}");
        }
    }
}
