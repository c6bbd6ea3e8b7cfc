//! What goes to the terminal, and what it costs.

use super::bash;
use crate::home::Home;
use serde_json::{Value, json};

/// A program called `bash` that starts Bash by way of another.
fn wrapped(home: &Home, script: &str) -> String {
    let wrapper = home.file("bin/bash", &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(
        &wrapper,
        std::os::unix::fs::PermissionsExt::from_mode(0o700),
    )
    .unwrap();
    wrapper.to_str().unwrap().to_owned()
}

#[test]
fn a_recording_has_each_mark_once_and_in_its_order() {
    let home = Home::with(&[(".bashrc", "PS1='> '\n")]);
    let recorder = wrapped(&home, "exec script -qf ~/recording -c \"bash $*\"");
    home.start("bash", &["--", &recorder]).at_prompt();
    home.run("(exit 3)");
    home.world.send("t", "");
    home.run("echo 'a;b'; true");
    home.world.send("t", "exit");
    home.until(|status| status["lifecycle"]["state"] == "exited");
    let decoded = home
        .world
        .ok(&["decode", home.path("recording").to_str().unwrap()]);
    let signals: Vec<Value> = decoded
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|signal| signal["signal"] != "cwd")
        .map(|mut signal| {
            signal.as_object_mut().unwrap().remove("at");
            signal
        })
        .collect();
    let prompt = [json!({"signal": "prompt"}), json!({"signal": "input"})];
    let command = |line: &str| json!({"signal": "command", "line": line});
    let done = |code: i32| json!({"signal": "command_done", "exit_code": code});
    let expected: Vec<Value> = [
        prompt.to_vec(),
        vec![command("(exit 3)"), done(3)],
        prompt.to_vec(),
        prompt.to_vec(),
        vec![command("echo 'a;b'; true"), done(0)],
        prompt.to_vec(),
        vec![command("exit")],
    ]
    .concat();
    assert_eq!(signals, expected);
    let recording = std::fs::read(home.path("recording")).unwrap();
    let marks = String::from_utf8_lossy(&recording);
    assert!(
        marks.contains(";cmdline_url=echo 'a%3Bb'%3B true\u{7}"),
        "{marks}"
    );
    assert_eq!(
        marks.matches("\u{1b}]133;").count(),
        marks.matches(";aid=").count(),
        "every mark has the secret"
    );
}

#[test]
fn between_enter_and_the_command_nothing_is_executed_and_one_subshell_forked() {
    let home = Home::with(&[(".bashrc", "PS1='> '\n")]);
    let tracer = wrapped(
        &home,
        "exec strace -f -s 4096 -e trace=execve,clone,clone3,fork,vfork,read,write -o ~/trace bash \"$@\"",
    );
    home.start("bash", &["--", &tracer]).at_prompt();
    home.run(": nothing");
    home.run("/bin/true argument");
    home.world.send("t", "exit");
    home.until(|status| status["lifecycle"]["state"] == "exited");
    let trace = std::fs::read_to_string(home.path("trace")).unwrap();
    let (_, rest) = trace.split_once("cmdline_url=: nothing").unwrap();
    let enter = trace[..trace.len() - rest.len()]
        .rfind("read(0, \"\\r\"")
        .unwrap();
    let nothing = trace[enter..].split("133;A").next().unwrap();
    let count = |text: &str, calls: &[&str]| {
        text.lines()
            .filter(|line| {
                calls.iter().any(|call| line.contains(call)) && !line.contains("resumed")
            })
            .count()
    };
    let forks = ["clone(", "clone3(", "fork("];
    assert_eq!(count(nothing, &["execve("]), 0, "{nothing}");
    assert_eq!(count(nothing, &forks), 1, "{nothing}");
    let command = rest
        .split("cmdline_url=/bin/true argument")
        .collect::<Vec<_>>();
    let enter = command[0].rfind("read(0, \"\\r\"").unwrap();
    let command = rest[enter..].split("133;A").next().unwrap();
    assert_eq!(count(command, &["execve("]), 1, "{command}");
    assert_eq!(
        count(command, &forks),
        2,
        "the subshell and the command: {command}"
    );
}

#[test]
fn inside_tmux_the_command_is_an_option_of_the_pane_and_gone_at_the_prompt() {
    let home = Home::with(&[]);
    let script = home.world.ok(&["shell-integration", "bash"]);
    home.file("integration.bash", &script);
    home.file(
        ".bashrc",
        "PS1='> '; . ~/integration.bash; . ~/integration.bash\n",
    );
    let socket = home.path("tmux");
    let tmux = |args: &[&str]| -> String {
        let mut command = home.world.command("tmux");
        let output = command.arg("-S").arg(&socket).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let option = || tmux(&["show-options", "-p", "-v", "-q", "@wigwag_command"]);
    let deadline = std::time::Instant::now() + crate::world::LIMIT;
    let until = |fits: &dyn Fn(&str) -> bool| {
        while !fits(&option()) {
            assert!(std::time::Instant::now() < deadline, "it is {:?}", option());
        }
    };
    tmux(&[
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-x",
        "80",
        "-y",
        "24",
        "exec bash",
    ]);
    for line in ["sleep 1000", "sleep 1000; echo \"it's #{pane_id} $HOME\" ;"] {
        // A `;` at the end of an argument is tmux's own.
        let typed = line.strip_suffix(';').map(|line| format!("{line}\\;"));
        tmux(&["send-keys", "-l", typed.as_deref().unwrap_or(line)]);
        tmux(&["send-keys", "Enter"]);
        until(&|told| told.trim_end_matches('\n') == line);
        // The command is told before it runs, so the first Ctrl-C may find nobody.
        until(&|told| {
            tmux(&["send-keys", "C-c"]);
            told.is_empty()
        });
    }
    // Commands that are over before tmux hears of them.
    for _ in 0..5 {
        tmux(&["send-keys", "-l", "for i in 1 2 3; do :; done"]);
        tmux(&["send-keys", "Enter"]);
    }
    tmux(&["send-keys", "-l", "jobs; echo do\"\"ne"]);
    tmux(&["send-keys", "Enter"]);
    let screen = || tmux(&["capture-pane", "-p"]);
    while !screen().contains("\ndone") {
        assert!(std::time::Instant::now() < deadline, "{}", screen());
    }
    until(&str::is_empty);
    let screen = screen();
    assert!(
        !screen.contains("[1]") && !screen.contains("wigwag"),
        "{screen}"
    );
    tmux(&["kill-server"]);
}

#[test]
fn a_program_s_marks_end_nothing() {
    let home = bash("");
    home.world.send(
        "t",
        "printf '\\033]133;A\\007\\033]133;D;0\\007'; sleep 1000",
    );
    home.until(|status| {
        let line = status["command"]["line"].as_str().unwrap_or_default();
        line.ends_with("sleep 1000")
    });
    home.interrupt();
}
