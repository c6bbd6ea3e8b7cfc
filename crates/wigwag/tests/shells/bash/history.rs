//! The line is found in the history; one that is kept out of it is kept out of the title too.

use super::bash;
use crate::home::Home;
use serde_json::json;

/// Types each line and compares what is told of it: the line, or nothing. A counter at its end, which
/// no subshell may count, makes an end of its own of each.
fn told(home: &Home, lines: &[(&str, bool)]) {
    for (line, is_told) in lines {
        let line = format!("{line}; ((++n)); (exit $n)");
        let expected = if *is_told { json!(line) } else { json!(null) };
        let last = home.run(&line)["last_command"].clone();
        assert_eq!(last["line"], expected, "{line}");
    }
}

#[test]
fn a_line_that_is_kept_out_of_the_history_is_kept_out_of_the_title() {
    let home = bash("HISTCONTROL=ignorespace\n");
    told(
        &home,
        &[
            ("echo open", true),
            (" echo hidden", false),
            (" (exit 1)", false),
            ("echo open again", true),
        ],
    );
    home.world.send("t", " sleep 1000");
    let status = home.until(|status| status["title"] == "sleep");
    assert_eq!(status["title_source"], "process");
    home.interrupt();

    let home = bash("HISTIGNORE='echo hid*:&'\n");
    told(
        &home,
        &[("echo a", true), ("echo hidden", false), ("echo b", true)],
    );
}

#[test]
fn a_repeated_line_is_told_where_it_cannot_be_a_hidden_one() {
    let home = bash("HISTCONTROL=ignoredups\n");
    told(
        &home,
        &[("echo a", true), ("echo a", true), ("echo a", true)],
    );

    // With both, the history says the same for both: nothing is better than a wrong line.
    let home = bash("HISTCONTROL=ignoreboth\n");
    told(
        &home,
        &[
            ("echo a", true),
            ("echo a", false),
            (" echo hidden", false),
            ("echo b", true),
        ],
    );
}

#[test]
fn a_line_whose_older_entries_are_erased_is_told() {
    let home = bash("HISTCONTROL=erasedups\n");
    told(
        &home,
        &[
            ("echo a", true),
            ("echo b", true),
            ("echo a", true),
            ("echo a", true),
            ("echo b", true),
        ],
    );
    let home = bash("HISTCONTROL=ignorespace:erasedups\n");
    told(
        &home,
        &[
            ("echo a", true),
            ("echo b", true),
            ("echo a", true),
            (" echo hidden", false),
            ("echo b", true),
            ("echo c", true),
            ("echo a", true),
        ],
    );
}

#[test]
fn without_a_history_no_line_is_told() {
    let home = bash("set +o history\n");
    told(&home, &[("echo a", false), ("true", false)]);
    told(
        &home,
        &[
            ("set -o history", false),
            ("echo b", true),
            ("set +o history", true),
        ],
    );
    told(&home, &[("echo c", false)]);
    let home = bash("HISTSIZE=0\n");
    told(&home, &[("echo a", false)]);
    let home = bash("readonly HISTTIMEFORMAT='%F '\n");
    told(&home, &[("echo a", false)]);
}

#[test]
fn a_history_that_others_write_to_does_not_lend_its_lines() {
    let home = bash(
        "HISTCONTROL=ignorespace; HISTFILE=~/shared\nPROMPT_COMMAND[800]='history -s somebody else'\n",
    );
    told(
        &home,
        &[("echo a", true), (" echo hidden", false), ("echo b", true)],
    );
}

#[test]
fn times_and_limits_of_the_history_do_not_get_into_the_line() {
    let home = bash("HISTTIMEFORMAT='%F %T 7  '; HISTSIZE=3\n");
    told(
        &home,
        &[
            ("echo 5  x", true),
            ("echo '  8* y'", true),
            ("echo c", true),
            ("echo d", true),
        ],
    );
}

#[test]
fn an_older_entry_that_is_edited_and_left_is_not_taken_for_the_line() {
    let home = bash("HISTCONTROL=ignorespace:erasedups\n");
    told(&home, &[("echo a", true), ("echo b", true)]);
    // Up, a change, down, then the hidden line.
    home.world.ok(&["keys", "t", "Up", "x", "Down"]);
    told(&home, &[(" echo hidden", false)]);
}
