//! Named keys to the bytes a program expects, for the modes it has switched on: application
//! cursor keys (`?1`) and the kitty keyboard protocol's flags (`CSI > flags u`).
//!
//! A key is `[MODIFIER-]… NAME`, modifiers `C-`, `M-`, `S-` (or `ctrl-`, `alt-`, `shift-`); a name is one of [`NAMED`], `F1`…`F12`
//! or a single character.

/// What decides the encoding.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeyModes {
    /// `?1`: cursor keys as `SS3`.
    pub(super) application_cursor: bool,
    /// The kitty keyboard flags in force.
    pub(super) kitty: u32,
}

/// Kitty flag 1: disambiguate escape codes.
const DISAMBIGUATE: u32 = 1;
/// Kitty flag 8: report all keys as escape codes.
const ALL_AS_ESCAPES: u32 = 8;

const SHIFT: u32 = 1;
const ALT: u32 = 2;
const CONTROL: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    /// A character; also Enter, Tab, Escape, Backspace and Space by their code.
    Character(char),
    /// `CSI letter`, with a parameter `1;m` when modified.
    Letter(char),
    /// `CSI number ~`.
    Tilde(u32),
}

/// The named keys.
const NAMED: &[(&str, Key)] = &[
    ("Enter", Key::Character('\r')),
    ("Tab", Key::Character('\t')),
    ("BTab", Key::Character('\t')),
    ("Escape", Key::Character('\x1b')),
    ("Space", Key::Character(' ')),
    ("Backspace", Key::Character('\x7f')),
    ("Up", Key::Letter('A')),
    ("Down", Key::Letter('B')),
    ("Right", Key::Letter('C')),
    ("Left", Key::Letter('D')),
    ("Home", Key::Letter('H')),
    ("End", Key::Letter('F')),
    ("Insert", Key::Tilde(2)),
    ("Delete", Key::Tilde(3)),
    ("PageUp", Key::Tilde(5)),
    ("PageDown", Key::Tilde(6)),
    ("F1", Key::Letter('P')),
    ("F2", Key::Letter('Q')),
    ("F3", Key::Letter('R')),
    ("F4", Key::Letter('S')),
    ("F5", Key::Tilde(15)),
    ("F6", Key::Tilde(17)),
    ("F7", Key::Tilde(18)),
    ("F8", Key::Tilde(19)),
    ("F9", Key::Tilde(20)),
    ("F10", Key::Tilde(21)),
    ("F11", Key::Tilde(23)),
    ("F12", Key::Tilde(24)),
];

/// The names of keys that have one.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMED.iter().map(|(name, _)| *name)
}

/// The bytes of one named key. `Err` names it and lists what there is.
pub(super) fn encode(name: &str, modes: KeyModes) -> Result<Vec<u8>, String> {
    let (key, modifiers) = parse(name).ok_or_else(|| {
        let known: Vec<_> = names().collect();
        format!(
            "there is no key \"{}\": use a single character or one of {}, with C- M- S- before it",
            name.escape_debug(),
            known.join(" ")
        )
    })?;
    Ok(match key {
        Key::Character(character) => encode_character(character, modifiers, modes),
        Key::Letter(letter) => encode_letter(letter, modifiers, modes),
        Key::Tilde(number) if modifiers == 0 => format!("\x1b[{number}~").into_bytes(),
        Key::Tilde(number) => format!("\x1b[{number};{}~", modifiers + 1).into_bytes(),
    })
}

/// Enter as a person would press it.
pub(super) fn enter(modes: KeyModes) -> Vec<u8> {
    encode_character('\r', 0, modes)
}

/// Whether this input is a Ctrl-C, in either encoding.
pub(super) fn is_interrupt(bytes: &[u8]) -> bool {
    const KITTY: &[u8] = b"\x1b[99;5u";
    bytes.contains(&3) || bytes.windows(KITTY.len()).any(|window| window == KITTY)
}

