//! Changes of `config.toml` by command: what a person wrote there stays as it is, comments and order
//! included.
//!
//! A change is a JSON merge patch (RFC 7396): objects are tables, `null` takes a key out, so that its
//! default holds again. The changed text is checked before it is written, and written beside the
//! file first: whoever reads it sees the old or the new one.

use super::{Config, ConfigError};
use serde_json::Value as Json;
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditError {
    /// The file, as it is, cannot be read.
    #[error(transparent)]
    Before(ConfigError),
    /// With the change it would be wrong.
    #[error("{0}")]
    After(String),
    /// It cannot be written.
    #[error("cannot write {}: {error}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Changes the file in this directory; the settings after it.
pub(crate) fn change(directory: &Path, patch: &Json) -> Result<Config, EditError> {
    let path = directory.join("config.toml");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            let reason = error.to_string();
            return Err(EditError::Before(ConfigError::Read { path, reason }));
        }
    };
    // Where it is wrong already, that is to be mended first: a person is in the middle of something.
    Config::parse(&path, &text).map_err(EditError::Before)?;
    let text = changed(&text, patch).map_err(EditError::After)?;
    let config = Config::parse(&path, &text).map_err(|error| {
        EditError::After(match error {
            ConfigError::Wrong { reason, .. } | ConfigError::Read { reason, .. } => reason,
        })
    })?;
    write(&path, &text).map_err(|error| EditError::Write { path, error })?;
    Ok(config)
}

/// The text with the change.
fn changed(text: &str, patch: &Json) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    merge(document.as_table_mut(), patch)?;
    Ok(document.to_string())
}

fn merge(table: &mut dyn TableLike, patch: &Json) -> Result<(), String> {
    let Json::Object(patch) = patch else {
        return Err("settings are an object of tables and keys".to_owned());
    };
    for (key, change) in patch {
        match change {
            Json::Null => {
                table.remove(key);
            }
            Json::Object(_) => {
                if !table.contains_key(key) {
                    let mut new = Table::new();
                    // `[notify.desktop]` alone needs no `[notify]` before it.
                    new.set_implicit(true);
                    table.insert(key, Item::Table(new));
                }
                let inner = table.get_mut(key).and_then(Item::as_table_like_mut);
                merge(inner.ok_or(format!("`{key}` is no table"))?, change)?;
            }
            plain => {
                let mut value = value(key, plain)?;
                if let Some(Item::Value(before)) = table.get_mut(key) {
                    // A comment behind it stays.
                    *value.decor_mut() = before.decor().clone();
                    *before = value;
                } else {
                    table.insert(key, Item::Value(value));
                }
            }
        }
    }
    Ok(())
}

fn value(key: &str, json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Bool(on) => (*on).into(),
        Json::String(text) => text.as_str().into(),
        Json::Number(number) => number
            .as_i64()
            .ok_or(format!("`{key}` takes a whole number"))?
            .into(),
        Json::Array(list) => {
            let values = list.iter().map(|one| value(key, one));
            Value::Array(values.collect::<Result<Array, String>>()?)
        }
        Json::Null | Json::Object(_) => return Err(format!("`{key}` cannot take that")),
    })
}

/// The file is replaced in one step. Where it is a link (to a collection of settings), what it points
/// to is.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(directory)?;
    // It may hold a token.
    let mode = std::fs::metadata(&path).map_or(0o600, |data| data.permissions().mode());
    let beside = directory.join(format!(".config.toml.{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    let options = options.write(true).create(true).truncate(true).mode(0o600);
    let written = options.open(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(std::fs::Permissions::from_mode(mode & 0o7777))?;
        file.sync_all()
    });
    let done = written.and_then(|()| std::fs::rename(&beside, &path));
    if done.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comments_order_and_everything_else_stay() {
        let before = "# mine\nscrollback = 500 # lines\n\n[notify] # loud\nenabled = true # yes\n\
                      # the phone\n[notify.ntfy]\ntopic = \"a\"\n";
        let after = changed(
            before,
            &json!({"notify": {"enabled": false, "ntfy": {"url": "http://x"}}}),
        );
        assert_eq!(
            after.unwrap(),
            "# mine\nscrollback = 500 # lines\n\n[notify] # loud\nenabled = false # yes\n\
             # the phone\n[notify.ntfy]\ntopic = \"a\"\nurl = \"http://x\"\n"
        );
    }

    #[test]
    fn null_takes_a_key_out() {
        let after = changed(
            "[notify]\ntext = false\nenabled = true\n",
            &json!({"notify": {"text": null}}),
        );
        assert_eq!(after.unwrap(), "[notify]\nenabled = true\n");
    }

    #[test]
    fn a_file_that_is_not_there_is_made_for_its_owner_alone() {
        let directory = tempfile::tempdir().unwrap();
        let inside = directory.path().join("wigwag");
        let config = change(
            &inside,
            &json!({"notify": {"kinds": ["waiting"], "ntfy": {"topic": "t"}}}),
        )
        .unwrap();
        assert_eq!(config.notify.ntfy.topic.as_deref(), Some("t"));
        let file = inside.join("config.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            text,
            "[notify]\nkinds = [\"waiting\"]\n\n[notify.ntfy]\ntopic = \"t\"\n"
        );
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&inside).unwrap().count(), 1);
    }

    #[test]
    fn what_would_be_wrong_is_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config.toml");
        std::fs::write(&file, "scrollback = 5\n").unwrap();
        for wrong in [
            json!({"notify": {"kinds": ["nothing"]}}),
            json!({"notify": {"nonsense": true}}),
            json!({"scrollback": {"a": 1}}),
            json!({"scrollback": 1.5}),
            json!([]),
        ] {
            let error = change(directory.path(), &wrong).unwrap_err();
            assert!(matches!(error, EditError::After(_)), "{error}");
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "scrollback = 5\n");
        std::fs::write(&file, "scrollback = x\n").unwrap();
        let error = change(directory.path(), &json!({"notify": {"text": true}})).unwrap_err();
        assert!(error.to_string().contains("config.toml:1: "), "{error}");
    }

    #[test]
    fn a_link_stays_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let real = directory.path().join("real.toml");
        std::fs::write(&real, "").unwrap();
        std::os::unix::fs::symlink(&real, directory.path().join("config.toml")).unwrap();
        change(directory.path(), &json!({"scrollback": 7})).unwrap();
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "scrollback = 7\n");
        let link = std::fs::symlink_metadata(directory.path().join("config.toml"));
        assert!(link.unwrap().is_symlink());
    }
}
