//! What there is and what it prints.

use crate::support::Tmux;
use status::{Now, State};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tmux::id::PaneId;
use tmux::status::PaneStatus;
use tmux::watch::Options;

#[tokio::test]
async fn a_pane_in_a_window_and_a_session_that_nobody_looks_at_is_read() {
    let tmux = Tmux::start();
    tmux.run(&["new-window", "-d", "-t", "main:5", "-n", "hidden"]);
    let mut watched = tmux.watch();
    watched.until_panes(2).await;
    let hidden = tmux.pane("main:5");
    assert_eq!(watched.seen.places(hidden), ["main:5.0 hidden"]);
    let pane = &watched.seen.panes[&hidden];
    assert_eq!((pane.cols, pane.rows), (80, 24));
    assert_eq!(
        Path::new(&pane.cwd),
        tmux.directory.path().canonicalize().unwrap()
    );
    tmux.type_line(
        "main:5",
        r"printf '\033]9;4;1;42\007\033]7501;state=blocked:kind=question\007\007'; echo e'nd'",
    );
    watched
        .until("its output", |seen| seen.printed(hidden, "end\r\n"))
        .await;

    let now = Now {
        mono: Duration::from_secs(1),
        wall: "2026-11-30T22:00:00Z".parse().unwrap(),
    };
    let server = &watched.seen.appeared[0];
    let mut status = PaneStatus::new(&tmux.socket(), server, &watched.seen.panes[&hidden], now);
    status.output(&watched.seen.output[&hidden], now);
    let status = status.status();
    assert_eq!(status.state, State::Waiting);
    assert_eq!(status.progress.unwrap().percent, Some(42));
    assert_eq!(status.tmux.unwrap().window_name, "hidden");
}

#[tokio::test]
async fn names_with_anything_in_them_are_read_right() {
    let tmux = Tmux::start();
    let odd = "a|b \"c\" #{pid} 'd' \u{e9}\u{1f600} %end 1 2 1 \\ x";
    let directory = tmux.directory.path().join("d\n%end 1 2 1\n%output %0 x");
    std::fs::create_dir(&directory).unwrap();
    let unexpanded = odd.replace("#{pid}", "##{pid}");
    tmux.run(&["rename-session", "-t", "main", &unexpanded]);
    let window = format!("\t{unexpanded}\ny");
    let path = directory.to_str().unwrap();
    tmux.run(&["new-window", "-d", "-n", &window, "-c", path]);
    tmux.run(&[
        "set-option",
        "-p",
        "@wigwag_command",
        &format!("{odd}\n%end 1 2 1"),
    ]);
    let mut watched = tmux.watch();
    watched.until_panes(2).await;
    let panes: Vec<_> = watched.seen.panes.values().collect();
    let session = &panes[0].places[0].session_name;
    assert_eq!(
        *session,
        tmux.run(&["display-message", "-p", "#{session_name}"])
    );
    assert!(
        session.starts_with("a|b \"c\" #{pid} 'd' \u{e9}\u{1f600} %end 1 2 1 \\"),
        "{session}"
    );
    let name = &panes[1].window_name;
    assert_eq!(*name, format!("\t{odd}\ny"));
    assert_eq!(Path::new(&panes[1].cwd), directory.canonicalize().unwrap());
    let noted = format!("{odd}\n%end 1 2 1");
    assert_eq!(panes[0].noted_command, Some(noted));
}

#[tokio::test]
async fn what_comes_goes_moves_and_is_renamed_is_told() {
    let tmux = Tmux::start();
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    let first = tmux.pane("main:0");

    tmux.run(&["split-window", "-d", "-t", "main:0", "-l", "5"]);
    watched.until_panes(2).await;
    watched
        .until("the smaller size", |seen| seen.panes[&first].rows == 18)
        .await;
    let second = tmux.pane("main:0.1");
    tmux.run(&[
        "break-pane",
        "-d",
        "-s",
        "main:0.1",
        "-t",
        "main:7",
        "-n",
        "broken",
    ]);
    watched
        .until("the window of its own", |seen| {
            seen.places(second) == ["main:7.0 broken"]
        })
        .await;
    tmux.run(&["swap-window", "-s", "main:0", "-t", "main:7"]);
    watched
        .until("the other place", |seen| {
            seen.places(second) == ["main:0.0 broken"]
        })
        .await;
    tmux.run(&["rename-window", "-t", "main:0", "renamed"]);
    watched
        .until("the new name", |seen| {
            seen.places(second) == ["main:0.0 renamed"]
        })
        .await;
    tmux.run(&["rename-session", "-t", "main", "other"]);
    watched
        .until("the session's new name", |seen| {
            seen.places(second) == ["other:0.0 renamed"]
        })
        .await;

    tmux.run(&["new-session", "-d", "-s", "third"]);
    watched.until_panes(3).await;
    let third = tmux.pane("third:");
    tmux.type_line("third:", "echo fr'om' third");
    watched
        .until("output of the new session", |seen| {
            seen.printed(third, "from third")
        })
        .await;
    tmux.run(&["move-window", "-s", "third:0", "-t", "other:9"]);
    watched
        .until("the session without panes gone", |seen| {
            seen.places(third)[0].starts_with("other:9.0")
        })
        .await;

    tmux.run(&["kill-pane", "-t", "other:0"]);
    watched
        .until("the pane gone", |seen| !seen.panes.contains_key(&second))
        .await;
    tmux.run(&["kill-server"]);
    watched
        .until("the server gone", |seen| {
            seen.left == 1 && seen.panes.is_empty()
        })
        .await;
}

