//! What comes from outside: other users, lowered limits, clients that are killed half-way.

use crate::home::{Client, Home, LIMIT, contains, person};
use holder::frame::encode;
use holder::protocol::{Hello, Op, Resize, kind};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Nobody in particular.
const STRANGER: &str = "65534";

fn open_to_all(path: &Path, root: &Path) {
    let mut directory = path.parent().unwrap();
    while directory.starts_with(root) {
        std::fs::set_permissions(directory, PermissionsExt::from_mode(0o755)).unwrap();
        directory = directory.parent().unwrap();
    }
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o666)).unwrap();
}

/// What another user gets who connects, says `said` and listens.
fn as_stranger(socket: &Path, said: &str) -> Output {
    let script = format!(
        "import socket, sys\n\
         s = socket.socket(socket.AF_UNIX)\n\
         s.connect({:?})\n\
         try: s.sendall({said})\n\
         except BrokenPipeError: pass\n\
         try:\n\
         \x20 while got := s.recv(65536): sys.stdout.buffer.write(got)\n\
         except ConnectionResetError: pass\n",
        socket.to_str().unwrap()
    );
    let mut command = Command::new("setpriv");
    command.args(["--reuid", STRANGER, "--regid", STRANGER, "--clear-groups"]);
    command
        .args(["/usr/bin/python3", "-c", &script])
        .output()
        .unwrap()
}

#[test]
fn another_user_is_refused_told_so_and_disturbs_nobody() {
    if !rustix::process::geteuid().is_root() {
        // Only root can become another user.
        return;
    }
    let home = Home::new();
    let started = home.start(&home.sh("echo ready; read -r line; echo got $line; sleep 1000"));
    let mut own = home.connect(&started);
    own.attach(&person(80, 24));
    own.until_output("ready");
    open_to_all(&started.socket, home.root.path());
    let input = encode(kind::INPUT, b"stolen\r");
    for _ in 0..3 {
        let output = as_stranger(&started.socket, &format!("bytes({input:?})"));
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("belongs to user 0, not to 65534"), "{said}");
    }
    own.input("mine\r");
    own.until_output("got mine");
    let log = std::fs::read_to_string(home.paths.log_file(&started.id)).unwrap();
    assert_eq!(log.matches("refused a connection of user 65534").count(), 1);
}

