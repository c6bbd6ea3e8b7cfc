//! The API as bytes on the socket.
#![allow(clippy::unwrap_used, reason = "a test ends there")]

mod support;

use client::{Client, CreateBody, Error, Match, Next, Since};
use status::EventKind;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use support::{LIMIT, Place, has_exited, title_is, until};

fn post(place: &Place, path: &str, body: &str) -> String {
    place.http(&format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    ))
}

fn json(answer: &str) -> serde_json::Value {
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

#[track_caller]
fn assert_error(answer: &str, status: u16, code: &str) {
    assert!(
        answer.starts_with(&format!("HTTP/1.1 {status} ")),
        "{answer}"
    );
    let error = &json(answer)["error"];
    assert_eq!(error["code"], code, "{answer}");
    assert!(!error["message"].as_str().unwrap().is_empty());
    assert!(error.as_object().unwrap().contains_key("hint"));
}

#[test]
fn errors_are_json_with_code_message_and_hint() {
    let place = Place::default();
    let _daemon = place.daemon();
    assert_error(&place.get("/v1/nothing"), 404, "usage");
    assert_error(&place.get("/v1/terminals/nobody"), 404, "not_found");
    assert_error(&post(&place, "/v1/health", "{}"), 405, "usage");
    assert_error(&post(&place, "/v1/terminals", "{"), 400, "usage");
    assert_error(
        &post(&place, "/v1/terminals", "{\"nmae\": \"x\"}"),
        422,
        "usage",
    );
    assert_error(
        &post(&place, "/v1/terminals", "{\"name\": \"a b\"}"),
        400,
        "name",
    );
    assert_error(&place.get("/v1/events?since=yesterday"), 400, "usage");
    assert_error(&place.get("/v1/terminals/x?prefix=perhaps"), 400, "usage");
    let large = format!("{{\"text\": \"{}\"}}", "x".repeat(5 << 20));
    let mut stream = UnixStream::connect(place.paths.daemon_socket()).unwrap();
    let head = format!(
        "POST /v1/terminals/x/input HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        large.len()
    );
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_error(&answer, 413, "usage");
}

#[test]
fn the_socket_is_its_user_s_only() {
    let place = Place::default();
    let _daemon = place.daemon();
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.paths.daemon_socket()), 0o600);
    assert_eq!(mode(&place.paths.runtime[0]), 0o700);
}

#[test]
fn another_user_is_refused_told_so_and_disturbs_nobody() {
    if !rustix::process::geteuid().is_root() {
        // Only root can become another user.
        return;
    }
    let place = Place::default();
    let _daemon = place.daemon();
    let socket = place.paths.daemon_socket();
    let mut directory = socket.parent().unwrap();
    while directory.starts_with(place.home.path()) {
        std::fs::set_permissions(directory, PermissionsExt::from_mode(0o755)).unwrap();
        directory = directory.parent().unwrap();
    }
    std::fs::set_permissions(&socket, PermissionsExt::from_mode(0o666)).unwrap();
    let script = format!(
        "import socket, sys\n\
         s = socket.socket(socket.AF_UNIX)\n\
         s.connect({:?})\n\
         try: s.sendall(b'GET /v1/terminals HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')\n\
         except BrokenPipeError: pass\n\
         try:\n\
         \x20 while got := s.recv(65536): sys.stdout.buffer.write(got)\n\
         except ConnectionResetError: pass\n",
        socket.to_str().unwrap()
    );
    for _ in 0..3 {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
        let output = command.args(["/usr/bin/python3", "-c", &script]).output();
        let said = String::from_utf8(output.unwrap().stdout).unwrap();
        assert_error(&said, 403, "refused");
        assert!(said.contains("serves user 0, not 65534"), "{said}");
    }
    assert_eq!(place.client().list().unwrap().len(), 0);
    let log = std::fs::read_to_string(place.paths.state.join("log/daemon.log")).unwrap();
    assert_eq!(log.matches("refused a connection of user 65534").count(), 1);
}

#[test]
fn a_terminal_is_created_typed_into_captured_and_removed() {
    let place = Place::default();
    let _daemon = place.daemon();
    let client = place.client();
    let script = "read line; printf '\\033]2;%s\\a' \"$line\"; echo \"got $line\"; sleep 1000";
    let id = place.terminal("work", script);
    let status = client.find("work", Match::Exact).unwrap();
    assert_eq!(
        (status.id.as_str(), status.name.as_str()),
        (id.as_str(), "work")
    );
    assert_eq!(client.find("wo", Match::Prefix).unwrap().id, id);
    assert!(matches!(
        client.find("wo", Match::Exact),
        Err(Error::NotFound { .. })
    ));
    let mut events = client.events(Since::Now, true).unwrap();
    client.input("work", "héllo", false, true).unwrap();
    until(&mut events, |event| title_is(event, "héllo"));
    let deadline = Instant::now() + LIMIT;
    while !client
        .capture("work", &client::CaptureQuery::default())
        .unwrap()
        .contains("got héllo")
    {
        assert!(Instant::now() < deadline);
    }
    let processes = client.processes("work").unwrap();
    assert!(
        processes
            .iter()
            .any(|process| process.command.contains("sleep")),
        "{processes:?}"
    );
    assert_eq!(client.clients("work").unwrap(), []);
    assert!(
        matches!(client.remove("work", false), Err(Error::Refused { code, .. }) if code == "running")
    );
    client.rename("work", "play").unwrap();
    assert_eq!(client.find("play", Match::Exact).unwrap().id, id);
    client.mute("play", true, None).unwrap();
    assert!(client.find("play", Match::Exact).unwrap().muted);
    client.remove("play", true).unwrap();
    assert_eq!(client.list().unwrap(), []);
}

