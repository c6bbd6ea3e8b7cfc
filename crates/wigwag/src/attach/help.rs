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
        outer.flush();
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
        let mut came = std::mem::take(&mut tokens).into_iter();
        if let Some(rest) = came.find_map(press) {
            outer.unread(rest.into_iter().chain(came));
            break;
        }
    }
    Ok(None)
}

/// Whether a key was pressed, and what of the token comes after it.
fn press(token: Token) -> Option<Option<Token>> {
    match token {
        Token::Focus(_) | Token::Answer(_) => None,
        Token::Sequence(_) | Token::Paste(_) => Some(None),
        Token::Keys(mut keys) => {
            // One key may be a character of several bytes.
            let inside = |byte: &u8| (0x80..0xc0).contains(byte);
            let first = 1 + keys.iter().skip(1).take_while(|byte| inside(byte)).count();
            let rest = keys.split_off(first.min(keys.len()));
            Some((!rest.is_empty()).then_some(Token::Keys(rest)))
        }
    }
}

fn draw(name: &str, prefix: Prefix, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b[H\x1b[2J");
    out.extend_from_slice(format!("{name}: after {prefix}\r\n\r\n").as_bytes());
    for (key, does) in KEYS {
        out.extend_from_slice(format!("  {key}  {does}\r\n").as_bytes());
    }
    let own = prefix.key.to_ascii_lowercase();
    // A letter that is a command stays one.
    if KEYS.iter().all(|(key, _)| !key.starts_with(own)) {
        out.extend_from_slice(format!("  {own}  send {prefix} to the program\r\n").as_bytes());
    }
    let rest =
        format!("\r\nAny other key goes to the program, together with {prefix}.\r\nPress a key.");
    out.extend_from_slice(rest.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_ends_it_and_the_keys_after_that_one_are_kept() {
        let keys = |bytes: &[u8]| Token::Keys(bytes.to_vec());
        assert_eq!(press(keys(b"x")), Some(None));
        assert_eq!(press(keys(b"xls\r")), Some(Some(keys(b"ls\r"))));
        let rest = Some(Some(keys(b"ls")));
        assert_eq!(press(keys("\u{fc}ls".as_bytes())), rest);
        assert_eq!(press(Token::Sequence(b"\x1b[A".to_vec())), Some(None));
        assert_eq!(press(Token::Focus(true)), None);
    }
}
