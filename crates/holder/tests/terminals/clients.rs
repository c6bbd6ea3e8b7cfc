//! Clients that come, go, stall, lie and die: the program and everybody else never notice.

use crate::home::{Client, Home, LIMIT, contains, person};
use holder::connection::Connection;
use holder::frame::encode;
use holder::protocol::{Attach, Bye, Hello, Moment, Op, Outcome, kind};
use std::io::{Read, Write};
use std::time::Instant;

#[test]
fn a_snapshot_equals_the_stream_it_replaces() {
    let home = Home::new();
    let script = "printf '\\033[1;31mred\\033[0m plain\\033[5;10Hthere\\033[?2004h\\033]2;titled\\033\\\\'; echo up; read end";
    let started = home.start(&home.sh(script));
    let mut first = home.connect(&started);
    first.attach(&person(80, 24));
    first.until_output("up");
    let mut second = home.connect(&started);
    second.attach(&Attach {
        take_size: false,
        ..person(80, 24)
    });
    let text = |bytes: &[u8]| {
        let mut screen = screen::Screen::new(screen::Size::new(80, 24), 1000);
        screen.feed(bytes);
        let modes = screen.modes();
        (
            screen.capture(screen::Capture {
                ansi: true,
                ..Default::default()
            }),
            modes,
        )
    };
    assert_eq!(text(&first.output), text(&second.output));
    assert!(text(&second.output).1.bracketed_paste);
    assert!(contains(&second.output, b"titled"));
}

#[test]
fn a_client_that_reads_nothing_slows_nobody_and_catches_up_with_a_snapshot() {
    let home = Home::new();
    let started = home
        .start(&home.sh(
            "read go; seq 1 900000; echo the end; printf '\\033]2;through\\033\\\\'; read end",
        ));
    let mut stalled = home.connect(&started);
    stalled.attach(&person(80, 24));
    let mut other = home.connect(&started);
    other.subscribe();
    stalled.input("\r");
    // Nothing is read from the stalled client until the program is through.
    other.until_status("the end", |status| {
        status.title.as_deref() == Some("through")
    });
    let Outcome::Clients { clients } = other.request(Op::Clients) else {
        panic!()
    };
    assert_eq!(clients[0].resyncs, 1);
    assert!(clients[0].queued < 5 << 20);
    stalled.until("the snapshot", |client| client.snapshot_ends == 2);
    assert!(contains(&stalled.output, b"the end"));
    let resync = stalled.snapshots[1];
    assert!(resync.skipped > 0);
    // Lines that were shown and lines that were skipped make up the number of the first one sent.
    assert!(resync.history_first >= resync.skipped);
}

#[test]
fn a_client_that_reads_as_fast_as_it_can_loses_nothing() {
    let home = Home::new();
    let started = home.start(&home.sh("read go; seq 1 100000; echo the end; read end"));
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    client.input("\r");
    client.until_output("the end");
    assert_eq!(client.snapshot_ends, 1);
    let text = String::from_utf8_lossy(&client.output);
    let numbers = text
        .lines()
        .filter(|line| line.parse::<u32>().is_ok())
        .count();
    assert_eq!(numbers, 100_000);
}

#[test]
fn garbage_ends_that_client_only_and_says_why() {
    let home = Home::new();
    let started = home.start(&home.sh("echo up; read end"));
    let mut good = home.connect(&started);
    good.attach(&person(80, 24));
    let hello = encode(kind::HELLO, b"{\"version\":1}");
    let oversized = [&hello[..], &u32::MAX.to_le_bytes(), &[kind::INPUT]].concat();
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(), "longer"),
        (encode(kind::INPUT, b"x"), "hello"),
        (encode(kind::HELLO, b"not json"), "0x01"),
        (oversized, "longer"),
        ([&hello[..], &encode(kind::ATTACH, b"[1")].concat(), "0x02"),
        (
            [&hello[..], &encode(kind::REQUEST, b"{}")].concat(),
            "without an id",
        ),
        ([&hello[..], &hello[..]].concat(), "second hello"),
    ];
    for (bytes, says) in cases {
        let mut stream = holder::socket_address::connect(&started.socket).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.write_all(&bytes).unwrap();
        let mut answer = Vec::new();
        // The holder may close while bytes of ours are unread: a reset after the answer.
        let mut piece = [0; 4096];
        while let Ok(n @ 1..) = stream.read(&mut piece) {
            answer.extend_from_slice(&piece[..n]);
        }
        let answer = String::from_utf8_lossy(&answer);
        assert!(
            answer.contains("\"bye\":\"protocol\"") && answer.contains(says),
            "{says}: {answer}"
        );
    }
    // Half a frame and then nothing, and unknown kinds, disturb nobody.
    let mut half = holder::socket_address::connect(&started.socket).unwrap();
    half.write_all(&encode(kind::HELLO, b"{}")[..4]).unwrap();
    good.connection.send(0x7f, b"from the future").unwrap();
    let (code, message) = {
        good.connection
            .send(kind::REQUEST, b"{\"id\":99,\"op\":\"levitate\"}")
            .unwrap();
        good.refused(Op::Rename {
            name: "not a name".into(),
        })
    };
    assert_eq!(
        (code.as_str(), message.contains("not a name")),
        ("name", true)
    );
}

