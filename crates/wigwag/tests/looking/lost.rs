//! What is left of a terminal whose holder was killed.

use crate::world::World;

#[test]
fn a_lost_terminal_is_shown_as_what_is_left_of_it() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    world.until("x", |status| status["lifecycle"]["state"] == "running");
    for pid in world.processes("wigwag-holder") {
        crate::world::kill(pid);
    }
    world.until("x", |status| status["lifecycle"]["state"] == "lost");
    let lost = world.show("x");
    assert_eq!(
        (&lost["state"], &lost["attention"]["unread"]),
        (&"failed".into(), &true.into())
    );
    assert!(lost["lifecycle"]["at"].is_string(), "since when: {lost}");
    assert!(
        world
            .ok(&["list"])
            .starts_with("✗ x — sleep 1000 · failed (lost)")
    );
    world.ok(&["ack", "x"]);
    assert_eq!(world.show("x")["state"], "lost");
    assert!(world.ok(&["show", "x"]).contains("lost"));
    assert!(
        world
            .fails(&["send", "x", "y"], 5)
            .contains("wigwag restart x")
    );
    assert!(
        world
            .fails(&["capture", "x"], 5)
            .contains("wigwag restart x")
    );
    world.fails(&["capture", "x", "--follow"], 5);
    assert_eq!(world.ok(&["wait", "x"]), "exit\n");
    world.fails(&["wait", "x", "--until", "output:y"], 1);
}
