//! What people have in their startup files and type at their prompts: all of it keeps working, and
//! none of it hides a command.

use super::{bash, is_captured, shows_nothing_of_ours};
use crate::home::Home;

/// A `.bashrc` with which everything is captured and nothing of ours is seen.
fn works_with(bashrc: &str) -> Home {
    let home = bash(bashrc);
    is_captured(&home);
    shows_nothing_of_ours(&home);
    home
}

#[test]
fn prompt_commands_of_every_kind() {
    for bashrc in [
        "PROMPT_COMMAND='echo from user $?;'",
        "PROMPT_COMMAND='echo from user $?' ",
        "PROMPT_COMMAND=('echo from user $?' true)",
        "PROMPT_COMMAND+=('echo from user $?')",
        "PROMPT_COMMAND='echo from user $?'; PROMPT_COMMAND=\"$PROMPT_COMMAND; true\"",
        "declare -a PROMPT_COMMAND; PROMPT_COMMAND[500]='echo from user $?'",
    ] {
        let home = works_with(bashrc);
        home.run("(exit 9)");
        home.world.until_shown("t", "from user 9");
    }
}

#[test]
fn a_prompt_command_set_at_the_prompt_takes_the_place_of_the_old_one() {
    let home = bash("PROMPT_COMMAND='echo old >>~/old'\n");
    home.run("PROMPT_COMMAND='echo new $?; '");
    home.run("(exit 9)");
    home.world.until_shown("t", "new 9");
    let old = std::fs::read_to_string(home.path("old")).unwrap();
    is_captured(&home);
    assert_eq!(std::fs::read_to_string(home.path("old")).unwrap(), old);
    for line in [
        "PROMPT_COMMAND=('echo a' 'echo b')",
        "PROMPT_COMMAND=",
        "unset PROMPT_COMMAND",
        ". ~/.bashrc",
        "PS1='one> '",
        "PS1=\"(env) $PS1\"",
        "PS0='before'",
        "unset PS0",
        "unset PS1",
        "PROMPT_COMMAND=('PS1=two:') PS1=",
    ] {
        home.world.send("t", line);
        home.at_prompt();
        home.run("true");
        is_captured(&home);
        shows_nothing_of_ours_since(&home);
    }
}

/// As `shows_nothing_of_ours`, where nothing that the test types is meant.
fn shows_nothing_of_ours_since(home: &Home) {
    let screen = home.screen();
    assert!(!screen.contains("wigwag_"), "{screen}");
}

#[test]
fn what_a_prompt_command_sees_is_what_the_command_left() {
    let home = bash(
        "PROMPT_COMMAND='echo \"code $? pipe ${PIPESTATUS[*]} last $_\" >>~/seen'\nPS1='$? > '\n",
    );
    home.run("echo a word; false | true | (exit 4)");
    home.run("true one two");
    home.run("echo \"here $? ${PIPESTATUS[*]} $_\"");
    home.world.until_shown("t", "here 0 0 two");
    home.run("(exit 6) | false | (exit 5)");
    home.run("echo \"here $? ${PIPESTATUS[*]}\"");
    home.world.until_shown("t", "here 5 6 1 5");
    let seen = std::fs::read_to_string(home.path("seen")).unwrap();
    assert!(seen.contains("code 4 pipe 1 0 4 last"), "{seen}");
    assert!(seen.contains("code 0 pipe 0 last two\n"), "{seen}");
}

#[test]
fn a_debug_trap_sees_the_commands_it_would_see() {
    let home = bash("trap 'echo \"$BASH_COMMAND\" >>~/seen' DEBUG\n");
    is_captured(&home);
    home.run("echo one; true two");
    home.run("true three");
    let seen = std::fs::read_to_string(home.path("seen")).unwrap();
    // From the first prompt on; at that prompt and each later one there is one command of ours.
    let (_, seen) = seen.split_once("__wigwag_prompt \"$?\"\n").unwrap();
    let lines: Vec<&str> = seen
        .lines()
        .filter(|line| *line != "__wigwag_prompt \"$?\"")
        .collect();
    assert_eq!(
        lines,
        ["sleep 1000", "cat", "echo one", "true two", "true three"]
    );
}

