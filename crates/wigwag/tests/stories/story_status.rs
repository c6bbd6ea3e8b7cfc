//! What programs say by the standard sequences is in `show --json`, and goes as it should.

use crate::world::World;
use serde_json::{Value, json};
use std::time::Instant;

/// A terminal with a program that prints what it is told: a shell without prompt marks.
fn talker(world: &World) {
    world.ok(&["new", "t", "-d", "--", "sh"]);
}

/// Lets the terminal's program print, and waits until the daemon said what came of it.
fn print(world: &World, sequence: &str, fits: impl Fn(&Value) -> bool) -> Value {
    world.send("t", &format!("printf '{sequence}'"));
    world.until("t", fits)
}

#[test]
fn the_five_progress_examples_are_shown_and_cleared() {
    let world = World::new();
    talker(&world);
    let steps = [
        (
            r"\033]9;4;1;42\033\\",
            json!({"state": "normal", "percent": 42}),
            "working",
        ),
        (
            r"\033]9;4;2;100\033\\",
            json!({"state": "error", "percent": 100}),
            "failed",
        ),
        (
            r"\033]9;4;3\033\\",
            json!({"state": "busy", "percent": null}),
            "working",
        ),
        (
            r"\033]9;4;4;7\033\\",
            json!({"state": "paused", "percent": 7}),
            "working",
        ),
    ];
    for (sequence, progress, state) in steps {
        let status = print(&world, sequence, |status| status["progress"] == progress);
        assert_eq!(status["progress"], progress);
        assert_eq!(status["state"], state, "{sequence}: {status:#}");
    }
    assert!(
        world.show("t")["label"]
            .as_str()
            .unwrap()
            .ends_with("paused 7%")
    );
    let status = print(&world, r"\033]9;4;0\033\\", |status| {
        status["progress"].is_null()
    });
    assert_ne!(status["state"], "working");
}

#[test]
fn a_percentage_of_101_changes_nothing() {
    let world = World::new();
    talker(&world);
    print(&world, r"\033]9;4;1;42\033\\", |status| {
        !status["progress"].is_null()
    });
    // The title after it shows that the frame was read.
    let status = print(
        &world,
        r"\033]9;4;1;101\033\\\033]2;AFTER\033\\",
        |status| status["title"] == "AFTER",
    );
    assert_eq!(
        status["progress"],
        json!({"state": "normal", "percent": 42})
    );
}

#[test]
fn a_bell_asks_for_attention_until_it_is_acknowledged() {
    let world = World::new();
    talker(&world);
    let status = print(&world, r"\007", |status| {
        status["attention"]["unread"] == true
    });
    assert_eq!(status["attention"]["kind"], "bell");
    assert_eq!(status["state"], "attention");
    world.ok(&["ack", "t"]);
    let status = world.until("t", |status| status["attention"]["unread"] == false);
    assert_ne!(status["state"], "attention");
    world.ok(&["ack", "t", "--undo"]);
    let again = world.until("t", |status| status["attention"]["unread"] == true);
    assert!(again["attention"]["seq"].as_u64() > status["attention"]["seq"].as_u64());
}

#[test]
fn titles_come_from_the_program_and_an_empty_one_clears() {
    let world = World::new();
    let script = world.file(
        "titles",
        r"printf '\033]2;PR #123\033\\'; read -r x; printf '\033[22;2t\033]0;Other\007'; read -r x
printf '\033[23;2t'; read -r x; printf '\033]2;\007'; read -r x",
    );
    world.ok(&["new", "t", "-d", "--", "dash", script.to_str().unwrap()]);
    let status = world.until("t", |status| status["title"] == "PR #123");
    assert_eq!(status["title_source"], "application");
    assert!(
        status["label"].as_str().unwrap().starts_with("t — PR #123"),
        "{status:#}"
    );
    world.send("t", "");
    world.until("t", |status| status["title"] == "Other");
    world.send("t", "");
    world.until("t", |status| status["title"] == "PR #123");
    world.send("t", "");
    let status = world.until("t", |status| status["title_source"] != "application");
    assert_eq!(status["title_source"], "initial");
}

