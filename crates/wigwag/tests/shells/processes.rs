//! No process is started between Enter and the command but the command's own.

use crate::home::{Home, which};
use crate::world::LIMIT;
use std::time::Instant;

/// What the shell and its children did in a session: how many processes were started, and how many
/// programs.
fn session(shell: &str, file: &str, home: Home) -> (usize, usize) {
    // The shell is started by a script of its name, so that strace sees all of it.
    let log = home.path("log");
    let strace = "strace --quiet=all -f -e trace=execve,clone,clone3,fork,vfork -e signal=none";
    let script = format!(
        "#!/bin/sh\nexec {strace} -o {} {} \"$@\"\n",
        log.display(),
        which(shell).display()
    );
    home.file(file, "PS1='ready> '\n");
    let wrapper = home.file(&format!("bin/{shell}"), &script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&wrapper, mode).unwrap();
    home.start("sh", &["--", wrapper.to_str().unwrap()]);
    // Each word is printed by the shell itself; the line that is typed has it in two parts.
    for word in ["one", "two", "three"] {
        home.world.send("t", &format!("echo {word}' is 'said"));
        home.world.until_shown("t", &format!("{word} is said"));
    }
    home.world.send("t", "/bin/true; echo four' is 'said");
    home.world.until_shown("t", "four is said");
    home.world.send("t", "exit");
    let deadline = Instant::now() + LIMIT;
    while home.world.show("t")["lifecycle"]["state"] != "exited" {
        assert!(Instant::now() < deadline, "{shell} does not exit");
    }
    let log = std::fs::read_to_string(log).unwrap();
    let is_start = |line: &&str| !line.contains("CLONE_THREAD") && !line.contains("execve(");
    let is_done = |line: &&str| !line.contains("unfinished") && line.contains(" = ");
    let calls: Vec<&str> = log.lines().filter(is_done).collect();
    let starts = calls.iter().copied().filter(|line| is_start(line)).count();
    let executed = calls
        .iter()
        .filter(|line| line.contains("execve") && line.contains("= 0"));
    (starts, executed.count())
}

#[test]
fn zsh_and_fish_start_nothing_and_bash_at_most_a_subshell() {
    for (shell, file, a_command) in [
        ("zsh", ".zshrc", 0),
        ("fish", "../config/fish/config.fish", 0),
        ("bash", ".bashrc", 1),
    ] {
        let with = session(shell, file, Home::with(&[]));
        let without = session(shell, file, Home::with(&[]).plainly());
        assert_eq!(with.1, without.1, "{shell} executes no program more");
        // Five lines are typed; the first prompt may be another.
        assert!(
            (without.0..=without.0 + 6 * a_command).contains(&with.0),
            "{shell} starts {} processes, {} without",
            with.0,
            without.0
        );
    }
}
