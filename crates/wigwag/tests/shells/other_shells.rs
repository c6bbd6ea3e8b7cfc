//! Shells into which nothing is injected: dash stands for all of them, Nushell included, which
//! Debian does not have; what Nushell sends is a recording made from its documentation.

use crate::home::{Home, which};
use serde_json::json;

#[test]
fn without_an_integration_the_foreground_executable_is_shown() {
    let home = Home::with(&[(".profile", "PS1='dash$ '")]);
    home.start("dash", &[]);
    home.until(|status| status["title"] == "dash" && status["state"] == "idle");
    home.world.send("t", "sleep 1000");
    let status = home.until(|status| status["title"] == "sleep");
    assert_eq!(status["title_source"], "process");
    assert_eq!(status["command"]["line"], json!(null));
    assert_eq!(status["state"], "running");
    let status = home.interrupt();
    assert_eq!(status["title"], "dash");
    assert_eq!(status["last_command"]["exit_code"], json!(null));
}

#[test]
fn nothing_is_different_in_a_shell_we_do_not_know() {
    let home = Home::with(&[]);
    home.start("dash", &[]);
    home.world
        .send("t", "{ env; set; trap; } >~/dump; echo end >>~/dump");
    let dump = home.read_when_whole("dump");
    assert!(!dump.to_lowercase().contains("integration"), "{dump}");
    assert!(
        !dump.contains("ZDOTDIR") && !dump.contains("ENV="),
        "{dump}"
    );
}

#[test]
fn marks_and_titles_of_a_shell_s_own_are_honoured() {
    // dash expands the prompt each time; these are the marks of a shell that knows them.
    let profile = "e=$(printf '\\033') b=$(printf '\\007')
        PS1=\"${e}]133;A${b}\\$ ${e}]133;B${b}\"
        run() { printf '\\033]133;C;cmdline=%s\\007' \"$1\"; sh -c \"$1\"; printf '\\033]133;D;%s\\007' $?; }";
    let home = Home::with(&[(".profile", profile)]);
    home.start("dash", &[]);
    home.until(|status| status["state"] == "idle");
    home.world.send("t", "run 'exit 4'");
    home.until(|status| {
        status["last_command"]
            == json!({"line": "exit 4", "exit_code": 4,
        "seconds": status["last_command"]["seconds"]})
    });
    home.world.send("t", "printf '\\033]2;my title\\007'");
    let status = home.until(|status| status["title"] == "my title");
    assert_eq!(status["title_source"], "shell");
}

/// A prompt and a command of Nushell, with `$env.config.shell_integration` on, by its documentation.
const NUSHELL: &[u8] = b"\x1b]133;A\x1b\\/src> \x1b]133;B\x1b\\ls\r\n\x1b]2;ls\x07\
    \x1b]133;C\x1b\\a b\r\n\x1b]133;D;0\x1b\\\x1b]7;file://localhost/src\x1b\\\x1b]2;/src\x07\
    \x1b]133;A\x1b\\";

#[test]
fn nushell_s_own_marks_are_read() {
    let home = Home::with(&[]);
    std::fs::write(home.path("nu"), NUSHELL).unwrap();
    let decoded = home
        .world
        .ok(&["decode", home.path("nu").to_str().unwrap()]);
    let words: Vec<String> = decoded
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|signal| signal["signal"].as_str().unwrap().to_owned())
        .collect();
    let expected = "prompt input title command command_done cwd title prompt";
    assert_eq!(words.join(" "), expected);
}

#[test]
fn a_shell_with_something_to_run_is_a_program_and_gets_nothing() {
    for shell in ["zsh", "bash", "fish"] {
        let home = Home::with(&[]);
        let script = home.file("script", "env >~/dump; echo end >>~/dump; sleep 1000");
        for args in [
            vec!["-c", "env >~/dump; echo end >>~/dump; sleep 1000"],
            vec![script.to_str().unwrap()],
        ] {
            let shell = which(shell);
            let words = [&["--", shell.to_str().unwrap()][..], &args].concat();
            home.start("sh", &words);
            let status = home.until(|status| status["title_source"] == "initial");
            let title = status["title"].as_str().unwrap();
            assert!(title.contains(shell.to_str().unwrap()), "{title}");
            let dump = home.read_when_whole("dump");
            assert!(
                !dump.contains("ZDOTDIR") && !dump.contains("ENV="),
                "{dump}"
            );
            home.world.ok(&["kill", "t", "--force"]);
            home.world.run(&["remove", "t", "--force"]);
            std::fs::remove_file(home.path("dump")).unwrap();
        }
    }
}