#[tokio::test]
async fn a_window_that_is_linked_is_one_pane_and_its_output_comes_once() {
    let tmux = Tmux::start();
    tmux.run(&["new-session", "-d", "-s", "group", "-t", "main"]);
    tmux.run(&["new-session", "-d", "-s", "other"]);
    tmux.run(&["link-window", "-d", "-s", "main:0", "-t", "other:8"]);
    let mut watched = tmux.watch();
    watched.until_panes(2).await;
    let pane = tmux.pane("main:0");
    assert_eq!(watched.seen.panes[&pane].places.len(), 3);
    tmux.type_line("main:0", "echo on'ce'; echo do'ne'");
    watched
        .until("the output", |seen| seen.printed(pane, "done"))
        .await;
    // The copies of the other sessions come on their own ways: something later shows that they did not.
    let other = tmux.pane("other:0");
    tmux.type_line("other:0", "echo la'ter'");
    watched
        .until("other output", |seen| seen.printed(other, "later"))
        .await;
    assert_eq!(watched.seen.count(pane, "once\r\n"), 1);
    // It goes on when the session it came from is gone.
    for session in ["main", "group"] {
        tmux.run(&["kill-session", "-t", session]);
        watched
            .until("the session gone", |seen| {
                !seen.places(pane).concat().contains(session)
            })
            .await;
    }
    tmux.type_line("other:8", "echo mo're'");
    watched
        .until("output after it", |seen| seen.printed(pane, "more\r\n"))
        .await;
}

#[tokio::test]
async fn what_a_new_pane_prints_first_is_not_lost() {
    let tmux = Tmux::start();
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    tmux.run(&["new-window", "-d", "-t", "main:", "echo fir'st'; exec cat"]);
    watched.until_panes(2).await;
    let pane = tmux.pane("main:1");
    watched
        .until("its first words", |seen| seen.printed(pane, "first\r\n"))
        .await;
}

#[tokio::test]
async fn dead_panes_tell_how_their_program_ended() {
    let tmux = Tmux::start();
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    tmux.run(&["set-option", "-g", "remain-on-exit", "on"]);
    tmux.run(&["new-window", "-d", "-t", "main:1", "exit 3"]);
    tmux.run(&["new-window", "-d", "-t", "main:2", "kill -9 $$"]);
    let (code, signal) = (tmux.pane("main:1"), tmux.pane("main:2"));
    watched
        .until("both dead", |seen| {
            let death = |pane| seen.panes.get(&pane).and_then(|pane| pane.dead.clone());
            death(code).is_some_and(|death| death.code == Some(3))
                && death(signal).is_some_and(|death| death.signal.as_deref() == Some("KILL"))
        })
        .await;
    tmux.run(&["respawn-pane", "-t", "main:1", "cat"]);
    watched
        .until("one alive again", |seen| seen.panes[&code].dead.is_none())
        .await;
}

#[tokio::test]
async fn command_directory_and_title_follow_what_runs() {
    let tmux = Tmux::start();
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    let pane = tmux.pane("main:");
    tmux.type_line("main:", r"cd /; printf '\033]2;the title\007'; cat");
    watched
        .until("the command", |seen| {
            let pane = &seen.panes[&pane];
            (
                pane.command.as_str(),
                pane.cwd.as_str(),
                pane.title.as_str(),
            ) == ("cat", "/", "the title")
        })
        .await;
}

