//! How fish is injected: one more `--init-command`, which sources the script. fish runs it when all
//! configuration was read, beside those that the user gave, and nothing of it is inherited.

use super::{Injection, Shell, Start};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

/// What fish then does.
pub(super) const SCRIPT: &str = include_str!("fish/integration.fish");

/// The injection of a fish, unless its arguments speak against it.
pub(super) fn injection(start: &Start<'_>) -> Option<Injection> {
    let mut arguments = start.arguments().iter();
    while let Some(argument) = arguments.next() {
        match argument.to_str()? {
            "--login" | "--interactive" | "-i" | "-l" | "-il" | "-li" | "-P" | "--private" => {}
            "-C" | "--init-command" => {
                arguments.next()?;
            }
            long if long.starts_with("--init-command=") => {}
            _ => return None,
        }
    }
    let file = Path::new("fish/integration.fish");
    let path = start.directory.join(file);
    let mut words = start.words.to_vec();
    words.push("--init-command".into());
    words.push(source(path.as_os_str()));
    Some(Injection {
        words,
        files: vec![(
            file.to_owned(),
            Shell::Fish.injected_script(start.aid).into(),
        )],
        ..Injection::default()
    })
}

/// The command that sources a file, if it is still there.
fn source(path: &OsStr) -> OsString {
    let mut command = b"source '".to_vec();
    for &byte in path.as_bytes() {
        if matches!(byte, b'\'' | b'\\') {
            command.push(b'\\');
        }
        command.push(byte);
    }
    command.push(b'\'');
    OsString::from_vec(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injected(line: &str) -> Option<Vec<OsString>> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let injection = injection(&Start {
            words: &words,
            login: false,
            env: &[],
            directory: Path::new("/run/it's"),
            aid: "s3cret",
        });
        injection.map(|injection| injection.words[words.len()..].to_vec())
    }

    #[test]
    fn one_more_init_command_sources_the_script() {
        for line in ["fish", "/usr/bin/fish -il", "fish -C clear", "fish --login"] {
            assert_eq!(
                injected(line).unwrap(),
                [
                    "--init-command",
                    "source '/run/it\\'s/fish/integration.fish'"
                ],
                "{line}"
            );
        }
    }

    #[test]
    fn a_fish_without_configuration_or_with_something_unknown_is_left_alone() {
        for line in [
            "fish --no-config",
            "fish -N",
            "fish -d all",
            "fish -n",
            "fish -C",
        ] {
            assert_eq!(injected(line), None, "{line}");
        }
    }
}
