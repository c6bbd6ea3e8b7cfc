//! Scripts that report: with a terminal of their own, and without one.

use crate::world::World;

#[test]
fn report_runs_a_command_and_exits_as_it_did() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    world.send("x", &format!("{wigwag} report -- false; echo exit=$?"));
    world.until_shown("x", "exit=1");
    let status = world.until("x", |status| status["reports"][0]["state"] == "error");
    assert_eq!(status["state"], "failed");
    world.send("x", &format!("{wigwag} report -- true; echo exit=$?"));
    world.until_shown("x", "exit=0");
    let status = world.until("x", |status| status["reports"][0]["state"] == "done");
    assert_eq!(status["state"], "finished");
}

#[test]
fn report_says_working_while_the_command_runs() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    world.send(
        "x",
        &format!("{wigwag} report --msg 'Building it' -- sh -c 'read end'"),
    );
    let status = world.until("x", |status| status["reports"][0]["state"] == "working");
    assert_eq!(status["reports"][0]["msg"], "Building it");
    // The command has the terminal: what is typed reaches it.
    world.send("x", "");
    world.until("x", |status| status["reports"][0]["state"] == "done");
}

#[test]
fn a_report_without_a_controlling_terminal_arrives() {
    let world = World::new();
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    let script = format!(
        "setsid -w {wigwag} report blocked --kind question --msg 'Which one?' </dev/null >out 2>&1
echo reported=$?; sleep 1000"
    );
    world.ok(&["new", "x", "-d", "--", "sh", "-c", &script]);
    world.until_shown("x", "reported=0");
    let status = world.until("x", |status| status["state"] == "waiting");
    assert_eq!(status["reports"][0]["kind"], "question");
    assert_eq!(status["reports"][0]["msg"], "Which one?");
}

#[test]
fn a_report_from_nowhere_is_refused() {
    let world = World::new();
    let mut command = world.command("setsid");
    command.args(["-w", env!("CARGO_BIN_EXE_wigwag"), "report", "done"]);
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(!output.stderr.is_empty());
}

#[test]
fn progress_and_bell_are_the_simpler_signals() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    world.send("x", &format!("{wigwag} progress 42"));
    world.until("x", |status| status["progress"]["percent"] == 42);
    world.send("x", &format!("{wigwag} progress clear; {wigwag} bell"));
    let status = world.until("x", |status| status["attention"]["kind"] == "bell");
    assert!(status["progress"].is_null());
}

#[test]
fn reports_work_without_a_daemon() {
    let world = World::new();
    let wigwag = env!("CARGO_BIN_EXE_wigwag");
    // A program: at the prompt of a shell that marks nothing, the report would end with its command.
    let script =
        format!("read -r go; {wigwag} report working --progress 7; echo said=$?; exec cat");
    world.ok(&["new", "x", "-d", "--", "sh", "-c", &script]);
    world.kill_daemon();
    world.send("x", "");
    world.until_shown("x", "said=0");
    let status = world.until("x", |status| status["state"] == "working");
    assert_eq!(status["reports"][0]["progress"], 7);
}