#[test]
fn an_unknown_request_is_answered_as_such() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut stream = holder::socket_address::connect(&started.socket).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream.write_all(&encode(kind::HELLO, b"{}")).unwrap();
    stream
        .write_all(&encode(kind::REQUEST, b"{\"id\":7,\"op\":\"levitate\"}"))
        .unwrap();
    let mut answer = Vec::new();
    let begun = Instant::now();
    while !contains(&answer, b"levitate") && begun.elapsed() < LIMIT {
        let mut piece = [0; 4096];
        let n = stream.read(&mut piece).unwrap();
        answer.extend_from_slice(&piece[..n]);
    }
    let answer = String::from_utf8_lossy(&answer);
    assert!(
        answer.contains("\"id\":7") && answer.contains("\"code\":\"unknown\""),
        "{answer}"
    );
}

#[test]
fn two_hundred_clients_come_and_vanish_without_a_trace() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut client = home.connect(&started);
    let pid = client.connection.welcome.pid;
    let descriptors = || {
        std::fs::read_dir(format!("/proc/{pid}/fd"))
            .unwrap()
            .count()
    };
    let before = descriptors();
    let mut crowd: Vec<Client> = (0..200).map(|_| home.connect(&started)).collect();
    for one in &mut crowd {
        one.connection.attach(&person(80, 24)).unwrap();
    }
    crowd.truncate(100);
    drop(crowd);
    let begun = Instant::now();
    while client.status().clients != 0 || descriptors() != before {
        assert!(
            begun.elapsed() < LIMIT,
            "{} descriptors, {before} before",
            descriptors()
        );
    }
}

#[test]
fn a_killed_client_is_a_detached_one() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut watcher = home.connect(&started);
    watcher.subscribe();
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    watcher.until_status("one client", |status| status.clients == 1);
    // What a kill does: the descriptor closes with bytes unread in both directions.
    client.input("half a li");
    drop(client);
    watcher.until_status("no client", |status| status.clients == 0);
    assert_eq!(
        watcher.status().lifecycle.state,
        status::LifecycleState::Running
    );
}

#[test]
fn clients_are_detached_on_request() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut one = home.connect(&started);
    one.attach(&person(80, 24));
    let mut two = home.connect(&started);
    two.attach(&person(80, 24));
    one.done(Op::Detach { others: true });
    two.until_closed();
    assert_eq!(two.bye, Some(Bye::Detached));
    one.done(Op::Detach { others: false });
    one.until_closed();
    assert_eq!(one.bye, Some(Bye::Detached));
}

#[test]
fn a_terminal_is_not_attached_inside_itself() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut client = home.connect(&started);
    client
        .connection
        .attach(&Attach {
            inside: vec![started.id.clone()],
            ..person(80, 24)
        })
        .unwrap();
    client.until_closed();
    assert!(
        matches!(client.bye, Some(Bye::Refused { ref message }) if message.contains("inside itself"))
    );
}

#[test]
fn a_client_that_only_looks_cannot_type() {
    let home = Home::new();
    let started = home.start(&home.sh("read line; echo got $line; read end"));
    let mut client = home.connect(&started);
    client.attach(&Attach {
        view: true,
        ..person(80, 24)
    });
    client.input("x\r");
    let message = "this client only looks".into();
    client.until_moment(&Moment::InputRefused { bytes: 2, message });
    assert!(!client.snapshots[0].owns_size);
}

