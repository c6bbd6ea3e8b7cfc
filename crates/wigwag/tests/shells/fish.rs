//! fish 3. fish 4, which Debian does not have yet, marks its prompts itself: a recording made from
//! its documentation stands in for it.

use crate::home::Home;
use serde_json::json;

const CONFIG: &str = "../config/fish/config.fish";

/// A fish at its prompt, with this configuration.
fn fish(config: &str) -> Home {
    let home = Home::with(&[(CONFIG, config)]);
    home.start("fish", &[]).at_prompt();
    home
}

#[test]
fn a_command_is_shown_as_it_was_typed_while_it_runs_and_gone_at_the_prompt() {
    let home = fish("");
    let status = home.runs("sleep 1000 | cat");
    assert_eq!(status["title"], "sleep 1000 | cat");
    assert_eq!(status["title_source"], "command");
    let status = home.interrupt();
    assert_eq!(status["last_command"]["line"], "sleep 1000 | cat");
    assert_eq!(status["last_command"]["exit_code"], 130);
    let status = home.until(|status| status["title_source"] == "shell");
    assert_ne!(status["title"], "sleep 1000 | cat");
}

#[test]
fn exit_codes_are_told() {
    let home = fish("");
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
    let home = fish("");
    let name = "a b;c%é";
    std::fs::create_dir(home.path(name)).unwrap();
    home.run(&format!("cd ~/'{name}'"));
    let path = home.path(name);
    home.until(|status| status["cwd"] == path.to_str().unwrap());
}

const DUMP: &str = r#"
begin
    env | sort; set -n; functions -a -n | string match -v '__wigwag_*'; bind; abbr; complete -c none
    trap; status features; sh -c 'env | sort'; fish -c 'functions -a -n | string match "*wigwag*"'
    umask; functions fish_prompt | string replace -r '^end$' fi; set -S fish_user_paths PATH
    functions --handlers | string match -v '*__wigwag_*'
end >~/dump 2>&1
echo end >>~/dump
"#;

#[test]
fn nothing_else_is_different_after_the_first_prompt() {
    let config = "set -x A 1; set -g B 2; abbr -a gs git; function f --on-event fish_prompt; end
        function fish_greeting; end; bind \\cx f; set -U C 3; false";
    let dump = |home: Home| {
        home.start("fish", &[]);
        home.until(|status| status["state"] == "idle");
        home.world.send("t", "source ~/dump.fish");
        home.read_when_whole("dump")
    };
    let files = [(CONFIG, config), ("dump.fish", DUMP)];
    let with = dump(Home::with(&files));
    let without = dump(Home::with(&files).plainly());
    for (one, other) in with.lines().zip(without.lines()) {
        assert_eq!(one, other);
    }
    assert_eq!(with.lines().count(), without.lines().count());
}

#[test]
fn configuration_is_read_as_without_wigwag_and_before_the_integration() {
    let text = |name: &str| {
        format!(
            "echo {name} (status is-login; echo $status) (functions -q __wigwag_at_prompt; echo $status) >>~/order\n"
        )
    };
    let files = [
        (CONFIG, text("config") + "echo end >>~/order\n"),
        ("../config/fish/conf.d/a.fish", text("conf.d")),
        ("data/fish/vendor_conf.d/v.fish", text("vendor")),
    ];
    let files: Vec<_> = files.iter().map(|(n, t)| (*n, t.as_str())).collect();
    for args in [
        &[][..],
        &["--", "fish"],
        &["--", "fish", "-l", "-C", "echo own >~/own"],
    ] {
        let order = |home: Home| {
            let data = format!("--env=XDG_DATA_DIRS={}", home.path("data").display());
            home.start("fish", &[&[data.as_str()], args].concat());
            home.read_when_whole("order")
        };
        let with = Home::with(&files);
        let without = order(Home::with(&files).plainly());
        let data = format!("--env=XDG_DATA_DIRS={}", with.path("data").display());
        with.start("fish", &[&[data.as_str()], args].concat());
        assert_eq!(with.read_when_whole("order"), without);
        assert!(without.contains("vendor"), "{without}");
        with.at_prompt();
        assert_eq!(with.run("true")["last_command"]["line"], "true");
        if args.contains(&"-C") {
            assert_eq!(with.read("own"), "own\n");
        }
    }
}

#[test]
fn an_application_s_title_wins_while_it_runs_and_is_gone_at_the_next_prompt() {
    let home = fish("");
    home.world.send(
        "t",
        "sh -c 'printf \"\\033]2;PR #123\\007\"; exec sleep 1000'",
    );
    let status = home.until(|status| status["title"] == "PR #123");
    assert_eq!(status["title_source"], "application");
    assert_ne!(home.interrupt()["title"], "PR #123");
}

