//! Bash.

use crate::home::Home;

#[test]
fn a_command_is_shown_as_it_was_typed_while_it_runs_and_gone_at_the_prompt() {
    for args in [&[][..], &["--", "bash"]] {
        let home = Home::with(&[(".bashrc", "")]);
        home.start("bash", args).at_prompt();
        let status = home.runs("sleep 1000 | cat");
        assert_eq!(status["title"], "sleep 1000 | cat");
        assert_eq!(status["title_source"], "command");
        let status = home.interrupt();
        assert_eq!(status["last_command"]["line"], "sleep 1000 | cat");
        assert_eq!(status["last_command"]["exit_code"], 130);
        assert_eq!(status["title"], "bash");
        assert_eq!(status["title_source"], "process");
    }
}
