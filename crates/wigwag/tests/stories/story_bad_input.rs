//! Bad bytes, bad names, bad directories: a clear error, and everything else goes on.

use crate::window::Window;
use crate::world::World;
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};

/// The socket of a terminal's holder, as its programs know it.
fn holder_socket(world: &World, name: &str) -> String {
    world.send(name, "echo \"socket=<$WIGWAG_SOCKET>\"");
    world.ok(&[
        "wait",
        name,
        "--until",
        "output:socket=</[^>]*>",
        "--timeout",
        "60s",
    ]);
    let captured = world.ok(&["capture", name]).replace('\n', "");
    let (_, rest) = captured.rsplit_once("socket=<").unwrap();
    rest.split_once('>').unwrap().0.to_owned()
}

#[test]
fn any_bytes_from_a_program_leave_the_terminal_alive_and_later_signals_read() {
    let world = World::new();
    // The same bytes on every run (xorshift), dense in control characters.
    let mut state = 0x7501_7501_u64;
    let mut bytes = Vec::new();
    while bytes.len() < 2_000_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let byte = state.to_le_bytes()[0];
        match byte % 8 {
            0 => bytes.extend(b"\x1b["),
            1 => bytes.extend(b"\x1b]"),
            2 => bytes.push(byte % 32),
            _ => bytes.push(byte),
        }
    }
    let file = world.file("bytes", bytes);
    let script = format!(
        "cat {}; printf '\\030\\033c\\033]2;STILL-READ\\033\\\\\\033]9;4;1;42\\033\\\\alive'; sleep 1000",
        file.display()
    );
    let window = Window::open(&world, 80, 24, &["new", "x", "--", "sh", "-c", &script]);
    world.until("x", |status| {
        status["title"] == "STILL-READ" && status["progress"]["percent"] == 42
    });
    window.until_text("alive");
    for pid in world.processes("wigwag-holder") {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        let kib: u64 = resident.split_whitespace().next().unwrap().parse().unwrap();
        assert!(kib < 200_000, "{kib} KiB");
    }
}

#[test]
fn a_title_without_an_end_takes_no_memory_and_hides_nothing_after_it() {
    let world = World::new();
    let script = "printf '\\033]2;'; head -c 10000000 /dev/zero | tr '\\0' A
printf '\\033\\\\\\033]9;4;1;42\\033\\\\'; sleep 1000";
    world.ok(&["new", "x", "-d", "--", "sh", "-c", script]);
    world.until("x", |status| status["progress"]["percent"] == 42);
}

#[test]
fn a_program_never_reads_its_own_text_as_input() {
    let world = World::new();
    let script = world.file(
        "ask",
        "stty raw -echo
printf '\\033]2;EVIL\\007\\033[21t\\033[20t\\033]52;c;?\\007\\033]7501;state=working:msg=RVZJTA==\\007\\005'
printf '\\033]99;i=EVIL\\033\\\\\\033P+q4556494C\\033\\\\\\033P$qEVIL\\033\\\\\\033[5n'
exec cat -v
",
    );
    world.ok(&["new", "x", "-d", "--", "sh", script.to_str().unwrap()]);
    // The answer to the last question: everything before it was answered or not.
    let captured = world.until_shown("x", "^[[0n");
    assert!(!captured.contains("EVIL"), "{captured}");
}

#[test]
fn names_that_are_none_are_refused_with_a_reason() {
    let world = World::new();
    for name in [
        "a\u{1}b",
        "a b",
        "",
        "-x",
        "../x",
        "ünï",
        "k3vq7a2m",
        &"x".repeat(33),
    ] {
        let output = world.run(&["new", name, "-d", "--", "true"]);
        let code = output.status.code();
        assert!(matches!(code, Some(2 | 5)), "{name:?}: {output:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            !message.contains('\u{1}') && !message.is_empty(),
            "{name:?}: {message:?}"
        );
    }
}

