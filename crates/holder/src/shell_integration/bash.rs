//! How Bash is injected.
//!
//! A shell that is no login shell is given a startup file of ours (`--rcfile`). Bash reads the machine's
//! own `bash.bashrc` before it, as ever; ours sources what would have come in its place.
//!
//! A login shell has no such option. It is started in POSIX mode, where an interactive shell reads the
//! file that `ENV` names and no other: ours leaves that mode, puts back what it changed, and sources
//! the files of a login shell in their order.
//!
//! The integration is defined before the user's files, so that no alias of theirs gets into it, and
//! takes effect after them.

use super::{Injection, Shell, Start, quoted};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

/// What Bash then does.
pub(super) const SCRIPT: &str = include_str!("bash/integration.bash");

/// Makes the file that is sourced next end as it would without us. It may leave `set -e` on with its last
/// status not 0, which is harmless at the end of a startup file, but where that one is sourced the
/// shell would exit: so `set -e` pauses until the sourcing is over.
const BEFORE_FILE: &str = r"\trap 'case ${#BASH_SOURCE[@]} in 1) \trap - RETURN; case $- in *e*) \set +e; __wigwag_errexit=(1) ;; esac ;; esac' RETURN
";
/// What comes after each such file; its status is kept.
const AFTER_FILES: &str = "__wigwag_start \"$?\" \"${__wigwag_errexit-}\" && ((1))\n";

/// The injection of a Bash, unless its arguments or variables speak against it.
pub(super) fn injection(start: &Start<'_>) -> Option<Injection> {
    let arguments = Arguments::read(start.arguments())?;
    if start.variable("POSIXLY_CORRECT").is_some() || has_option(start, "SHELLOPTS", "posix") {
        return None;
    }
    let place = start.directory.join("bash");
    let file = place.join("startup.bash");
    let mut injection = Injection {
        words: vec![start.words.first()?.clone()],
        ..Injection::default()
    };
    // Long options stand before short ones.
    let text = if start.login || arguments.login {
        if start.env.iter().any(|(key, _)| is_lost_function(key)) {
            return None;
        }
        injection.words.push("--posix".into());
        injection
            .set
            .push(("ENV".into(), unexpanded(file.as_os_str())));
        login_startup(start, &place)
    } else {
        injection.words.extend(["--rcfile".into(), file.into()]);
        startup(&arguments, &place)
    };
    injection.words.extend(arguments.kept.into_iter().cloned());
    let script = Shell::Bash.injected_script(start.aid);
    injection.files = vec![
        ("bash/startup.bash".into(), text),
        ("bash/integration.bash".into(), script.into()),
    ];
    Some(injection)
}

/// Arguments that are known to be harmless.
#[derive(Default)]
struct Arguments<'a> {
    /// They ask for a login shell.
    login: bool,
    /// The startup file they name.
    file: Option<&'a OsStr>,
    /// All others.
    kept: Vec<&'a OsString>,
}

impl<'a> Arguments<'a> {
    /// `None`: there are others.
    fn read(arguments: &'a [OsString]) -> Option<Self> {
        let mut read = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.to_str()? {
                "--rcfile" | "--init-file" => read.file = Some(arguments.next()?),
                "--login" => {
                    read.login = true;
                    read.kept.push(argument);
                }
                argument_text => {
                    let letters = argument_text.strip_prefix('-')?;
                    if letters.is_empty() || letters.chars().any(|letter| !"il".contains(letter)) {
                        return None;
                    }
                    read.login |= letters.contains('l');
                    read.kept.push(argument);
                }
            }
        }
        Some(read)
    }
}

/// The startup file of a shell that is no login shell.
fn startup(arguments: &Arguments<'_>, place: &Path) -> Vec<u8> {
    let file = match arguments.file {
        None => b"~/.bashrc".to_vec(),
        // Without a slash, `.` would look along PATH first.
        Some(file) if file.as_bytes().contains(&b'/') => quoted(file),
        Some(file) => [b"./".as_slice(), &quoted(file)].concat(),
    };
    [definitions(place), sourcing(&[&file]), AFTER_FILES.into()].concat()
}