#[test]
fn a_line_that_is_kept_out_of_the_history_is_kept_out_of_the_title() {
    let home = fish("");
    home.run("echo before");
    home.world.send("t", " sleep 1000");
    let status = home.until(|status| !status["command"].is_null());
    assert_eq!(status["command"]["line"], json!(null));
    home.until(|status| status["title"] == "sleep" && status["title_source"] == "process");
    assert_eq!(home.interrupt()["last_command"]["line"], json!(null));
    let home = Home::with(&[]);
    home.start("sh", &["--", "fish", "--private"]).at_prompt();
    home.world.send("t", "sleep 1000");
    let status = home.until(|status| !status["command"].is_null());
    assert_eq!(status["command"]["line"], json!(null));
}

#[test]
fn lines_of_every_kind_are_told_whole() {
    // Ctrl-X puts the file into the line.
    let home = fish("bind \\cx 'commandline -r -- (cat ~/line | string collect)'");
    let tell = || {
        home.world.ok(&["keys", "t", "C-x", "Enter"]);
    };
    for (line, told) in [
        (
            "for i in 1 2\n    true $i\nend",
            "for i in 1 2\n    true $i\nend",
        ),
        ("true 'a;b' 100%;", "true 'a;b' 100%;"),
        ("true é 日本 ;", "true é 日本 ;"),
    ] {
        home.file("line", line);
        tell();
        home.until(|status| status["last_command"]["line"] == told);
    }
    home.file("line", &format!("true '{}'", "x;".repeat(50_000)));
    tell();
    let status = home.until(|status| {
        let line = status["last_command"]["line"].as_str().unwrap_or_default();
        line.starts_with("true 'x;x;x") && line.len() > 10_000
    });
    assert!(status["last_command"]["seconds"].as_f64().unwrap() < 5.0);
}

#[test]
fn a_configuration_that_fails_leaves_the_shell_as_it_would_be() {
    for config in [
        "this-is-no-command; return 1",
        "if then (",
        "function __wigwag_at_prompt; end",
        "set -U __wigwag_number ''",
        "printf '\\e]133;C;cmdline=made up\\a\\e]2;made up\\a'",
        "functions -e string; function printf; end",
    ] {
        let home = Home::with(&[(CONFIG, config)]);
        home.start("fish", &[]);
        home.world.send("t", "echo ready (math 1 + 1)");
        home.world.until_shown("t", "ready 2");
        home.world.send("t", "sleep 1000");
        home.until(|status| {
            let title = status["title"].as_str().unwrap_or_default();
            title.starts_with("sleep") && status["state"] == "running"
        });
        let status = home.interrupt();
        assert_ne!(status["title"], "made up", "{config}");
        assert!(!home.screen().contains("wigwag_"), "{config}");
    }
}

#[test]
fn a_fish_without_configuration_is_left_alone() {
    let home = Home::with(&[]);
    home.start("sh", &["--", "fish", "--no-config"]);
    home.until(|status| status["state"] == "idle");
    home.world
        .send("t", "functions -q __wigwag_at_prompt; or sleep 1000");
    let status = home.until(|status| status["state"] == "running");
    assert_eq!(status["command"]["line"], json!(null));
}

/// What fish 4 sends, by the chapter on terminal compatibility of its documentation.
const FISH_4: &[u8] = b"\x1b]7;file://localhost/src\x07\x1b]0;fish /src\x07\
    \x1b]133;A;click_events=1\x07/src> \x1b[K\r\n\
    \x1b]133;C;cmdline_url=make%20-j8%0A\x07\x1b]0;make /src\x07built\r\n\
    \x1b]133;D;2\x07\x1b]133;A;click_events=1\x07/src> ";

#[test]
fn fish_4_s_own_marks_are_read() {
    let home = Home::with(&[]);
    std::fs::write(home.path("fish4"), FISH_4).unwrap();
    let decoded = home
        .world
        .ok(&["decode", home.path("fish4").to_str().unwrap()]);
    let signals: Vec<serde_json::Value> = decoded
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let words: Vec<_> = signals
        .iter()
        .map(|s| s["signal"].as_str().unwrap())
        .collect();
    assert_eq!(
        words,
        [
            "cwd",
            "title",
            "prompt",
            "command",
            "title",
            "command_done",
            "prompt"
        ]
    );
    assert_eq!(signals[3]["line"], "make -j8");
    assert_eq!(signals[5]["exit_code"], 2);

    // In a fish that our integration leaves to itself, they are the shell's.
    let home = Home::with(&[(
        CONFIG,
        "function __wigwag_at_prompt; end; bind \\cx 'cat ~/fish4'",
    )]);
    std::fs::write(home.path("fish4"), FISH_4).unwrap();
    home.start("fish", &[]);
    home.until(|status| status["state"] == "idle");
    home.world
        .send("t", "printf '\\e]133;A\\a'; echo marked (math 1 + 1)");
    home.world.until_shown("t", "marked 2");
    home.world.send(
        "t",
        "printf '\\e]133;C;cmdline_url=make%%20-j8\\a'; sleep 1000",
    );
    let status = home.until(|status| status["command"]["line"] == "make -j8");
    assert_eq!(status["title"], "make -j8");
}