#[test]
fn a_bell_reaches_only_clients_that_see_the_terminal() {
    let home = Home::new();
    let started = home.start(&home.sh("read go; printf '\\007rang'; read end"));
    let mut seeing = home.connect(&started);
    seeing.attach(&person(80, 24));
    let mut away = home.connect(&started);
    away.attach(&Attach {
        focused: false,
        take_size: false,
        ..person(80, 24)
    });
    seeing.input("\r");
    seeing.until_output("rang");
    away.until_output("rang");
    assert!(seeing.moments.contains(&Moment::Bell));
    assert!(!away.moments.contains(&Moment::Bell));
    assert!(!contains(&away.output, b"\x07"));
}

#[test]
fn what_a_program_says_is_told_as_events_and_seen_by_looking() {
    let home = Home::new();
    let script = "read go; printf '\\033]9;4;1;42\\007\\033]7501;state=blocked:kind=question\\033\\\\\\033]9;4;1;101\\007'; read end";
    let started = home.start(&home.sh(script));
    let mut watcher = home.connect(&started);
    watcher.subscribe();
    watcher.done(Op::Input {
        text: String::new(),
        paste: false,
        enter: true,
    });
    let status = watcher.until_status("waiting", |status| status.state == status::State::Waiting);
    assert_eq!(status.progress.unwrap().percent, Some(42));
    assert!(status.attention.unwrap().unread);
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    watcher.until_status("read", |status| {
        status
            .attention
            .as_ref()
            .is_some_and(|attention| !attention.unread)
    });
    assert!(
        client
            .moments
            .iter()
            .any(|moment| matches!(moment, Moment::Report { .. }))
    );
    assert!(contains(&client.output, b"\x1b]9;4;1;42"));
}

#[test]
fn a_report_from_outside_counts_as_the_programs_own() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut client = home.connect(&started);
    client.done(Op::Report {
        bytes: "\x1b]7501;state=error:app=deploy\x1b\\drawn?\x1b[c".into(),
    });
    let status = client.status();
    assert_eq!(status.state, status::State::Failed);
    assert_eq!(status.reports[0].app.as_deref(), Some("deploy"));
    assert_eq!(client.capture(), "");
}

#[test]
fn a_daemon_that_was_away_gets_what_it_missed_or_a_gap() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut client = home.connect(&started);
    let incarnation = client.connection.welcome.incarnation;
    for round in 0..300 {
        client.done(Op::Mute {
            muted: round % 2 == 0,
            for_ms: None,
        });
    }
    let Outcome::Status { seq, .. } = client.request(Op::Status) else {
        panic!()
    };

    let mut late = home.connect(&started);
    late.done(Op::Subscribe {
        since: seq - 3,
        incarnation,
    });
    late.until("three events", |client| client.events.len() == 3);
    assert_eq!(late.events[0].seq, seq - 2);

    let mut lost = home.connect(&started);
    lost.done(Op::Subscribe {
        since: 1,
        incarnation,
    });
    lost.until("the gap and 256 events", |client| {
        client.events.len() == 257
    });
    assert_eq!(lost.events[0].event, status::EventKind::Gap);
    assert!(lost.events[0].status.is_some());
    assert_eq!(
        (lost.events[0].seq, lost.events[1].seq),
        (seq - 256, seq - 255)
    );

    let mut other = home.connect(&started);
    other.done(Op::Subscribe {
        since: seq,
        incarnation: incarnation - 1,
    });
    other.until("a gap", |client| !client.events.is_empty());
    assert_eq!(other.events[0].event, status::EventKind::Gap);
}

#[test]
fn an_idle_holder_wakes_for_nothing() {
    let home = Home::new();
    let started = home.start(&home.sh("echo up; read end"));
    let mut client = home.connect(&started);
    client.until_captured("up");
    let pid = client.connection.welcome.pid;
    let switches = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("voluntary"))
            .unwrap()
            .to_owned();
        line.split_whitespace()
            .last()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    // It settles: the state file is written, the foreground looked at.
    let observed = std::time::Duration::from_secs(2);
    let begun = Instant::now();
    loop {
        let before = switches();
        // An interval of the test's own, bounded by its socket: nothing comes.
        client
            .connection
            .stream()
            .set_read_timeout(Some(observed))
            .unwrap();
        assert!(client.connection.receive().is_err());
        if switches() == before {
            break;
        }
        assert!(begun.elapsed() < LIMIT, "it keeps waking");
    }
}

