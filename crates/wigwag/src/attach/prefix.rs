//! The prefix key: which keys are for Wigwag and which for the program.
//!
//! After the prefix `d` or the prefix again detaches, `n` is the next urgent terminal, `p` the
//! previous one, `w` the picker, `?` help, `v` view only; the character of the prefix (`\` of `Ctrl-\`)
//! sends the prefix alone; any other key passes through together with it. In a paste nothing is a prefix. Keys come as characters, as
//! `CSI code ; modifiers : event u` (kitty keyboard protocol) or as
//! `CSI 27 ; modifiers ; code ~` (modifyOtherKeys).

use super::input::Token;
use ::daemon::config::Prefix;

/// What a key asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// These bytes are for the program.
    Type(Vec<u8>),
    Detach,
    Next,
    Previous,
    Picker,
    Help,
    View,
}

/// The machine of one attached terminal.
#[derive(Debug)]
pub(crate) struct PrefixKey {
    prefix: Option<Prefix>,
    /// The prefix as it came, while the key after it is awaited.
    pending: Option<Vec<u8>>,
}

/// A key as `CSI … u` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    code: u32,
    shifted: Option<u32>,
    /// Bits: 1 shift, 2 alt, 4 ctrl, 8 super…; the locks are left out.
    modifiers: u32,
    released: bool,
}

/// The modifier keys themselves, and the locks, in the kitty keyboard protocol.
const MODIFIER_KEYS: [std::ops::RangeInclusive<u32>; 2] = [57358..=57360, 57441..=57454];

impl PrefixKey {
    pub(crate) fn new(prefix: Option<Prefix>) -> Self {
        Self {
            prefix,
            pending: None,
        }
    }

    /// The key itself.
    pub(crate) fn key(&self) -> Option<Prefix> {
        self.prefix
    }

    /// Takes what came, up to the first command; says in order what is to be done, and returns what
    /// came after that command.
    pub(crate) fn take(&mut self, token: Token, out: &mut Vec<Action>) -> Option<Token> {
        match token {
            Token::Keys(bytes) => {
                let rest = self.keys(&bytes, out);
                return (!rest.is_empty()).then(|| Token::Keys(rest.to_vec()));
            }
            Token::Sequence(bytes) => self.sequence(bytes, out),
            Token::Paste(bytes) => {
                self.pass_pending(out);
                type_bytes(&bytes, out);
            }
            Token::Focus(_) | Token::Answer(_) => {}
        }
        None
    }

    fn keys<'a>(&mut self, mut bytes: &'a [u8], out: &mut Vec<Action>) -> &'a [u8] {
        let Some(prefix) = self.prefix else {
            type_bytes(bytes, out);
            return &[];
        };
        while let Some(&first) = bytes.first() {
            if let Some(pending) = self.pending.take() {
                let action = if first == prefix.byte {
                    Some(Action::Detach)
                } else {
                    action_of(u32::from(first))
                };
                match action {
                    Some(action) => {
                        out.push(action);
                        return &bytes[1..];
                    }
                    None => {
                        type_bytes(&pending, out);
                        if !prefix.is_called(u32::from(first)) {
                            type_bytes(&bytes[..1], out);
                        }
                        bytes = &bytes[1..];
                    }
                }
                continue;
            }
            let until = bytes.iter().position(|byte| *byte == prefix.byte);
            let until = until.unwrap_or(bytes.len());
            type_bytes(&bytes[..until], out);
            bytes = &bytes[until..];
            if let Some(rest) = bytes.get(1..) {
                self.pending = Some(vec![prefix.byte]);
                bytes = rest;
            }
        }
        bytes
    }

    fn sequence(&mut self, bytes: Vec<u8>, out: &mut Vec<Action>) {
        let Some(prefix) = self.prefix else {
            return type_bytes(&bytes, out);
        };
        let key = parse(&bytes);
        let is_prefix = key.is_some_and(|key| {
            key.modifiers == 4 && char::from_u32(key.code) == Some(prefix.key.to_ascii_lowercase())
        });
        match (self.pending.is_some(), key) {
            (false, Some(key)) if is_prefix && key.released => {}
            (false, Some(_)) if is_prefix => self.pending = Some(bytes),
            (false, _) => type_bytes(&bytes, out),
            // Letting go of the prefix, or of Ctrl, comes before the key.
            (true, Some(key))
                if key.released || MODIFIER_KEYS.iter().any(|keys| keys.contains(&key.code)) => {}
            (true, Some(_)) if is_prefix => {
                self.pending = None;
                out.push(Action::Detach);
            }
            (true, key) => match key.and_then(command_of) {
                Some(action) => {
                    self.pending = None;
                    out.push(action);
                }
                None => {
                    self.pass_pending(out);
                    let alone = |key: Key| key.modifiers == 0 && prefix.is_called(key.code);
                    if !key.is_some_and(alone) {
                        type_bytes(&bytes, out);
                    }
                }
            },
        }
    }

    fn pass_pending(&mut self, out: &mut Vec<Action>) {
        if let Some(pending) = self.pending.take() {
            type_bytes(&pending, out);
        }
    }
}

