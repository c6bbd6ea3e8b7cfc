//! What a program finds: its environment, descriptors, signals, limits, size, and the answers to
//! its questions.

use crate::home::{Client, Home, LIMIT, contains, person};
use holder::protocol::{Attach, Moment, Op, Presence, Resize, kind};
use status::{Size, State};
use std::fs;

/// Python, for what a shell cannot ask.
fn python(home: &Home, script: &str) -> holder::spawn::Spec {
    home.spec(&["python3", "-c", script])
}

/// A shell script that reads what its terminal sends, byte by byte, and prints it in hexadecimal.
fn reading(before: &str, count: usize) -> String {
    format!(
        "stty raw -echo; {before}; dd bs=1 count={count} 2>/dev/null | od -An -v -tx1 | tr -d ' \\n\\r'; stty sane; echo; read end"
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn nothing_is_inherited_but_three_descriptors() {
    let home = Home::new();
    // Descriptors that the starting process lets through on purpose.
    let (read, write) = rustix::pipe::pipe().unwrap();
    for end in [&read, &write] {
        rustix::io::fcntl_setfd(end, rustix::io::FdFlags::empty()).unwrap();
    }
    // Not into a pipe: the shell has its ends for a moment.
    let started = home.start(&home.sh("ls -m /proc/$$/fd; echo done; read end"));
    let text = home.connect(&started).until_captured("done");
    assert!(text.starts_with("0, 1, 2\ndone"), "{text}");
}

#[test]
fn signals_are_at_their_defaults_also_where_the_caller_ignores_them() {
    let home = Home::new();
    let script = "grep -E 'SigBlk|SigIgn' /proc/self/status; echo done; read end";
    let mut ignoring = std::process::Command::new("sh");
    ignoring.args([
        "-c",
        "trap '' HUP INT TERM; exec \"$0\"",
        crate::home::HOLDER,
    ]);
    let started = home.start_by(&mut ignoring, &home.sh(script));
    let text = home.connect(&started).until_captured("done");
    assert!(
        text.contains("SigBlk:\t0000000000000000") || text.contains("SigBlk: 0000000000000000"),
        "{text}"
    );
    // Signals 32 and 33 are the C library's own and cannot be set.
    let ignored = text
        .lines()
        .find(|line| line.starts_with("SigIgn"))
        .unwrap();
    let ignored = u64::from_str_radix(ignored.split_whitespace().last().unwrap(), 16).unwrap();
    assert_eq!(ignored & !0x1_8000_0000, 0, "{text}");
}

#[test]
fn umask_directory_limits_and_environment_are_the_callers() {
    let home = Home::new();
    let mut spec = home.sh("umask; pwd; ulimit -c; echo $WIGWAG_NAME $TERM $TMUX $MARK; test -t 0 && echo tty; echo done; read end");
    spec.name = Some("mine".into());
    spec.env.push(("TMUX".into(), "outer".into()));
    spec.env.push(("MARK".into(), "kept".into()));
    let umask = rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::umask(umask);
    let started = home.start(&spec);
    let text = home.connect(&started).until_captured("done");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], format!("{:04o}", umask.bits()));
    assert_eq!(
        lines[1],
        home.root.path().canonicalize().unwrap().to_str().unwrap()
    );
    let limit = rustix::process::getrlimit(rustix::process::Resource::Core).current;
    assert_eq!(
        lines[2],
        limit.map_or("unlimited".into(), |blocks| (blocks / 512).to_string())
    );
    assert_eq!(lines[3], "mine xterm-256color kept");
    assert_eq!(lines[4], "tty");
}

#[test]
fn text_that_is_not_utf_8_reaches_the_program_as_it_is() {
    use std::os::unix::ffi::OsStringExt;
    let home = Home::new();
    let mut spec = home.sh("printf %s \"$ODD\" | od -An -tx1; echo done; read end");
    spec.env
        .push(("ODD".into(), std::ffi::OsString::from_vec(vec![0xff, 0xfe])));
    let started = home.start(&spec);
    let text = home.connect(&started).until_captured("done");
    assert!(text.contains("ff fe"), "{text}");
    assert_eq!(
        home.paths.read_state(&started.id).unwrap().spec.env,
        spec.env
    );
}