#[test]
fn while_a_snapshot_is_taken_nothing_is_lost_to_the_joining_client() {
    let home = Home::new();
    let started = home.start_hooked(&home.sh("while read n; do echo line $n; done"));
    let mut tester = home.connect(&started);
    tester.done(Op::Test {
        command: "pause snapshot_taken".into(),
    });
    let mut client = home.connect(&started);
    client.connection.attach(&person(80, 24)).unwrap();
    tester.done(Op::Test {
        command: "wait snapshot_taken".into(),
    });
    tester.done(Op::Input {
        text: "1".into(),
        paste: false,
        enter: true,
    });
    tester.done(Op::Test {
        command: "resume snapshot_taken".into(),
    });
    client.until_output("line 1");
    assert_eq!(client.snapshot_ends, 1);
}

#[test]
fn test_hooks_are_refused_in_ordinary_holders() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let (code, _) = home.connect(&started).refused(Op::Test {
        command: "pause pty_read".into(),
    });
    assert_eq!(code, "refused");
}

#[test]
fn both_sides_speak_the_older_version() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    for (version, spoken) in [(0, 1), (1, 1), (99, 1)] {
        let hello = Hello {
            version,
            program: "from another time".into(),
        };
        assert_eq!(
            Connection::open(&started.socket, &hello)
                .unwrap()
                .welcome
                .version,
            spoken
        );
    }
}

#[test]
fn a_terminal_that_carries_another_says_so_and_counts_nothing_of_it() {
    let home = Home::new();
    let started = home.start(&home.sh("read go; printf '\\007\\033]2;inner title\\033\\\\rang'; read go; printf '\\007'; read end"));
    let mut watcher = home.connect(&started);
    watcher.subscribe();
    let mut carrier = home.connect(&started);
    carrier.done(Op::Carry {
        name: Some("build".into()),
    });
    watcher.until_status("attached", |status| {
        status.title.as_deref() == Some("attached to build")
    });
    watcher.done(Op::Input {
        text: String::new(),
        paste: false,
        enter: true,
    });
    watcher.until_captured("rang");
    assert_eq!(watcher.status().attention, None);
    drop(carrier);
    watcher.until_status("detached", |status| {
        status.title.as_deref() != Some("attached to build")
    });
    watcher.done(Op::Input {
        text: String::new(),
        paste: false,
        enter: true,
    });
    watcher.until_status("its own bell", |status| status.attention.is_some());
}

#[test]
fn a_client_that_joins_inside_a_long_sequence_gets_a_whole_screen_after_it() {
    let home = Home::new();
    let script = "printf 'before \\033]5000;'; head -c 6000 /dev/zero | tr '\\0' x; touch begun; read go; printf '\\033\\\\after'; read end";
    let started = home.start(&home.sh(&format!("stty -echo; {script}")));
    let begun = Instant::now();
    while !home.path("begun").exists() && begun.elapsed() < LIMIT {
        std::thread::yield_now();
    }
    let mut watcher = home.connect(&started);
    watcher.until_captured("before");
    // Two rounds of the holder: everything that was printed has been read.
    watcher.status();
    watcher.status();
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    watcher.done(Op::Input {
        text: String::new(),
        paste: false,
        enter: true,
    });
    client.until_output("after");
    client.until("the second snapshot", |client| client.snapshot_ends == 2);
    assert!(!contains(&client.output, b"xxx"));
}

#[test]
fn a_holder_without_descriptors_takes_connections_again_once_it_has_some() {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    // It stays, as a daemon does: nobody leaves and makes room.
    let mut client = home.connect(&started);
    let pid = client.connection.welcome.pid;
    let is_open =
        |number: &u64| std::fs::symlink_metadata(format!("/proc/{pid}/fd/{number}")).is_ok();
    let usual = getrlimit(Resource::Nofile);
    let none = Rlimit {
        current: (0..).find(|number| !is_open(number)),
        maximum: usual.maximum,
    };
    let pid = Pid::from_raw(pid as i32);
    prlimit(pid, Resource::Nofile, none).unwrap();
    let late = holder::socket_address::connect(&started.socket).unwrap();
    // The connection waited when the first was asked, and was refused before the second is.
    client.status();
    client.status();
    late.set_nonblocking(true).unwrap();
    let taken = (&late).read(&mut [0]).map_err(|error| error.kind());
    assert_eq!(taken, Err(std::io::ErrorKind::WouldBlock));
    late.set_nonblocking(false).unwrap();
    late.set_read_timeout(Some(LIMIT)).unwrap();
    prlimit(pid, Resource::Nofile, usual).unwrap();
    Connection::over(late, &Hello::this_program()).unwrap();
}