#[test]
fn a_socket_that_another_user_serves_is_not_spoken_to() {
    if !rustix::process::geteuid().is_root() {
        // Only root can become another user.
        return;
    }
    let home = Home::new();
    let socket = home.path("fake");
    std::fs::set_permissions(home.root.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let script = format!(
        "import socket, sys\n\
         s = socket.socket(socket.AF_UNIX)\n\
         s.bind({:?}); s.listen(); print('listens', flush=True)\n\
         c, _ = s.accept(); print(len(c.recv(100)), flush=True)\n",
        socket.to_str().unwrap()
    );
    let mut command = Command::new("setpriv");
    command.args(["--reuid", STRANGER, "--regid", STRANGER, "--clear-groups"]);
    let command = command.args(["/usr/bin/python3", "-c", &script]);
    let mut fake = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(fake.stdout.take().unwrap()));
    assert_eq!(lines.next().unwrap().unwrap(), "listens");
    let error = holder::connection::Connection::open(&socket, &Hello::this_program()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    let message = error.to_string();
    assert!(message.contains("served by user 65534"), "{message}");
    assert!(message.contains("XDG_RUNTIME_DIR"), "{message}");
    // Not a byte was said.
    assert_eq!(lines.next().unwrap().unwrap(), "0");
    fake.wait().unwrap();
}

#[test]
fn a_limit_of_descriptors_lowered_below_those_in_use_stops_nothing_and_nothing_spins() {
    let home = Home::new();
    let started = home.start(&home.sh("echo ready; while read -r line; do echo got $line; done"));
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    client.until_output("ready");
    let pid = client.connection.welcome.pid;
    let limit = |current| {
        let limit = Rlimit {
            current: Some(current),
            maximum: Some(1024),
        };
        let pid = Pid::from_raw(pid as i32);
        prlimit(pid, Resource::Nofile, limit).unwrap();
    };
    // Its signals, the PTY and one client are three.
    for few in [2, 0] {
        limit(few);
        for round in 0..5 {
            let line = format!("{few}-{round}");
            client.input(&format!("{line}\r"));
            client.until_output(&format!("got {line}"));
        }
        // Each answer takes one blind wait, so that there are few; a holder that spins gives thousands.
        let (mut answers, since) = (0, Instant::now());
        while since.elapsed() < Duration::from_millis(500) {
            client.status();
            answers += 1;
        }
        assert!(answers <= 60, "{answers} answers in half a second");
    }
    limit(1024);
    let mut second = home.connect(&started);
    second.attach(&person(80, 24));
    second.input("again\r");
    second.until_output("got again");
    let log = std::fs::read_to_string(home.paths.log_file(&started.id)).unwrap();
    assert_eq!(log.matches("waits for them again").count(), 1, "{log}");
}

/// `wigwag attach` as far as a holder knows it: a client in a process of its own that can be
/// stopped and killed.
fn half_a_hello(socket: &Path) -> UnixStream {
    let mut stream = UnixStream::connect(socket).unwrap();
    let hello = encode(kind::HELLO, br#"{"version":1,"program":"half"}"#);
    stream.write_all(&hello[..hello.len() / 2]).unwrap();
    stream
}

#[test]
fn a_client_that_dies_at_any_point_leaves_everything_as_it_was_without_it() {
    let home = Home::new();
    let script = "printf '\\033[?1004h'; stty -echo; echo ready; \
                  while read -r line; do echo got $line $(stty size); done";
    let started = home.start_hooked(&home.sh(script));
    let mut watcher = home.connect(&started);
    watcher.attach(&holder::protocol::Attach {
        take_size: false,
        focused: false,
        ..person(90, 30)
    });
    watcher.until_output("ready");
    watcher.input("first\r");
    watcher.until_output("first 24 80");

    // During the handshake: nothing, half of it, all of it and no more.
    drop(UnixStream::connect(&started.socket).unwrap());
    drop(half_a_hello(&started.socket));
    drop(home.connect(&started));

    // While its snapshot is taken, and it owns the size.
    let mut control = home.connect(&started);
    control.done(Op::Test {
        command: "pause snapshot_taken".into(),
    });
    let mut dying = home.connect(&started);
    dying.connection.attach(&person(40, 10)).unwrap();
    control.done(Op::Test {
        command: "wait snapshot_taken".into(),
    });
    drop(dying);
    control.done(Op::Test {
        command: "resume snapshot_taken".into(),
    });
    watcher.input("second\r");
    // Its size stays until another one takes it.
    watcher.until_output("second 10 40");
    let clients = |client: &mut Client| match client.request(Op::Clients) {
        holder::protocol::Outcome::Clients { clients } => clients,
        other => panic!("{other:?}"),
    };
    assert_eq!(clients(&mut control).len(), 1);
    assert!(clients(&mut control).iter().all(|client| !client.owns_size));

    // In the middle of a large paste.
    let mut dying = home.connect(&started);
    dying.attach(&person(50, 12));
    dying.input("\x1b[200~third\r");
    let cut = encode(kind::INPUT, &[b'x'; 4000]);
    dying.connection.stream().write_all(&cut[..1000]).unwrap();
    drop(dying);
    // The whole frames of it were typed, the torn one was not.
    watcher.until_output("third 12 50");
    assert!(!contains(&watcher.output, b"xxxx"));

    // Whoever is left can take the size, and is the only one.
    let take = Resize {
        cols: 90,
        rows: 30,
        take_size: Some(true),
    };
    watcher.connection.send_json(kind::RESIZE, &take).unwrap();
    watcher.input("fourth\r");
    watcher.until_output("fourth 30 90");
    let clients = clients(&mut control);
    assert_eq!((clients.len(), clients[0].owns_size), (1, true));
}

#[test]
fn a_client_that_dies_with_the_focus_takes_it_along_once() {
    let home = Home::new();
    let script = "stty raw -echo; printf '\\033[?1004h'; echo ready; exec cat -v";
    let started = home.start(&home.sh(script));
    let mut watcher = home.connect(&started);
    watcher.attach(&holder::protocol::Attach {
        take_size: false,
        focused: false,
        ..person(90, 30)
    });
    watcher.until_output("ready");
    for round in 1..=3 {
        let mut dying = home.connect(&started);
        dying.attach(&person(80, 24));
        let ins = |client: &Client| {
            let text = String::from_utf8_lossy(&client.output).into_owned();
            (text.matches("^[[I").count(), text.matches("^[[O").count())
        };
        // One focus-out came when the mode was switched on with nobody there to see it.
        watcher.until("focus in", |client| ins(client).0 == round);
        drop(dying);
        watcher.until("focus out", |client| ins(client).1 == round + 1);
        watcher.input("x");
        let outs = ins(&watcher).1;
        watcher.until("echo", |client| {
            client.output.iter().filter(|&&byte| byte == b'x').count() >= round
        });
        assert_eq!(ins(&watcher).1, outs, "nothing twice");
        assert_eq!(ins(&watcher).0, round);
    }
}

#[test]
fn a_stopped_client_that_is_killed_in_the_middle_of_its_catching_up_leaves_nothing() {
    let home = Home::new();
    let script = "echo ready; read -r line; seq -f 'line %080.0f' 1 80000; echo end; read -r line; \
                  stty size; sleep 1000";
    let started = home.start(&home.sh(script));
    let mut watcher = home.connect(&started);
    watcher.attach(&holder::protocol::Attach {
        take_size: false,
        ..person(80, 24)
    });
    watcher.until_output("ready");
    // A process that attaches as the owner of the size and reads nothing more until it is killed.
    let script = format!(
        "import socket, struct, sys, signal\n\
         s = socket.socket(socket.AF_UNIX)\n\
         s.connect({:?})\n\
         def send(kind, body): s.sendall(struct.pack('<IB', len(body), kind) + body)\n\
         send(1, b'{{\"version\":1,\"program\":\"stopped\"}}')\n\
         send(2, b'{{\"cols\":100,\"rows\":30,\"take_size\":true,\"person\":true,\"focused\":true}}')\n\
         s.recv(4096)\n\
         print('attached', flush=True)\n\
         sys.stdin.read(1)\n\
         s.recv(4096)\n\
         print('reads', flush=True)\n\
         signal.pause()\n",
        started.socket.to_str().unwrap()
    );
    let mut command = Command::new("python3");
    let command = command.args(["-c", &script]);
    let mut stopped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufRead::lines(std::io::BufReader::new(stopped.stdout.take().unwrap()));
    assert_eq!(said.next().unwrap().unwrap(), "attached");
    let pid = Pid::from_child(&stopped);
    kill_process(pid, Signal::STOP).unwrap();
    watcher.input("go\r");
    watcher.until_output("end");
    // It goes on, takes a little of what waits for it, and dies.
    kill_process(pid, Signal::CONT).unwrap();
    stopped.stdin.take().unwrap().write_all(b"x").unwrap();
    assert_eq!(said.next().unwrap().unwrap(), "reads");
    kill_process(pid, Signal::KILL).unwrap();
    stopped.wait().unwrap();
    watcher.input("\r");
    watcher.until_output("30 100");
    let begun = Instant::now();
    loop {
        let holder::protocol::Outcome::Clients { clients } = watcher.request(Op::Clients) else {
            panic!("no clients");
        };
        if clients.len() == 1 && !clients[0].owns_size {
            break;
        }
        assert!(begun.elapsed() < LIMIT, "{clients:?}");
    }
}
