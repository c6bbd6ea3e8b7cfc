//! Which marks each shell sends, as `wigwag decode` reads a recording of it, and whose marks count.

use crate::home::{Home, which};
use crate::window::Window;
use serde_json::{Value, json};

/// The shells, where their interactive startup file is, and how it sources what is printed.
const SHELLS: [(&str, &str, &str); 3] = [
    ("zsh", ".zshrc", "eval \"$(WIGWAG shell-integration zsh)\""),
    (
        "bash",
        ".bashrc",
        "eval \"$(WIGWAG shell-integration bash)\"",
    ),
    (
        "fish",
        "../config/fish/config.fish",
        "WIGWAG shell-integration fish | source",
    ),
];

fn sourcing(line: &str) -> String {
    line.replace("WIGWAG", env!("CARGO_BIN_EXE_wigwag")) + "\n"
}

/// What `decode` says of a file.
fn decode(home: &Home, name: &str) -> Vec<Value> {
    let path = home.path(name);
    let lines = home.world.ok(&["decode", path.to_str().unwrap()]);
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Records a session of a shell in an ordinary window: these lines, one after the other.
fn record(home: &Home, shell: &str, lines: &[&str]) -> Vec<Value> {
    let path = home.path("recording");
    let mut command = home.world.command("script");
    command.args([
        "--quiet",
        "--flush",
        "--command",
        &format!("{} -i", which(shell).display()),
    ]);
    command.arg(&path);
    let mut window = Window::run(command, 80, 24);
    let prompts = |shown: &crate::window::Shown| {
        let marks = shown.signals.iter().filter(|signal| {
            let prompt = signals::Mark::Prompt;
            matches!(signal, signals::Signal::Mark { mark, .. } if *mark == prompt)
        });
        marks.count()
    };
    for (at, line) in lines.iter().enumerate() {
        window.until("a prompt", |shown| prompts(shown) > at);
        window.type_text(&format!("{line}\r"));
    }
    window.until("a prompt", |shown| prompts(shown) > lines.len());
    window.type_text("exit\r");
    window.wait();
    decode(home, "recording")
}

#[test]
fn what_people_source_marks_prompts_and_commands() {
    for (shell, file, source) in SHELLS {
        // Twice: the second time does nothing.
        let home = Home::with(&[(file, &(sourcing(source) + &sourcing(source)))]);
        let signals = record(&home, shell, &["true 'a;b'", "false"]);
        let said: Vec<(&str, &Value)> = signals
            .iter()
            .filter_map(|signal| match signal["signal"].as_str().unwrap() {
                "command" => Some(("command", &signal["line"])),
                "command_done" => Some(("done", &signal["exit_code"])),
                word @ ("prompt" | "input" | "cwd") => Some((word, &Value::Null)),
                _ => None,
            })
            .filter(|(word, _)| *word != "cwd" && *word != "input")
            .collect();
        let expected = [
            ("prompt", json!(null)),
            ("command", json!("true 'a;b'")),
            ("done", json!(0)),
            ("prompt", json!(null)),
            ("command", json!("false")),
            ("done", json!(1)),
            ("prompt", json!(null)),
            ("command", json!("exit")),
        ];
        let expected: Vec<(&str, &Value)> = expected.iter().map(|(w, v)| (*w, v)).collect();
        // fish tells how even its own `exit` ended.
        assert_eq!(said[..expected.len()], expected, "{shell}");
        for word in ["input", "cwd"] {
            assert!(
                signals.iter().any(|signal| signal["signal"] == word),
                "{shell}: {word}"
            );
        }
    }
}

#[test]
fn sourcing_it_in_a_shell_that_has_it_is_harmless() {
    for (shell, file, source) in SHELLS {
        let home = Home::with(&[(file, &sourcing(source))]);
        home.start("sh", &["--", shell]).at_prompt();
        home.run("true one");
        let status = home.runs("sleep 1000; true");
        assert_eq!(status["title"], "sleep 1000; true", "{shell}");
        assert_eq!(home.interrupt()["last_command"]["line"], "sleep 1000; true");
        // And once more by hand.
        home.run(sourcing(source).trim());
        let last = &home.run("false two")["last_command"];
        assert_eq!(
            (&last["line"], &last["exit_code"]),
            (&json!("false two"), &json!(1)),
            "{shell}"
        );
    }
}

#[test]
fn a_shell_that_wigwag_did_not_inject_is_tracked_where_a_person_sources_it() {
    for (shell, file, source) in SHELLS {
        let home = Home::with(&[(file, &sourcing(source))]).plainly();
        home.start("sh", &["--", shell]).at_prompt();
        home.run("true one");
        let status = home.runs("sleep 1000; true");
        assert_eq!(status["title"], "sleep 1000; true", "{shell}");
        home.interrupt();
    }
}

/// Prints marks around a message, as agents do around their turns, while it reports that it works.
const AGENT: &str = r#"
mark() { printf '\033]133;%s\007' "$1"; }
printf '\033]7501;state=working:app=pi:progress=40\007\033]9;4;1;40\007\033]2;PR #123\007'
for turn in 1 2 3; do mark A; echo "turn $turn"; mark B; mark C; mark 'D;0'; done
mark A
printf '\033]2;PR #124\007'
read -r line
"#;

#[test]
fn a_program_s_marks_end_neither_its_report_nor_its_title_nor_its_progress() {
    for (shell, file, _) in SHELLS {
        let home = Home::with(&[(file, "")]);
        let agent = home.file("agent", AGENT);
        home.start("sh", &["--", shell]).at_prompt();
        let line = format!("sh {}", agent.display());
        home.world.send("t", &line);
        let status = home.until(|status| status["title"] == "PR #124");
        assert_eq!(status["state"], "working", "{shell}: {status:#}");
        assert_eq!(status["title_source"], "application");
        assert_eq!(status["command"]["line"], line);
        assert_eq!(
            status["progress"],
            json!({"state": "normal", "percent": 40})
        );
        assert_eq!(status["reports"][0]["state"], "working");
        // The shell's real prompt ends them.
        home.world.send("t", "");
        let status = home.at_prompt();
        assert_eq!(status["progress"], json!(null), "{shell}");
        assert_eq!(status["reports"], json!([]));
        assert_ne!(status["title"], "PR #124");
    }
}

#[test]
fn people_see_what_runs_for_how_long_and_how_the_last_command_ended() {
    let home = Home::with(&[(".zshrc", "")]);
    home.start("zsh", &[]).at_prompt();
    home.run("sh -c 'exit 7'");
    let page = home.world.ok(&["show", "t"]);
    assert!(page.contains("sh -c 'exit 7', exit 7, after "), "{page}");
    let world = &home.world;
    std::thread::scope(|scope| {
        let ended = scope.spawn(|| world.ok(&["wait", "t", "--until", "command"]));
        home.runs("sleep 1000 | cat");
        let list = world.ok(&["list"]);
        assert!(list.contains("t — sleep 1000 | cat"), "{list}");
        assert!(
            world
                .ok(&["show", "t"])
                .contains("sleep 1000 | cat, running for ")
        );
        home.interrupt();
        assert_eq!(ended.join().unwrap().trim(), "command");
    });
    assert_eq!(
        world.ok(&["wait", "t", "--until", "prompt"]).trim(),
        "prompt"
    );
}
