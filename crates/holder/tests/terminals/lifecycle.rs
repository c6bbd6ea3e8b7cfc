//! Programs start, live on without clients, and end with the truth told about them.

use crate::home::{Client, Home, LIMIT, person};
use holder::protocol::{Bye, Moment, Op, Outcome};
use status::{LifecycleState, State};

#[test]
fn a_program_and_its_screen_outlive_the_client() {
    let home = Home::new();
    let started = home.start(&home.sh("echo first; read line; echo got $line; read end"));
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    client.until_output("first");
    drop(client);
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    assert!(crate::home::contains(&client.output, b"first"));
    client.input("hello\r");
    client.until_output("got hello");
    assert_eq!(client.status().lifecycle.state, LifecycleState::Running);
}

#[test]
fn the_exit_code_is_told_and_the_last_screen_stays() {
    let home = Home::new();
    let started = home.start(&home.sh("echo last words; exit 3"));
    let mut client = home.connect(&started);
    client.subscribe();
    let status = client.until_exited();
    assert_eq!(
        (status.lifecycle.code, status.lifecycle.signal),
        (Some(3), None)
    );
    assert_eq!(status.state, State::Failed);
    assert_eq!(client.capture(), "last words");
    assert!(!home.paths.is_running(&started.id));
}

#[test]
fn an_exit_by_a_signal_is_told_as_that_signal() {
    let home = Home::new();
    let started = home.start(&home.sh("kill -KILL $$"));
    let mut client = home.connect(&started);
    client.subscribe();
    let status = client.until_exited();
    assert_eq!(
        (status.lifecycle.code, status.lifecycle.signal.as_deref()),
        (None, Some("KILL"))
    );
}

#[test]
fn the_last_words_of_a_program_that_exits_at_once_are_on_the_screen() {
    let home = Home::new();
    for _ in 0..5 {
        let started = home.start(&home.sh("seq 1 20000; echo the end"));
        let mut client = home.connect(&started);
        client.subscribe();
        client.until_exited();
        assert!(client.capture().ends_with("20000\nthe end"));
    }
}

#[test]
fn last_words_reach_an_attached_client_before_the_exit_does() {
    let home = Home::new();
    let started = home.start(&home.sh("read go; seq 1 5000; exit 1"));
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    client.input("\r");
    client.until_moment(&Moment::Exited);
    assert!(crate::home::contains(&client.output, b"5000\r\n"));
}

#[test]
fn a_child_left_behind_does_not_hide_the_exit_and_is_named_and_still_read() {
    let home = Home::new();
    let script = "trap '' HUP; (while [ ! -e go ]; do sleep 0.05; done; echo from behind; exec sleep 1000) & exit 4";
    let started = home.start(&home.sh(script));
    let mut client = home.connect(&started);
    client.subscribe();
    assert_eq!(client.until_exited().lifecycle.code, Some(4));
    let Outcome::Processes { processes } = client.request(Op::Processes) else {
        panic!()
    };
    assert!(!processes.is_empty());
    std::fs::write(home.path("go"), "").unwrap();
    client.until_captured("from behind");
    client.done(Op::Signal {
        signal: "KILL".into(),
    });
}

#[test]
fn a_program_that_closes_its_output_first_has_not_exited() {
    let home = Home::new();
    let script = "exec <&- >&- 2>&-; while [ ! -e go ]; do sleep 0.05; done; exit 5";
    let started = home.start(&home.sh(script));
    let mut client = home.connect(&started);
    client.subscribe();
    assert_eq!(client.status().lifecycle.state, LifecycleState::Running);
    std::fs::write(home.path("go"), "").unwrap();
    assert_eq!(client.until_exited().lifecycle.code, Some(5));
}

#[test]
fn a_stopped_program_has_not_exited() {
    let home = Home::new();
    let started = home.start(&home.sh("echo up; kill -STOP $$; exit 6"));
    let mut client = home.connect(&started);
    client.subscribe();
    client.until_captured("up");
    assert_eq!(client.status().lifecycle.state, LifecycleState::Running);
    client.done(Op::Signal {
        signal: "CONT".into(),
    });
    // The signal may come before the stop: once more until it is over.
    let begun = std::time::Instant::now();
    while client.status().lifecycle.state == LifecycleState::Running && begun.elapsed() < LIMIT {
        let _ = client.request(Op::Signal {
            signal: "CONT".into(),
        });
    }
    assert_eq!(client.until_exited().lifecycle.code, Some(6));
}

#[test]
fn the_exit_is_announced_after_the_last_words_were_read() {
    let home = Home::new();
    let started = home.start_hooked(&home.sh("read go; echo last; exit 7"));
    let mut tester = home.connect(&started);
    tester.done(Op::Test {
        command: "pause before_exit_announced".into(),
    });
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    client.input("\r");
    tester.done(Op::Test {
        command: "wait before_exit_announced".into(),
    });
    client.until_output("last\r\n");
    assert_eq!(tester.status().lifecycle.state, LifecycleState::Running);
    assert!(tester.capture().ends_with("last"));
    tester.done(Op::Test {
        command: "resume before_exit_announced".into(),
    });
    client.until_moment(&Moment::Exited);
    assert_eq!(client.status().lifecycle.code, Some(7));
}

#[test]
fn a_terminal_whose_program_exits_with_0_while_it_is_seen_is_removed() {
    let home = Home::new();
    let started = home.start(&home.sh("read go; echo bye"));
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    client.input("\r");
    client.until_closed();
    assert!(client.moments.contains(&Moment::Exited));
    assert!(crate::home::contains(&client.output, b"bye\r\n"));
    assert_eq!(client.bye, Some(Bye::Removed));
    assert_eq!(home.paths.scan().unwrap(), []);
    assert!(!home.paths.state_file(&started.id).exists());
}

