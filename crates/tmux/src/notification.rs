//! The lines that tmux sends of its own accord, outside blocks and output.
//!
//! ```text
//! notification   %name *( SP argument ) [ SP name-or-text ]
//! subscription   %subscription-changed name $s @w index %p … : value     (- for what there is none)
//! ```
//!
//! A line that is not known, or known and malformed, is none: later versions add names and
//! arguments, and a name with a line feed in it may break a line in two.

use crate::id::{PaneId, SessionId, WindowId};
use std::str::FromStr;

/// What tmux said of its own accord. Names are as tmux keeps them, invalid UTF-8 replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the protocol's")]
pub enum Notification {
    /// This client looks at another session now.
    SessionChanged {
        session: SessionId,
        name: String,
    },
    SessionRenamed {
        session: SessionId,
        name: String,
    },
    /// The session has another current window.
    SessionWindowChanged {
        session: SessionId,
        window: WindowId,
    },
    /// A session was created or destroyed.
    SessionsChanged,
    /// `linked`: into the session of this client.
    WindowAdded {
        window: WindowId,
        linked: bool,
    },
    WindowClosed {
        window: WindowId,
        linked: bool,
    },
    WindowRenamed {
        window: WindowId,
        name: String,
    },
    /// The window has another active pane.
    WindowPaneChanged {
        window: WindowId,
        pane: PaneId,
    },
    /// Panes came, went, moved or changed their size.
    LayoutChanged {
        window: WindowId,
    },
    /// The pane entered or left a mode, such as copy mode.
    PaneModeChanged {
        pane: PaneId,
    },
    /// This client lagged behind: output of the pane is dropped until it asks to go on.
    Paused {
        pane: PaneId,
    },
    Continued {
        pane: PaneId,
    },
    ClientDetached {
        client: String,
    },
    /// Another client looks at another session now, or was attached.
    ClientSessionChanged {
        client: String,
        session: SessionId,
        name: String,
    },
    /// The value of a format that was subscribed to.
    SubscriptionChanged {
        name: String,
        value: String,
    },
    /// This client is let go; with the reason, if one was told.
    Exit {
        reason: Option<String>,
    },
}

impl Notification {
    /// Reads one line, without its end.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let line = String::from_utf8_lossy(line);
        let (name, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let mut rest = Arguments(rest);
        Some(match name {
            "%session-changed" => Self::SessionChanged {
                session: rest.id()?,
                name: rest.rest(),
            },
            "%session-renamed" => Self::SessionRenamed {
                session: rest.id()?,
                name: rest.rest(),
            },
            "%session-window-changed" => Self::SessionWindowChanged {
                session: rest.id()?,
                window: rest.id()?,
            },
            "%sessions-changed" => Self::SessionsChanged,
            "%window-add" | "%unlinked-window-add" => Self::WindowAdded {
                window: rest.id()?,
                linked: name == "%window-add",
            },
            "%window-close" | "%unlinked-window-close" => Self::WindowClosed {
                window: rest.id()?,
                linked: name == "%window-close",
            },
            "%window-renamed" | "%unlinked-window-renamed" => Self::WindowRenamed {
                window: rest.id()?,
                name: rest.rest(),
            },
            "%window-pane-changed" => Self::WindowPaneChanged {
                window: rest.id()?,
                pane: rest.id()?,
            },
            "%layout-change" => Self::LayoutChanged { window: rest.id()? },
            "%pane-mode-changed" => Self::PaneModeChanged { pane: rest.id()? },
            "%pause" => Self::Paused { pane: rest.id()? },
            "%continue" => Self::Continued { pane: rest.id()? },
            "%client-detached" => Self::ClientDetached {
                client: rest.some_rest()?,
            },
            "%client-session-changed" => {
                // The name of a client is a path of a terminal, which may hold spaces.
                let at = rest.0.find(" $")?;
                let client = rest.0[..at].to_owned();
                rest.0 = &rest.0[at + 1..];
                Self::ClientSessionChanged {
                    client,
                    session: rest.id()?,
                    name: rest.rest(),
                }
            }
            "%subscription-changed" => {
                let (arguments, value) = rest.0.split_once(" : ").or_else(|| {
                    // An empty value may have lost the space behind the colon.
                    Some((rest.0.strip_suffix(" :")?, ""))
                })?;
                Self::SubscriptionChanged {
                    name: arguments.split(' ').next()?.to_owned(),
                    value: value.to_owned(),
                }
            }
            "%exit" => Self::Exit {
                reason: rest.some_rest(),
            },
            _ => return None,
        })
    }
}

/// What is left of a line.
struct Arguments<'a>(&'a str);

