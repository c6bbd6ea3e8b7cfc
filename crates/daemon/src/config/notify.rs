//! `[notify]`: what is told, and through which channels.
//!
//! A channel is used as soon as it has what it needs: the desktop needs nothing, ntfy a topic, a
//! command its program. `enabled = false` keeps what is set and stops it.

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use status::AttentionKind;
use status::notifier::Settings;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Where messages go without a `url`.
const PUBLIC_SERVER: &str = "https://ntfy.sh";
/// ntfy's own limit for the name of a topic.
const TOPIC_BYTES: usize = 64;

/// `[notify]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notify {
    /// What is told.
    pub settings: Settings,
    /// `[notify.desktop]`.
    pub desktop: Desktop,
    /// `[notify.ntfy]`.
    pub ntfy: Ntfy,
    /// `[notify.command]`.
    pub command: Command,
}

/// `[notify.desktop]`: the notifications of this machine's desktop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Desktop {
    /// Off: nothing is shown there.
    pub enabled: bool,
    /// The program that opens a terminal, with its arguments; `{terminal}` stands for its name.
    pub open: Option<Vec<String>>,
}

/// `[notify.ntfy]`: messages to a topic of an ntfy server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ntfy {
    /// Off: nothing is sent.
    pub enabled: bool,
    /// The server, `http://` or `https://`.
    pub url: String,
    /// The topic; none: the channel is not set up.
    pub topic: Option<String>,
    /// How the server knows who sends.
    pub token: Option<Token>,
    /// What a tap opens; `{terminal}` stands for the terminal's id.
    pub click: Option<String>,
}

/// An access token. It is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub enum Token {
    /// Written into the configuration.
    Text(String),
    /// The first line of this file, read each time.
    File(PathBuf),
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("Text(…)"),
            Self::File(path) => write!(f, "File({})", path.display()),
        }
    }
}

/// `[notify.command]`: a program that is run for each notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Off: nothing is run.
    pub enabled: bool,
    /// The program and its arguments; none: the channel is not set up.
    pub run: Option<Vec<String>>,
}

impl Default for Notify {
    fn default() -> Self {
        Table::default().into()
    }
}

/// `[notify]` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Table {
    enabled: bool,
    kinds: Vec<AttentionKind>,
    #[serde(deserialize_with = "duration")]
    long_command: Duration,
    #[serde(deserialize_with = "duration")]
    phone_after: Duration,
    text: bool,
    desktop: DesktopTable,
    ntfy: NtfyTable,
    command: CommandTable,
}

impl Default for Table {
    fn default() -> Self {
        let settings = Settings::default();
        Self {
            enabled: settings.enabled,
            kinds: settings.kinds,
            long_command: settings.long_command,
            phone_after: settings.phone_after,
            text: settings.text,
            desktop: DesktopTable::default(),
            ntfy: NtfyTable::default(),
            command: CommandTable::default(),
        }
    }
}

