//! JSON forms of text that need not be UTF-8 (variables, arguments, paths): a string where it
//! is UTF-8, otherwise the list of its bytes, so that nothing is lost and files stay readable.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Bytes(Vec<u8>),
}

impl Form {
    fn of(text: &OsStr) -> Self {
        match text.to_str() {
            Some(text) => Form::Text(text.to_owned()),
            None => Form::Bytes(text.as_bytes().to_vec()),
        }
    }
    fn into_os(self) -> OsString {
        match self {
            Form::Text(text) => text.into(),
            Form::Bytes(bytes) => OsString::from_vec(bytes),
        }
    }
}

/// For `Option<Vec<OsString>>`.
pub(crate) mod words {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        words: &Option<Vec<OsString>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let forms = words
            .as_ref()
            .map(|words| words.iter().map(|word| Form::of(word)).collect::<Vec<_>>());
        forms.serialize(serializer)
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<OsString>>, D::Error> {
        let forms = Option::<Vec<Form>>::deserialize(deserializer)?;
        Ok(forms.map(|forms| forms.into_iter().map(Form::into_os).collect()))
    }
}

/// For `Vec<(OsString, OsString)>`.
pub(crate) mod pairs {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        pairs: &[(OsString, OsString)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            pairs
                .iter()
                .map(|(key, value)| (Form::of(key), Form::of(value))),
        )
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(OsString, OsString)>, D::Error> {
        let forms = Vec::<(Form, Form)>::deserialize(deserializer)?;
        Ok(forms
            .into_iter()
            .map(|(key, value)| (key.into_os(), value.into_os()))
            .collect())
    }
}

/// For `PathBuf`.
pub(crate) mod path {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        Form::of(path.as_os_str()).serialize(serializer)
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        Ok(Form::deserialize(deserializer)?.into_os().into())
    }
}

/// For `Vec<PathBuf>`.
pub(crate) mod paths {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        paths: &[PathBuf],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| Form::of(path.as_os_str())))
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let forms = Vec::<Form>::deserialize(deserializer)?;
        Ok(forms
            .into_iter()
            .map(|form| form.into_os().into())
            .collect())
    }
}