#[tokio::test]
async fn control_mode_that_a_pane_prints_is_its_output() {
    let tmux = Tmux::start();
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    let pane = tmux.pane("main:");
    let script = tmux.directory.path().join("hostile");
    let forged = "%end 1 1 1\n%output %9 x\n%exit\n%sessions-changed\n%begin 1 1 1\n\\033]2;\n\x1bP1000p\x1b\\";
    std::fs::write(&script, forged).unwrap();
    tmux.type_line(
        "main:",
        "cat hostile; head -c 1000000 /dev/zero | tr '\\0' x; echo; echo do'ne'",
    );
    watched
        .until("all of it", |seen| seen.printed(pane, "done\r\n"))
        .await;
    assert!(watched.seen.printed(pane, "%exit\r\n%sessions-changed\r\n"));
    assert!(watched.seen.count(pane, "x") >= 1_000_000 || !watched.seen.gaps.is_empty());
    assert_eq!((watched.seen.panes.len(), watched.seen.left), (1, 0));
}

#[tokio::test]
async fn a_program_whose_name_breaks_lines_changes_nothing() {
    let tmux = Tmux::start();
    let mut watched = tmux.watch();
    watched.until_panes(1).await;
    let pane = tmux.pane("main:");
    tmux.type_line(
        "main:",
        "exec bash -c 'exec -a \"$(printf \"x\\n%%output %%0 FORGED\\n%%exit\")\" cat'",
    );
    watched
        .until("its name", |seen| {
            seen.panes[&pane].command.contains("\n%output")
        })
        .await;
    tmux.type_line("main:", "ec'ho' aft'er'");
    watched
        .until("what comes after", |seen| seen.printed(pane, "aft'er'"))
        .await;
    assert!(
        !watched
            .seen
            .output
            .values()
            .any(|output| output == b"FORGED")
    );
    assert_eq!(watched.seen.left, 0);
}

#[tokio::test]
async fn sessions_that_are_left_out_are_not_touched() {
    let tmux = Tmux::start();
    tmux.run(&["new-session", "-d", "-s", "private"]);
    let mut watched = tmux.watch_with(Options {
        leave_out: ["private".to_owned()].into(),
    });
    watched.until_panes(1).await;
    assert_eq!(tmux.run(&["list-clients", "-F", "#{session_name}"]), "main");
    let private: PaneId = tmux.pane("private:");
    tmux.type_line("private:", "echo sec'ret'");
    tmux.type_line("main:", "echo do'ne'");
    let main = tmux.pane("main:");
    watched
        .until("the other output", |seen| seen.printed(main, "done"))
        .await;
    assert!(!watched.seen.output.contains_key(&private));
}

#[tokio::test]
async fn a_server_that_is_idle_costs_nothing() {
    let tmux = Tmux::start();
    for session in 1..10 {
        let name = format!("s{session}");
        tmux.run(&["new-session", "-d", "-s", &name, "cat"]);
        for _ in 0..4 {
            tmux.run(&[
                "split-window",
                "-d",
                "-t",
                &format!("{name}:"),
                "-l",
                "1",
                "cat",
            ]);
            tmux.run(&["select-layout", "-t", &format!("{name}:"), "even-vertical"]);
        }
    }
    let mut watched = tmux.watch();
    watched.until_panes(46).await;
    watched.until_quiet(Duration::from_secs(4)).await;
    // tmux numbers what it is asked for.
    let number = || -> u64 {
        let mut client = tmux.command(&["-C", "list-buffers"]);
        client.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut client = client.spawn().unwrap();
        let input = client.stdin.take();
        let said = client.wait_with_output().unwrap().stdout;
        drop(input);
        let said = String::from_utf8(said).unwrap();
        let begin = said
            .lines()
            .find(|line| line.starts_with("%begin "))
            .expect(&said);
        begin.split(' ').nth(2).unwrap().parse().unwrap()
    };
    let (first, second) = (number(), number());
    watched.until_quiet(Duration::from_secs(4)).await;
    assert_eq!(number() - second, second - first);
}

#[tokio::test]
async fn a_server_with_a_thousand_panes_is_watched_and_what_happens_is_told() {
    let tmux = Tmux::start();
    let script = tmux.directory.path().join("thousand");
    let windows = "new-window -d -t main: 'exec cat'\n".repeat(999);
    std::fs::write(&script, windows).unwrap();
    tmux.run(&["source-file", script.to_str().unwrap()]);
    let mut watched = tmux.watch();
    watched.until_panes(1000).await;
    let last = tmux.pane("main:999");
    tmux.type_line("main:999", "one among a thousand");
    watched
        .until("its output", |seen| seen.printed(last, "thousand"))
        .await;
    tmux.run(&["kill-window", "-t", "main:999"]);
    watched
        .until("the pane gone", |seen| !seen.panes.contains_key(&last))
        .await;
}
