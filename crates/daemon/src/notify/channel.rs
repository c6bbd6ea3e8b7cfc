//! What every channel of notifications is: something that can show a notification, and take it away.
//!
//! A channel knows one way to reach a person, and nothing else. What waits, what is tried again and
//! what stands where is the business of its [`super::outbox::Outbox`]; whom to tell of what was decided
//! before ([`status::notifier`]).

use signals::text::{bounded, clean};
use status::Status;
use status::notifier::{Notice, Subject, Surface};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A title longer than this is cut by every surface; in characters.
const TITLE: usize = 256;
/// The longest message of a program (2048 bytes) fits; in characters.
const BODY: usize = 2048;

/// Where a notification stands: whose it is, and on which surface.
pub(crate) type Place = (Subject, Surface);

/// A notification to show.
#[derive(Debug, Clone)]
pub(crate) struct Telling {
    pub(crate) notice: Notice,
    pub(crate) on: Surface,
    /// The status of the terminal at this moment; none for several.
    pub(crate) status: Option<Arc<Status>>,
    /// It replaces one that stands, and nobody has to notice.
    pub(crate) silent: bool,
    /// What [`Delivered::handle`] said of the one that stands.
    pub(crate) standing: Option<Handle>,
}

/// How a channel finds again what it showed. Kept for the next daemon.
pub(crate) type Handle = String;

/// It was shown, or taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delivered {
    /// How it is found again.
    pub(crate) handle: Option<Handle>,
    /// What happened, for people: `shown by gnome-shell`.
    pub(crate) said: String,
}

/// It was not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Undelivered {
    /// Why, for people.
    pub(crate) reason: String,
    pub(crate) again: Again,
}

/// Whether another try makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It would fail again: somebody has to do something first.
    Never,
    /// Later, and ever later.
    Later,
    /// Not before that.
    After(Duration),
}

impl Delivered {
    pub(crate) fn said(said: impl Into<String>) -> Self {
        Self {
            handle: None,
            said: said.into(),
        }
    }
}

impl Undelivered {
    pub(crate) fn later(reason: impl fmt::Display) -> Self {
        Self {
            reason: reason.to_string(),
            again: Again::Later,
        }
    }

    pub(crate) fn never(reason: impl fmt::Display) -> Self {
        Self {
            reason: reason.to_string(),
            again: Again::Never,
        }
    }
}

/// What comes of it. Every channel ends each within a bounded time.
pub(crate) type Delivery<'a> =
    Pin<Box<dyn Future<Output = Result<Delivered, Undelivered>> + Send + 'a>>;

/// One way to reach a person.
pub(crate) trait Channel: fmt::Debug + Send + Sync {
    /// Shows a notification, in place of the one that stands.
    fn show<'a>(&'a self, telling: &'a Telling) -> Delivery<'a>;

    /// Takes away what stands there; `standing` is what the channel said of it, if it could.
    fn withdraw<'a>(&'a self, place: &'a Place, standing: Option<&'a str>) -> Delivery<'a>;

    /// An earlier daemon showed these; a person may still answer them.
    fn resume(&self, _standing: &[(Place, Handle)]) {}
}

/// The title as it may be shown anywhere: one clean line of bounded length.
pub(crate) fn title(notice: &Notice) -> String {
    bounded(clean(&notice.title), TITLE)
}

/// The body, likewise.
pub(crate) fn body(notice: &Notice) -> Option<String> {
    let body = bounded(clean(notice.body.as_deref()?), BODY);
    Some(body).filter(|body| !body.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use status::AttentionKind;
    use status::notifier::Urgency;

    #[test]
    fn whatever_a_program_said_a_channel_gets_one_bounded_clean_line() {
        let notice = Notice {
            subject: Subject::Fold,
            seq: 0,
            kind: AttentionKind::Bell,
            urgency: Urgency::Normal,
            title: "a\n\u{202e}b\u{1b}[31m".to_owned(),
            body: Some("\u{200b}x\r\n".repeat(4000)),
        };
        assert_eq!(title(&notice), "ab[31m");
        assert_eq!(body(&notice).unwrap(), "x".repeat(BODY));
    }
}
