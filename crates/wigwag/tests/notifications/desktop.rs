//! The desktop's notifications on a real session bus.

use crate::bus::{Bus, Call, Server, notified};
use crate::world::{LIMIT, World};
use std::time::Instant;

/// A world whose daemon knows this bus.
fn world() -> (World, Bus) {
    let world = World::new();
    let bus = Bus::start(world.path());
    world.set("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    (world, bus)
}

#[test]
fn a_notification_is_raised_replaced_and_withdrawn_on_a_real_bus() {
    let (world, bus) = world();
    let server = Server::start(&bus);
    world.ok(&["new", "pi", "-d", "--", "cat"]);
    let report = |message: &str| {
        world.report("pi", &["blocked", "--kind", "permission", "--msg", message]);
    };
    report("Apply?");
    let first = server.notified(0);
    assert_eq!(first.app, "Wigwag");
    assert_eq!(first.summary, "pi: waiting for approval");
    assert_eq!((first.body.as_str(), first.replaces), ("Apply?", 0));
    assert_eq!((first.urgency, first.silent), (2, false));
    assert_eq!(first.actions, ["default", "Open"]);
    // Other words replace it in place and in silence.
    report("Apply all three?");
    let second = server.notified(1);
    assert_eq!((second.replaces, second.silent), (first.id, true));
    assert_eq!(second.body, "Apply all three?");
    world.ok(&["ack", "pi"]);
    server.until_closed(first.id);
}

#[test]
fn choosing_a_notification_opens_the_terminal_with_the_configured_command() {
    let (world, bus) = world();
    let server = Server::start(&bus);
    let opened = world.path().join("opened");
    world.configure(&format!(
        "[notify.desktop]\nopen = ['sh', '-c', 'printf \"%s\\n\" \"$0 $1\" > {0}.new; mv {0}.new {0}', \
         'attach', '{{terminal}}']\n",
        opened.display()
    ));
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    let shown = server.notified(0);
    assert_eq!(shown.summary, "build: failed (exit 3)");
    // Nobody chooses what the daemon has no number of yet.
    world.until_delivered("desktop");
    server.choose(shown.id);
    assert_eq!(world.until_file(&opened), "attach build\n");
}

#[test]
fn a_daemon_that_is_killed_tells_nothing_twice_and_withdraws_what_the_first_told() {
    let (world, bus) = world();
    let server = Server::start(&bus);
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    let shown = server.notified(0);
    world.until_delivered("desktop");
    world.kill_daemon();
    // Another one begins, and what happens then is told.
    world.ok(&["new", "other", "-d", "--", "sh", "-c", "exit 4"]);
    let other = server.notified(1);
    assert_eq!(other.summary, "other: failed (exit 4)");
    world.ok(&["ack", "build"]);
    server.until_closed(shown.id);
    let calls = server.calls();
    assert_eq!(notified(&calls).len(), 2, "{calls:#?}");
    assert!(
        calls
            .iter()
            .all(|call| !matches!(call, Call::Close(id) if *id == other.id))
    );
}

#[test]
fn what_was_read_while_no_daemon_ran_is_withdrawn_by_the_next() {
    let (world, bus) = world();
    let server = Server::start(&bus);
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    let shown = server.notified(0);
    world.until_delivered("desktop");
    world.kill_daemon();
    // The terminal is gone altogether before anybody looks.
    world.vanish();
    world.ok(&["list"]);
    server.until_closed(shown.id);
}

#[test]
fn a_server_that_hangs_holds_nobody_up_is_shown_and_is_asked_once() {
    let (world, bus) = world();
    let server = Server::start(&bus);
    server.hang();
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    let shown = server.notified(0);
    // Everything else goes on meanwhile.
    let began = Instant::now();
    world.ok(&["list"]);
    assert!(began.elapsed() < LIMIT / 4);
    let said = world.until_notify("desktop", |channel| {
        let message = channel["last"]["message"].as_str().unwrap_or_default();
        message.contains("does not answer within 5 s")
    });
    assert_eq!(said["last"]["ok"], false);
    let doctor = world.run(&["doctor"]);
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains("does not answer within 5 s"), "{doctor}");
    // Its late answer counts: there is one notification, and it can be taken away.
    server.go_on();
    world.until_notify("desktop", |channel| channel["last"]["ok"] == true);
    world.ok(&["ack", "build"]);
    server.until_closed(shown.id);
    let ids: Vec<u32> = notified(&server.calls()).iter().map(|n| n.id).collect();
    assert!(ids.iter().all(|id| *id == shown.id), "{ids:?}");
}

#[test]
fn a_bus_that_comes_later_is_found() {
    let world = World::new();
    let socket = world.path().join("bus");
    let address = format!("unix:path={}", socket.display());
    world.set("DBUS_SESSION_BUS_ADDRESS", &address);
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    world.until_notify("desktop", |channel| channel["last"]["ok"] == false);
    let bus = Bus::start(world.path());
    let server = Server::start(&bus);
    assert_eq!(server.notified(0).summary, "build: failed (exit 3)");
}

#[test]
fn a_number_of_another_server_is_somebody_else_s_notification() {
    let (world, bus) = world();
    let server = Server::start(&bus);
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    server.notified(0);
    world.until_delivered("desktop");
    drop(server);
    drop(bus);
    let bus = Bus::start(world.path());
    let server = Server::start(&bus);
    world.ok(&["ack", "build"]);
    world.ok(&["new", "other", "-d", "--", "sh", "-c", "exit 4"]);
    let other = server.notified(0);
    assert_eq!(
        (other.summary.as_str(), other.replaces),
        ("other: failed (exit 4)", 0)
    );
    assert_eq!(server.calls().len(), 1, "{:#?}", server.calls());
}

#[test]
fn what_a_person_took_away_is_not_shown_again_for_other_words() {
    let (world, bus) = world();
    let server = Server::start(&bus);
    world.ok(&["new", "pi", "-d", "--", "cat"]);
    world.report("pi", &["blocked", "--msg", "One?"]);
    let first = server.notified(0);
    world.until_delivered("desktop");
    server.dismiss(first.id);
    world.report("pi", &["blocked", "--msg", "Other words?"]);
    world.until_notify("desktop", |channel| {
        channel["last"]["message"] == "not shown again: it was closed"
    });
    assert_eq!(notified(&server.calls()).len(), 1);
}

#[test]
fn the_test_says_what_happens_and_without_a_bus_why_not() {
    let (world, bus) = world();
    let server = Server::start(&bus);
    let said = world.ok(&["notify", "test", "desktop"]);
    assert!(
        said.contains("desktop") && said.contains("shown on the desktop"),
        "{said}"
    );
    assert_eq!(server.notified(0).summary, "Wigwag: a test");
    let bare = World::new();
    let output = bare.run(&["notify", "test", "desktop"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("there is no session bus"), "{said}");
}
