//! The keys after the prefix, shown until a key is pressed.

use super::input::Token;
use super::outer::{self, Outer};
use crate::failure::Failure;
use ::daemon::config::Prefix;
use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};

const KEYS: [(&str, &str); 6] = [
    ("d", "detach (the prefix again does the same)"),
    ("n", "the most urgent unread terminal"),
    ("p", "the previous terminal"),
    ("w", "choose a terminal"),
    ("v", "only look, or type again"),
    ("?", "this help"),
];

/// Shows the help; `Some`: a signal asks this process to end.
pub(crate) fn show(outer: &mut Outer, name: &str, prefix: Prefix) -> Result<Option<i32>, Failure> {
    outer::reset_modes(outer.out());
    outer
        .out()
        .extend_from_slice(b"\x1b[?1049h\x1b[?1004h\x1b[?25l");
    let asked = run(outer, name, prefix);
    outer::reset_modes(outer.out());
    outer.out().extend_from_slice(b"\x1b[?1004h");
    asked
}

fn run(outer: &mut Outer, name: &str, prefix: Prefix) -> Result<Option<i32>, Failure> {
    let mut tokens = Vec::new();
    while !outer.is_gone() {
        draw(name, prefix, outer.out());
        let ready = outer.wait(None, true, None)?;
        if ready.signals {
            for signal in outer.signals.take() {
                match signal {
                    SIGWINCH => {}
                    SIGCONT => outer.take()?,
                    SIGTSTP => {
                        outer.give_back();
                        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
                        outer.take()?;
                        outer.out().extend_from_slice(b"\x1b[?1049h\x1b[?25l");
                    }
                    other => return Ok(Some(other)),
                }
            }
        }
        if ready.keys {
            outer.read(&mut tokens);
        }
        outer.pass_deadline(&mut tokens);
        let pressed = |token: &Token| !matches!(token, Token::Focus(_) | Token::Answer(_));
        let mut came = std::mem::take(&mut tokens).into_iter();
        if came.any(|token| pressed(&token)) {
            outer.unread(came);
            break;
        }
    }
    Ok(None)
}

fn draw(name: &str, prefix: Prefix, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b[H\x1b[2J");
    out.extend_from_slice(format!("{name}: after {prefix}\r\n\r\n").as_bytes());
    for (key, does) in KEYS {
        out.extend_from_slice(format!("  {key}  {does}\r\n").as_bytes());
    }
    let rest =
        format!("\r\nAny other key goes to the program, together with {prefix}.\r\nPress a key.");
    out.extend_from_slice(rest.as_bytes());
}