#[test]
fn creation_with_a_proposed_id_is_idempotent() {
    let place = Place::default();
    let _daemon = place.daemon();
    let body = CreateBody {
        id: Some("abcdefg2".to_owned()),
        command: Some(vec!["sleep".to_owned(), "1000".to_owned()]),
        ..CreateBody::default()
    };
    let first = place.client().create(&body).unwrap();
    assert_eq!(place.client().create(&body).unwrap().id, first.id);
    assert_eq!(place.client().list().unwrap().len(), 1);
}

#[test]
fn a_taken_name_is_refused_and_an_ambiguous_prefix_too() {
    let place = Place::default();
    let _daemon = place.daemon();
    place.terminal("build-a", "sleep 1000");
    place.terminal("build-b", "sleep 1000");
    let client = place.client();
    let again = CreateBody {
        name: Some("build-a".to_owned()),
        ..CreateBody::default()
    };
    let taken = client.create(&again).unwrap_err();
    assert_eq!((taken.code(), taken.exit_code()), ("taken", 5));
    let taken = client.rename("build-b", "build-a").unwrap_err();
    assert_eq!(taken.code(), "taken");
    let ambiguous = client.find("build", Match::Prefix).unwrap_err();
    assert_eq!((ambiguous.code(), ambiguous.exit_code()), ("ambiguous", 5));
    assert!(ambiguous.to_string().contains("build-a"));
}

#[test]
fn a_terminal_over_http_has_the_environment_of_a_fresh_login() {
    let place = Place::default();
    let mut command = place.command();
    command.env("SECRET_OF_THE_DAEMON", "1").arg("--ready");
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = [0; 6];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut line)
        .unwrap();
    let _daemon = support::Daemon { child };
    place.terminal("work", "env > env.txt; ulimit -n >> env.txt");
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut events, has_exited);
    let env = std::fs::read_to_string(place.home.path().join("env.txt")).unwrap();
    assert!(!env.contains("SECRET_OF_THE_DAEMON"), "{env}");
    assert!(
        env.contains("\nTERM_PROGRAM=wigwag\n") || env.starts_with("TERM_PROGRAM=wigwag\n"),
        "{env}"
    );
    assert!(env.contains("LOGNAME="), "{env}");
}

#[test]
fn the_openapi_document_lists_the_routes_and_describes_what_is_sent() {
    let place = Place::default();
    let _daemon = place.daemon();
    let document = json(&place.get("/v1/openapi.json"));
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    let routes = [
        ("/v1/terminals", "get"),
        ("/v1/terminals", "post"),
        ("/v1/terminals/{id}", "get"),
        ("/v1/terminals/{id}", "patch"),
        ("/v1/terminals/{id}", "delete"),
        ("/v1/terminals/{id}/input", "post"),
        ("/v1/terminals/{id}/signal", "post"),
        ("/v1/terminals/{id}/ack", "post"),
        ("/v1/terminals/{id}/clear", "post"),
        ("/v1/terminals/{id}/detach", "post"),
        ("/v1/terminals/{id}/restart", "post"),
        ("/v1/terminals/{id}/capture", "get"),
        ("/v1/terminals/{id}/processes", "get"),
        ("/v1/terminals/{id}/clients", "get"),
        ("/v1/terminals/{id}/attach", "get"),
        ("/v1/events", "get"),
        ("/v1/health", "get"),
        ("/v1/settings", "get"),
        ("/v1/settings", "patch"),
        ("/v1/notify", "get"),
        ("/v1/notify/test", "post"),
        ("/metrics", "get"),
        ("/v1/openapi.json", "get"),
    ];
    for (path, method) in routes {
        let operation = &document["paths"][path][method];
        assert!(operation["responses"].is_object(), "{method} {path}");
    }
    // Every reference leads somewhere.
    let text = document.to_string();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(
            document["components"]["schemas"][name].is_object(),
            "{name}"
        );
    }
    // The keys of a status are those of the document.
    place.terminal("work", "printf '\\a'; sleep 1000");
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut events, |event| event.event == EventKind::Attention);
    let listed = json(&place.get("/v1/terminals"));
    let schemas = &document["components"]["schemas"];
    for (schema, value) in [
        ("Status", &listed[0]),
        ("Lifecycle", &listed[0]["lifecycle"]),
        ("Attention", &listed[0]["attention"]),
    ] {
        let keys = |value: &serde_json::Value| {
            let mut keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        assert_eq!(
            keys(&schemas[schema]["properties"]),
            keys(value),
            "{schema}"
        );
    }
}