/// The startup file of a login shell.
fn login_startup(start: &Start<'_>, place: &Path) -> Vec<u8> {
    let mut text = b"\\set +o posix\n".to_vec();
    match start.variable("ENV") {
        Some(own) => text.extend([b"ENV=", quoted(own).as_slice(), b"\n"].concat()),
        None => text.extend(b"\\unset -v ENV\n"),
    }
    for (variable, setting) in [
        ("HISTFILE", "HISTFILE=~/.bash_history\n"),
        ("MAILCHECK", "MAILCHECK=60\n"),
    ] {
        if start.variable(variable).is_none() {
            text.extend(setting.as_bytes());
        }
    }
    for option in ["inherit_errexit", "shift_verbose"] {
        if !has_option(start, "BASHOPTS", option) {
            text.extend(format!("\\shopt -u {option}\n").into_bytes());
        }
    }
    [
        text,
        definitions(place),
        sourcing(&[b"/etc/profile"]),
        sourcing(&[b"~/.bash_profile", b"~/.bash_login", b"~/.profile"]),
        AFTER_FILES.into(),
    ]
    .concat()
}

/// Sources the integration.
fn definitions(place: &Path) -> Vec<u8> {
    let script = quoted(place.join("integration.bash").as_os_str());
    [
        b"\\. ",
        script.as_slice(),
        b" injected\n__wigwag_hook+='; \\trap - RETURN'\n",
    ]
    .concat()
}

/// Sources the first of these files that is there, with its own errors if it cannot be read.
fn sourcing(files: &[&[u8]]) -> Vec<u8> {
    let mut text = BEFORE_FILE.as_bytes().to_vec();
    let mut word: &[u8] = b"if";
    for file in files {
        text.extend([word, b" [[ -e ", file, b" ]]; then\n    \\. ", file, b"\n"].concat());
        word = b"elif";
    }
    text.extend(b"else\n    \\trap - RETURN\nfi\n");
    text
}

/// Whether the shell is started with this option in `SHELLOPTS` or `BASHOPTS`.
fn has_option(start: &Start<'_>, variable: &str, option: &str) -> bool {
    let options = start.variable(variable).unwrap_or_default().as_bytes();
    options
        .split(|byte| *byte == b':')
        .any(|known| known == option.as_bytes())
}

/// Whether this variable is a function that POSIX mode does not take from the environment.
fn is_lost_function(key: &OsStr) -> bool {
    const SPECIAL_BUILTINS: [&[u8]; 14] = [
        b"break",
        b"continue",
        b"eval",
        b"exec",
        b"exit",
        b"export",
        b"readonly",
        b"return",
        b"set",
        b"shift",
        b"source",
        b"times",
        b"trap",
        b"unset",
    ];
    let name = key.as_bytes().strip_prefix(b"BASH_FUNC_");
    let Some(name) = name.and_then(|name| name.strip_suffix(b"%%")) else {
        return false;
    };
    let is_identifier = name
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && !name.first().is_none_or(u8::is_ascii_digit);
    !is_identifier || SPECIAL_BUILTINS.contains(&name)
}