/// The question of OSC 7501 before DA1, and their answers in that order.
fn asks_in_order(clients: usize) {
    let home = Home::new();
    let answer = b"\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\\x1b[?";
    let script = reading(
        "while [ ! -e go ]; do sleep 0.02; done; printf '\\033]7501;?\\033\\\\\\033[c'",
        answer.len(),
    );
    let started = home.start(&home.sh(&script));
    let mut attached: Vec<Client> = (0..clients).map(|_| home.connect(&started)).collect();
    for client in &mut attached {
        client.attach(&person(200, 24));
    }
    fs::write(home.path("go"), "").unwrap();
    home.connect(&started)
        .until_captured(&hex(answer).chars().take(60).collect::<String>());
    let text = home.connect(&started).capture().replace('\n', "");
    assert!(text.contains(&hex(answer)), "{text}");
    for client in &mut attached {
        client.until_output("5c1b5b3f");
        assert!(
            !contains(&client.output, b"]7501;?"),
            "questions are not forwarded"
        );
        assert!(
            !contains(&client.output, b"\x1b[c"),
            "questions are not forwarded"
        );
    }
}

#[test]
fn questions_are_answered_in_order_without_a_client() {
    asks_in_order(0);
}

#[test]
fn questions_are_answered_in_order_and_once_with_one_client() {
    asks_in_order(1);
}

#[test]
fn questions_are_answered_in_order_and_once_with_three_clients() {
    asks_in_order(3);
}

#[test]
fn a_program_that_asks_for_focus_is_told_the_truth_and_nothing_twice() {
    let home = Home::new();
    // Out (nobody is there), in (a client comes), out (it is killed).
    let expected = b"\x1b[O\x1b[I\x1b[O";
    let script = format!(
        "printf '\\033[?1004h'; touch asked; {}",
        reading(":", expected.len())
    );
    let started = home.start(&home.sh(&script));
    let begun = std::time::Instant::now();
    while !home.path("asked").exists() && begun.elapsed() < crate::home::LIMIT {
        std::thread::yield_now();
    }
    let mut watcher = home.connect(&started);
    watcher.status();
    let mut looking = home.connect(&started);
    looking.attach(&Attach {
        view: true,
        ..Attach::default()
    });
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    // What the terminal of a client says of its own focus is not passed on.
    client.input("\x1b[O\x1b[I");
    client
        .connection
        .send_json(
            kind::PRESENCE,
            &Presence {
                focused: true,
                active: true,
                unreported: false,
            },
        )
        .unwrap();
    client.status();
    drop(client);
    watcher.until_captured(&hex(expected));
}

#[test]
fn a_resize_is_told_once_and_the_last_size_wins() {
    let home = Home::new();
    let script = "trap 'echo size $(stty size)' WINCH; echo up; while :; do sleep 0.02; done";
    let started = home.start(&home.sh(script));
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    client.until_output("up");
    client
        .connection
        .send_json(
            kind::RESIZE,
            &Resize {
                cols: 100,
                rows: 30,
                take_size: None,
            },
        )
        .unwrap();
    client
        .connection
        .send_json(
            kind::RESIZE,
            &Resize {
                cols: 120,
                rows: 40,
                take_size: None,
            },
        )
        .unwrap();
    client.until_output("size 40 120");
    let size = Size {
        cols: 120,
        rows: 40,
    };
    assert!(client.moments.contains(&Moment::Size {
        size,
        owns_size: true,
        owned: true,
    }));
    assert_eq!(client.snapshots.last().unwrap().size, size);
    assert_eq!(client.status().size, size);
}

