//! The processes of a terminal: what has the foreground, and what lives in its sessions.
//!
//! Read from `/proc`; where there is none (macOS), names are not known and only the
//! program itself is listed.

use crate::protocol::Process;

/// A name longer than that is cut: command lines can be megabytes.
const MAX_COMMAND: usize = 256;

/// The name of a process's executable.
pub(super) fn name_of(pid: i32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    // The kernel cuts `comm` at 15 bytes; the executable's file name is whole.
    let name = name.trim_end_matches('\n');
    if name.len() == 15
        && let Ok(path) = std::fs::read_link(format!("/proc/{pid}/exe"))
        && let Some(file) = path.file_name().and_then(|file| file.to_str())
        && file.starts_with(name)
    {
        return Some(file.to_owned());
    }
    Some(name.to_owned())
}

/// The living processes of these sessions, the program first, then by id.
pub(super) fn in_sessions(
    sessions: &[i32],
    program: Option<i32>,
    foreground: Option<i32>,
) -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        let command = String::from("(unknown)");
        return program
            .map(|pid| Process {
                pid,
                command,
                foreground: foreground == Some(pid),
            })
            .into_iter()
            .collect();
    };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let mut processes: Vec<Process> = pids
        .filter_map(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let (state, group, session) = parse_stat(&stat)?;
            let lives = !matches!(state, 'Z' | 'X');
            (lives && sessions.contains(&session)).then(|| Process {
                pid,
                command: command_of(pid),
                foreground: foreground == Some(group),
            })
        })
        .collect();
    processes.sort_by_key(|process| (Some(process.pid) != program, process.pid));
    processes
}

/// State, process group and session of `/proc/PID/stat`; the name before them may hold anything.
fn parse_stat(stat: &str) -> Option<(char, i32, i32)> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?.chars().next()?;
    let _parent = fields.next()?;
    Some((
        state,
        fields.next()?.parse().ok()?,
        fields.next()?.parse().ok()?,
    ))
}

fn command_of(pid: i32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<_> = line
        .split(|&byte| byte == 0)
        .map(String::from_utf8_lossy)
        .collect();
    let line = words.join(" ");
    let line: String = line
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_COMMAND)
        .collect();
    if line.is_empty() {
        name_of(pid).unwrap_or_default()
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_with_parentheses_and_spaces_is_read_over() {
        assert_eq!(
            parse_stat("7 (a) b) (c) S 1 70 700 0 -1"),
            Some(('S', 70, 700))
        );
        assert_eq!(parse_stat("nonsense"), None);
    }
}