fn parse(name: &str) -> Option<(Key, u32)> {
    let mut modifiers = 0;
    let mut rest = name;
    while let Some((modifier, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty())
    {
        modifiers |= match modifier {
            "C" | "ctrl" | "Ctrl" => CONTROL,
            "M" | "alt" | "Alt" => ALT,
            "S" | "shift" | "Shift" => SHIFT,
            _ => return None,
        };
        rest = after;
    }
    if rest == "BTab" {
        modifiers |= SHIFT;
    }
    if let Some((_, key)) = NAMED.iter().find(|(known, _)| *known == rest) {
        return Some((*key, modifiers));
    }
    let mut characters = rest.chars();
    let character = characters.next()?;
    (characters.next().is_none() && !character.is_control())
        .then_some((Key::Character(character), modifiers))
}

fn encode_letter(letter: char, modifiers: u32, modes: KeyModes) -> Vec<u8> {
    let function = matches!(letter, 'P'..='S');
    match modifiers {
        // Under the kitty protocol F3 is `13~`: `CSI R` would be a cursor report.
        _ if letter == 'R' && modes.kitty != 0 => match modifiers {
            0 => b"\x1b[13~".to_vec(),
            _ => format!("\x1b[13;{}~", modifiers + 1).into_bytes(),
        },
        0 if function && modes.kitty & DISAMBIGUATE == 0 => format!("\x1bO{letter}").into_bytes(),
        0 if !function && modes.application_cursor => format!("\x1bO{letter}").into_bytes(),
        0 => format!("\x1b[{letter}").into_bytes(),
        _ => format!("\x1b[1;{}{letter}", modifiers + 1).into_bytes(),
    }
}

fn encode_character(character: char, modifiers: u32, modes: KeyModes) -> Vec<u8> {
    let named = matches!(character, '\r' | '\t' | '\x1b' | '\x7f');
    let as_escape = modes.kitty & ALL_AS_ESCAPES != 0
        || modes.kitty & DISAMBIGUATE != 0
            && (character == '\x1b' || modifiers & (ALT | CONTROL) != 0 || named && modifiers != 0);
    if as_escape {
        // The code is that of the unshifted key.
        let code = character.to_ascii_lowercase() as u32;
        let shifted = if character.is_ascii_uppercase() {
            SHIFT
        } else {
            0
        };
        return match modifiers | shifted {
            0 => format!("\x1b[{code}u").into_bytes(),
            modifiers => format!("\x1b[{code};{}u", modifiers + 1).into_bytes(),
        };
    }
    if character == '\t' && modifiers & SHIFT != 0 {
        return b"\x1b[Z".to_vec();
    }
    let character = if modifiers & SHIFT != 0 {
        character.to_ascii_uppercase()
    } else {
        character
    };
    let mut bytes = Vec::with_capacity(5);
    if modifiers & ALT != 0 {
        bytes.push(0x1b);
    }
    match control_code(character).filter(|_| modifiers & CONTROL != 0) {
        Some(code) => bytes.push(code),
        None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
    bytes
}

/// What Ctrl makes of a character, where it makes anything of it.
fn control_code(character: char) -> Option<u8> {
    match character {
        'a'..='z' | 'A'..='Z' | '@' | '[' | '\\' | ']' | '^' | '_' => Some(character as u8 & 0x1f),
        ' ' | '2' => Some(0),
        '3'..='7' => Some(character as u8 - b'3' + 0x1b),
        '8' | '?' => Some(0x7f),
        '/' | '-' => Some(0x1f),
        '\x7f' => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(name: &str) -> String {
        String::from_utf8(encode(name, KeyModes::default()).unwrap()).unwrap()
    }

    fn kitty(name: &str, flags: u32) -> String {
        let modes = KeyModes {
            kitty: flags,
            ..KeyModes::default()
        };
        String::from_utf8(encode(name, modes).unwrap()).unwrap()
    }

    #[test]
    fn keys_are_what_xterm_sends() {
        for (name, bytes) in [
            ("C-c", "\x03"),
            ("ctrl-c", "\x03"),
            ("Ctrl-Alt-a", "\x1b\x01"),
            ("M-x", "\x1bx"),
            ("Enter", "\r"),
            ("Tab", "\t"),
            ("BTab", "\x1b[Z"),
            ("Escape", "\x1b"),
            ("Space", " "),
            ("C-Space", "\0"),
            ("Up", "\x1b[A"),
            ("C-Right", "\x1b[1;5C"),
            ("Home", "\x1b[H"),
            ("End", "\x1b[F"),
            ("PageUp", "\x1b[5~"),
            ("Delete", "\x1b[3~"),
            ("C-Delete", "\x1b[3;5~"),
            ("Backspace", "\x7f"),
            ("F1", "\x1bOP"),
            ("F5", "\x1b[15~"),
            ("F12", "\x1b[24~"),
            ("S-F3", "\x1b[1;2R"),
            ("a", "a"),
            ("é", "é"),
            ("-", "-"),
            ("C--", "\x1f"),
            ("C-M-a", "\x1b\x01"),
            ("C-\\", "\x1c"),
            ("S-a", "A"),
        ] {
            assert_eq!(plain(name), bytes, "{name}");
        }
    }

    #[test]
    fn cursor_keys_follow_application_mode_unless_modified() {
        let modes = KeyModes {
            application_cursor: true,
            kitty: 0,
        };
        assert_eq!(encode("Up", modes).unwrap(), b"\x1bOA");
        assert_eq!(encode("S-Up", modes).unwrap(), b"\x1b[1;2A");
        assert_eq!(encode("Delete", modes).unwrap(), b"\x1b[3~");
    }

    #[test]
    fn ambiguous_keys_are_escapes_under_the_kitty_protocol() {
        assert_eq!(kitty("C-c", 1), "\x1b[99;5u");
        assert_eq!(kitty("Escape", 1), "\x1b[27u");
        assert_eq!(kitty("Enter", 1), "\r");
        assert_eq!(kitty("Enter", 8), "\x1b[13u");
        assert_eq!(kitty("S-Enter", 1), "\x1b[13;2u");
        assert_eq!(kitty("a", 1), "a");
        assert_eq!(kitty("A", 8), "\x1b[97;2u");
        assert_eq!(kitty("F3", 1), "\x1b[13~");
        assert!(is_interrupt(b"\x1b[99;5u") && is_interrupt(b"ab\x03") && !is_interrupt(b"abc"));
    }

    #[test]
    fn an_unknown_key_is_named_with_the_list_of_valid_ones() {
        for name in ["Entr", "X-a", "", "C-", "F13", "ab"] {
            let error = encode(name, KeyModes::default()).unwrap_err();
            assert!(
                error.contains(&format!("\"{name}\"")) && error.contains("PageDown"),
                "{error}"
            );
        }
    }
}