#[test]
fn metrics_count_terminals_and_events() {
    let place = Place::default();
    let _daemon = place.daemon();
    place.terminal("work", "printf '\\a'; sleep 1000");
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut events, |event| event.event == EventKind::Attention);
    let text = place.client().metrics().unwrap();
    assert!(
        text.contains("wigwag_terminals{state=\"attention\"} 1\n"),
        "{text}"
    );
    assert!(
        text.contains("wigwag_event_latency_seconds_bucket{le=\"+Inf\"}"),
        "{text}"
    );
    assert!(text.ends_with("# EOF\n"));
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn five_hundred_clients_come_and_vanish() {
    let place = Place::default();
    let daemon = place.daemon();
    let descriptors = || {
        let directory = format!("/proc/{}/fd", daemon.child.id());
        std::fs::read_dir(directory).unwrap().count()
    };
    place.client().health().unwrap();
    let before = descriptors();
    let mut sockets = Vec::new();
    for number in 0..500 {
        let mut stream = UnixStream::connect(place.paths.daemon_socket()).unwrap();
        // Some follow, some ask and do not read, some say half a request.
        let request: &[u8] = match number % 3 {
            0 => b"GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n",
            1 => b"GET /v1/terminals HTTP/1.1\r\nhost: x\r\n\r\n",
            _ => b"GET /v1/term",
        };
        stream.write_all(request).unwrap();
        sockets.push(stream);
    }
    place.client().health().unwrap();
    drop(sockets);
    let deadline = Instant::now() + LIMIT;
    loop {
        // Each question gives the daemon a turn.
        let connections = place.client().metrics().unwrap();
        if connections.contains("wigwag_connections 1\n") && descriptors() <= before + 1 {
            return;
        }
        assert!(Instant::now() < deadline, "{} of {before}", descriptors());
    }
}

#[test]
fn a_follower_that_does_not_read_holds_up_nobody_and_loses_nothing() {
    let place = Place::default();
    let _daemon = place.daemon();
    let mut slow = place.client().events(Since::Seq(0), true).unwrap();
    let script = "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); printf '\\033]2;title %s\\a' $i; done; sleep 1000";
    place.terminal("work", script);
    let mut quick = place.client().events(Since::Seq(0), true).unwrap();
    until(&mut quick, |event| title_is(event, "title 2000"));
    let seen = until(&mut slow, |event| title_is(event, "title 2000"));
    assert!(seen.is_sorted_by(|a, b| a.seq < b.seq));
}

#[test]
fn last_event_id_goes_on_after_it() {
    let place = Place::default();
    let _daemon = place.daemon();
    place.terminal("work", "printf '\\033]2;one\\a\\033]2;two\\a'; sleep 1000");
    let mut events = place.client().events(Since::Seq(0), true).unwrap();
    let seen = until(&mut events, |event| title_is(event, "two"));
    let before = seen[seen.len() - 2].seq;
    let answer = place.http(&format!(
        "GET /v1/events?follow=false&since=0 HTTP/1.1\r\nhost: x\r\nconnection: close\r\nlast-event-id: {before}\r\n\r\n"
    ));
    assert!(
        answer.contains("content-type: text/event-stream"),
        "{answer}"
    );
    let first = answer
        .lines()
        .find_map(|line| line.strip_prefix("id: "))
        .unwrap();
    assert_eq!(first.parse::<u64>().unwrap(), before + 1);
}

#[test]
fn a_number_that_was_never_given_gets_a_gap_and_full_states() {
    let place = Place::default();
    let _daemon = place.daemon();
    place.terminal("work", "sleep 1000");
    let mut events = place.client().events(Since::Seq(1 << 40), true).unwrap();
    let gap = until(&mut events, |event| event.event == EventKind::Gap);
    assert_eq!(gap.last().unwrap().status.as_ref().unwrap().name, "work");
}

#[test]
fn a_deadline_without_events_is_a_timeout() {
    let place = Place::default();
    let _daemon = place.daemon();
    let mut events = place.client().events(Since::Now, true).unwrap();
    let soon = Instant::now() + Duration::from_millis(20);
    assert_eq!(events.next(Some(soon)).unwrap(), Next::Timeout);
    assert_eq!(events.ready().unwrap(), Next::Timeout);
}

#[test]
fn a_client_that_may_not_start_a_daemon_says_that_none_answers() {
    let place = Place::default();
    let error = Client::connect_existing(&place.paths).unwrap_err();
    assert_eq!(error.exit_code(), 3);
    assert!(error.hint().is_some());
}