/// A path as the value of `ENV`, which Bash expands as if it stood in double quotes.
fn unexpanded(path: &OsStr) -> OsString {
    let mut text = Vec::with_capacity(path.len());
    for &byte in path.as_bytes() {
        if b"$`\\\"".contains(&byte) {
            text.push(b'\\');
        }
        text.push(byte);
    }
    OsString::from_vec(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injected(line: &str, login: bool, env: &[(&str, &str)]) -> Option<Injection> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let env: Vec<(OsString, OsString)> = env
            .iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        Injection::of(&Start {
            words: &words,
            login,
            env: &env,
            directory: Path::new("/run/t"),
            aid: "s3cret",
        })
    }

    fn words(line: &str, login: bool) -> Option<String> {
        let injection = injected(line, login, &[])?;
        let words: Vec<&str> = injection
            .words
            .iter()
            .map(|word| word.to_str().unwrap())
            .collect();
        Some(words.join(" "))
    }

    fn startup_text(injection: &Injection) -> String {
        let (_, text) = &injection.files[0];
        String::from_utf8(text.clone()).unwrap()
    }

    #[test]
    fn a_shell_is_given_a_startup_file_and_a_login_shell_posix_mode() {
        for (line, login, given) in [
            ("bash", false, "bash --rcfile /run/t/bash/startup.bash"),
            (
                "bash -i",
                false,
                "bash --rcfile /run/t/bash/startup.bash -i",
            ),
            ("/bin/bash", true, "/bin/bash --posix"),
            ("bash -il", false, "bash --posix -il"),
            ("bash --login -i", false, "bash --posix --login -i"),
        ] {
            assert_eq!(words(line, login).as_deref(), Some(given), "{line}");
        }
    }

    #[test]
    fn a_startup_file_of_the_users_choice_is_sourced_in_place_of_bashrc() {
        for option in ["--rcfile", "--init-file"] {
            let injection = injected(&format!("bash {option} it's -i"), false, &[]).unwrap();
            assert_eq!(injection.words.len(), 4);
            let text = startup_text(&injection);
            assert!(text.contains("\\. ./'it'\\''s'\n"), "{text}");
            assert!(!text.contains(".bashrc"), "{text}");
        }
    }

    #[test]
    fn other_options_are_not_injected() {
        for line in [
            "bash --norc",
            "bash --noprofile",
            "bash --posix",
            "bash --noediting",
            "bash -p",
            "bash -r",
            "bash +O login_shell",
            "bash -",
            "bash --rcfile",
            "rbash",
            "sh",
        ] {
            assert_eq!(words(line, false), None, "{line}");
        }
    }

    #[test]
    fn posix_mode_of_the_users_own_is_not_injected() {
        for variable in [("POSIXLY_CORRECT", ""), ("SHELLOPTS", "emacs:posix")] {
            assert_eq!(injected("bash", false, &[variable]), None, "{variable:?}");
            assert_eq!(injected("bash", true, &[variable]), None, "{variable:?}");
        }
        assert!(injected("bash", true, &[("SHELLOPTS", "emacs:posixly")]).is_some());
    }

    #[test]
    fn a_function_that_posix_mode_would_lose_keeps_a_login_shell_as_it_is() {
        for name in ["BASH_FUNC_a-b%%", "BASH_FUNC_set%%", "BASH_FUNC_1%%"] {
            assert_eq!(
                injected("bash", true, &[(name, "() { :; }")]),
                None,
                "{name}"
            );
            assert!(injected("bash", false, &[(name, "() { :; }")]).is_some());
        }
        assert!(injected("bash", true, &[("BASH_FUNC_which%%", "() { :; }")]).is_some());
    }

    #[test]
    fn a_login_shell_gets_back_what_posix_mode_changes() {
        let text = startup_text(&injected("bash", true, &[]).unwrap());
        for line in [
            "\\set +o posix\n",
            "\\unset -v ENV\n",
            "HISTFILE=~/.bash_history\n",
            "MAILCHECK=60\n",
            "\\shopt -u inherit_errexit\n",
        ] {
            assert!(text.contains(line), "{line}");
        }
        let own = [
            ("ENV", "~/it's"),
            ("HISTFILE", "/h"),
            ("MAILCHECK", "5"),
            ("BASHOPTS", "inherit_errexit"),
        ];
        let text = startup_text(&injected("bash", true, &own).unwrap());
        assert!(text.contains("ENV='~/it'\\''s'\n"), "{text}");
        for variable in ["HISTFILE=", "MAILCHECK=", "inherit_errexit"] {
            assert!(!text.contains(variable), "{text}");
        }
    }

    #[test]
    fn the_path_in_env_is_not_expanded() {
        let path = unexpanded(OsStr::new("/a$b/`c`/\"\\d"));
        assert_eq!(path, "/a\\$b/\\`c\\`/\\\"\\\\d");
    }
}