#[test]
fn program_reports_are_shown_as_records_and_cleared() {
    let world = World::new();
    talker(&world);
    let status = print(
        &world,
        r"\033]7501;state=blocked:kind=permission:app=terraform:msg=QXBwbHk/\033\\",
        |status| status["state"] == "waiting",
    );
    let record = &status["reports"][0];
    assert_eq!(record["id"], "");
    assert_eq!(record["kind"], "permission");
    assert_eq!(record["app"], "terraform");
    assert_eq!(record["msg"], "Apply?");
    assert_eq!(status["attention"]["kind"], "waiting");
    assert!(
        status["label"]
            .as_str()
            .unwrap()
            .contains("waiting for approval")
    );

    let status = print(
        &world,
        r"\033]7501;state=working:progress=42\033\\",
        |status| status["state"] == "working",
    );
    assert_eq!(status["reports"][0]["progress"], 42);
    assert_eq!(
        status["reports"][0]["app"],
        Value::Null,
        "a report replaces its record"
    );

    // A blocked child makes the whole terminal wait.
    let status = print(
        &world,
        r"\033]7501;state=blocked:id=task/1\033\\",
        |status| status["state"] == "waiting",
    );
    assert_eq!(status["reports"].as_array().unwrap().len(), 2);
    // Cleared by name; then everything.
    print(&world, r"\033]7501;state=clear:id=task\033\\", |status| {
        status["state"] == "working"
    });
    let status = print(&world, r"\033]7501;state=clear\033\\", |status| {
        status["reports"] == json!([])
    });
    assert_ne!(status["state"], "working");
}

#[test]
fn a_reset_clears_title_progress_and_records() {
    let world = World::new();
    let script = world.file(
        "reset",
        r"printf '\033]2;T\033\\\033]9;4;1;5\033\\\033]7501;state=done\033\\'; read -r x
printf '\033c'; read -r x",
    );
    world.ok(&["new", "t", "-d", "--", "dash", script.to_str().unwrap()]);
    let status = world.until("t", |status| status["state"] == "finished");
    assert_eq!(status["title"], "T");
    world.send("t", "");
    let status = world.until("t", |status| {
        status["reports"] == json!([]) && status["title"] != "T"
    });
    assert_eq!(status["progress"], Value::Null);
}

#[test]
fn a_signal_is_in_show_within_milliseconds() {
    let world = World::new();
    talker(&world);
    print(&world, r"\033]9;4;1;1\033\\", |status| {
        !status["progress"].is_null()
    });
    // From the key that lets the program print to the answer of a whole `show` process: the
    // best of ten, since the machine may be busy with other tests.
    let best = (2..12)
        .map(|percent| {
            let start = Instant::now();
            print(&world, &format!(r"\033]9;4;1;{percent}\033\\"), |status| {
                status["progress"]["percent"] == percent
            });
            start.elapsed()
        })
        .min()
        .unwrap();
    assert!(best.as_millis() < 1000, "{best:?}");
}

#[test]
fn a_program_that_asks_for_osc_7501_before_da1_gets_the_answers_in_that_order() {
    let world = World::new();
    let script = world.file(
        "ask",
        "stty raw -echo\nprintf '\\033]7501;?\\033\\\\\\033[c'\nexec cat -v\n",
    );
    world.ok(&[
        "new",
        "t",
        "-d",
        "--size",
        "200x24",
        "--",
        "sh",
        script.to_str().unwrap(),
    ]);
    let captured = world.until_shown("t", "^[[?");
    let status = captured
        .find("^[]7501;?:states=idle,working,done,blocked,error")
        .unwrap();
    let attributes = captured.find("^[[?").unwrap();
    assert!(status < attributes, "{captured}");
}
