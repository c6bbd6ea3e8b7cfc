//! `wigwag notify`: the channels of notifications and their settings.
//!
//! Settings have the names that they have in `config.toml`, below `[notify]`; the daemon writes them
//! there.

use super::Outcome;
use crate::daemon_client::connect;
use crate::failure::{Code, Failure};
use crate::output::Context;
use crate::present::ago;
use client::{Channel, Client, NotifySettings, Tested};
use jiff::Timestamp;
use serde_json::{Value, json};
use status::Colour;
use std::io::Read;
use std::process::ExitCode;

/// Columns of the names on the left.
const NAMES: usize = 16;

/// Arguments of `notify`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

/// What to do with notifications.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the channels with their last result, and the settings
    List,
    /// Show a test on each channel that is set up, or on this one
    Test {
        /// `window`, `desktop`, `ntfy` or `command`
        channel: Option<String>,
    },
    /// Switch notifications on
    On,
    /// Switch all notifications off
    Off,
    /// Change a setting: `set long_command 1m`, `set kinds waiting failed`, `set ntfy.topic TOPIC`
    Set {
        /// Its name in config.toml, below [notify]
        key: String,
        /// The value; several for `kinds`; `-` reads it from standard input
        #[arg(required = true)]
        values: Vec<String>,
    },
    /// Take a setting out: its default holds again
    Unset {
        /// Its name in config.toml, below [notify]
        key: String,
    },
}

/// Runs `notify`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    match args.action.unwrap_or(Action::List) {
        Action::List => list(&client, context),
        Action::Test { channel } => test(&client, channel.as_deref(), context),
        Action::On => set(&client, "enabled", json!(true), context),
        Action::Off => set(&client, "enabled", json!(false), context),
        Action::Set { key, values } => set(&client, &key, value(&key, values)?, context),
        Action::Unset { key } => set(&client, &key, Value::Null, context),
    }
}

