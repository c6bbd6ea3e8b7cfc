//! Inside tmux the active command is kept as a pane option, for those who start to watch later.

use crate::home::Home;
use crate::world::LIMIT;
use std::time::Instant;

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
            tmux(&home, &["send-keys", "C-c"]);
            until_option(&home, "");
        }
        // One that is over before tmux hears of it is not told afterwards.
        for _ in 0..10 {
            tmux(&home, &["send-keys", "true quick", "Enter"]);
        }
        tmux(&home, &["send-keys", "sleep 998", "Enter"]);
        until_option(&home, "sleep 998");
        tmux(&home, &["send-keys", "C-c"]);
        until_option(&home, "");
        tmux(&home, &["kill-server"]);
    }
}
