//! Twenty terminals, half of them exited; then the machine is started again.

use crate::window::Window;
use crate::world::World;

#[test]
fn after_a_reboot_the_list_says_so_and_only_what_is_asked_for_starts() {
    let world = World::new();
    for number in 0..10 {
        let (running, exited) = (format!("run{number}"), format!("exit{number}"));
        world.ok(&[
            "new",
            &running,
            "-d",
            "--",
            "sh",
            "-c",
            "echo started >>$WIGWAG_NAME; sleep 1000",
        ]);
        world.ok(&[
            "new",
            &exited,
            "-d",
            "--",
            "sh",
            "-c",
            "echo started >>$WIGWAG_NAME; exit 3",
        ]);
    }
    for number in 0..10 {
        world.until(&format!("exit{number}"), |status| {
            status["lifecycle"]["state"] == "exited"
        });
        world.until(&format!("run{number}"), |status| {
            status["lifecycle"]["state"] == "running"
        });
    }
    world.reboot();

    let list = world.list();
    assert_eq!(list.len(), 20);
    for status in &list {
        let name = status["name"].as_str().unwrap();
        let state = &status["lifecycle"]["state"];
        if name.starts_with("run") {
            assert_eq!(state, "lost", "{name}");
        } else {
            assert_eq!(state, "exited", "{name}");
            assert_eq!(status["lifecycle"]["code"], 3, "{name}");
        }
    }
    let said = world.ok(&["list"]);
    assert!(said.contains("lost"), "{said}");
    assert!(
        world.processes("wigwag-holder").is_empty(),
        "nothing starts unasked"
    );

    // Nobody to ask: nothing starts.
    let _ = world.run(&["restart", "--lost"]);
    assert!(
        world.processes("wigwag-holder").is_empty(),
        "nothing starts unasked"
    );

    world.ok(&["restart", "run3"]);
    world.until("run3", |status| status["lifecycle"]["state"] == "running");
    assert_eq!(world.processes("wigwag-holder").len(), 1);

    let mut window = Window::open(&world, 100, 40, &["restart", "--lost"]);
    window.until("the question names what was lost", |shown| {
        (0..10)
            .filter(|number| *number != 3)
            .all(|number| shown.contains(&format!("run{number}")))
    });
    assert!(!window.shown().contains("exit1"));
    assert_eq!(
        world.processes("wigwag-holder").len(),
        1,
        "asked before anything starts"
    );
    window.type_text("y\r");
    let status = window.wait();
    assert!(status.success(), "{status:?}: {}", window.shown().text());
    for number in 0..10 {
        let name = format!("run{number}");
        world.until(&name, |status| status["lifecycle"]["state"] == "running");
    }
    for number in 0..10 {
        let name = format!("exit{number}");
        assert_eq!(world.show(&name)["lifecycle"]["state"], "exited");
        let starts = std::fs::read_to_string(world.path().join(&name)).unwrap();
        assert_eq!(starts, "started\n", "{name} ran once");
    }
}