fn list(client: &Client, context: &Context) -> Outcome {
    let notifications = client.notifications()?;
    let settings = client.settings()?;
    if context.json {
        context.say_json(&json!({
            "enabled": notifications.enabled,
            "channels": notifications.channels,
            "settings": settings.notify,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !notifications.enabled {
        context.say("Notifications are off: `wigwag notify on` switches them on\n")?;
    }
    let now = Timestamp::now();
    for channel in &notifications.channels {
        context.say(channel_line(channel, now, context))?;
    }
    context.say("")?;
    for (key, value) in shown(&settings.notify) {
        context.say(format!("  {key:<NAMES$} {}", context.shown(&value)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Glyph, name, and how it is.
fn channel_line(channel: &Channel, now: Timestamp, context: &Context) -> String {
    let last = channel.last.as_ref();
    let failed = last.is_some_and(|last| !last.ok);
    let (unicode, ascii, colour) = match &channel.off {
        Some(_) => ("·", "-", Colour::Grey),
        None if failed => ("✗", "x", Colour::Red),
        None => ("✓", "+", Colour::Green),
    };
    let glyph = if context.unicode { unicode } else { ascii };
    let line = format!(
        "{} {:<NAMES$} {}",
        context.paint(colour, glyph),
        channel.name,
        context.shown(&how(channel, now))
    );
    line.trim_end().to_owned()
}

/// How a channel is, in words.
pub(crate) fn how(channel: &Channel, now: Timestamp) -> String {
    if let Some(off) = &channel.off {
        return off.clone();
    }
    let mut text = match &channel.last {
        None => "ready; nothing was sent since the daemon started".to_owned(),
        Some(last) => {
            let age = last.at.parse().map(|at| ago(at, now));
            let age = age.map(|age| format!(" ({age} ago)")).unwrap_or_default();
            format!("{}{age}", last.message)
        }
    };
    if channel.waiting > 0 {
        text += &format!("; {} waiting", channel.waiting);
    }
    if let Some(pause) = channel.again_in_ms {
        let pause = std::time::Duration::from_millis(pause);
        text += &format!(", tried again in {}", status::age(pause));
    }
    text
}

/// The settings, as they would be typed.
pub(crate) fn shown(settings: &NotifySettings) -> Vec<(&'static str, String)> {
    let words = |words: &Option<Vec<String>>| match words {
        None => "not set".to_owned(),
        Some(words) => words.join(" "),
    };
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "not set".to_owned());
    let token = match (&settings.ntfy.token_file, settings.ntfy.token_set) {
        (Some(path), _) => format!("in {path}"),
        (None, true) => "set".to_owned(),
        (None, false) => "not set".to_owned(),
    };
    vec![
        ("enabled", settings.enabled.to_string()),
        ("kinds", settings.kinds.join(" ")),
        ("long_command", settings.long_command.clone()),
        ("phone_after", settings.phone_after.clone()),
        ("text", settings.text.to_string()),
        ("desktop.enabled", settings.desktop.enabled.to_string()),
        ("desktop.open", words(&settings.desktop.open)),
        ("ntfy.enabled", settings.ntfy.enabled.to_string()),
        ("ntfy.url", settings.ntfy.url.clone()),
        ("ntfy.topic", or(&settings.ntfy.topic)),
        ("ntfy.token", token),
        ("ntfy.click", or(&settings.ntfy.click)),
        ("command.enabled", settings.command.enabled.to_string()),
        ("command.run", words(&settings.command.run)),
    ]
}

fn test(client: &Client, channel: Option<&str>, context: &Context) -> Outcome {
    let tested = client.test_notifications(channel)?;
    let failed = tested.iter().any(|tested| !tested.ok);
    if context.json {
        context.say_json(&tested)?;
    } else if tested.is_empty() {
        context.say("No channel is set up: `wigwag notify list` says what to do")?;
    }
    for tested in tested.iter().filter(|_| !context.json) {
        context.say(test_line(tested, context))?;
    }
    Ok(ExitCode::from(u8::from(failed)))
}

fn test_line(tested: &Tested, context: &Context) -> String {
    let (unicode, ascii, colour) = match tested.ok {
        true => ("✓", "+", Colour::Green),
        false => ("✗", "x", Colour::Red),
    };
    let glyph = if context.unicode { unicode } else { ascii };
    let glyph = context.paint(colour, glyph);
    let message = context.shown(&tested.message);
    format!("{glyph} {:<NAMES$} {message}", tested.channel)
}

fn set(client: &Client, key: &str, value: Value, context: &Context) -> Outcome {
    let taken_out = value.is_null();
    let tables: Vec<&str> = key.split('.').collect();
    let patch = tables
        .iter()
        .rev()
        .fold(value, |inner, name| json!({*name: inner}));
    let settings = client.change_settings(&json!({"notify": patch}))?;
    if context.json {
        context.say_json(&settings.notify)?;
        return Ok(ExitCode::SUCCESS);
    }
    let all = shown(&settings.notify);
    let now = all.iter().find(|(name, _)| *name == key);
    let now = now.map_or("changed", |(_, value)| value.as_str());
    let now = context.shown(now);
    context.say(match (key, taken_out) {
        ("enabled", _) if now == "true" => "Notifications are on".to_owned(),
        ("enabled", _) => "Notifications are off".to_owned(),
        (_, true) => format!("{key}: {now} (the default)"),
        _ => format!("{key}: {now}"),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What was typed, as the kind of value that this setting takes.
fn value(key: &str, values: Vec<String>) -> Result<Value, Failure> {
    if key == "kinds" {
        return Ok(values.into());
    }
    let [text] = values.as_slice() else {
        return Err(Failure::new(Code::Usage, format!("{key} takes one value")));
    };
    if key == "text" || key.ends_with("enabled") {
        return match text.as_str() {
            "true" | "on" | "yes" => Ok(json!(true)),
            "false" | "off" | "no" => Ok(json!(false)),
            other => Err(Failure::usage(format!(
                "{key} is true or false, not {other}"
            ))),
        };
    }
    if text != "-" {
        return Ok(json!(text));
    }
    // A secret on the command line is seen by everybody on the machine.
    let mut read = String::new();
    std::io::stdin().read_to_string(&mut read)?;
    Ok(json!(read.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(value: Value) -> Channel {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_channel_says_how_it_is() {
        let now: Timestamp = "2026-11-30T22:03:00Z".parse().unwrap();
        let of = |value| how(&channel(value), now);
        let off = json!({"name": "ntfy", "off": "not set up", "waiting": 0, "standing": 0,
            "again_in_ms": null, "last": null});
        assert_eq!(of(off), "not set up");
        let fresh = json!({"name": "ntfy", "off": null, "waiting": 0, "standing": 0,
            "again_in_ms": null, "last": null});
        assert_eq!(
            of(fresh),
            "ready; nothing was sent since the daemon started"
        );
        let failing = json!({"name": "ntfy", "off": null, "waiting": 2, "standing": 0,
            "again_in_ms": 8000, "last":
            {"ok": false, "message": "no answer", "at": "2026-11-30T22:00:00Z"}});
        assert_eq!(
            of(failing),
            "no answer (3 m ago); 2 waiting, tried again in 8 s"
        );
    }

    #[test]
    fn values_are_what_their_setting_takes() {
        let read = |key: &str, values: &[&str]| {
            value(
                key,
                values.iter().map(|value| (*value).to_owned()).collect(),
            )
        };
        assert_eq!(
            read("kinds", &["waiting", "bell"]).unwrap(),
            json!(["waiting", "bell"])
        );
        assert_eq!(read("text", &["off"]).unwrap(), json!(false));
        assert_eq!(read("ntfy.enabled", &["true"]).unwrap(), json!(true));
        assert_eq!(read("long_command", &["1m"]).unwrap(), json!("1m"));
        assert!(read("text", &["maybe"]).is_err());
        assert!(read("ntfy.topic", &["a", "b"]).is_err());
    }
}