#[test]
fn only_the_owner_resizes_and_a_detached_terminal_keeps_its_size() {
    let home = Home::new();
    let started = home.start(&home.sh("read end"));
    let mut owner = home.connect(&started);
    owner.attach(&person(100, 30));
    let mut other = home.connect(&started);
    other.attach(&Attach {
        take_size: false,
        ..person(50, 10)
    });
    assert_eq!(
        other.snapshots[0].size,
        Size {
            cols: 100,
            rows: 30
        }
    );
    assert!(!other.snapshots[0].owns_size);
    other
        .connection
        .send_json(
            kind::RESIZE,
            &Resize {
                cols: 60,
                rows: 10,
                take_size: None,
            },
        )
        .unwrap();
    assert_eq!(
        other.status().size,
        Size {
            cols: 100,
            rows: 30
        }
    );
    other
        .connection
        .send_json(
            kind::RESIZE,
            &Resize {
                cols: 60,
                rows: 10,
                take_size: Some(true),
            },
        )
        .unwrap();
    let size = Size { cols: 60, rows: 10 };
    other.until_moment(&Moment::Size {
        size,
        owns_size: true,
        owned: true,
    });
    owner.until_moment(&Moment::Size {
        size,
        owns_size: false,
        owned: true,
    });
    drop(other);
    owner.until_moment(&Moment::Size {
        size,
        owns_size: false,
        owned: false,
    });
    drop(owner);
    assert_eq!(home.connect(&started).status().size, size);
}

#[test]
fn terminals_of_1x1_and_of_1000x500_work() {
    let home = Home::new();
    for (cols, rows, shown) in [
        (1, 1, (1, 1)),
        (1000, 500, (1000, 500)),
        (60000, 60000, (1000, 500)),
    ] {
        let mut spec = home.sh("printf 'wide \\346\\274\\242 text\\n%.0s' 1 2 3; read end");
        (spec.cols, spec.rows) = (cols, rows);
        let started = home.start(&spec);
        let mut client = home.connect(&started);
        client.attach(&Attach {
            take_size: false,
            ..person(80, 24)
        });
        assert_eq!(
            client.status().size,
            Size {
                cols: shown.0,
                rows: shown.1
            }
        );
        client.capture();
    }
}

#[test]
fn a_synchronized_update_that_never_ends_is_ended() {
    let home = Home::new();
    let started = home.start(&home.sh("printf '\\033[?2026hpart'; read end"));
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    client.until_output("part");
    client.until_output("\x1b[?2026l");
}

#[test]
fn named_keys_follow_the_modes_of_the_program() {
    let home = Home::new();
    let started = home.start(&home.sh(&reading("printf '\\033[?1hready'", 7)));
    let mut client = home.connect(&started);
    client.until_captured("ready");
    client.done(Op::Keys {
        keys: ["Up", "C-c", "Home"].map(String::from).into(),
    });
    client.until_captured(&hex(b"\x1bOA\x03\x1bOH"));
    let (code, message) = client.refused(Op::Keys {
        keys: vec!["Entr".into()],
    });
    assert_eq!(code, "request");
    assert!(
        message.contains("\"Entr\"") && message.contains("Enter"),
        "{message}"
    );
}

#[test]
fn a_paste_is_bracketed_where_asked_for_and_cannot_be_escaped() {
    let home = Home::new();
    let expected = b"\x1b[200~a\rb[201~c\x1b[201~";
    let started = home.start(&home.sh(&reading("printf '\\033[?2004hready'", expected.len())));
    let mut client = home.connect(&started);
    client.until_captured("ready");
    client.done(Op::Input {
        text: "a\nb\x1b[201~c".into(),
        paste: true,
        enter: false,
    });
    client.until_captured(&hex(expected));
}

#[test]
fn the_agents_link_follows_the_client_that_attached_last() {
    let home = Home::new();
    let mut spec = home.sh("echo agent=$SSH_AUTH_SOCK; read end");
    spec.env
        .push(("SSH_AUTH_SOCK".into(), "/run/old-agent".into()));
    let started = home.start(&spec);
    let link = started.socket.with_file_name("ssh-agent");
    assert_eq!(
        fs::read_link(&link).unwrap(),
        std::path::Path::new("/run/old-agent")
    );
    let mut client = home.connect(&started);
    client.attach(&Attach {
        ssh_auth_sock: Some("/run/new-agent".into()),
        ..person(200, 24)
    });
    client.until_captured(&format!("agent={}", link.display()));
    assert_eq!(
        fs::read_link(&link).unwrap(),
        std::path::Path::new("/run/new-agent")
    );
}

