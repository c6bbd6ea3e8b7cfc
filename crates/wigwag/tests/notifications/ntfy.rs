//! ntfy, against a server that notes what it is sent.

use crate::web_server::{Answer, WebServer};
use crate::world::World;
use serde_json::json;
use std::time::Duration;

fn world(knows_sequences: bool, more: &str) -> (World, WebServer) {
    let world = World::new();
    let server = WebServer::start(knows_sequences);
    world.configure(&format!(
        "[notify.desktop]\nenabled = false\n[notify.ntfy]\nurl = '{}'\ntopic = 'mine'\n{more}",
        server.url
    ));
    (world, server)
}

#[test]
fn a_message_is_published_replaced_and_taken_away_as_ntfy_documents() {
    let (world, server) = world(
        true,
        "token = 'tk_secret'\nclick = 'https://panel/{terminal}'\n",
    );
    world.ok(&["new", "pi", "-d", "--", "cat"]);
    let id = world.show("pi")["id"].as_str().unwrap().to_owned();
    world.report(
        "pi",
        &["blocked", "--kind", "permission", "--msg", "Apply?"],
    );
    let first = server.asked(0);
    assert_eq!(first.line, "POST / HTTP/1.1");
    assert_eq!(first.header("authorization"), Some("Bearer tk_secret"));
    assert_eq!(first.header("content-type"), Some("application/json"));
    assert_eq!(
        first.body,
        json!({"topic": "mine", "title": "pi: waiting for approval", "message": "Apply?",
            "priority": 4, "tags": ["raised_hand"], "click": format!("https://panel/{id}"),
            "sequence_id": format!("wigwag-{id}")})
    );
    world.report(
        "pi",
        &["blocked", "--kind", "permission", "--msg", "All three?"],
    );
    let second = server.asked(1);
    assert_eq!(second.body["sequence_id"], first.body["sequence_id"]);
    assert_eq!(
        (&second.body["message"], &second.body["priority"]),
        (&json!("All three?"), &json!(2))
    );
    world.ok(&["ack", "pi"]);
    let gone = server.asked(2);
    assert_eq!(gone.line, format!("DELETE /mine/wigwag-{id} HTTP/1.1"));
    assert_eq!(gone.header("authorization"), Some("Bearer tk_secret"));
    // The token is shown nowhere.
    let all = world.ok(&["notify", "list"]) + &world.ok(&["notify", "list", "--json"]);
    assert!(
        !all.contains("secret") && all.contains("sent to mine") | all.contains("taken away"),
        "{all}"
    );
}

#[test]
fn an_older_server_gets_no_second_message_for_other_words_and_no_deletion() {
    let (world, server) = world(false, "");
    world.ok(&["new", "pi", "-d", "--", "cat"]);
    world.report("pi", &["blocked", "--msg", "One?"]);
    server.asked(0);
    world.until_delivered("ntfy");
    world.report("pi", &["blocked", "--msg", "Other words?"]);
    world.until_notify("ntfy", |channel| {
        let said = channel["last"]["message"].as_str().unwrap_or_default();
        said.contains("cannot replace")
    });
    world.ok(&["ack", "pi"]);
    world.until_notify("ntfy", |channel| {
        let said = channel["last"]["message"].as_str().unwrap_or_default();
        said.contains("cannot take a message away")
    });
    assert_eq!(server.count(), 1);
}

#[test]
fn a_busy_server_is_asked_again_when_it_says_and_a_broken_one_later() {
    let (world, server) = world(true, "");
    server.answers(Answer(
        "429 Too Many Requests",
        "Retry-After: 3\r\n",
        "{\"error\":\"slow down\"}",
    ));
    server.answers(Answer("502 Bad Gateway", "", ""));
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    let (first, second) = (server.asked(0), server.asked(1));
    assert!(second.at - first.at >= Duration::from_secs(3));
    let third = server.asked(2);
    assert!(third.at - second.at >= Duration::from_millis(900));
    assert_eq!(third.body, first.body);
    world.until_delivered("ntfy");
    let metrics = world.client().metrics().unwrap();
    assert!(
        metrics.contains("wigwag_notifications_total{channel=\"ntfy\",result=\"failed\"} 2"),
        "{metrics}"
    );
    assert!(
        metrics.contains("wigwag_notifications_total{channel=\"ntfy\",result=\"delivered\"} 1"),
        "{metrics}"
    );
}

#[test]
fn a_refused_message_is_not_repeated_and_the_reason_is_shown() {
    let (world, server) = world(true, "");
    server.answers(Answer(
        "403 Forbidden",
        "",
        "{\"code\":40301,\"error\":\"forbidden\"}",
    ));
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    world.until_notify("ntfy", |channel| {
        channel["last"]["ok"] == false && channel["waiting"] == 0
    });
    let said = world.ok(&["notify", "list"]);
    assert!(
        said.contains("the server answers 403: forbidden; set `token`"),
        "{said}"
    );
    let doctor = String::from_utf8(world.run(&["doctor"]).stdout).unwrap();
    assert!(
        doctor.contains("403") && doctor.contains("wigwag notify test ntfy"),
        "{doctor}"
    );
    assert_eq!(server.count(), 1);
    // The test says so too, until it is mended.
    server.answers(Answer("403 Forbidden", "", "{\"error\":\"forbidden\"}"));
    let output = world.run(&["notify", "test"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(world.ok(&["notify", "test"]).contains("sent to mine"));
}

#[test]
fn what_waits_for_a_server_survives_the_daemon_and_is_sent_once() {
    let (world, server) = world(true, "");
    // Nobody listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    world.ok(&["notify", "set", "ntfy.url", &nowhere]);
    world.ok(&["new", "build", "-d", "--", "sh", "-c", "exit 3"]);
    world.until_notify("ntfy", |channel| {
        channel["last"]["ok"] == false && channel["waiting"] == 1
    });
    world.kill_daemon();
    world.ok(&["notify", "set", "ntfy.url", &server.url]);
    assert_eq!(server.asked(0).body["title"], "build: failed (exit 3)");
    world.until_delivered("ntfy");
    assert_eq!(server.count(), 1);
}

#[test]
fn a_token_may_be_in_a_file() {
    let (world, server) = world(true, "");
    let file = world.file("token", "tk_of_file\nmore\n");
    world.configure(&format!(
        "[notify.ntfy]\nurl = '{}'\ntopic = 'mine'\ntoken_file = '{}'\n",
        server.url,
        file.display()
    ));
    world.ok(&["notify", "test", "ntfy"]);
    assert_eq!(
        server.asked(0).header("authorization"),
        Some("Bearer tk_of_file")
    );
}
