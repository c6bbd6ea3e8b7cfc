//! ntfy: a message to a topic of any ntfy server (docs.ntfy.sh, Publish as JSON).
//!
//! Each terminal has a sequence id, so that a server that knows them (2.16 and newer) replaces a message
//! in place and takes it away with `DELETE /TOPIC/ID`. It says so by repeating the id in its answer. On
//! an older one messages stay, and no silent ones are sent: they would be new messages there.

use super::channel::{
    Again, Channel, Delivered, Delivery, Place, Telling, Undelivered, body, title,
};
use crate::config::{Ntfy, Token, notify::is_token};
use rustix::system::uname;
use serde_json::json;
use status::AttentionKind;
use status::notifier::{Notice, Subject, Urgency};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use ureq::tls::{RootCerts, TlsConfig};

/// Everything of one request, the name's look-up included.
const LIMIT: Duration = Duration::from_secs(15);
/// So much of an answer is read: a message of ours, repeated.
const ANSWER: u64 = 64 << 10;
/// Of what a server says of an error, so much is passed on; in characters.
const REASON: usize = 200;
/// ntfy's own limit for a sequence id is 64; the terminal's part takes 15.
const MACHINE: usize = 40;

/// A topic of a server.
#[derive(Debug)]
pub(crate) struct Topic {
    url: String,
    topic: String,
    token: Option<Token>,
    click: Option<String>,
    machine: String,
    agent: ureq::Agent,
    /// It was seen not to know sequence ids.
    is_old: AtomicBool,
}

impl Topic {
    /// `None`: no topic is set.
    pub(crate) fn new(config: &Ntfy) -> Option<Self> {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier);
        let agent = ureq::Agent::config_builder()
            .tls_config(tls.build())
            .timeout_global(Some(LIMIT))
            .http_status_as_error(false)
            // A redirected POST would arrive as a GET, or without its token.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("wigwag/", env!("CARGO_PKG_VERSION")));
        Some(Self {
            url: config.url.clone(),
            topic: config.topic.clone()?,
            token: config.token.clone(),
            click: config.click.clone(),
            machine: machine(&uname().nodename().to_string_lossy()),
            agent: agent.build().into(),
            is_old: AtomicBool::new(false),
        })
    }

    fn sequence_id(&self, subject: &Subject) -> String {
        match subject {
            // Ids of terminals are random: no other machine has the same.
            Subject::Terminal(id) => format!("wigwag-{id}"),
            Subject::Fold => format!("wigwag-{}", self.machine),
        }
    }

    /// The body of the request.
    fn message(&self, telling: &Telling) -> String {
        let notice = &telling.notice;
        let mut message = json!({
            "topic": self.topic,
            "sequence_id": self.sequence_id(&notice.subject),
            "priority": priority(notice, telling.silent),
            "tags": [tag(notice)],
        });
        // Without a message the server writes one of its own.
        match body(notice) {
            Some(body) => {
                message["title"] = title(notice).into();
                message["message"] = body.into();
            }
            None => message["message"] = title(notice).into(),
        }
        if let Some(click) = &self.click {
            let id = match &notice.subject {
                Subject::Terminal(id) => id,
                Subject::Fold => "",
            };
            message["click"] = click.replace("{terminal}", id).into();
        }
        message.to_string()
    }

    /// One request in a thread that may wait for it.
    async fn send(&self, request: Request) -> Result<Answer, Undelivered> {
        let agent = self.agent.clone();
        let token = self.token.clone();
        let sent = tokio::task::spawn_blocking(move || request.send(&agent, token.as_ref()));
        sent.await
            .unwrap_or_else(|error| Err(Undelivered::later(error)))
    }
}

#[derive(Debug)]
enum Request {
    Publish { url: String, message: String },
    Delete { url: String },
}

#[derive(Debug)]
struct Answer {
    text: String,
}