#[test]
fn input_to_a_program_that_does_not_read_is_bounded_and_its_typist_is_told() {
    let home = Home::new();
    let started = home.start(&python(
        &home,
        "import os,time,tty\ntty.setraw(0)\nos.write(1,b'ready')\nwhile not os.path.exists('go'): time.sleep(0.02)\nn=0\nwhile n<1000: n+=len(os.read(0,65536))\nos.write(1,b' read')\ntime.sleep(1000)",
    ));
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    client.until_output("ready");
    let block = "x".repeat(1 << 18);
    for _ in 0..6 {
        client.input(&block);
    }
    client.until("refusal", |client| {
        client
            .moments
            .iter()
            .any(|moment| matches!(moment, Moment::InputRefused { .. }))
    });
    let (code, _) = client.refused(Op::Input {
        text: block,
        paste: false,
        enter: false,
    });
    assert_eq!(code, "busy");
    assert_eq!(
        client.status().lifecycle.state,
        status::LifecycleState::Running
    );
    fs::write(home.path("go"), "").unwrap();
    client.until_output(" read");
}

#[test]
fn a_paste_of_a_megabyte_and_more_arrives_whole_and_in_order() {
    let home = Home::new();
    let total = 3_000_000;
    let started = home.start(&python(
        &home,
        &format!("import os,tty,hashlib,time\ntty.setraw(0)\nos.write(1,b'ready')\nh=hashlib.sha256();n=0\nwhile n<{total}:\n  b=os.read(0,65536);n+=len(b);h.update(b)\nos.write(1,b'sum '+h.hexdigest().encode()+b' end')\ntime.sleep(1000)"),
    ));
    let mut client = home.connect(&started);
    client.attach(&person(100, 24));
    client.until_output("ready");
    let text: String = (0..)
        .map(|n| format!("{n} "))
        .take(total)
        .collect::<String>()[..total]
        .to_owned();
    fs::write(home.path("text"), &text).unwrap();
    let sum = std::process::Command::new("sha256sum")
        .arg(home.path("text"))
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    client.input(&text);
    client.until_output(&format!("sum {}", sum.split(' ').next().unwrap()));
    assert!(
        !client
            .moments
            .iter()
            .any(|moment| matches!(moment, Moment::InputRefused { .. }))
    );
}

#[test]
fn progress_ends_with_its_program_where_the_shell_has_no_marks() {
    let home = Home::new();
    let mut spec = home.sh("");
    spec.command = None;
    spec.env.push(("SHELL".into(), "/bin/dash".into()));
    let started = home.start(&spec);
    let mut client = home.connect(&started);
    client.subscribe();
    client.until_status("the prompt", |status| status.state == State::Idle);
    let enter = |client: &mut Client, text: &str| {
        client.done(Op::Input {
            text: text.into(),
            paste: false,
            enter: true,
        })
    };
    // The frame comes with the first bytes of the program, before any look at the foreground.
    enter(
        &mut client,
        "sh -c 'printf \"\\033]9;4;1;42\\007\"; read end'",
    );
    client.until_status("the progress", |status| status.progress.is_some());
    enter(&mut client, "");
    client.until_status("its end", |status| status.progress.is_none());
}

#[test]
fn a_report_from_outside_ends_with_the_program_that_has_the_foreground_now() {
    let home = Home::new();
    let mut spec = home.sh("");
    spec.command = None;
    spec.env.push(("SHELL".into(), "/bin/dash".into()));
    let fifo = home.path("fifo");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let started = home.start(&spec);
    let mut client = home.connect(&started);
    client.subscribe();
    client.until_status("the prompt", |status| status.state == State::Idle);
    // The shell itself waits; the program that comes after prints nothing that would make the
    // holder look.
    client.done(Op::Input {
        text: "read go <fifo; sh -c 'touch up; read end'".into(),
        paste: false,
        enter: true,
    });
    std::fs::write(&fifo, "go\n").unwrap();
    let begun = std::time::Instant::now();
    while !home.path("up").exists() {
        assert!(begun.elapsed() < LIMIT);
        std::thread::yield_now();
    }
    client.done(Op::Report {
        bytes: "\x1b]7501;state=working:app=deploy\x1b\\".into(),
    });
    client.until_status("the record", |status| !status.reports.is_empty());
    client.done(Op::Input {
        text: String::new(),
        paste: false,
        enter: true,
    });
    client.until_status("its end", |status| status.reports.is_empty());
}