fn type_bytes(bytes: &[u8], out: &mut Vec<Action>) {
    if bytes.is_empty() {
        return;
    }
    match out.last_mut() {
        Some(Action::Type(typed)) => typed.extend_from_slice(bytes),
        _ => out.push(Action::Type(bytes.to_vec())),
    }
}

/// The command that a character means after the prefix.
fn action_of(code: u32) -> Option<Action> {
    match char::from_u32(code)? {
        'd' => Some(Action::Detach),
        'n' => Some(Action::Next),
        'p' => Some(Action::Previous),
        'w' => Some(Action::Picker),
        '?' => Some(Action::Help),
        'v' => Some(Action::View),
        _ => None,
    }
}

fn command_of(key: Key) -> Option<Action> {
    match key.modifiers {
        0 => action_of(key.code),
        // Where the terminal does not say what Shift makes of it, `?` is on the `/` key.
        1 if key.shifted.is_none() && key.code == u32::from(b'/') => Some(Action::Help),
        1 => action_of(key.shifted?).filter(|action| *action == Action::Help),
        _ => None,
    }
}

fn parse(bytes: &[u8]) -> Option<Key> {
    const LOCKS: u32 = 64 | 128;
    let body = std::str::from_utf8(bytes.strip_prefix(b"\x1b[")?).ok()?;
    let modifiers_of = |text: Option<&str>| -> Option<(u32, bool)> {
        let mut parts = text.unwrap_or("1").split(':');
        let modifiers = match parts.next()? {
            "" => 1,
            number => number.parse::<u32>().ok()?,
        };
        let released = parts.next() == Some("3");
        Some((modifiers.saturating_sub(1) & !LOCKS, released))
    };
    if let Some(body) = body.strip_suffix('u') {
        let mut fields = body.split(';');
        let mut codes = fields.next()?.split(':');
        let code = codes.next()?.parse().ok()?;
        let shifted = codes.next().and_then(|code| code.parse().ok());
        let (modifiers, released) = modifiers_of(fields.next())?;
        return Some(Key {
            code,
            shifted,
            modifiers,
            released,
        });
    }
    let mut fields = body.strip_suffix('~')?.split(';');
    if fields.next() != Some("27") {
        return None;
    }
    let (modifiers, released) = modifiers_of(Some(fields.next()?))?;
    Some(Key {
        code: fields.next()?.parse().ok()?,
        shifted: None,
        modifiers,
        released,
    })
}

#[cfg(test)]
mod tests {
    use super::super::input::Input;
    use super::*;

    const BACKSLASH: Prefix = Prefix {
        key: '\\',
        byte: 0x1c,
    };

    fn pressed_in(pieces: &[&[u8]], prefix: Option<Prefix>) -> Vec<Action> {
        let mut input = Input::default();
        let mut machine = PrefixKey::new(prefix);
        let mut actions: Vec<Action> = Vec::new();
        let mut tokens = Vec::new();
        for piece in pieces {
            input.read(piece, &mut tokens);
        }
        input.give_up(&mut tokens);
        for token in tokens {
            let mut next = Some(token);
            while let Some(token) = next {
                next = machine.take(token, &mut actions);
            }
        }
        actions
    }

    fn pressed(bytes: &[u8]) -> Vec<Action> {
        let whole = pressed_in(&[bytes], Some(BACKSLASH));
        for cut in 1..bytes.len() {
            let cut = pressed_in(&[&bytes[..cut], &bytes[cut..]], Some(BACKSLASH));
            assert_eq!(cut, whole, "{bytes:?}");
        }
        whole
    }

    fn typed(bytes: &[u8]) -> Action {
        Action::Type(bytes.to_vec())
    }

    #[test]
    fn the_keys_after_the_prefix_are_commands() {
        for (key, action) in [
            (b'd', Action::Detach),
            (0x1c, Action::Detach),
            (b'n', Action::Next),
            (b'p', Action::Previous),
            (b'w', Action::Picker),
            (b'?', Action::Help),
            (b'v', Action::View),
        ] {
            assert_eq!(pressed(&[0x1c, key]), [action]);
        }
    }

