//! Durations as people type them: `30s`, `10m`, `1h`, `500ms`, `2d`, a bare number of seconds.

use std::time::Duration;

/// Longer ones are surely mistaken, and would overflow clocks.
const LONGEST: f64 = 10.0 * 365.0 * 86400.0;

/// Reads a duration; `Err` says what is wrong.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(status::parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        unit => {
            return Err(format!(
                "the unit `{unit}` is not known: use ms, s, m, h or d"
            ));
        }
    };
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let number = digits.parse::<f64>().ok().filter(|_| plain);
    let seconds = number.ok_or("a duration is a number with a unit, such as 30s or 10m")? * factor;
    if seconds > LONGEST {
        return Err("that is longer than ten years".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Writes a duration so that [`parse_duration`] reads it: `30s`, `1500ms`.
pub fn duration_text(duration: Duration) -> String {
    match duration.subsec_millis() {
        0 => format!("{}s", duration.as_secs()),
        _ => format!("{}ms", duration.as_millis()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_and_without_units() {
        for (text, ms) in [
            ("30s", 30_000),
            ("10m", 600_000),
            ("1h", 3_600_000),
            ("500ms", 500),
            ("2", 2000),
            ("1.5s", 1500),
            ("1d", 86_400_000),
            ("0", 0),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(ms)),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for (ms, text) in [
            (30_000, "30s"),
            (90_000, "90s"),
            (1500, "1500ms"),
            (0, "0s"),
        ] {
            let duration = Duration::from_millis(ms);
            assert_eq!(duration_text(duration), text);
            assert_eq!(parse_duration(text), Ok(duration));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "s",
            "-1s",
            "1x",
            "1e9",
            "inf",
            "nan",
            "1 s",
            "99999999d",
            "ä",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