#[test]
fn a_terminal_that_exits_with_0_unseen_or_with_another_code_stays() {
    let home = Home::new();
    let unseen = home.start(&home.sh("exit 0"));
    let mut client = home.connect(&unseen);
    client.subscribe();
    client.until_exited();
    let seen = home.start(&home.sh("read go; exit 1"));
    let mut other = home.connect(&seen);
    other.attach(&person(80, 24));
    other.input("\r");
    other.until_moment(&Moment::Exited);
    assert_eq!(other.status().lifecycle.code, Some(1));
    assert_eq!(client.status().lifecycle.state, LifecycleState::Exited);
}

#[test]
fn after_the_command_the_terminal_goes_on_as_a_shell_and_keeps_its_exit_code() {
    let home = Home::new();
    let mut spec = home.sh("echo working; exit 9");
    spec.then_shell = true;
    spec.env.push(("SHELL".into(), "/bin/sh".into()));
    spec.env.push(("PS1".into(), "ready> ".into()));
    let started = home.start(&spec);
    let mut client = home.connect(&started);
    client.subscribe();
    let status = client.until_status("the command's end", |status| status.last_command.is_some());
    assert_eq!(status.last_command.unwrap().exit_code, Some(9));
    client.done(Op::Input {
        text: "echo shell $((40+2)); exit 2".into(),
        paste: false,
        enter: true,
    });
    client.until_captured("shell 42");
    assert_eq!(client.until_exited().lifecycle.code, Some(2));
}

#[test]
fn ctrl_c_of_the_command_goes_on_as_a_shell_but_hanging_up_does_not() {
    let home = Home::new();
    let mut spec = home.sh("trap 'exit 130' INT; echo up; while :; do sleep 0.05; done");
    spec.then_shell = true;
    spec.env.push(("SHELL".into(), "/bin/sh".into()));
    let interrupted = home.start(&spec);
    let mut client = home.connect(&interrupted);
    client.until_captured("up");
    client.done(Op::Keys {
        keys: vec!["C-c".into()],
    });
    client.done(Op::Input {
        text: "echo shell $((40+2))".into(),
        paste: false,
        enter: true,
    });
    // What is typed before the shell reads is kept by the terminal, or typed again here.
    client.subscribe();
    client.until_status("the command's end", |status| status.last_command.is_some());
    client.done(Op::Input {
        text: "echo shell $((40+2))".into(),
        paste: false,
        enter: true,
    });
    client.until_captured("shell 42");

    let hung_up = home.start(&spec);
    let mut client = home.connect(&hung_up);
    client.subscribe();
    client.until_captured("up");
    client.done(Op::Signal {
        signal: "HUP".into(),
    });
    assert_eq!(
        client.until_exited().lifecycle.signal.as_deref(),
        Some("HUP")
    );
}

#[test]
fn a_running_terminal_is_removed_only_by_force_and_killed_if_it_does_not_listen() {
    let home = Home::new();
    let started = home.start(&home.sh("trap '' HUP TERM; echo up; while :; do sleep 1000; done"));
    let mut client = home.connect(&started);
    client.until_captured("up");
    let (code, message) = client.refused(Op::Remove { force: false });
    assert_eq!(code, "running");
    assert!(message.contains("--force"));
    client.done(Op::Remove { force: true });
    client.until_closed();
    assert_eq!(client.bye, Some(Bye::Removed));
    assert_eq!(home.paths.scan().unwrap(), []);
}

#[test]
fn a_terminal_is_started_again_with_its_id_name_and_command() {
    let home = Home::new();
    let mut spec = home.sh("echo run; exit 1");
    spec.name = Some("again".into());
    let started = home.start(&spec);
    let mut client = home.connect(&started);
    client.subscribe();
    let first = client.until_exited();
    let restarted = holder::spawn::restart(&home.paths, &started.id).unwrap();
    assert_eq!(
        (&restarted.id, &restarted.name),
        (&started.id, &"again".to_owned())
    );
    let mut client = Client::open(&restarted.socket);
    client.subscribe();
    let second = client.until_exited();
    assert_eq!(second.created_at, first.created_at);
    assert!(second.attention.unwrap().seq > first.attention.unwrap().seq);
}

#[test]
fn what_was_printed_before_the_exit_was_noticed_is_read_before_it_is_announced() {
    let home = Home::new();
    let script = "trap '' HUP; (while [ ! -e go ]; do sleep 0.02; done; echo LATE; touch said; exec sleep 1000) & read go; exit 1";
    let started = home.start_hooked(&home.sh(script));
    let mut client = home.connect(&started);
    client.attach(&person(80, 24));
    let mut tester = home.connect(&started);
    tester.done(Op::Test {
        command: "pause exit_noticed".into(),
    });
    client.input("\r");
    tester.done(Op::Test {
        command: "wait exit_noticed".into(),
    });
    std::fs::write(home.path("go"), "").unwrap();
    let begun = std::time::Instant::now();
    while !home.path("said").exists() {
        assert!(begun.elapsed() < LIMIT);
        std::thread::yield_now();
    }
    tester.done(Op::Test {
        command: "resume exit_noticed".into(),
    });
    client.until_moment(&Moment::Exited);
    assert!(crate::home::contains(&client.output, b"LATE"));
}
