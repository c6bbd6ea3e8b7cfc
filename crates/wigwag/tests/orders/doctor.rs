//! `doctor`: what is wrong is found, said with what to do, and is the exit code.

use crate::world::World;
use serde_json::Value;

/// The findings of a check, and whether the doctor was content.
fn findings(world: &World, check: &str) -> (bool, Vec<Value>) {
    let output = world.run(&["doctor", "--json"]);
    let all: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let wrong = all.iter().any(|finding| finding["verdict"] == "wrong");
    assert_eq!(output.status.code(), Some(i32::from(wrong)), "{output:?}");
    let of_check = all.into_iter().filter(|finding| finding["check"] == check);
    (!wrong, of_check.collect())
}

/// The one finding of a check that is not good.
fn complaint(world: &World, check: &str) -> Value {
    let (_, findings) = findings(world, check);
    let mut bad = findings
        .into_iter()
        .filter(|finding| finding["verdict"] != "good");
    let found = bad.next().expect("a complaint");
    assert!(found["advice"].is_string(), "{found}");
    assert!(bad.next().is_none());
    found
}

#[test]
fn where_all_is_well_the_doctor_is_content() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "cat"]);
    world.ok(&["daemon", "start"]);
    let said = world.ok(&["doctor"]);
    assert!(said.contains("Nothing is wrong"), "{said}");
    assert!(said.contains("1 with a living holder"), "{said}");
    for check in [
        "sockets",
        "state",
        "holder",
        "daemon",
        "terminals",
        "config",
    ] {
        let (content, findings) = findings(&world, check);
        assert!(content, "{findings:?}");
        assert_eq!(findings[0]["verdict"], "good", "{findings:?}");
    }
}

#[test]
fn a_login_shell_that_does_not_find_the_command_is_said() {
    let world = World::new();
    let wigwag = std::path::Path::new(env!("CARGO_BIN_EXE_wigwag"));
    let path = std::env::var("PATH").unwrap();
    let with_it = format!("{}:{path}", wigwag.parent().unwrap().display());
    let verdict = || {
        let mut doctor = world.wigwag(&["doctor", "--json"]);
        let output = doctor
            .env("PATH", &with_it)
            .env("SHELL", "/bin/bash")
            .output()
            .unwrap();
        let all: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let found = all
            .into_iter()
            .find(|finding| finding["check"] == "command")
            .unwrap();
        found["verdict"].clone()
    };
    let profile = "home/.bash_profile";
    world.file(profile, format!("PATH={with_it}"));
    assert_eq!(verdict(), "good");
    world.file(profile, "PATH=/usr/bin:/bin");
    assert_eq!(verdict(), "advice");
}

#[test]
fn an_error_in_the_configuration_is_said_with_its_line() {
    let world = World::new();
    std::fs::create_dir(world.path().join("config/wigwag")).unwrap();
    world.file("config/wigwag/config.toml", "\n[attach]\nprefix = 7\n");
    let wrong = complaint(&world, "config");
    assert_eq!(wrong["verdict"], "wrong");
    let message = wrong["message"].as_str().unwrap();
    assert!(message.contains("config.toml:3:"), "{message}");
}

#[test]
fn the_values_in_force_are_shown() {
    let world = World::new();
    std::fs::create_dir(world.path().join("config/wigwag")).unwrap();
    world.file("config/wigwag/config.toml", "scrollback = 77\n");
    assert!(world.ok(&["doctor"]).contains("scrollback = 77"));
}

#[test]
fn a_runtime_directory_that_lets_others_in_is_wrong() {
    let world = World::new();
    world.ok(&["doctor"]);
    let directory = world.path().join("run/wigwag");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&directory, open).unwrap();
    let wrong = complaint(&world, "sockets");
    assert_eq!(wrong["verdict"], "wrong");
    assert!(
        wrong["message"].as_str().unwrap().contains("chmod 700"),
        "{wrong}"
    );
}

#[test]
fn a_holder_that_is_not_installed_is_missed() {
    let world = World::new();
    let mut command = world.wigwag(&["doctor"]);
    let output = command
        .env("WIGWAG_HOLDER", "/nowhere/wigwag-holder")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("/nowhere/wigwag-holder is not there"),
        "{said}"
    );
    assert!(said.contains("1 thing is wrong"), "{said}");
}

#[test]
fn stopped_and_dead_holders_are_told_apart() {
    use rustix::process::{Pid, Signal, kill_process};
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "cat"]);
    let id = world.show("x")["id"].as_str().unwrap().to_owned();
    let number = world.processes("wigwag-holder")[0];
    let holder = Pid::from_raw(number).unwrap();
    kill_process(holder, Signal::STOP).unwrap();
    let stopped = complaint(&world, "terminals");
    assert_eq!(stopped["verdict"], "wrong");
    assert!(
        stopped["message"].as_str().unwrap().contains(&id),
        "{stopped}"
    );
    kill_process(holder, Signal::CONT).unwrap();
    crate::world::kill(number);
    let dead = complaint(&world, "terminals");
    assert_eq!(dead["verdict"], "advice");
    assert!(dead["message"].as_str().unwrap().contains(&id), "{dead}");
    assert!(
        dead["advice"].as_str().unwrap().contains("restart --lost"),
        "{dead}"
    );
}