impl Request {
    fn send(self, agent: &ureq::Agent, token: Option<&Token>) -> Result<Answer, Undelivered> {
        let bearer = token.map(bearer).transpose()?;
        let with = |name: &str, value: Option<&String>| value.map(|v| (name.to_owned(), v.clone()));
        let header = with("Authorization", bearer.as_ref());
        let answered = match self {
            Self::Publish { url, message } => {
                let mut request = agent.post(url).header("Content-Type", "application/json");
                if let Some((name, value)) = header {
                    request = request.header(name, value);
                }
                request.send(message)
            }
            Self::Delete { url } => {
                let mut request = agent.delete(url);
                if let Some((name, value)) = header {
                    request = request.header(name, value);
                }
                request.call()
            }
        };
        let mut response = answered.map_err(|error| match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => Undelivered::never(error),
            other => Undelivered::later(other),
        })?;
        let code = response.status().as_u16();
        let after = response.headers().get("retry-after");
        let after = after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let place = response.headers().get("location");
        let place = place.and_then(|value| Some(value.to_str().ok()?.to_owned()));
        let text = response.body_mut().with_config().limit(ANSWER);
        let text = text.read_to_string().unwrap_or_default();
        match code {
            200..300 => Ok(Answer { text }),
            300..400 => Err(Undelivered::never(format!(
                "the server sends elsewhere ({}): set `url` to that",
                line(&place.unwrap_or_default())
            ))),
            429 | 500..600 => Err(Undelivered {
                reason: refusal(code, &text),
                again: after.map_or(Again::Later, |seconds| {
                    Again::After(Duration::from_secs(seconds))
                }),
            }),
            _ => Err(Undelivered::never(refusal(code, &text))),
        }
    }
}

impl Channel for Topic {
    fn show<'a>(&'a self, telling: &'a Telling) -> Delivery<'a> {
        Box::pin(async move {
            if telling.silent && telling.standing.is_none() {
                return Ok(Delivered::said(
                    "not sent: this server cannot replace a message in place",
                ));
            }
            let request = Request::Publish {
                url: self.url.clone(),
                message: self.message(telling),
            };
            let answer = self.send(request).await?;
            let id = self.sequence_id(&telling.notice.subject);
            let known = repeats(&answer.text, &id);
            self.is_old.store(!known, Ordering::Relaxed);
            Ok(Delivered {
                handle: known.then_some(id),
                said: format!("sent to {} at {}", self.topic, self.url),
            })
        })
    }

    fn withdraw<'a>(&'a self, place: &'a Place, standing: Option<&'a str>) -> Delivery<'a> {
        Box::pin(async move {
            let left = "left there: this server cannot take a message away";
            if standing.is_none() && self.is_old.load(Ordering::Relaxed) {
                return Ok(Delivered::said(left));
            }
            let id = self.sequence_id(&place.0);
            let url = format!("{}/{}/{id}", self.url, self.topic);
            match self.send(Request::Delete { url }).await {
                Ok(_) => Ok(Delivered::said(format!("taken away at {}", self.url))),
                // It knows no such request; a daemon before sent the message.
                Err(Undelivered {
                    again: Again::Never,
                    ..
                }) if standing.is_none() => Ok(Delivered::said(left)),
                Err(error) => Err(error),
            }
        })
    }
}

/// Waiting and failed things press; a message that replaces another makes no sound.
fn priority(notice: &Notice, silent: bool) -> u8 {
    match notice.urgency {
        _ if silent => 2,
        Urgency::High => 4,
        Urgency::Normal | Urgency::Low => 3,
    }
}

/// A short code of ntfy's, which it shows as a picture before the title.
fn tag(notice: &Notice) -> &'static str {
    match (notice.kind, notice.urgency) {
        (AttentionKind::Waiting, _) => "raised_hand",
        (AttentionKind::Bell | AttentionKind::Notify, _) => "bell",
        (_, Urgency::High) => "x",
        _ => "white_check_mark",
    }
}

/// Whether the answer shows that the server knows sequence ids.
fn repeats(answer: &str, id: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(answer)
        .is_ok_and(|message| message["sequence_id"] == id)
}

