//! Shell integration: zsh, Bash and fish tell where a prompt is, what command runs and how it
//! ended, without a change to any file of the user (status.md, Shells).
//!
//! A shell is *injected* when Wigwag starts it as the interactive shell of a terminal: it gets other
//! words or variables and files to read, which lie in the terminal's own directory in the runtime
//! directory. They are written anew for each start and go with the terminal, so there is nothing to
//! install, to update or to leave behind. How a shell is injected stands in its own file here, what
//! it then does in the script beside it.
//!
//! A script carries the secret `aid=` of its terminal: marks with it are the shell's own, whatever
//! programs print (signals.md, Whose mark is it). What `wigwag shell-integration` prints is the
//! same script without a secret.
//!
//! Not injected: shells that were started with an option not known to be harmless, and all
//! others than these three. Their own marks and titles count, and the foreground tells the rest.

mod bash;
mod fish;
mod zsh;

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Stands for `;aid=…` in the scripts: every mark they send has it.
const AID: &str = "@AID@";

/// A shell that can be integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// zsh.
    Zsh,
    /// Bash.
    Bash,
    /// fish.
    Fish,
}

impl Shell {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Zsh, Self::Bash, Self::Fish];

    /// The name of its executable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zsh => "zsh",
            Self::Bash => "bash",
            Self::Fish => "fish",
        }
    }

    /// The script for people who source it themselves.
    pub fn script(self) -> String {
        self.source().replace(AID, "")
    }

    /// The script of a terminal whose secret is `aid`.
    fn injected_script(self, aid: &str) -> String {
        self.source().replace(AID, &format!(";aid={aid}"))
    }

    fn source(self) -> &'static str {
        match self {
            Self::Zsh => zsh::SCRIPT,
            Self::Bash => bash::SCRIPT,
            Self::Fish => fish::SCRIPT,
        }
    }

    /// Which one a program is, by its file name.
    fn of(program: &OsStr) -> Option<Self> {
        let name = Path::new(program).file_name()?;
        Self::ALL.into_iter().find(|shell| name == shell.name())
    }
}

/// An interactive shell that is about to start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'a> {
    /// The shell and its arguments; they give it nothing to run.
    pub(crate) words: &'a [OsString],
    /// Its first word will get a dash before it.
    pub(crate) login: bool,
    /// Its variables.
    pub(crate) env: &'a [(OsString, OsString)],
    /// Where its files will be.
    pub(crate) directory: &'a Path,
    /// The secret of its marks.
    pub(crate) aid: &'a str,
}

impl<'a> Start<'a> {
    /// What the shell is given after its name.
    fn arguments(&self) -> &'a [OsString] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The value of a variable.
    fn variable(&self, name: &str) -> Option<&'a OsStr> {
        let found = self.env.iter().rev().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_os_str())
    }
}

/// What is different about a shell that is injected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Injection {
    /// The words, in place of those of the start.
    pub(crate) words: Vec<OsString>,
    /// Variables to set.
    pub(crate) set: Vec<(OsString, OsString)>,
    /// Variables to remove.
    pub(crate) unset: Vec<OsString>,
    /// Files to write: where, beneath the directory of the start, and what.
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
}

impl Injection {
    /// How this shell is injected; `None`: not at all.
    pub(crate) fn of(start: &Start<'_>) -> Option<Self> {
        match Shell::of(start.words.first()?)? {
            Shell::Zsh => zsh::injection(start),
            Shell::Bash => bash::injection(start),
            Shell::Fish => fish::injection(start),
        }
    }

    /// Writes the files, in place of those of an earlier start.
    pub(crate) fn write(&self, directory: &Path) -> io::Result<()> {
        use crate::paths::at;
        crate::paths::remove_directory(directory)?;
        for (name, text) in &self.files {
            let path = directory.join(name);
            let parent = path.parent().unwrap_or(directory);
            let mut builder = DirBuilder::new();
            let created = builder.recursive(true).mode(0o700).create(parent);
            created.map_err(at(parent))?;
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).mode(0o600).open(&path);
            file.and_then(|mut file| file.write_all(text))
                .map_err(at(&path))?;
        }
        Ok(())
    }

    /// The variables of the start with the changes made.
    pub(crate) fn variables(&self, start: &Start<'_>) -> Vec<(OsString, OsString)> {
        let changed = |key: &OsString| {
            self.unset.contains(key) || self.set.iter().any(|(changed, _)| changed == key)
        };
        let kept = start.env.iter().filter(|(key, _)| !changed(key));
        kept.chain(&self.set).cloned().collect()
    }
}

/// 96 random bits in hexadecimal: nobody guesses them, and they are harmless in any shell.
pub(crate) fn random_aid() -> io::Result<String> {
    let source = Path::new("/dev/urandom");
    let mut bytes = [0; 12];
    std::fs::File::open(source)
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(crate::paths::at(source))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A word as zsh and Bash read it, whatever its bytes.
fn quoted(word: &OsStr) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    let mut quoted = vec![b'\''];
    for &byte in word.as_bytes() {
        match byte {
            b'\'' => quoted.extend_from_slice(br"'\''"),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn injection(line: &str) -> Option<Injection> {
        Injection::of(&Start {
            words: &words(line),
            login: false,
            env: &[],
            directory: Path::new("/run/t"),
            aid: "s3cret",
        })
    }

    #[test]
    fn shells_we_do_not_know_are_not_injected() {
        for line in ["dash", "nu", "/usr/bin/ksh", "zsh-5.9", "python3"] {
            assert_eq!(injection(line), None, "{line}");
        }
    }

    #[test]
    fn what_people_source_has_no_secret_and_what_is_injected_has() {
        for shell in Shell::ALL {
            assert!(!shell.script().contains("aid"), "{}", shell.name());
            assert!(!shell.injected_script("s3cret").contains(AID));
        }
    }

    #[test]
    fn files_are_written_anew_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("shell");
        let injection = |name: &str| Injection {
            files: vec![(name.into(), b"text".to_vec())],
            ..Injection::default()
        };
        injection("old").write(&place).unwrap();
        injection("zsh/.zshenv").write(&place).unwrap();
        assert!(!place.join("old").exists());
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&place.join("zsh")), 0o700);
        assert_eq!(mode(&place.join("zsh/.zshenv")), 0o600);
    }

    #[test]
    fn variables_are_set_and_removed() {
        let pair = |key: &str, value: &str| (OsString::from(key), OsString::from(value));
        let env = [pair("A", "1"), pair("B", "2"), pair("C", "3")];
        let start = Start {
            words: &words("zsh"),
            login: false,
            env: &env,
            directory: Path::new("/run/t"),
            aid: "s3cret",
        };
        let injection = Injection {
            set: vec![pair("A", "9"), pair("D", "4")],
            unset: vec!["B".into()],
            ..Injection::default()
        };
        assert_eq!(
            injection.variables(&start),
            [pair("C", "3"), pair("A", "9"), pair("D", "4")]
        );
    }

    #[test]
    fn a_word_is_quoted_whatever_it_holds() {
        assert_eq!(quoted(OsStr::new("it's $HOME\n")), b"'it'\\''s $HOME\n'");
    }

    #[test]
    fn no_two_secrets_are_alike() {
        let (one, other) = (random_aid().unwrap(), random_aid().unwrap());
        assert_ne!(one, other);
        assert!(one.len() == 24 && one.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
