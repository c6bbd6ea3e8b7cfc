//! `doctor`, `version` and `completions`.

use crate::world::World;
use serde_json::Value;

fn findings(world: &World, code: i32) -> Vec<Value> {
    let output = world.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn of<'a>(findings: &'a [Value], check: &str) -> &'a Value {
    findings
        .iter()
        .find(|finding| finding["check"] == check)
        .unwrap()
}

#[test]
fn on_a_sound_machine_nothing_is_wrong() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let text = world.ok(&["doctor"]);
    assert!(text.contains("Nothing is wrong"), "{text}");
    assert!(text.contains("1 with a living holder"), "{text}");
    assert!(text.contains("scrollback = 10000"), "{text}");
}

#[test]
fn a_wrong_configuration_is_said_with_its_line() {
    let world = World::new();
    let place = world.path().join("config/wigwag");
    std::fs::create_dir(&place).unwrap();
    std::fs::write(place.join("config.toml"), "# mine\nscrollback = \"many\"\n").unwrap();
    let all = findings(&world, 1);
    let config = of(&all, "config");
    assert_eq!(config["verdict"], "wrong");
    assert!(
        config["message"]
            .as_str()
            .unwrap()
            .contains("config.toml:2"),
        "{config}"
    );
    assert!(config["advice"].is_string());
}

#[test]
fn a_state_directory_that_cannot_be_written_is_wrong() {
    let world = World::new();
    let mut command = world.wigwag(&["doctor", "--json"]);
    let output = command.env("XDG_STATE_HOME", "/proc/sys").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let all: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(of(&all, "state")["verdict"], "wrong");
}

#[test]
fn a_missing_holder_executable_is_wrong() {
    let world = World::new();
    let mut command = world.wigwag(&["doctor", "--json"]);
    let output = command
        .env("WIGWAG_HOLDER", "/nowhere/wigwag-holder")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let all: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(of(&all, "holder")["verdict"], "wrong");
}

#[test]
fn terminals_whose_holder_died_are_named_with_what_to_do() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let id = world.show("x")["id"].as_str().unwrap().to_owned();
    for pid in world.processes("wigwag-holder") {
        crate::world::kill(pid);
    }
    world.until("x", |status| status["lifecycle"]["state"] == "lost");
    let text = world.ok(&["doctor"]);
    assert!(
        text.contains(&id) && text.contains("restart --lost"),
        "{text}"
    );
}

#[test]
fn all_versions_at_work_are_said() {
    let world = World::new();
    let versions: Value = serde_json::from_str(&world.ok(&["version", "--json"])).unwrap();
    assert_eq!(versions["client"], env!("CARGO_PKG_VERSION"));
    assert_eq!(versions["daemon"], Value::Null, "it starts no daemon");
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    world.list();
    let text = world.ok(&["version"]);
    assert!(text.contains("daemon 0"), "{text}");
    assert!(
        text.contains("wigwag-holder") && text.contains("1 terminal"),
        "{text}"
    );
}

#[test]
fn each_shell_gets_completions_for_both_names() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = world.ok(&["completions", shell]);
        assert!(
            script.contains("wigwag") && script.contains("ww"),
            "{shell}"
        );
    }
    let bash = world.file("completions.bash", world.ok(&["completions", "bash"]));
    let output = world.command("bash").arg("-n").arg(bash).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