impl From<Table> for Notify {
    fn from(table: Table) -> Self {
        let file = table.ntfy.token_file.map(Token::File);
        Self {
            settings: Settings {
                enabled: table.enabled,
                kinds: table.kinds,
                long_command: table.long_command,
                phone_after: table.phone_after,
                text: table.text,
            },
            desktop: Desktop {
                enabled: table.desktop.enabled,
                open: table.desktop.open,
            },
            ntfy: Ntfy {
                enabled: table.ntfy.enabled,
                url: table.ntfy.url.unwrap_or_else(|| PUBLIC_SERVER.to_owned()),
                topic: table.ntfy.topic,
                token: table.ntfy.token.map(Token::Text).or(file),
                click: table.ntfy.click,
            },
            command: Command {
                enabled: table.command.enabled,
                run: table.command.run,
            },
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct DesktopTable {
    enabled: bool,
    #[serde(deserialize_with = "program")]
    open: Option<Vec<String>>,
}

impl Default for DesktopTable {
    fn default() -> Self {
        Self {
            enabled: true,
            open: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct NtfyTable {
    enabled: bool,
    #[serde(deserialize_with = "server")]
    url: Option<String>,
    #[serde(deserialize_with = "topic")]
    topic: Option<String>,
    #[serde(deserialize_with = "token")]
    token: Option<String>,
    #[serde(deserialize_with = "absolute")]
    token_file: Option<PathBuf>,
    #[serde(deserialize_with = "link")]
    click: Option<String>,
}

impl Default for NtfyTable {
    fn default() -> Self {
        Self {
            enabled: true,
            url: None,
            topic: None,
            token: None,
            token_file: None,
            click: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CommandTable {
    enabled: bool,
    #[serde(deserialize_with = "program")]
    run: Option<Vec<String>>,
}

impl Default for CommandTable {
    fn default() -> Self {
        Self {
            enabled: true,
            run: None,
        }
    }
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    status::parse_duration(&text).map_err(|reason| D::Error::custom(format!("{text:?}: {reason}")))
}

fn program<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    if words.first().is_none_or(String::is_empty) || words.iter().any(|word| word.contains('\0')) {
        return Err(D::Error::custom(
            "a program and its arguments, each a string of its own: [\"program\", \"argument\"]",
        ));
    }
    Ok(Some(words))
}

fn server<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let url = String::deserialize(deserializer)?;
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    if rest.is_none_or(|rest| rest.is_empty() || rest.starts_with('/')) || !is_plain(&url) {
        return Err(D::Error::custom(format!(
            "{url:?} is no server: write it as \"https://ntfy.example.org\""
        )));
    }
    Ok(Some(url.trim_end_matches('/').to_owned()))
}

fn topic<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let topic = String::deserialize(deserializer)?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if topic.is_empty() || topic.len() > TOPIC_BYTES || !topic.chars().all(allowed) {
        return Err(D::Error::custom(format!(
            "{topic:?} is no topic: letters, digits, `-` and `_`, at most {TOPIC_BYTES}"
        )));
    }
    Ok(Some(topic))
}

fn token<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let token = String::deserialize(deserializer)?;
    if !is_token(&token) {
        // Not quoted: it is a secret.
        return Err(D::Error::custom(
            "that is no token: visible ASCII characters without spaces",
        ));
    }
    Ok(Some(token))
}

/// Whether it can stand in an `Authorization` header.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn absolute<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    let path = PathBuf::deserialize(deserializer)?;
    if !path.is_absolute() {
        return Err(D::Error::custom(format!(
            "{path:?} must begin with `/`: the daemon has no directory of its own"
        )));
    }
    Ok(Some(path))
}

fn link<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let link = String::deserialize(deserializer)?;
    if !link.contains(':') || !is_plain(&link) {
        return Err(D::Error::custom(format!(
            "{link:?} is no address: write it as \"https://example.org/{{terminal}}\""
        )));
    }
    Ok(Some(link))
}

fn is_plain(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigError};
    use super::*;
    use std::path::Path;

    fn parsed(text: &str) -> Notify {
        let config = Config::parse(Path::new("config.toml"), text).unwrap();
        config.notify
    }

    #[track_caller]
    fn wrong(text: &str, line: usize, says: &str) {
        match Config::parse(Path::new("/c/config.toml"), text) {
            Err(ConfigError::Wrong {
                line: at, reason, ..
            }) => {
                assert_eq!(at, line, "{reason}");
                assert!(reason.contains(says), "{reason}");
            }
            other => panic!("{text:?} gave {other:?}"),
        }
    }

    #[test]
    fn what_is_not_written_is_the_default() {
        let notify = parsed("");
        assert_eq!(notify.settings, Settings::default());
        assert!(notify.desktop.enabled);
        assert_eq!(notify.ntfy.topic, None);
        assert_eq!(notify.ntfy.url, "https://ntfy.sh");
        assert_eq!(notify.command.run, None);
    }

    #[test]
    fn everything_that_is_written_is_read() {
        let notify = parsed(
            "[notify]\nenabled = false\nkinds = ['waiting']\nlong_command = '2m'\n\
             phone_after = '10s'\ntext = false\n\
             [notify.desktop]\nenabled = false\nopen = ['kitty', 'wigwag', 'attach', '{terminal}']\n\
             [notify.ntfy]\nurl = 'http://localhost:8080/'\ntopic = 'a-B_1'\ntoken = 'tk_1'\n\
             click = 'https://panel/{terminal}'\n\
             [notify.command]\nrun = ['/bin/tell', '--now']\n",
        );
        assert!(!notify.settings.enabled && !notify.settings.text && !notify.desktop.enabled);
        assert_eq!(notify.settings.kinds, [AttentionKind::Waiting]);
        assert_eq!(notify.settings.long_command, Duration::from_secs(120));
        assert_eq!(notify.settings.phone_after, Duration::from_secs(10));
        assert_eq!(notify.ntfy.url, "http://localhost:8080");
        assert_eq!(notify.ntfy.token, Some(Token::Text("tk_1".to_owned())));
        assert_eq!(notify.command.run.unwrap(), ["/bin/tell", "--now"]);
    }

    #[test]
    fn wrong_values_are_said_with_their_line() {
        wrong("[notify]\nlong_command = '30 parsecs'", 2, "parsecs");
        wrong("[notify]\n\nphone_after = 30", 3, "string");
        wrong("[notify.desktop]\nopen = []", 2, "a program");
        wrong("[notify.command]\nrun = 'notify me'", 2, "sequence");
        wrong("[notify.ntfy]\nurl = 'ntfy.sh'", 2, "no server");
        wrong("[notify.ntfy]\nurl = 'https://'", 2, "no server");
        wrong("[notify.ntfy]\ntopic = 'my topic'", 2, "no topic");
        wrong("[notify.ntfy]\ntoken_file = 'token'", 2, "begin with");
        wrong("[notify.ntfy]\nclick = 'panel'", 2, "no address");
        wrong("[notify.ntfy]\npriority = 5", 2, "priority");
    }

    #[test]
    fn a_token_is_shown_by_no_error_and_no_log() {
        let Err(error) = Config::parse(
            Path::new("c"),
            "[notify.ntfy]\ntoken = 'tk_secret with spaces'",
        ) else {
            panic!("it has spaces");
        };
        assert!(!error.to_string().contains("secret"), "{error}");
        let notify = parsed("[notify.ntfy]\ntoken = 'tk_secret'");
        assert!(!format!("{notify:?}").contains("secret"));
    }
}