#[test]
fn the_smallest_and_the_largest_terminal_work() {
    let world = World::new();
    for (name, size) in [("small", "1x1"), ("large", "1000x500")] {
        world.ok(&[
            "new",
            name,
            "-d",
            "--size",
            size,
            "--",
            "sh",
            "-c",
            "echo x; sleep 1000",
        ]);
        world.until(name, |status| status["lifecycle"]["state"] == "running");
    }
    world.until_shown("large", "x");
    assert_eq!(world.show("small")["size"]["cols"], 1);
    assert_eq!(world.show("large")["size"]["cols"], 1000);
    let window = Window::open(&world, 80, 24, &["attach", "small", "--view"]);
    world.until("small", |status| status["clients"] == 1);
    window.kill();
    let window = Window::open(&world, 80, 24, &["attach", "large"]);
    world.until("large", |status| status["size"]["cols"] == 80);
    window.until_text("x");
    world.fails(&["new", "none", "-d", "--size", "0x0", "--", "true"], 2);
}

#[test]
fn a_client_that_sends_garbage_disturbs_nobody() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sh"]);
    let socket = holder_socket(&world, "x");
    let window = Window::open(&world, 80, 24, &["attach", "x"]);
    world.until("x", |status| status["clients"] == 1);
    for garbage in [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        vec![0xff; 4096],
        [
            &2u32.to_le_bytes()[..],
            &[0x01],
            b"{}",
            &9u32.to_le_bytes()[..],
            &[0x06],
            b"not JSON!",
        ]
        .concat(),
    ] {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.set_read_timeout(Some(crate::world::LIMIT)).unwrap();
        // The holder may close while this is written.
        let _ = stream.write_all(&garbage);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
    }
    window.type_text("echo still-$((1+1))\r");
    window.until_text("still-2");
    let daemon = world.path().join("run/wigwag/daemon.sock");
    let mut stream = UnixStream::connect(daemon).unwrap();
    stream.write_all(&[0xff; 4096]).unwrap();
    assert_eq!(world.list().len(), 1);
}

#[test]
fn a_socket_of_a_dead_daemon_is_replaced() {
    let world = World::new();
    let place = world.path().join("run/wigwag");
    std::fs::create_dir(&place).unwrap();
    std::fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    drop(UnixListener::bind(place.join("daemon.sock")).unwrap());
    assert!(world.list().is_empty());
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    world.kill_daemon();
    assert_eq!(world.list().len(), 1, "the socket it left is no obstacle");
}

#[test]
fn a_second_daemon_leaves_quietly_and_the_first_serves_on() {
    let world = World::new();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
    world.list();
    let first = world.daemon_pid();
    let output = world.run(&["daemon", "run"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(world.daemon_pid(), first);
    assert_eq!(world.list().len(), 1);
}

#[test]
fn a_runtime_directory_that_is_not_ours_alone_is_refused() {
    let world = World::new();
    let elsewhere = world.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, world.path().join("run/wigwag")).unwrap();
    let output = world.run(&["new", "x", "-d", "--", "true"]);
    assert!(!output.status.success(), "a symbolic link: {output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("wigwag"),
        "{output:?}"
    );
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);

    let place = world.path().join("run/wigwag");
    std::fs::remove_file(&place).unwrap();
    std::fs::create_dir(&place).unwrap();
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&place, Some(65534), Some(65534)).unwrap();
        let output = world.run(&["new", "x", "-d", "--", "true"]);
        assert!(!output.status.success(), "another user's: {output:?}");
        std::os::unix::fs::chown(&place, Some(0), Some(0)).unwrap();
    }
    std::fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    world.ok(&["new", "x", "-d", "--", "sleep", "1000"]);
}

#[test]
fn a_state_directory_that_cannot_be_written_is_said() {
    let world = World::new();
    // Where not even root can create anything.
    let mut command = world.wigwag(&["new", "x", "-d", "--", "sleep", "1000"]);
    let output = command.env("XDG_STATE_HOME", "/proc/sys").output().unwrap();
    if output.status.success() {
        // Started all the same: then the person is told that it will not survive a reboot.
        assert!(
            !output.stderr.is_empty(),
            "nothing is lost silently: {output:?}"
        );
    } else {
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("/proc/sys"),
            "{output:?}"
        );
    }
    // Everything else goes on.
    world.ok(&["new", "y", "-d", "--", "sleep", "1000"]);
    assert_eq!(world.show("y")["lifecycle"]["state"], "running");
}
