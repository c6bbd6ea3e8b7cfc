//! zsh.

use crate::home::Home;

#[test]
fn a_command_is_shown_as_it_was_typed_while_it_runs_and_gone_at_the_prompt() {
    let home = Home::with(&[(".zshrc", "")]);
    home.start("zsh", &[]).at_prompt();
    let status = home.runs("sleep 1000 | cat");
    assert_eq!(status["title"], "sleep 1000 | cat");
    assert_eq!(status["title_source"], "command");
    let status = home.interrupt();
    assert_eq!(status["last_command"]["line"], "sleep 1000 | cat");
    assert_eq!(status["last_command"]["exit_code"], 130);
    assert_eq!(status["title"], "zsh");
    assert_eq!(status["title_source"], "process");
}
