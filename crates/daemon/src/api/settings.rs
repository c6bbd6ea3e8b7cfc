//! `/v1/settings`: what `config.toml` says, and changes of it.
//!
//! Programs that the daemon runs, and files whose contents it sends, are set in the file alone: a
//! device that may use the API is not thereby somebody who may choose them.

use super::error::ApiError;
use super::extract::Body;
use super::{
    AttachSettings, CommandSettings, DesktopSettings, ErrorBody, NotifySettings, NtfySettings,
    Settings,
};
use crate::config::edit::{self, EditError};
use crate::config::{Config, Token};
use crate::service::Service;
use axum::Json;
use axum::extract::State;
use serde_json::Value;
use status::duration_text;
use std::sync::Arc;

/// What may be changed by command. Tables are followed; everything in them that is not here is the
/// file's alone.
const CHANGEABLE: [&str; 14] = [
    "scrollback",
    "attach.prefix",
    "attach.history",
    "notify.enabled",
    "notify.kinds",
    "notify.long_command",
    "notify.phone_after",
    "notify.text",
    "notify.desktop.enabled",
    "notify.ntfy.enabled",
    "notify.ntfy.url",
    "notify.ntfy.topic",
    "notify.ntfy.token",
    "notify.ntfy.click",
];
/// A switch beside a program that only the file sets.
const COMMAND_SWITCH: &str = "notify.command.enabled";

/// The settings in force.
#[utoipa::path(get, path = "/v1/settings", responses((status = 200, body = Settings)))]
pub(super) async fn show(State(service): State<Arc<Service>>) -> Json<Settings> {
    Json(settings(&service, service.config()))
}

/// Changes `config.toml`: a JSON merge patch (RFC 7396) of its tables and keys; `null` takes a key out.
/// Comments and everything else in the file stay.
#[utoipa::path(patch, path = "/v1/settings", request_body = Object,
    responses((status = 200, body = Settings), (status = 400, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn change(
    State(service): State<Arc<Service>>,
    Body(patch): Body<Value>,
) -> Result<Json<Settings>, ApiError> {
    allowed("", &patch)?;
    let _turn = service.config_edits.lock().await;
    let directory = service.paths.config.clone();
    let changed = tokio::task::spawn_blocking(move || edit::change(&directory, &patch));
    let config = changed.await.map_err(ApiError::failed)?;
    let config = config.map_err(|error| match error {
        EditError::Before(error) => ApiError::new("refused", error.to_string())
            .hint("mend that line first: nothing was changed"),
        EditError::After(reason) => ApiError::new("usage", reason)
            .hint("nothing was changed; `wigwag notify list` shows the settings"),
        EditError::Write { .. } => {
            ApiError::failed(error).hint("make the file writable: nothing was changed")
        }
    })?;
    // Without waiting for the system's notice of the change.
    service.reload_config();
    Ok(Json(settings(&service, config)))
}

/// Whether everything that a patch changes may be changed by command.
fn allowed(at: &str, patch: &Value) -> Result<(), ApiError> {
    let Value::Object(table) = patch else {
        let known = CHANGEABLE.contains(&at) || at == COMMAND_SWITCH;
        return match known {
            true => Ok(()),
            false => Err(not_here(at)),
        };
    };
    for (key, change) in table {
        let at = match at {
            "" => key.clone(),
            at => format!("{at}.{key}"),
        };
        allowed(&at, change)?;
    }
    Ok(())
}

fn not_here(at: &str) -> ApiError {
    let file_only = [
        "notify.desktop.open",
        "notify.ntfy.token_file",
        "notify.command.run",
    ];
    if file_only.contains(&at) || at.starts_with("env.") {
        return ApiError::new("refused", format!("{at} is set in config.toml alone"))
            .hint("write it there: the daemon takes it at once");
    }
    ApiError::new("usage", format!("there is no setting {at}")).hint(format!(
        "there are {}, {COMMAND_SWITCH}",
        CHANGEABLE.join(", ")
    ))
}

fn settings(service: &Service, config: Config) -> Settings {
    let notify = config.notify;
    let prefix = config
        .attach
        .prefix
        .map(|prefix| prefix.key.to_ascii_lowercase());
    Settings {
        file: service
            .paths
            .config
            .join("config.toml")
            .display()
            .to_string(),
        scrollback: config.scrollback,
        attach: AttachSettings {
            prefix: prefix.map_or("none".to_owned(), |key| format!("ctrl-{key}")),
            history: config.attach.history,
        },
        notify: NotifySettings {
            enabled: notify.settings.enabled,
            kinds: notify.settings.kinds.iter().map(word).collect(),
            long_command: duration_text(notify.settings.long_command),
            phone_after: duration_text(notify.settings.phone_after),
            text: notify.settings.text,
            desktop: DesktopSettings {
                enabled: notify.desktop.enabled,
                open: notify.desktop.open,
            },
            ntfy: NtfySettings {
                enabled: notify.ntfy.enabled,
                url: notify.ntfy.url,
                topic: notify.ntfy.topic,
                token_set: notify.ntfy.token.is_some(),
                token_file: match notify.ntfy.token {
                    Some(Token::File(path)) => Some(path.display().to_string()),
                    _ => None,
                },
                click: notify.ntfy.click,
            },
            command: CommandSettings {
                enabled: notify.command.enabled,
                run: notify.command.run,
            },
        },
    }
}

fn word(kind: &status::AttentionKind) -> String {
    let value = serde_json::to_value(kind).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn programs_and_files_are_set_in_the_file_alone() {
        let refused = |patch: Value| allowed("", &patch).unwrap_err().to_string();
        assert!(
            allowed(
                "",
                &json!({"notify": {"text": false, "ntfy": {"token": null}}})
            )
            .is_ok()
        );
        assert!(allowed("", &json!({"notify": {"command": {"enabled": false}}})).is_ok());
        for patch in [
            json!({"notify": {"command": {"run": ["sh"]}}}),
            json!({"notify": {"desktop": {"open": ["sh"]}}}),
            json!({"notify": {"ntfy": {"token_file": "/etc/shadow"}}}),
            json!({"env": {"LD_PRELOAD": "x"}}),
        ] {
            assert!(refused(patch).contains("config.toml alone"));
        }
        // Nor by taking out the whole table.
        assert!(refused(json!({"notify": null})).contains("no setting notify"));
        assert!(refused(json!({"notify": {"nonsense": 1}})).contains("notify.nonsense"));
        assert!(allowed("", &json!(3)).is_err());
    }
}
