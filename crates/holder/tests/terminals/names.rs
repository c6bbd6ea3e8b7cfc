//! Ids, names, directories: nobody takes what is another's, and nothing is lost silently.

use crate::home::{Home, LIMIT};
use holder::protocol::Op;
use holder::spawn::SpawnError;
use status::LifecycleState;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn a_name_of_a_running_program_is_taken_and_that_of_an_exited_one_is_free() {
    let home = Home::new();
    let mut spec = home.sh("read go; exit 1");
    spec.name = Some("build".into());
    let first = home.start(&spec);
    assert_eq!(
        home.paths.id_of_name("build").unwrap().as_ref(),
        Some(&first.id)
    );
    assert!(
        matches!(home.try_start(&spec), Err(SpawnError::NameTaken { name }) if name == "build")
    );

    let mut client = home.connect(&first);
    client.subscribe();
    client.done(Op::Input {
        text: String::new(),
        paste: false,
        enter: true,
    });
    client.until_exited();
    let second = home.start(&spec);
    assert_eq!(second.replaced.as_ref(), Some(&first.id));
    assert_eq!(
        home.paths.id_of_name("build").unwrap().as_ref(),
        Some(&second.id)
    );
    assert!(!home.paths.is_alive(&first.id));
    assert!(!home.paths.state_file(&first.id).exists());
}

#[test]
fn of_several_starts_at_once_one_gets_the_name() {
    let home = Home::new();
    for name in ["one", "two", "three", "four"] {
        let mut spec = home.sh("read go");
        spec.name = Some(name.into());
        let results: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| home.try_start(&spec)))
                .collect();
            starts
                .into_iter()
                .map(|start| start.join().unwrap())
                .collect()
        });
        let won: Vec<_> = results
            .iter()
            .filter_map(|result| result.as_ref().ok())
            .collect();
        assert_eq!(won.len(), 1);
        for lost in results.iter().filter_map(|result| result.as_ref().err()) {
            assert!(matches!(lost, SpawnError::NameTaken { .. }), "{lost}");
        }
        assert_eq!(
            home.paths.id_of_name(name).unwrap().as_ref(),
            Some(&won[0].id)
        );
    }
    assert_eq!(home.paths.scan().unwrap().len(), 4);
}

#[test]
fn a_proposed_id_is_created_once() {
    let home = Home::new();
    let mut spec = home.sh("read go");
    spec.id = Some("abcdefg2".into());
    assert_eq!(home.start(&spec).id, "abcdefg2");
    assert!(matches!(home.try_start(&spec), Err(SpawnError::IdExists { id }) if id == "abcdefg2"));
    spec.id = Some("../../etc".into());
    assert!(
        home.try_start(&spec)
            .unwrap_err()
            .to_string()
            .contains("is no id")
    );
}

#[test]
fn what_a_dead_holder_left_is_replaced() {
    let home = Home::new();
    let mut spec = home.sh("read go");
    spec.name = Some("web".into());
    let dead = home.start(&spec);
    let pid = home.connect(&dead).connection.welcome.pid;
    kill(pid);
    let second = home.start(&spec);
    assert_eq!(second.replaced, Some(dead.id.clone()));
    assert_ne!(second.id, dead.id);
    assert!(!home.paths.state_file(&dead.id).exists());
    let ids: Vec<_> = home
        .paths
        .scan()
        .unwrap()
        .into_iter()
        .map(|found| found.id)
        .collect();
    assert_eq!(ids, [second.id]);
}

#[test]
fn a_lost_terminal_is_listed_by_its_state_file_and_started_again() {
    let home = Home::new();
    let mut spec = home.sh("echo up; read go");
    spec.name = Some("web".into());
    let started = home.start(&spec);
    kill(home.connect(&started).connection.welcome.pid);
    fs::remove_dir_all(&home.paths.runtime[0]).unwrap();
    assert_eq!(
        home.paths.state_ids().unwrap(),
        std::slice::from_ref(&started.id)
    );
    assert_eq!(
        home.paths.id_of_name("web").unwrap().as_ref(),
        Some(&started.id)
    );
    let state = home.paths.read_state(&started.id).unwrap();
    assert_eq!(state.status.lifecycle.state, LifecycleState::Running);
    assert_eq!(state.spec.command, spec.command);

    let again = holder::spawn::restart(&home.paths, &started.id).unwrap();
    assert_eq!((&again.id, again.name.as_str()), (&started.id, "web"));
    let mut client = home.connect(&again);
    client.until_captured("up");
    assert!(client.connection.welcome.incarnation > state.incarnation);
}

#[test]
fn what_cannot_be_started_again_is_not_forgotten() {
    let home = Home::new();
    let gone = home.path("gone");
    fs::create_dir(&gone).unwrap();
    let mut spec = home.sh("exit 1");
    spec.cwd = gone.clone();
    let started = home.start(&spec);
    let mut client = home.connect(&started);
    client.subscribe();
    client.until_exited();
    fs::remove_dir(&gone).unwrap();
    let error = holder::spawn::restart(&home.paths, &started.id)
        .unwrap_err()
        .to_string();
    assert!(error.contains("gone is not there"), "{error}");
    assert_eq!(
        home.paths
            .read_state(&started.id)
            .unwrap()
            .status
            .lifecycle
            .code,
        Some(1)
    );
}

