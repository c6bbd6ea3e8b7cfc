//! Bash.

mod history;
mod lines;
mod marks;
mod setups;
mod startup;

use crate::home::Home;
use serde_json::json;

/// How Bash is started: as the login shell it is by default, and as a command.
const WAYS: [&[&str]; 2] = [&[], &["--", "bash"]];

/// A Bash at its prompt, with this `.bashrc`, which a login shell reads too.
fn bash(bashrc: &str) -> Home {
    let home = Home::with(&[(".bashrc", bashrc), (".bash_profile", ". ~/.bashrc\n")]);
    home.start("bash", &[]).at_prompt();
    home
}

/// A command is shown while it runs and gone at the prompt, and its exit code is told.
fn is_captured(home: &Home) {
    let status = home.runs("sleep 1000 | cat");
    assert_eq!(status["title"], "sleep 1000 | cat");
    assert_eq!(status["title_source"], "command");
    let status = home.interrupt();
    assert_eq!(status["last_command"]["line"], "sleep 1000 | cat");
    assert_eq!(status["last_command"]["exit_code"], 130);
    assert_eq!(status["title"], "bash");
    assert_eq!(status["title_source"], "process");
    let last = &home.run("(exit 3)")["last_command"];
    assert_eq!(last["exit_code"], 3);
}

/// Nothing on the screen is ours.
fn shows_nothing_of_ours(home: &Home) {
    let screen = home.screen();
    assert!(!screen.contains("wigwag_"), "{screen}");
    assert!(!screen.contains("bash: "), "{screen}");
}

#[test]
fn a_command_is_shown_as_it_was_typed_while_it_runs_and_gone_at_the_prompt() {
    for way in WAYS {
        let home = Home::with(&[(".bashrc", "")]);
        home.start("bash", way).at_prompt();
        is_captured(&home);
        shows_nothing_of_ours(&home);
    }
}

#[test]
fn exit_codes_are_told() {
    let home = bash("");
    for (line, code) in [
        ("true", 0),
        ("false", 1),
        ("no-such-command", 127),
        ("sh -c 'kill -INT $$'", 130),
        ("sh -c 'kill -KILL $$'", 137),
    ] {
        let last = &home.run(line)["last_command"];
        assert_eq!(
            (&last["line"], &last["exit_code"]),
            (&json!(line), &json!(code))
        );
    }
}

#[test]
fn the_working_directory_is_told_whatever_its_name() {
    let home = bash("");
    for name in ["a b;c%é#?", "line\nbreak\u{1b}"] {
        std::fs::create_dir(home.path(name)).unwrap();
    }
    home.run("cd ~/a*");
    let path = home.path("a b;c%é#?");
    home.until(|status| status["cwd"] == path.to_str().unwrap());
    home.run("cd ~/line*");
    home.until(|status| {
        let cwd = status["cwd"].as_str().unwrap_or_default();
        cwd.contains("/home/line") && cwd.contains("break")
    });
}

#[test]
fn an_application_s_title_wins_while_it_runs_and_is_gone_at_the_next_prompt() {
    let home = bash("PS1='\\[\\e]0;at the prompt\\a\\]$ '\n");
    home.until(|status| status["title"] == "at the prompt" && status["title_source"] == "shell");
    home.world
        .send("t", "printf '\\033]0;editing\\007'; sleep 1000");
    home.until(|status| status["title"] == "editing" && status["title_source"] == "application");
    home.interrupt();
    home.until(|status| status["title"] == "at the prompt" && status["title_source"] == "shell");
}

#[test]
fn a_shell_inside_the_shell_is_a_command_of_it() {
    let home = bash("export PS0= PS2=\n");
    home.runs("bash --norc");
    home.world
        .send("t", "echo in\"\"side; set | grep -c ^__wig\"\"wag_");
    home.world.until_shown("t", "inside");
    assert_eq!(home.world.show("t")["command"]["line"], "bash --norc");
    home.world.send("t", "exit");
    home.at_prompt();
    shows_nothing_of_ours(&home);
}

#[test]
fn a_bash_that_is_asked_for_no_startup_files_is_left_alone() {
    let home = Home::with(&[]);
    home.start("bash", &["--", "bash", "--norc"]);
    home.world
        .send("t", "set | grep -c _wig\"\"wag_; echo count\"\"ed");
    let screen = home.world.until_shown("t", "counted");
    assert!(screen.contains("\n0\ncounted"), "{screen}");
}

#[test]
fn the_script_can_be_sourced_by_hand_and_twice_and_where_it_is_already() {
    let script = "eval \"$($WIGWAG shell-integration bash)\"\n";
    let wigwag = format!("WIGWAG={}", env!("CARGO_BIN_EXE_wigwag"));
    // In a shell that has it.
    let home = Home::with(&[(".bashrc", &script.repeat(2))]);
    home.start("bash", &["--env", &wigwag, "--", "bash"])
        .at_prompt();
    home.run(script.trim_end());
    is_captured(&home);
    shows_nothing_of_ours(&home);
    // In one that has not: its marks count as any other's.
    let home = Home::with(&[(".bashrc", &script.repeat(2))]).plainly();
    home.start("bash", &["--env", &wigwag, "--", "bash"])
        .at_prompt();
    home.run(script.trim_end());
    is_captured(&home);
    shows_nothing_of_ours(&home);
}
