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

/// Whether any process of this group is left.
pub(super) fn has_group(group: i32) -> bool {
    // One that is not ours to signal is there all the same.
    rustix::process::Pid::from_raw(group).is_some_and(|group| {
        rustix::process::test_kill_process_group(group) != Err(rustix::io::Errno::SRCH)
    })
}

/// A number that changes when the process executes another program, also the same once more: where
/// its stack begins, which is random. `None` where that is not told.
pub(super) fn image_of(pid: i32) -> Option<u64> {
    /// Its place among the fields after the name, which is the second of `proc(5)`.
    const START_OF_STACK: usize = 28 - 3;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let start = rest.split(' ').nth(START_OF_STACK)?.parse().ok()?;
    (start != 0).then_some(start)
}

/// The living processes of these sessions, the program first, then by id. Sessions that have ended
/// are forgotten: their numbers may be given to somebody else.
pub(super) fn in_sessions(
    sessions: &mut Vec<i32>,
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
    let mut found: Vec<Stat> = pids
        .filter_map(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            parse_stat(pid, &stat)
        })
        .collect();
    keep_own(&mut found, sessions, program);
    let lives = |stat: &Stat| !matches!(stat.state, 'Z' | 'X');
    let mut processes: Vec<Process> = found
        .into_iter()
        .filter(lives)
        .map(|stat| Process {
            pid: stat.pid,
            command: command_of(stat.pid),
            foreground: foreground == Some(stat.group),
        })
        .collect();
    processes.sort_by_key(|process| (Some(process.pid) != program, process.pid));
    processes
}

/// What `/proc/PID/stat` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    pid: i32,
    state: char,
    group: i32,
    session: i32,
}

/// Keeps the processes of `sessions`, and the sessions that have any.
///
/// The number of a session is not given away while the session has a process. So where a process
/// leads one of them and is not `program`, whose earlier leaders were all reaped, the session
/// that led here has ended, and this one is a stranger's.
fn keep_own(found: &mut Vec<Stat>, sessions: &mut Vec<i32>, program: Option<i32>) {
    let leads = |session: i32| found.iter().any(|stat| stat.pid == session);
    sessions.retain(|&session| program == Some(session) || !leads(session));
    found.retain(|stat| sessions.contains(&stat.session));
    sessions.retain(|&session| {
        program == Some(session) || found.iter().any(|stat| stat.session == session)
    });
}

/// Reads the rest of the line from its end: the name before it may hold anything.
fn parse_stat(pid: i32, stat: &str) -> Option<Stat> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?.chars().next()?;
    let _parent = fields.next()?;
    Some(Stat {
        pid,
        state,
        group: fields.next()?.parse().ok()?,
        session: fields.next()?.parse().ok()?,
    })
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
            parse_stat(7, "7 (a) b) (c) S 1 70 700 0 -1"),
            Some(Stat {
                pid: 7,
                state: 'S',
                group: 70,
                session: 700
            })
        );
        assert_eq!(parse_stat(7, "nonsense"), None);
    }

    #[test]
    fn a_process_has_another_image_after_an_exec() {
        use std::io::{Read as _, Write as _};
        use std::process::{Command, Stdio};
        let mut child = Command::new("sh")
            .args(["-c", "echo; read -r x; exec sh -c 'echo; read -r x'"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = child.id() as i32;
        let mut said = child.stdout.take().unwrap();
        said.read_exact(&mut [0]).unwrap();
        let first = image_of(pid);
        assert!(first.is_some() && image_of(pid) == first);
        child.stdin.as_ref().unwrap().write_all(b"\n").unwrap();
        said.read_exact(&mut [0]).unwrap();
        assert_ne!(image_of(pid), first);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn process(pid: i32, session: i32) -> Stat {
        Stat {
            pid,
            state: 'S',
            group: session,
            session,
        }
    }

    #[test]
    fn a_session_whose_number_was_given_anew_is_not_the_terminals() {
        // The program was 10; a stranger is 10 now, with a child.
        let mut found = vec![process(10, 10), process(11, 10)];
        let mut sessions = vec![10];
        keep_own(&mut found, &mut sessions, None);
        assert_eq!((found, sessions), (vec![], vec![]));
    }

    #[test]
    fn a_session_that_has_ended_is_forgotten_and_what_was_left_behind_is_not() {
        let left = process(21, 20);
        let mut found = vec![left, process(30, 30), process(31, 30), process(40, 40)];
        let mut sessions = vec![10, 20, 30];
        keep_own(&mut found, &mut sessions, Some(30));
        assert_eq!(found, [left, process(30, 30), process(31, 30)]);
        assert_eq!(sessions, [20, 30]);
    }
}
