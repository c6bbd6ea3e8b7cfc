//! The working directory: OSC 7. (`633 ; P ; Cwd=` is in `shell_integration`.)
//!
//! ```text
//! OSC 7 ; file://host/path               percent-encoded
//! OSC 7 ; kitty-shell-cwd://host/path    as it is
//! OSC 7 ;                                clears
//! ```
//!
//! An empty host and `localhost` are this host. Any other body says nothing.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode, utf8_percent_encode};

use crate::control_string::{ControlString, Protocol, Route};
use crate::{Cwd, Signal, Terminator, text};

pub(crate) static WORKING_DIRECTORY: Protocol = Protocol {
    numbers: &[7],
    route: |_, _| Route::Forward,
    read: |string, _, said| {
        if let Some(cwd) = string.payload.and_then(parse) {
            said.signal(Signal::Cwd(cwd));
        }
    },
    ..Protocol::DEFAULT
};

fn parse(body: &[u8]) -> Option<Option<Cwd>> {
    if body.is_empty() {
        return Some(None);
    }
    let (rest, decode) = match body.strip_prefix(b"file://") {
        Some(rest) => (rest, true),
        None => (body.strip_prefix(b"kitty-shell-cwd://")?, false),
    };
    let slash = rest.iter().position(|&byte| byte == b'/')?;
    let (host, path) = rest.split_at(slash);
    let path = if decode {
        text::shown(&percent_decode(path).collect::<Vec<u8>>())
    } else {
        text::shown(path)
    };
    Some(Some(Cwd {
        host: parse_host(host),
        path,
    }))
}

fn parse_host(host: &[u8]) -> Option<String> {
    let host = text::shown(host);
    (!host.is_empty() && !host.eq_ignore_ascii_case("localhost")).then_some(host)
}

/// What a path may not hold as it is: controls, and what ends or splits a URL.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b';')
    .add(b'{')
    .add(b'}');

/// The sequence that says `cwd`; `None` clears.
pub fn encode(cwd: Option<&Cwd>, terminator: Terminator) -> Vec<u8> {
    let Some(cwd) = cwd else {
        return ControlString::osc(&["7;"], terminator);
    };
    let host: String = text::clean(cwd.host.as_deref().unwrap_or_default());
    let path = utf8_percent_encode(&cwd.path, ENCODED).to_string();
    ControlString::osc(&["7;file://", &host, &path], terminator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::testing::only_signals;

    fn cwd(body: &str) -> Vec<Signal> {
        only_signals(format!("\x1b]7;{body}\x07").as_bytes())
    }

    fn said(host: Option<&str>, path: &str) -> Vec<Signal> {
        vec![Signal::Cwd(Some(Cwd {
            host: host.map(Into::into),
            path: path.into(),
        }))]
    }

    #[test]
    fn a_file_url_is_percent_decoded() {
        assert_eq!(
            cwd("file://box/src/a%20b%c3%a9"),
            said(Some("box"), "/src/a bé")
        );
    }

    #[test]
    fn a_kitty_shell_cwd_is_not_decoded() {
        assert_eq!(
            cwd("kitty-shell-cwd://box/a%20b é"),
            said(Some("box"), "/a%20b é")
        );
    }

    #[test]
    fn an_empty_host_and_localhost_are_this_host() {
        assert_eq!(cwd("file:///src"), said(None, "/src"));
        assert_eq!(cwd("file://localhost/src"), said(None, "/src"));
        assert_eq!(cwd("file://LocalHost/"), said(None, "/"));
    }

    #[test]
    fn an_empty_body_clears() {
        assert_eq!(cwd(""), [Signal::Cwd(None)]);
    }

    #[test]
    fn any_other_body_says_nothing() {
        for body in ["/src", "http://box/src", "file://box", "file:/src", "box"] {
            assert_eq!(cwd(body), [], "{body}");
        }
        assert_eq!(only_signals(b"\x1b]7\x07"), []);
    }

    #[test]
    fn a_path_is_cleaned_after_decoding() {
        assert_eq!(cwd("file:///a%1b%5b%07b%e2%80%aec"), said(None, "/a[bc"));
        assert_eq!(cwd("file:///a%ffb"), said(None, "/a\u{fffd}b"));
    }

    #[test]
    fn an_encoded_directory_is_read_back() {
        for path in ["/", "/a b/é;%41?#\u{1f41c}", "/100%"] {
            let sent = Cwd {
                host: Some("box".into()),
                path: path.into(),
            };
            let bytes = encode(Some(&sent), Terminator::St);
            assert_eq!(only_signals(&bytes), [Signal::Cwd(Some(sent))]);
        }
        assert_eq!(
            only_signals(&encode(None, Terminator::Bell)),
            [Signal::Cwd(None)]
        );
    }
}
