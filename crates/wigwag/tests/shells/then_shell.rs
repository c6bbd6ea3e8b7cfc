//! `new -- CMD` and `--then-shell`: the command is the title from the first moment, and the shell
//! after it is tracked as any other.

use crate::home::Home;

#[test]
fn the_command_is_the_title_and_the_shell_after_it_is_tracked() {
    for shell in ["zsh", "bash", "fish"] {
        let home = Home::with(&[
            (".zshrc", ""),
            (".bashrc", ""),
            ("../config/fish/config.fish", ""),
        ]);
        let command = ["--then-shell", "--", "sh", "-c", "read x; exit 3"];
        home.start(shell, &command);
        let status = home.until(|status| status["title_source"] == "initial");
        assert_eq!(status["title"], "sh -c 'read x; exit 3'");
        home.world.send("t", "");
        let status = home.until(|status| {
            status["last_command"]["exit_code"] == 3 && status["state"] != "running"
        });
        assert_eq!(status["last_command"]["line"], "sh -c 'read x; exit 3'");
        home.run("true one");
        let status = home.runs("sleep 1000; true");
        assert_eq!(status["title"], "sleep 1000; true", "{shell}");
    }
}

#[test]
fn ctrl_c_of_the_command_goes_on_as_a_shell_and_hanging_up_does_not() {
    let home = Home::with(&[(".zshrc", "")]);
    home.start("zsh", &["--then-shell", "--", "sleep", "1000"]);
    home.until(|status| status["title"] == "sleep 1000");
    home.interrupt();
    let status = home.run("true");
    assert_eq!(status["last_command"]["line"], "true");

    let home = Home::with(&[(".zshrc", "")]);
    home.start("zsh", &["--then-shell", "--", "sleep", "1000"]);
    home.until(|status| status["title"] == "sleep 1000");
    home.world.ok(&["kill", "t"]);
    home.until(|status| status["lifecycle"]["state"] == "exited");
}

#[test]
fn marks_of_the_command_are_no_prompt() {
    let home = Home::with(&[(".zshrc", "")]);
    let agent = "printf '\\033]133;A\\007\\033]133;C;cmdline=x\\007\\033]133;D;0\\007\\033]133;A\\007\
                 \\033]7501;state=working:app=pi\\007'; read x";
    home.start("zsh", &["--then-shell", "--", "sh", "-c", agent]);
    let status = home.until(|status| status["state"] == "working");
    assert_eq!(status["title_source"], "initial");
    home.world.send("t", "");
    home.at_prompt();
    let status = home.run("true");
    assert!(status["reports"].as_array().unwrap().is_empty());
}
