//! `decode` and `completions`: no terminal, no daemon.

use crate::world::World;
use std::io::Write as _;
use std::process::Stdio;

#[test]
fn bytes_become_one_json_line_a_signal() {
    let world = World::new();
    let bytes = b"\x1b]2;PR #123\x07\x07\x1b]9;4;1;42\x1b\\\x1b]9;4;1;101\x1b\\\x1b]9;Build done\x07\
\x1b]133;A\x07\x1b]133;D;0\x07\x1b]7;file://box/src\x07\x1b]7501;state=blocked:kind=permission\x1b\\\x1b]7501;?\x1b\\\x1bc";
    let expected = [
        r#"{"at":0,"signal":"title","text":"PR #123"}"#,
        r#"{"at":12,"signal":"bell"}"#,
        r#"{"at":13,"signal":"progress","state":"normal","percent":42}"#,
        r#"{"at":25,"signal":"rejected","protocol":"progress","reason":"frame"}"#,
        r#"{"at":38,"signal":"notify","title":null,"body":"Build done","id":null}"#,
        r#"{"at":53,"signal":"prompt"}"#,
        r#"{"at":61,"signal":"command_done","exit_code":0}"#,
        r#"{"at":71,"signal":"cwd","host":"box","path":"/src"}"#,
        r#"{"at":90,"signal":"report","id":"","state":"blocked","kind":"permission","progress":null,"app":null,"title":null,"msg":null}"#,
        r#"{"at":128,"signal":"query","what":"program_status"}"#,
        r#"{"at":138,"signal":"reset"}"#,
    ];
    let file = world.file("bytes", bytes);
    let said = world.ok(&["decode", file.to_str().unwrap()]);
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
    let mut child = world
        .wigwag(&["decode"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), said);
    let message = world.fails(&["decode", "no-such-file"], 1);
    assert!(message.contains("no-such-file"), "{message}");
    assert!(
        world.processes("wigwag").is_empty(),
        "no daemon is started for it"
    );
}

#[test]
fn completions_know_every_shell_and_the_commands() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = world.ok(&["completions", shell]);
        assert!(
            script.contains("capture") && script.contains("wigwag"),
            "{shell}"
        );
    }
    world.fails(&["completions", "cmd.exe"], 2);
}

#[test]
fn a_probe_without_a_terminal_is_refused() {
    let world = World::new();
    let output = world
        .command("setsid")
        .args(["--wait", env!("CARGO_BIN_EXE_wigwag"), "probe"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
}

#[test]
fn a_probe_asks_the_window_it_runs_in() {
    let world = World::new();
    let mut window = crate::window::Window::open(&world, 100, 40, &["probe"]);
    assert!(window.wait().success());
    window.until("what it supports", |shown| shown.contains("7501"));
}
