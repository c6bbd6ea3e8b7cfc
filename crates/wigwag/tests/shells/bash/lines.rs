//! Lines of every kind are told as they were typed.

use super::{bash, is_captured};
use serde_json::json;

#[test]
fn lines_of_every_kind_are_told_whole() {
    let home = bash("bind 'set enable-bracketed-paste off'\n");
    for line in [
        "echo 'a;b' ; true;",
        "echo 100% \"${HOME}\" $'x\\ty' `echo z` \\\\",
        "echo grüße 日本 🦀",
        "true # a comment; with %3B",
        "[[ a == [a-z]* ]] && true || false",
        "echo ]};{[ '\"'",
        "!! 2>/dev/null; true",
        ": '&' & wait",
    ] {
        let last = home.run(line)["last_command"]["line"].clone();
        if line.starts_with("!!") {
            assert!(
                last.as_str().unwrap().ends_with("2>/dev/null; true"),
                "{last}"
            );
        } else {
            assert_eq!(last, json!(line));
        }
    }
}

#[test]
fn a_command_of_several_lines_is_told_whole() {
    let home = bash("shopt -s lithist\n");
    home.world.send("t", "for i in 1 2; do");
    home.world.send("t", "    echo \"line $i\"");
    home.world.send("t", "done");
    let text = "for i in 1 2; do\n    echo \"line $i\"\ndone";
    home.until(|status| status["last_command"]["line"] == text);
    home.world.send("t", "cat <<X");
    home.world.send("t", "body");
    home.world.send("t", "X");
    home.until(|status| status["last_command"]["line"] == "cat <<X\nbody\nX");
    // Where each line is an entry of its own, none is told rather than the last.
    let home = bash("shopt -u cmdhist\n");
    home.world.send("t", "if true; then");
    home.world.send("t", "(exit 3)");
    home.world.send("t", "fi");
    let status = home.until(|status| status["last_command"]["exit_code"] == 3);
    assert!(status["last_command"]["line"].is_null());
    is_captured(&home);
}

#[test]
fn control_characters_and_invalid_text_do_no_harm() {
    // A key types what `send` would refuse.
    let home = bash(
        r#"bind $'"\\C-t":"echo \x16\x1b]0;no\x16\x07 \xff\xc3[ end"'; HISTCONTROL=ignoredups"#,
    );
    home.world.ok(&["keys", "t", "C-t", "Enter"]);
    let status = home.until(|status| {
        let line = status["last_command"]["line"].as_str().unwrap_or_default();
        line.starts_with("echo ") && line.ends_with("[ end")
    });
    assert_ne!(status["title"], "no");
    is_captured(&home);
}

#[test]
fn a_line_of_100_kb_is_told_and_nothing_waits_for_it() {
    let home = bash("bind 'set enable-bracketed-paste off'\n");
    for word in ["x ", "é\\;", "a\\;%"] {
        let quoted = format!("true {}", word.repeat(100_000 / word.len()));
        home.world.send("t", &quoted);
        let status = home.until(|status| {
            let told = status["last_command"]["line"].as_str().unwrap_or_default();
            told.starts_with(&quoted[..200]) && status["command"].is_null()
        });
        let told = status["last_command"]["line"].as_str().unwrap().to_owned();
        assert!(
            quoted
                .trim_end()
                .starts_with(told.trim_end_matches('\u{fffd}').trim_end()),
            "{word}"
        );
        assert!(told.len() > 10_000);
    }
    is_captured(&home);
}
