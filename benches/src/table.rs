//! The table: on the terminal, and as `docs/performance.md`.

use anyhow::{Context as _, Result};
use std::fmt::Write as _;
use std::path::Path;

/// One figure.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    what: String,
    measured: String,
    beside: String,
    target: String,
    verdict: String,
}

/// Which side of its target a figure must be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    AtLeast,
    AtMost,
}

impl Row {
    /// A figure; the peers of the same run stand in `beside`.
    pub(crate) fn new(what: &str, measured: String, beside: String) -> Self {
        Self {
            what: what.to_owned(),
            measured,
            beside,
            target: String::new(),
            verdict: "for information".to_owned(),
        }
    }

    /// Holds `value` against its target. A row may have several.
    pub(crate) fn target(mut self, name: &str, reach: Reach, value: f64, target: f64) -> Self {
        let (sign, reached) = match reach {
            Reach::AtLeast => ('≥', value >= target),
            Reach::AtMost => ('≤', value <= target),
        };
        let verdict = if reached {
            "reached".to_owned()
        } else if value.is_nan() {
            "not measured".to_owned()
        } else {
            format!(
                "**missed**: {name} {} ({:+.0} %)",
                number(value),
                (value / target - 1.0) * 100.0
            )
        };
        if self.target.is_empty() {
            self.target = format!("{name} {sign} {}", number(target));
            self.verdict = verdict;
        } else {
            let _ = write!(self.target, "; {name} {sign} {}", number(target));
            if self.verdict == "reached" {
                self.verdict = verdict;
            } else if verdict != "reached" {
                let _ = write!(self.verdict, "; {verdict}");
            }
        }
        self
    }

    /// Something was lost, which no speed makes good.
    pub(crate) fn broken(mut self, why: &str) -> Self {
        self.verdict = format!("**broken**: {why}");
        self
    }

    /// A measurement that could not run says so in the table.
    pub(crate) fn failed(what: &str, error: &anyhow::Error) -> Self {
        Self {
            what: what.to_owned(),
            measured: "—".to_owned(),
            beside: String::new(),
            target: String::new(),
            verdict: format!("**could not be measured**: {error:#}").replace('\n', " "),
        }
    }

    fn cells(&self) -> [&str; 5] {
        [
            &self.what,
            &self.measured,
            &self.beside,
            &self.target,
            &self.verdict,
        ]
    }
}

/// Two digits that mean something.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        0.1.. => format!("{value:.2}"),
        0.0 => "0".to_owned(),
        _ => format!("{value:.4}"),
    }
}

const HEADS: [&str; 5] = [
    "what",
    "measured",
    "beside it, same run",
    "reach",
    "verdict",
];

/// One block a row: the columns together are wider than a terminal.
pub(crate) fn plain(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let _ = writeln!(text, "\n{}", row.what);
        for (head, cell) in HEADS.iter().zip(row.cells()).skip(1) {
            if !cell.is_empty() {
                let _ = writeln!(text, "    {head:<20} {}", cell.replace("**", ""));
            }
        }
    }
    text
}

/// The whole document. What a person has to say about the figures is kept in a file of its own,
/// so that a new run does not lose it.
pub(crate) fn document(rows: &[Row], notes: &Path) -> Result<String> {
    let notes_text = std::fs::read_to_string(notes)
        .with_context(|| format!("cannot read {}", notes.display()))?;
    let mut text = String::from(
        "# Performance\n\n\
         Written by `make bench`; the notes come from [performance-notes.md](performance-notes.md).\n\n",
    );
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let _ = writeln!(
        text,
        "Measured on {date} (UTC), Wigwag {}.\n",
        env!("CARGO_PKG_VERSION")
    );
    for fact in crate::machine::describe() {
        let _ = writeln!(text, "- {fact}");
    }
    let _ = writeln!(
        text,
        "\n| {} |\n|{}",
        HEADS.join(" | "),
        " --- |".repeat(HEADS.len())
    );
    for row in rows {
        let cells = row.cells().map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    let _ = write!(text, "\n{}", notes_text.trim_start());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row::new("x", String::new(), String::new())
    }

    #[test]
    fn a_missed_target_says_by_how_much() {
        let missed = row().target("ratio", Reach::AtLeast, 0.63, 0.7);
        assert_eq!(missed.verdict, "**missed**: ratio 0.63 (-10 %)");
        assert_eq!(missed.target, "ratio ≥ 0.70");
    }

    #[test]
    fn a_row_is_reached_only_if_all_its_targets_are() {
        let both = row()
            .target("a", Reach::AtMost, 1.0, 2.0)
            .target("b", Reach::AtMost, 4.0, 2.0);
        assert_eq!(both.verdict, "**missed**: b 4.00 (+100 %)");
    }

    #[test]
    fn a_figure_that_is_not_a_number_is_not_reached() {
        assert_eq!(
            row().target("a", Reach::AtMost, f64::NAN, 2.0).verdict,
            "not measured"
        );
    }
}
