//! Inside tmux the active command is kept as a pane option, for those who start to watch later.

use crate::home::Home;
use crate::world::LIMIT;
use std::time::{Duration, Instant};

/// How long an interrupted command may take until its end is told; Ctrl-C once more does no harm.
const INTERRUPT_AGAIN: Duration = Duration::from_secs(2);

/// A tmux server of its own, with one pane that runs this shell.
fn tmux(home: &Home, args: &[&str]) -> String {
    let mut command = home.world.command("tmux");
    command.arg("-S").arg(home.world.path().join("tmux"));
    let output = command
        .args(["-f", "/dev/null"])
        .args(args)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout)
        .trim_end_matches('\n')
        .to_owned()
}

/// Interrupts what runs until the option is gone. A command is told before it runs, so the first
/// Ctrl-C may find nobody.
fn interrupt(home: &Home) {
    let deadline = Instant::now() + LIMIT;
    while !tmux(home, &["show-options", "-pqv", "@wigwag_command"]).is_empty() {
        tmux(home, &["send-keys", "C-c"]);
        let again = Instant::now() + INTERRUPT_AGAIN;
        while Instant::now() < again
            && !tmux(home, &["show-options", "-pqv", "@wigwag_command"]).is_empty()
        {}
        assert!(Instant::now() < deadline, "the option stays");
    }
}

/// Waits until the pane option is this.
fn until_option(home: &Home, expected: &str) {
    let deadline = Instant::now() + LIMIT;
    loop {
        let option = tmux(home, &["show-options", "-pqv", "@wigwag_command"]);
        if option == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{option:?}, not {expected:?}");
    }
}

#[test]
fn the_active_command_is_a_pane_option_and_gone_at_the_prompt() {
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    for (shell, file, source) in [
        (
            "zsh",
            ".zshrc",
            format!("eval \"$({wigwag} shell-integration zsh)\""),
        ),
        (
            "bash",
            ".bashrc",
            format!("eval \"$({wigwag} shell-integration bash)\""),
        ),
        (
            "fish",
            "../config/fish/config.fish",
            format!("{wigwag} shell-integration fish | source"),
        ),
    ] {
        let home = Home::with(&[(file, &source)]);
        tmux(&home, &["new-session", "-d", "-x", "80", "-y", "24", shell]);
        for line in ["sleep 1000; echo 'it''s #{pid} $HOME'", "sleep 999 0"] {
            tmux(&home, &["send-keys", "-l", line]);
            tmux(&home, &["send-keys", "Enter"]);
            until_option(&home, line);
            interrupt(&home);
        }
        // One that is over before tmux hears of it is not told afterwards.
        for _ in 0..10 {
            tmux(&home, &["send-keys", "true quick", "Enter"]);
        }
        tmux(&home, &["send-keys", "sleep 998", "Enter"]);
        until_option(&home, "sleep 998");
        interrupt(&home);
        tmux(&home, &["kill-server"]);
    }
}
