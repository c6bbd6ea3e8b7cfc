//! What tmux calls its things: `$1` a session, `@2` a window, `%3` a pane. A number is never used
//! twice while a server lives.

use std::fmt;
use std::str::FromStr;

macro_rules! id {
    ($name:ident, $sigil:literal, $what:literal) => {
        #[doc = $what]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $sigil, self.0)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let number = text.strip_prefix($sigil).ok_or(NotAnId)?;
                match number.bytes().all(|byte| byte.is_ascii_digit()) {
                    true => number.parse().map(Self).map_err(|_| NotAnId),
                    false => Err(NotAnId),
                }
            }
        }
    };
}

id!(SessionId, '$', "A session, `$1`.");
id!(
    WindowId,
    '@',
    "A window, `@1`; it may be linked into several sessions."
);
id!(PaneId, '%', "A pane, `%1`: a PTY and its program.");

/// The text is no id of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id of tmux: a session is $1, a window @1, a pane %1")]
pub struct NotAnId;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_sigil_and_digits_and_nothing_else() {
        assert_eq!("%17".parse(), Ok(PaneId(17)));
        assert_eq!(PaneId(17).to_string(), "%17");
        assert_eq!("@0".parse(), Ok(WindowId(0)));
        for wrong in [
            "",
            "%",
            "17",
            "@17",
            "%+1",
            "%-1",
            "%1 ",
            "%4294967296",
            "%x",
        ] {
            assert_eq!(wrong.parse::<PaneId>(), Err(NotAnId), "{wrong}");
        }
    }
}