impl Arguments<'_> {
    fn id<T: FromStr>(&mut self) -> Option<T> {
        let (id, rest) = self.0.split_once(' ').unwrap_or((self.0, ""));
        self.0 = rest;
        id.parse().ok()
    }

    fn rest(&self) -> String {
        self.0.to_owned()
    }

    fn some_rest(&self) -> Option<String> {
        Some(self.0.to_owned()).filter(|rest| !rest.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Option<Notification> {
        Notification::parse(line.as_bytes())
    }

    #[test]
    fn notifications_of_tmux_3_3_are_read() {
        let name = || "a b é".to_owned();
        let cases = [
            (
                "%session-changed $1 a b é",
                Notification::SessionChanged {
                    session: SessionId(1),
                    name: name(),
                },
            ),
            (
                "%session-renamed $0 a b é",
                Notification::SessionRenamed {
                    session: SessionId(0),
                    name: name(),
                },
            ),
            (
                "%session-window-changed $2 @4",
                Notification::SessionWindowChanged {
                    session: SessionId(2),
                    window: WindowId(4),
                },
            ),
            ("%sessions-changed", Notification::SessionsChanged),
            (
                "%window-add @4",
                Notification::WindowAdded {
                    window: WindowId(4),
                    linked: true,
                },
            ),
            (
                "%unlinked-window-add @4",
                Notification::WindowAdded {
                    window: WindowId(4),
                    linked: false,
                },
            ),
            (
                "%window-close @4",
                Notification::WindowClosed {
                    window: WindowId(4),
                    linked: true,
                },
            ),
            (
                "%unlinked-window-close @3",
                Notification::WindowClosed {
                    window: WindowId(3),
                    linked: false,
                },
            ),
            (
                "%window-renamed @1 a b é",
                Notification::WindowRenamed {
                    window: WindowId(1),
                    name: name(),
                },
            ),
            (
                "%unlinked-window-renamed @1 a b é",
                Notification::WindowRenamed {
                    window: WindowId(1),
                    name: name(),
                },
            ),
            // tmux 3.2 to 3.3 leaves the name of an unlinked window out.
            (
                "%unlinked-window-renamed @1",
                Notification::WindowRenamed {
                    window: WindowId(1),
                    name: String::new(),
                },
            ),
            (
                "%window-pane-changed @1 %2",
                Notification::WindowPaneChanged {
                    window: WindowId(1),
                    pane: PaneId(2),
                },
            ),
            (
                "%layout-change @1 b25e,80x24,0,0,1 b25e,80x24,0,0,1 *",
                Notification::LayoutChanged {
                    window: WindowId(1),
                },
            ),
            (
                "%pane-mode-changed %7",
                Notification::PaneModeChanged { pane: PaneId(7) },
            ),
            ("%pause %7", Notification::Paused { pane: PaneId(7) }),
            ("%continue %7", Notification::Continued { pane: PaneId(7) }),
            (
                "%client-detached /dev/pts/3",
                Notification::ClientDetached {
                    client: "/dev/pts/3".into(),
                },
            ),
            (
                "%client-session-changed /dev/my pts $3 a b é",
                Notification::ClientSessionChanged {
                    client: "/dev/my pts".into(),
                    session: SessionId(3),
                    name: name(),
                },
            ),
            (
                "%subscription-changed w $1 @1 0 %1 : 0 : vm",
                Notification::SubscriptionChanged {
                    name: "w".into(),
                    value: "0 : vm".into(),
                },
            ),
            (
                "%subscription-changed w $1 - - - : x",
                Notification::SubscriptionChanged {
                    name: "w".into(),
                    value: "x".into(),
                },
            ),
            (
                "%subscription-changed w $1 - - - new arguments : x",
                Notification::SubscriptionChanged {
                    name: "w".into(),
                    value: "x".into(),
                },
            ),
            (
                "%subscription-changed w $1 - - - :",
                Notification::SubscriptionChanged {
                    name: "w".into(),
                    value: String::new(),
                },
            ),
            ("%exit", Notification::Exit { reason: None }),
            (
                "%exit too far behind",
                Notification::Exit {
                    reason: Some("too far behind".into()),
                },
            ),
        ];
        for (line, notification) in cases {
            assert_eq!(parse(line), Some(notification), "{line}");
        }
    }

    #[test]
    fn what_is_unknown_or_malformed_is_nothing() {
        for line in [
            "",
            "%",
            "%message hello",
            "%config-error x",
            "%paste-buffer-changed buffer0",
            "%window-add",
            "%window-add 4",
            "%window-add %4",
            "%layout-change",
            "%pause 7",
            "%session-changed name",
            "%subscription-changed w $1",
            "%client-session-changed x",
            "%client-detached",
            "window-add @4",
            " %window-add @4",
            "%WINDOW-ADD @4",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