    #[test]
    fn another_key_passes_together_with_the_prefix() {
        assert_eq!(pressed(b"\x1cx"), [typed(b"\x1cx")]);
        assert_eq!(
            pressed("\x1c\u{fc}".as_bytes()),
            [typed("\x1c\u{fc}".as_bytes())]
        );
        assert_eq!(pressed(b"\x1c\x1b[A"), [typed(b"\x1c\x1b[A")]);
        assert_eq!(pressed(b"\x1c\x1b"), [typed(b"\x1c\x1b")]);
    }

    #[test]
    fn the_character_of_the_prefix_sends_the_prefix_alone() {
        assert_eq!(pressed(b"a\x1c\\b"), [typed(b"a\x1cb")]);
        let kitty = b"\x1b[92;5u\x1b[92u";
        assert_eq!(pressed(kitty), [typed(b"\x1b[92;5u")]);
        // A letter that is a command stays one.
        let prefix = Prefix {
            key: 'N',
            byte: 0x0e,
        };
        assert_eq!(pressed_in(&[b"\x0en"], Some(prefix)), [Action::Next]);
        let prefix = Prefix {
            key: 'A',
            byte: 0x01,
        };
        assert_eq!(pressed_in(&[b"\x01a"], Some(prefix)), [typed(b"\x01")]);
    }

    #[test]
    fn it_works_when_typed_fast_with_other_keys() {
        assert_eq!(
            pressed(b"ls\r\x1cdrest"),
            [typed(b"ls\r"), Action::Detach, typed(b"rest")]
        );
        assert_eq!(pressed(b"a\x1cx\x1cw"), [typed(b"a\x1cx"), Action::Picker]);
    }

    #[test]
    fn it_works_under_the_kitty_keyboard_protocol() {
        for prefix in [
            "\x1b[92;5u",
            "\x1b[92;5:1u",
            "\x1b[92;133u",
            "\x1b[92:124;5u",
        ] {
            for detach in [
                "d",
                "\x1b[100u",
                "\x1b[100;1u",
                "\x1b[100;129u",
                "\x1b[92;5u",
            ] {
                assert_eq!(
                    pressed(format!("{prefix}{detach}").as_bytes()),
                    [Action::Detach]
                );
            }
        }
        assert_eq!(
            pressed(b"\x1b[92;5u\x1b[92;5:3u\x1b[57442;1:3u\x1b[100;1:1u"),
            [Action::Detach],
            "letting go of the prefix and of Ctrl comes between"
        );
        assert_eq!(
            pressed(b"\x1b[92;5u\x1b[57441;2u\x1b[47:63;2u"),
            [Action::Help]
        );
        assert_eq!(pressed(b"\x1b[92;5u\x1b[47;2u"), [Action::Help]);
        assert_eq!(
            pressed(b"\x1b[92;5u\x1b[120u"),
            [typed(b"\x1b[92;5u\x1b[120u")]
        );
        assert_eq!(pressed(b"\x1b[92u"), [typed(b"\x1b[92u")]);
        assert_eq!(pressed(b"\x1b[92;6u"), [typed(b"\x1b[92;6u")]);
    }

    #[test]
    fn it_works_with_modify_other_keys() {
        assert_eq!(pressed(b"\x1b[27;5;92~d"), [Action::Detach]);
    }

    #[test]
    fn nothing_in_a_paste_is_a_prefix() {
        let paste = b"\x1b[200~\x1cd\x1b[92;5ud\x1b[201~";
        assert_eq!(pressed(paste), [typed(paste)]);
    }

    #[test]
    fn without_a_prefix_every_key_passes() {
        let bytes = b"\x1cd\x1b[92;5ud";
        assert_eq!(pressed_in(&[bytes], None), [typed(bytes)]);
    }

    #[test]
    fn another_prefix_can_be_configured() {
        let prefix = Prefix {
            key: 'A',
            byte: 0x01,
        };
        assert_eq!(pressed_in(&[b"\x01d"], Some(prefix)), [Action::Detach]);
        assert_eq!(
            pressed_in(&[b"\x1b[97;5ud"], Some(prefix)),
            [Action::Detach]
        );
        assert_eq!(pressed_in(&[b"\x1cd"], Some(prefix)), [typed(b"\x1cd")]);
    }

    #[test]
    fn a_focus_event_between_prefix_and_key_changes_nothing() {
        assert_eq!(pressed(b"\x1c\x1b[O\x1b[Id"), [Action::Detach]);
    }
}
