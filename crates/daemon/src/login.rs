//! The environment of a fresh login, for terminals that are created over HTTP: what `login` sets, and
//! what the system's files add. The login shell's own startup files do the rest in the terminal.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `login` sets this where the system's configuration does not.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
const PATH_OF_ROOT: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Files of `KEY=VALUE` lines that a login reads; later ones win.
const FILES: [&str; 3] = [
    "/etc/environment",
    "/etc/locale.conf",
    "/etc/default/locale",
];

/// What a login of this user starts with.
pub(crate) struct Login {
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) home: PathBuf,
}

/// Reads the user database and the system's files anew each time: they change.
pub(crate) fn fresh() -> Login {
    let uid = rustix::process::getuid().as_raw();
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let own = |variable: &str| std::env::var(variable).ok();
    let user = entry(&passwd, uid).unwrap_or_else(|| User {
        // A directory service knows this user; the daemon's own environment came from a login.
        name: own("USER").or_else(|| own("LOGNAME")).unwrap_or_default(),
        home: own("HOME").unwrap_or_else(|| "/".to_owned()),
        shell: own("SHELL").unwrap_or_else(|| "/bin/sh".to_owned()),
    });
    let path = if uid == 0 { PATH_OF_ROOT } else { PATH };
    let mut env: BTreeMap<String, String> = BTreeMap::from([("PATH".to_owned(), path.to_owned())]);
    for file in FILES {
        if let Ok(text) = std::fs::read_to_string(file) {
            env.extend(assignments(&text));
        }
    }
    env.insert("HOME".to_owned(), user.home.clone());
    env.insert("SHELL".to_owned(), user.shell);
    env.insert("USER".to_owned(), user.name.clone());
    env.insert("LOGNAME".to_owned(), user.name);
    // A login gets it where there is one; so do programs that look for the user's services.
    if let Some(directory) = own("XDG_RUNTIME_DIR").filter(|path| Path::new(path).is_dir()) {
        env.insert("XDG_RUNTIME_DIR".to_owned(), directory);
    }
    Login {
        env: env
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect(),
        home: user.home.into(),
    }
}

struct User {
    name: String,
    home: String,
    shell: String,
}

fn entry(passwd: &str, uid: u32) -> Option<User> {
    passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, _, id, _, _, home, shell] = fields[..] else {
            return None;
        };
        (id.parse() == Ok(uid)).then(|| User {
            name: name.to_owned(),
            home: home.to_owned(),
            shell: if shell.is_empty() { "/bin/sh" } else { shell }.to_owned(),
        })
    })
}

/// `KEY=VALUE`, the value perhaps in quotes, `export` perhaps before it; comments skipped.
fn assignments(text: &str) -> impl Iterator<Item = (String, String)> {
    text.lines().filter_map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (key, value) = line.split_once('=')?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if key.is_empty() || !key.bytes().all(is_name) {
            return None;
        }
        let quoted = ['"', '\'']
            .into_iter()
            .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
        Some((key.to_owned(), quoted.unwrap_or(value).to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_lose_quotes_and_comments() {
        let text = "# comment\nLANG=\"de_DE.UTF-8\"\nexport A='b c'\nPATH=/x\nbad line\n=y\n";
        let read: Vec<_> = assignments(text).collect();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            read,
            [
                pair("LANG", "de_DE.UTF-8"),
                pair("A", "b c"),
                pair("PATH", "/x")
            ]
        );
    }

    #[test]
    fn an_empty_shell_of_the_user_database_is_sh() {
        let user = entry("x:x:7:7::/home/x:\n", 7).unwrap();
        assert_eq!((user.name.as_str(), user.home.as_str()), ("x", "/home/x"));
        assert_eq!(user.shell, "/bin/sh");
        assert!(entry("x:x:7:7::/home/x:\n", 8).is_none());
    }
}
