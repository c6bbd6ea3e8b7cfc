//! Reading the screen, typing, ending, naming, starting.

use crate::support::Tmux;
use std::path::Path;
use std::time::Duration;
use tmux::pane::{Capture, NewWindow};
use tmux::server::Error;

/// Waits for a file to become as long as it will be.
async fn file(path: &Path, length: usize) -> Vec<u8> {
    let wait = async {
        loop {
            match std::fs::read(path) {
                Ok(content) if content.len() >= length => return content,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    let read = tokio::time::timeout(crate::support::LIMIT, wait).await;
    read.unwrap_or_else(|_| panic!("{} never has {length} bytes", path.display()))
}

/// A pane in which a program reads raw bytes into a file.
async fn raw_reader(tmux: &Tmux, name: &str) -> tmux::id::PaneId {
    let command = format!("stty raw -echo; : > {name}.ready; exec cat > {name}");
    let pane = tmux.run(&[
        "new-window",
        "-d",
        "-P",
        "-F",
        "#{pane_id}",
        "-t",
        "main:",
        &command,
    ]);
    file(&tmux.directory.path().join(format!("{name}.ready")), 0).await;
    pane.parse().unwrap()
}

/// xorshift: any bytes, always the same.
fn random(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[tokio::test]
async fn a_megabyte_of_random_bytes_arrives_intact() {
    let tmux = Tmux::start();
    let pane = raw_reader(&tmux, "received").await;
    let bytes = random(1_000_000);
    tmux.server().send(pane, &bytes).await.unwrap();
    let received = file(&tmux.directory.path().join("received"), bytes.len()).await;
    assert!(received == bytes, "other bytes arrived");
    assert_eq!(tmux.run(&["list-buffers"]), "");
}

#[tokio::test]
async fn bytes_go_to_the_program_of_this_pane_whatever_the_person_does() {
    let tmux = Tmux::start();
    let first = raw_reader(&tmux, "first").await;
    let window = first.to_string();
    tmux.run(&[
        "split-window",
        "-d",
        "-t",
        &window,
        "stty raw -echo; : > second.ready; exec cat > second",
    ]);
    file(&tmux.directory.path().join("second.ready"), 0).await;
    tmux.run(&["set-option", "-w", "-t", &window, "synchronize-panes", "on"]);
    tmux.run(&["copy-mode", "-t", &window]);
    let keys = b"q\x1b[A\x02\x03\x00;";
    tmux.server().send(first, keys).await.unwrap();
    assert_eq!(
        file(&tmux.directory.path().join("first"), keys.len()).await,
        keys
    );
    assert_eq!(tmux.format(&window, "#{pane_in_mode}"), "1");
    assert_eq!(
        std::fs::read(tmux.directory.path().join("second")).unwrap(),
        b""
    );
}

#[tokio::test]
async fn a_pane_that_takes_no_input_says_so() {
    let tmux = Tmux::start();
    let pane = tmux.pane("main:");
    tmux.run(&["select-pane", "-d", "-t", "main:"]);
    let refused = tmux.server().send(pane, b"x").await.unwrap_err();
    assert!(matches!(refused, Error::NoInput(why) if why.contains("select-pane -e")));
    let too_much = vec![b'x'; tmux::pane::SEND_LIMIT + 1];
    assert!(matches!(
        tmux.server().send(pane, &too_much).await,
        Err(Error::NoInput(_))
    ));
    let none = tmux
        .server()
        .send(tmux::id::PaneId(99), b"x")
        .await
        .unwrap_err();
    assert!(none.to_string().contains("%99"), "{none}");
}

#[tokio::test]
async fn a_capture_joins_wrapped_lines_and_reaches_back() {
    let tmux = Tmux::none();
    let long = "0123456789".repeat(20);
    let command = format!(
        "for i in $(seq 1 60); do echo line $i; done; printf '\\033[31mred\\033[0m {long}\\n\u{6f22}\u{5b57}\\n'; : > done; exec cat"
    );
    tmux.run(&[
        "new-session",
        "-d",
        "-s",
        "main",
        "-x",
        "80",
        "-y",
        "24",
        &command,
    ]);
    file(&tmux.directory.path().join("done"), 0).await;
    let pane = tmux.pane("main:");
    let server = tmux.server();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let wait = async {
        loop {
            let screen = text(server.capture(pane, Capture::default()).await.unwrap());
            if screen.contains("\u{6f22}\u{5b57}\n") {
                return screen;
            }
        }
    };
    let screen = tokio::time::timeout(crate::support::LIMIT, wait)
        .await
        .unwrap();
    assert!(screen.contains(&format!("\nred {long}\n")), "{screen}");
    assert!(!screen.contains("line 1\n") && screen.contains("line 60\n"));
    let all = Capture {
        scrollback: u32::MAX,
        ansi: false,
    };
    assert!(text(server.capture(pane, all).await.unwrap()).starts_with("line 1\nline 2\n"));
    let some = Capture {
        scrollback: 2,
        ansi: true,
    };
    let some = text(server.capture(pane, some).await.unwrap());
    assert!(
        some.contains("\x1b[31mred") && some.lines().count() < 30,
        "{some:?}"
    );
}

#[tokio::test]
async fn a_window_is_renamed_to_exactly_that() {
    let tmux = Tmux::start();
    let window = tmux.format("main:", "#{window_id}").parse().unwrap();
    for name in [
        "#{pid} ##[x] #S #(id) %H",
        "-n",
        "a;",
        "$HOME ~ \u{e9} \\ \"'",
    ] {
        tmux.server().rename_window(window, name).await.unwrap();
        let shown = tmux.format("main:", "#{window_name}");
        // In names tmux puts a backslash before these.
        assert_eq!(shown.replace("\\\\", "\\").replace("\\$", "$"), name);
    }
}

#[tokio::test]
async fn a_new_window_runs_exactly_that_behind_the_one_people_see() {
    let tmux = Tmux::start();
    let directory = tmux.directory.path().join("#{pid} ;");
    std::fs::create_dir(&directory).unwrap();
    let session = tmux.format("main:", "#{session_id}").parse().unwrap();
    let window = NewWindow {
        name: Some("#{pid};".into()),
        cwd: Some(directory.clone()),
        command: [
            "sh",
            "-c",
            "printf '%s|' \"$@\" \"$X\" \"$PWD\" > ../out; exec cat",
            "sh",
            "a b;",
            ";",
            "$HOME",
            "#{pid}",
        ]
        .map(str::to_owned)
        .to_vec(),
        environment: vec![("X".into(), "1 2;".into())],
    };
    let before = tmux.format("main:", "#{window_id}");
    let pane = tmux.server().new_window(session, &window).await.unwrap();
    let out = format!(
        "a b;|;|$HOME|#{{pid}}|1 2;|{}|",
        directory.canonicalize().unwrap().display()
    );
    let out_file = file(&tmux.directory.path().join("out"), out.len()).await;
    assert_eq!(String::from_utf8(out_file).unwrap(), out);
    assert_eq!(tmux.format(&pane.to_string(), "#{window_name}"), "#{pid};");
    assert_eq!(tmux.format("main:", "#{window_id}"), before);
}

#[tokio::test]
async fn the_last_pane_can_be_killed_and_one_that_is_none_cannot() {
    let tmux = Tmux::start();
    let pane = tmux.pane("main:");
    let server = tmux.server();
    let none = server.kill_pane(tmux::id::PaneId(99)).await;
    assert!(matches!(none, Err(Error::Refused(_))), "{none:?}");
    server.kill_pane(pane).await.unwrap();
    assert!(matches!(server.kill_pane(pane).await, Err(Error::Gone(_))));
}
