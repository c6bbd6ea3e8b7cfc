//! Versions of tmux: `3.3a`, `next-3.5`, `3.4-rc`, `openbsd-7.2`, `master`.

use std::fmt;

/// Since when there is all that is needed: `pause-after`, format subscriptions, `-N`, `list-panes -f`.
const NEEDED: (u32, u32) = (3, 2);

/// A version, as tmux says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(String);

impl Version {
    /// A version by its words.
    pub fn new(words: &str) -> Self {
        Self(words.to_owned())
    }

    /// Whether it is 3.2 or later. One without a number of tmux's own is taken for recent: OpenBSD's
    /// and development versions count otherwise.
    pub fn is_enough(&self) -> bool {
        self.number().is_none_or(|number| number >= NEEDED)
    }

    /// Major and minor number.
    fn number(&self) -> Option<(u32, u32)> {
        let number = self.0.strip_prefix("next-").unwrap_or(&self.0);
        let (major, minor) = number.split_once('.')?;
        let digits = minor.find(|c: char| !c.is_ascii_digit());
        let minor = &minor[..digits.unwrap_or(minor.len())];
        Some((major.parse().ok()?, minor.parse().ok()?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_before_3_2_are_too_old() {
        for (version, enough) in [
            ("3.2", true),
            ("3.2-rc", true),
            ("3.3a", true),
            ("3.10", true),
            ("next-3.5", true),
            ("4.0", true),
            ("openbsd-7.2", true),
            ("master", true),
            ("3.1c", false),
            ("next-3.1", false),
            ("2.9a", false),
            ("1.8", false),
        ] {
            assert_eq!(Version::new(version).is_enough(), enough, "{version}");
        }
    }
}