fn bearer(token: &Token) -> Result<String, Undelivered> {
    let token = match token {
        Token::Text(token) => token.clone(),
        Token::File(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Undelivered::later(format!("cannot read {}: {error}", path.display()))
            })?;
            text.lines().next().unwrap_or_default().trim().to_owned()
        }
    };
    match is_token(&token) {
        true => Ok(format!("Bearer {token}")),
        false => Err(Undelivered::never(
            "the token file has no token in its first line",
        )),
    }
}

/// What the server said, and what to do where that is known.
fn refusal(code: u16, text: &str) -> String {
    let answer: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let said = line(answer["error"].as_str().unwrap_or_default());
    let said = match said.is_empty() {
        true => format!("the server answers {code}"),
        false => format!("the server answers {code}: {said}"),
    };
    match code {
        401 | 403 => format!("{said}; set `token` or `token_file` to one that may write there"),
        404 => format!("{said}; is `url` an ntfy server?"),
        _ => said,
    }
}

fn line(text: &str) -> String {
    signals::text::bounded(signals::text::clean(text), REASON)
}

/// The machine's name, in characters that a sequence id may have.
fn machine(name: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || c == '-' => c,
        _ => '_',
    };
    name.chars().take(MACHINE).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use status::notifier::Surface;

    fn telling(urgency: Urgency, body: Option<&str>) -> Telling {
        Telling {
            notice: Notice {
                subject: Subject::Terminal("k3vq7a2m".to_owned()),
                seq: 1,
                kind: AttentionKind::Waiting,
                urgency,
                title: "pi: waiting for approval".to_owned(),
                body: body.map(str::to_owned),
            },
            on: Surface::Phone,
            status: None,
            silent: false,
            standing: None,
        }
    }

    fn topic(click: Option<&str>) -> Topic {
        Topic::new(&Ntfy {
            enabled: true,
            url: "https://ntfy.sh".to_owned(),
            topic: Some("mine".to_owned()),
            token: None,
            click: click.map(str::to_owned),
        })
        .unwrap()
    }

    #[test]
    fn a_message_has_what_ntfy_documents() {
        let telling = telling(Urgency::High, Some("Apply?"));
        let message = topic(Some("https://panel/t/{terminal}")).message(&telling);
        let message: serde_json::Value = serde_json::from_str(&message).unwrap();
        assert_eq!(
            message,
            json!({"topic": "mine", "title": "pi: waiting for approval", "message": "Apply?",
                "priority": 4, "tags": ["raised_hand"], "sequence_id": "wigwag-k3vq7a2m",
                "click": "https://panel/t/k3vq7a2m"})
        );
    }

    #[test]
    fn without_a_text_the_title_is_the_message() {
        let message = topic(None).message(&telling(Urgency::Low, None));
        let message: serde_json::Value = serde_json::from_str(&message).unwrap();
        assert_eq!(message["message"], "pi: waiting for approval");
        assert_eq!(message.get("title"), None);
        assert_eq!(message["priority"], 3);
    }

    #[test]
    fn only_an_answer_with_the_same_id_promises_replacement() {
        assert!(repeats(
            r#"{"id":"x","sequence_id":"wigwag-a"}"#,
            "wigwag-a"
        ));
        assert!(!repeats(r#"{"id":"x"}"#, "wigwag-a"));
        assert!(!repeats("<html>", "wigwag-a"));
    }

    #[test]
    fn a_machine_s_name_is_made_fit_for_an_id() {
        assert_eq!(machine("böx.example"), "b_x_example");
        assert_eq!(machine(&"x".repeat(300)).len(), MACHINE);
    }

    #[test]
    fn what_a_server_says_is_one_bounded_line() {
        let said = refusal(403, r#"{"error":"forbidden\u001b[31m\nhere"}"#);
        assert_eq!(
            said,
            "the server answers 403: forbidden[31mhere; set `token` or `token_file` to one that \
             may write there"
        );
        assert!(refusal(400, &json!({"error": "x".repeat(9999)}).to_string()).len() < 300);
    }
}
