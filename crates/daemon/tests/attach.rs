//! The WebSocket on a terminal.
#![allow(clippy::unwrap_used, reason = "a test ends there")]

mod support;

use std::os::unix::net::UnixStream;
use support::{LIMIT, Place};
use tungstenite::{Message, WebSocket};

fn attach(place: &Place, path: &str) -> WebSocket<UnixStream> {
    let stream = UnixStream::connect(place.paths.daemon_socket()).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let (socket, _) = tungstenite::client(format!("ws://wigwag{path}"), stream).unwrap();
    socket
}

/// Reads until the bytes contain this; the types of the control messages that came.
fn read_until(socket: &mut WebSocket<UnixStream>, wanted: &str) -> Vec<String> {
    let mut bytes = Vec::new();
    let mut controls = Vec::new();
    loop {
        match socket.read().unwrap() {
            Message::Binary(more) => bytes.extend_from_slice(&more),
            Message::Text(text) => {
                let control: serde_json::Value = serde_json::from_str(text.as_str()).unwrap();
                controls.push(control["type"].as_str().unwrap().to_owned());
            }
            other => panic!("{other:?}"),
        }
        if String::from_utf8_lossy(&bytes).contains(wanted) {
            return controls;
        }
    }
}

#[test]
fn a_web_socket_gets_a_snapshot_then_the_stream_and_types() {
    let place = Place::default();
    let _daemon = place.daemon();
    let script = "echo on the screen; while read line; do echo \"got $line\"; done";
    place.terminal("work", script);
    let mut socket = attach(&place, "/v1/terminals/work/attach?cols=80&rows=24");
    let controls = read_until(&mut socket, "on the screen");
    assert_eq!(controls[0], "snapshot");
    socket.send(Message::binary(b"hello\r".to_vec())).unwrap();
    let controls = read_until(&mut socket, "got hello");
    assert!(
        controls.contains(&"snapshot_end".to_owned()),
        "{controls:?}"
    );
    assert_eq!(place.client().clients("work").unwrap().len(), 1);
    let resize = r#"{"type":"resize","cols":100,"rows":30,"take_size":true}"#;
    socket.send(Message::text(resize)).unwrap();
    let mut events = place.client().events(client::Since::Seq(0), true).unwrap();
    support::until(&mut events, |event| {
        event
            .status
            .as_ref()
            .is_some_and(|status| status.size.cols == 100)
    });
}

#[test]
fn a_terminal_that_is_removed_closes_its_web_socket() {
    let place = Place::default();
    let _daemon = place.daemon();
    place.terminal("work", "sleep 1000");
    let mut socket = attach(&place, "/v1/terminals/work/attach");
    place.client().remove("work", true).unwrap();
    let mut said_bye = false;
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => said_bye |= text.as_str().contains("\"type\":\"bye\""),
            Ok(Message::Close(_)) | Err(tungstenite::Error::ConnectionClosed) => break,
            Ok(_) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(said_bye);
}

#[test]
fn a_request_that_is_no_web_socket_is_told_so() {
    let place = Place::default();
    let _daemon = place.daemon();
    place.terminal("work", "sleep 1000");
    let answer = place.get("/v1/terminals/work/attach");
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert!(answer.contains("\"code\":\"usage\""), "{answer}");
}
