//! How programs end, what stays of them, and who takes their names.

use crate::window::Window;
use crate::world::World;

#[test]
fn an_exit_code_is_kept_with_the_last_screen_until_it_is_seen() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "echo the last words; exit 3",
    ]);
    let status = world.until("x", |status| status["lifecycle"]["state"] == "exited");
    assert_eq!(status["lifecycle"]["code"], 3);
    assert_eq!(status["lifecycle"]["signal"], serde_json::Value::Null);
    assert_eq!(status["state"], "failed");
    assert_eq!(status["attention"]["unread"], true);
    assert!(world.ok(&["capture", "x"]).contains("the last words"));
    assert!(
        world.ok(&["list"]).contains("exit 3"),
        "{}",
        world.ok(&["list"])
    );
    // Looking through commands is not seeing; acknowledging is.
    assert_eq!(world.show("x")["state"], "failed");
    world.ok(&["ack", "x"]);
    let status = world.until("x", |status| status["attention"]["unread"] == false);
    assert_eq!(status["state"], "exited");
    assert_eq!(status["lifecycle"]["code"], 3);
}

#[test]
fn a_program_killed_by_a_signal_shows_the_signal() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "kill -KILL $$"]);
    let status = world.until("x", |status| status["lifecycle"]["state"] == "exited");
    assert_eq!(status["lifecycle"]["signal"], "KILL");
    assert_eq!(status["lifecycle"]["code"], serde_json::Value::Null);
    assert_eq!(status["state"], "failed");
}

#[test]
fn a_new_terminal_takes_the_name_of_an_exited_one_but_not_of_a_running_one() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh", "-c", "exit 3"]);
    let old = world.until("x", |status| status["lifecycle"]["state"] == "exited");
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    let new = world.until("x", |status| status["lifecycle"]["state"] == "running");
    assert_ne!(old["id"], new["id"]);
    assert_eq!(world.list().len(), 1);
    let message = world.fails(&["new", "x", "-d", "--", "true"], 5);
    assert!(
        message.contains('x') && message.contains("attach"),
        "{message}"
    );
    assert_eq!(world.show("x")["id"], new["id"]);
}

#[test]
fn restart_runs_the_same_command_in_the_same_place_and_environment() {
    let world = World::new();
    let place = world.path().join("home");
    world.ok(&[
        "new",
        "x",
        "-d",
        "--cwd",
        place.to_str().unwrap(),
        "--env",
        "STORY=told",
        "--",
        "sh",
        "-c",
        "echo run >>count; echo $STORY in $PWD; exit 3",
    ]);
    let first = world.until("x", |status| status["lifecycle"]["state"] == "exited");
    world.ok(&["restart", "x"]);
    // The second run has ended when it is failed and unread under a later number or time.
    let again = world.until("x", |status| {
        status["lifecycle"]["state"] == "exited"
            && status["lifecycle"]["at"] != first["lifecycle"]["at"]
    });
    assert_eq!(again["id"], first["id"]);
    assert_eq!(again["name"], "x");
    assert_eq!(again["lifecycle"]["code"], 3);
    let said = format!("told in {}", place.display());
    assert!(
        world
            .ok(&["capture", "x"])
            .replace('\n', "")
            .contains(&said)
    );
    assert_eq!(
        std::fs::read_to_string(place.join("count")).unwrap(),
        "run\nrun\n"
    );
}

#[test]
fn a_program_that_ended_well_while_it_was_seen_is_gone() {
    let world = World::new();
    let mut window = Window::open(
        &world,
        80,
        24,
        &["new", "x", "--", "sh", "-c", "read -r end"],
    );
    world.until("x", |status| status["clients"] == 1);
    window.type_text("\r");
    window.wait();
    // The daemon hears of it as the window does.
    let deadline = std::time::Instant::now() + crate::world::LIMIT;
    while !world.list().is_empty() {
        assert!(std::time::Instant::now() < deadline, "{:?}", world.list());
    }
}

#[test]
fn a_child_that_keeps_the_terminal_open_does_not_hide_the_exit() {
    let world = World::new();
    world.ok(&[
        "new",
        "x",
        "-d",
        "--",
        "sh",
        "-c",
        "setsid sleep 1000 & echo left behind; exit 4",
    ]);
    let status = world.until("x", |status| status["lifecycle"]["state"] == "exited");
    assert_eq!(status["lifecycle"]["code"], 4);
    assert!(world.ok(&["capture", "x"]).contains("left behind"));
}