/// The way of bash-preexec: a DEBUG trap that counts only between the last prompt command and the next,
/// put in its place by the first prompt.
const PREEXEC: &str = r#"
seen() { printf '%s\n' "$*" >>~/seen; }
in_prompt() {
    local one
    while IFS= read -r one; do
        one=${one#"${one%%[![:space:]]*}"}
        if [[ $one == "$1" ]]; then return 0; fi
    done <<<"${PROMPT_COMMAND[*]//;/$'\n'}"
    return 1
}
before_prompt() { last=$?; ready=; seen "prompt $last"; return $last; }
ready_now() { ready=1; }
before_command() {
    if [[ -n ${COMP_LINE-} || -z $ready ]]; then return; fi
    if in_prompt "$BASH_COMMAND"; then ready=; return; fi
    ready=
    seen "command $(HISTTIMEFORMAT= history 1 | sed 's/^ *[0-9]* *//')"
}
install() {
    PROMPT_COMMAND=${PROMPT_COMMAND//$'install_here\ninstall'/:}
    PROMPT_COMMAND=$'before_prompt\n'$PROMPT_COMMAND
    PROMPT_COMMAND+=(ready_now)
    trap 'before_command "$_"' DEBUG
    before_prompt
    ready_now
}
install_here() { :; }
PROMPT_COMMAND=$':\ninstall_here\ninstall'
"#;

#[test]
fn hooks_by_a_debug_trap_and_prompt_commands_are_called_for_each_command_once() {
    let home = works_with(PREEXEC);
    home.run("echo one | cat");
    home.run("false");
    home.run("true");
    let seen = std::fs::read_to_string(home.path("seen")).unwrap();
    let tail: Vec<&str> = seen.lines().rev().take(6).collect();
    let expected = [
        "prompt 0",
        "command true",
        "prompt 1",
        "command false",
        "prompt 0",
        "command echo one | cat",
    ];
    assert_eq!(tail, expected, "{seen}");
}

#[test]
fn prompts_that_are_made_anew_each_time() {
    let home = works_with(
        "prompt() { local code=$?; PS1=\"[$code] \"; }\nPROMPT_COMMAND=prompt\nPS0='$(echo started >&2)'\n",
    );
    home.run("(exit 8)");
    home.world.until_shown("t", "[8]");
    home.world.until_shown("t", "started");
    works_with("make_prompt() { printf 'made %s> ' \"$1\"; }\nPS1='$(make_prompt $?)'\n");
    // Set by a prompt command that comes after ours.
    let home = works_with("PROMPT_COMMAND[900]='PS1=\"late $?> \"'\n");
    home.run("(exit 8)");
    home.world.until_shown("t", "late 8>");
}

#[test]
fn options_that_change_the_language_change_nothing() {
    for bashrc in [
        "set -u",
        "shopt -s extdebug",
        "set -o functrace; trap : DEBUG",
        "set -o errtrace; trap 'echo \"$BASH_COMMAND\" >>~/errors' ERR",
        "IFS=0123456789_w",
        "IFS=",
        "export LC_ALL=C",
        "export LC_ALL=C.UTF-8",
        "set -f; shopt -s nocasematch nullglob failglob extglob",
        "shopt -s compat44; shopt -u globasciiranges patsub_replacement",
        "set -o posix",
        "set -o vi; set -o physical; set -b",
        "set +H; shopt -s histverify histreedit",
        "set -a",
        "shopt -s lastpipe assoc_expand_once 2>/dev/null",
        "alias printf=false builtin=false history=false trap=false",
        "builtin() { command builtin \"$@\"; }; printf() { :; }; history() { echo x; }; trap() { :; }",
    ] {
        let home = works_with(bashrc);
        let errors = std::fs::read_to_string(home.path("errors")).unwrap_or_default();
        assert!(!errors.contains("wigwag"), "{errors}");
    }
}

#[test]
fn set_e_ends_the_shell_only_where_a_command_of_the_user_fails() {
    let home = bash("set -e\n");
    home.runs("sleep 1000 || true");
    home.interrupt();
    home.run("true");
    home.world.send("t", "(exit 6)");
    let status = home.until(|status| status["lifecycle"]["state"] == "exited");
    assert_eq!(status["lifecycle"]["code"], 6);
}

#[test]
fn tracing_shows_one_line_of_ours_at_most() {
    let home = bash("PS1='> '\n");
    home.run("set -x");
    home.run("true");
    let screen = home.screen();
    assert!(screen.contains("+ true"), "{screen}");
    let ours = screen.lines().filter(|line| line.contains("wigwag"));
    assert_eq!(ours.count(), 2, "{screen}");
}

#[test]
fn prompts_without_expansion_keep_the_end_of_a_command() {
    let home = bash("shopt -u promptvars; PS1='plain> '\n");
    home.world.send("t", "sleep 1000");
    home.until(|status| status["title"] == "sleep" && status["title_source"] == "process");
    let status = home.interrupt();
    assert_eq!(status["last_command"]["exit_code"], 130);
    home.run("shopt -s promptvars; true");
    is_captured(&home);
    shows_nothing_of_ours(&home);
}

#[test]
fn read_only_prompts_of_every_kind() {
    for bashrc in [
        "readonly PS1='fixed> '",
        "PS1='> '; readonly PROMPT_COMMAND='true'",
        "readonly PS0",
        "readonly PS1='fixed> '; PROMPT_COMMAND=true",
        "readonly HISTCONTROL=ignorespace HISTIGNORE",
    ] {
        works_with(bashrc);
    }
    // Nothing left to tell a prompt by: the shell is as it would be.
    is_left_alone("readonly PS1='fixed> ' PROMPT_COMMAND=true\n");
}

#[test]
fn a_read_only_ps0_that_tells_no_command_leaves_the_foreground_check() {
    is_left_alone("readonly PS1='fixed> ' PS0='fixed'\n");
}

/// The foreground shows what runs.
fn is_left_alone(bashrc: &str) {
    let home = bash(bashrc);
    home.world.send("t", "sleep 1000");
    let status = home.until(|status| status["title"] == "sleep" && !status["command"].is_null());
    assert_eq!(status["title_source"], "process");
    assert_eq!(status["state"], "running");
    home.interrupt();
    shows_nothing_of_ours(&home);
}
