//! A command that a person set up.

use crate::world::World;
use serde_json::Value;

#[test]
fn a_command_gets_the_notification_and_the_status_as_json() {
    let world = World::new();
    world.record("");
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    world.until_delivered("command");
    let told_first = world.told();
    assert_eq!(told_first.len(), 1, "{told_first:#?}");
    let raised = &told_first[0];
    assert_eq!(raised["action"], "raise");
    assert_eq!(raised["title"], "build: failed (exit 3)");
    assert_eq!(
        (&raised["kind"], &raised["urgency"]),
        (&"exit".into(), &"high".into())
    );
    assert_eq!(raised["status"]["lifecycle"]["code"], 3);
    assert_eq!(raised["status"]["id"], raised["terminal"]);
    world.ok(&["ack", "build"]);
    world.until_notify("command", |channel| {
        channel["standing"] == 0 && channel["waiting"] == 0
    });
    let withdrawn = &world.told()[1];
    assert_eq!(withdrawn["action"], "withdraw");
    assert_eq!(withdrawn["terminal"], raised["terminal"]);
}

#[test]
fn a_command_that_never_ends_is_ended_with_what_it_started() {
    let world = World::new();
    // It and its child mind no TERM.
    let script = "trap \"\" TERM; sleep 1234 & while :; do sleep 1; done";
    world.configure(&format!(
        "[notify.desktop]\nenabled = false\n[notify.command]\nrun = ['sh', '-c', '{script}']\n"
    ));
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    let said = world.until_notify("command", |channel| channel["last"]["ok"] == false);
    assert_eq!(
        said["last"]["message"],
        "sh did not end within 10 s and was ended"
    );
    assert_eq!(world.processes("sleep"), Vec::<i32>::new());
    // It is not run again by itself.
    assert_eq!(said["waiting"], 0);
}

#[test]
fn the_test_runs_it_and_says_how_it_ended() {
    let world = World::new();
    world.configure("[notify.command]\nrun = ['sh', '-c', 'exit 7']\n");
    let output = world.run(&["notify", "test", "command", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let tested: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(tested[0]["channel"], "command");
    assert_eq!(tested[0]["message"], "sh: exit status: 7");
}
