//! Names of signals, without `SIG`: as `kill` takes them and as an exit by signal is told.

use rustix::process::Signal;

const NAMES: &[(&str, Signal)] = &[
    ("HUP", Signal::HUP),
    ("INT", Signal::INT),
    ("QUIT", Signal::QUIT),
    ("ILL", Signal::ILL),
    ("TRAP", Signal::TRAP),
    ("ABRT", Signal::ABORT),
    ("BUS", Signal::BUS),
    ("FPE", Signal::FPE),
    ("KILL", Signal::KILL),
    ("USR1", Signal::USR1),
    ("SEGV", Signal::SEGV),
    ("USR2", Signal::USR2),
    ("PIPE", Signal::PIPE),
    ("ALRM", Signal::ALARM),
    ("TERM", Signal::TERM),
    ("CHLD", Signal::CHILD),
    ("CONT", Signal::CONT),
    ("STOP", Signal::STOP),
    ("TSTP", Signal::TSTP),
    ("TTIN", Signal::TTIN),
    ("TTOU", Signal::TTOU),
    ("URG", Signal::URG),
    ("XCPU", Signal::XCPU),
    ("XFSZ", Signal::XFSZ),
    ("VTALRM", Signal::VTALARM),
    ("PROF", Signal::PROF),
    ("WINCH", Signal::WINCH),
    ("IO", Signal::IO),
    ("SYS", Signal::SYS),
];

/// The signal of a name; `SIG` before it and lower case are understood. `Err` lists the names.
pub(super) fn signal_of(name: &str) -> Result<Signal, String> {
    let plain = name.to_ascii_uppercase();
    let plain = plain.strip_prefix("SIG").unwrap_or(&plain);
    NAMES
        .iter()
        .find(|(known, _)| *known == plain)
        .map(|(_, signal)| *signal)
        .ok_or_else(|| {
            let known: Vec<_> = NAMES.iter().map(|(name, _)| *name).collect();
            format!(
                "there is no signal \"{}\": use one of {}",
                name.escape_debug(),
                known.join(" ")
            )
        })
}

/// The name of a signal's number; the number itself where it has none (a real-time signal).
pub(super) fn name_of(number: i32) -> String {
    let known = NAMES.iter().find(|(_, signal)| signal.as_raw() == number);
    known.map_or_else(|| number.to_string(), |(name, _)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        assert_eq!(signal_of("KILL"), Ok(Signal::KILL));
        assert_eq!(signal_of("sigterm"), Ok(Signal::TERM));
        assert!(signal_of("FOO").unwrap_err().contains("HUP INT"));
        assert_eq!(name_of(9), "KILL");
        assert_eq!(name_of(40), "40");
    }
}