#[test]
fn a_terminal_takes_another_name_unless_it_is_taken() {
    let home = Home::new();
    let mut spec = home.sh("read go");
    spec.name = Some("a".into());
    let a = home.start(&spec);
    spec.name = Some("b".into());
    let b = home.start(&spec);
    let mut client = home.connect(&a);
    assert_eq!(client.refused(Op::Rename { name: "b".into() }).0, "taken");
    assert_eq!(client.refused(Op::Rename { name: "b\n".into() }).0, "name");
    client.done(Op::Rename { name: "c".into() });
    assert_eq!(client.status().name, "c");
    assert_eq!(home.paths.id_of_name("a").unwrap(), None);
    assert_eq!(home.paths.id_of_name("c").unwrap(), Some(a.id));
    assert_eq!(home.paths.id_of_name("b").unwrap(), Some(b.id));
}

#[test]
fn errors_say_what_was_wrong() {
    let home = Home::new();
    let mut spec = home.spec(&["no-such-program-here"]);
    let error = home.try_start(&spec).unwrap_err().to_string();
    assert!(
        error.contains("cannot run no-such-program-here: there is no such program"),
        "{error}"
    );
    assert_eq!(
        home.paths.scan().unwrap(),
        [],
        "nothing is left of a failed start"
    );

    spec = home.sh("true");
    spec.cwd = "/no/such/place".into();
    let error = home.try_start(&spec).unwrap_err().to_string();
    assert!(error.contains("/no/such/place is not there"), "{error}");

    spec = home.sh("true");
    spec.name = Some("two words".into());
    assert!(
        matches!(home.try_start(&spec), Err(SpawnError::Name(message)) if message.contains("two words"))
    );
}

#[test]
fn a_failed_start_gives_the_name_back() {
    let home = Home::new();
    let mut spec = home.sh("exit 1");
    spec.name = Some("web".into());
    let exited = home.start(&spec);
    let mut client = home.connect(&exited);
    client.subscribe();
    client.until_exited();
    let mut broken = home.spec(&["no-such-program-here"]);
    broken.name = Some("web".into());
    home.try_start(&broken).unwrap_err();
    assert_eq!(home.paths.id_of_name("web").unwrap(), Some(exited.id));
    assert_eq!(client.status().lifecycle.state, LifecycleState::Exited);
}

#[test]
fn a_runtime_directory_that_is_a_link_is_refused_by_its_path() {
    let home = Home::new();
    fs::create_dir_all(home.path("run")).unwrap();
    fs::create_dir_all(home.path("elsewhere")).unwrap();
    symlink(home.path("elsewhere"), &home.paths.runtime[0]).unwrap();
    let error = home.try_start(&home.sh("true")).unwrap_err().to_string();
    assert!(error.contains("run/wigwag: is a symbolic link"), "{error}");
}

#[test]
fn a_state_directory_that_cannot_be_written_does_not_keep_a_terminal_from_working() {
    let home = Home::new();
    fs::write(home.path("state"), "a file where a directory should be").unwrap();
    let started = home.start(&home.sh("echo up; read go; exit 3"));
    let mut client = home.connect(&started);
    client.subscribe();
    client.until_captured("up");
    client.done(Op::Input {
        text: String::new(),
        paste: false,
        enter: true,
    });
    assert_eq!(client.until_exited().lifecycle.code, Some(3));
}

#[test]
fn a_removal_that_leaves_the_state_file_says_so_and_can_be_repeated() {
    let home = Home::new();
    let started = home.start(&home.sh("exit 3"));
    let mut client = home.connect(&started);
    client.subscribe();
    client.until_exited();
    // What not even root can remove as a file.
    let file = home.paths.state_file(&started.id);
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let (code, message) = client.refused(Op::Remove { force: false });
    assert_eq!(code, "failed");
    let place = file.to_str().unwrap();
    assert!(
        message.contains(place) && message.contains("remove it again"),
        "{message}"
    );
    client.until_closed();
    assert!(!home.paths.terminal_directory(&started.id).exists());
    std::fs::remove_dir(&file).unwrap();
    home.paths.forget(&started.id).unwrap();
}

#[test]
fn a_runtime_directory_over_100_bytes_works() {
    let mut home = Home::new();
    home.paths.runtime = vec![home.path(&"long/".repeat(30)).join("wigwag")];
    let started = home.start(&home.sh("echo up; read go"));
    assert!(started.socket.as_os_str().len() > 150);
    home.connect(&started).until_captured("up");
}

#[test]
fn the_state_file_is_private_and_follows_the_terminal() {
    use std::os::unix::fs::MetadataExt;
    let home = Home::new();
    let started = home.start(&home.sh("printf '\\033]2;busy with it\\033\\\\'; read go"));
    let mut client = home.connect(&started);
    client.subscribe();
    client.until_status("title", |status| {
        status.title.as_deref() == Some("busy with it")
    });
    let file = home.paths.state_file(&started.id);
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    let begun = std::time::Instant::now();
    while home
        .paths
        .read_state(&started.id)
        .unwrap()
        .status
        .title
        .as_deref()
        != Some("busy with it")
    {
        assert!(
            begun.elapsed() < LIMIT,
            "the last state is written in the end"
        );
        std::thread::yield_now();
    }
    assert!(!file.with_extension("json.new").exists());
}

/// Kills a holder and waits until it is gone.
fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let begun = std::time::Instant::now();
    while rustix::process::test_kill_process(pid).is_ok()
        && fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid()))
            .is_ok_and(|stat| !stat.contains(") Z "))
    {
        assert!(begun.elapsed() < LIMIT);
        std::thread::yield_now();
    }
}
