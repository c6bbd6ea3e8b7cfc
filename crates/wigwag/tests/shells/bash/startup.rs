//! Startup files: all are read as without us, and nothing is left of how we got in.

use super::{WAYS, bash, is_captured, shows_nothing_of_ours};
use crate::home::{Home, which};

/// What a shell is, in one file: all but what Bash itself changes from one moment to the next, and the
/// three variables we are known to use.
const DUMP: &str = r#"
{
    env | grep -v ^_=
    set -o
    shopt
    trap -p
    alias
    declare -F | grep -v ' __wigwag_'
    declare -p | grep -vE '^declare -[^ ]+ (_|__wigwag_.*|BASHPID|BASH_.*|EPOCH.*|FUNCNAME|HISTCMD|LINENO|OPTIND|PIPESTATUS|PPID|PROMPT_COMMAND|PS0|PS1|RANDOM|SECONDS|SRANDOM)(=|$)'
    echo "$0 $- $# ${BASH_ENV-none} ${ENV-none} $(umask)"
    echo end
} >~/dump
"#;

/// What `DUMP` says after the first prompt.
fn dump(home: &Home, args: &[&str]) -> String {
    home.file(".dump", DUMP);
    home.start("bash", args);
    home.world.send("t", " . ~/.dump");
    let text = home.read_when_whole("dump");
    // Where the integration lies; without it there is nothing of ours to compare.
    text.lines()
        .filter(|line| !line.contains("WIGWAG_SOCKET"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Fails with the lines that are not in both.
fn same(with: &str, without: &str) {
    let only = |one: &str, other: &str| -> Vec<String> {
        let other: Vec<&str> = other.lines().collect();
        one.lines()
            .filter(|line| !other.contains(line))
            .map(Into::into)
            .collect()
    };
    let (added, lost) = (only(with, without), only(without, with));
    assert!(added.is_empty() && lost.is_empty(), "{added:#?} {lost:#?}");
}

const BASHRC: &str = "HISTCONTROL=ignoreboth; shopt -s histappend; alias ll='ls -l'; set -o vi\n\
                      f() { :; }; trap 'echo bye' EXIT; trap : USR1; export -f f\n";

#[test]
fn nothing_else_is_different_after_the_first_prompt() {
    let variables = [
        "--env",
        "ENV=$HOME/it's",
        "--env",
        "BASH_ENV=/nowhere",
        "--env",
        "HISTFILE=/dev/null",
    ];
    for way in WAYS {
        for variables in [&[][..], &variables] {
            for bashrc in ["", BASHRC, "set -a\n", "set -u; shopt -s extdebug\n"] {
                let args = [variables, way].concat();
                let files = [(".bashrc", bashrc), (".bash_profile", ". ~/.bashrc\n")];
                let with = dump(&Home::with(&files), &args);
                let without = dump(&Home::with(&files).plainly(), &args);
                same(&with, &without);
            }
        }
    }
}

#[test]
fn exported_prompts_are_as_the_user_set_them_for_programs() {
    let bashrc = "export PS1='> ' PROMPT_COMMAND='history -a'\n";
    let programs = |home: Home| {
        home.start("bash", &["--", "bash"]);
        home.world.send(
            "t",
            "env | grep -E '^(PS1|PROMPT_COMMAND)=' >~/seen; echo end >>~/seen",
        );
        home.read_when_whole("seen")
    };
    // PS1 alone.
    let home = Home::with(&[(".bashrc", "export PS1='> '\n")]);
    home.start("bash", &["--", "bash"]).at_prompt();
    is_captured(&home);
    assert_eq!(
        programs(Home::with(&[(".bashrc", "export PS1='> '\n")])),
        "PS1=> \nend\n"
    );
    // PROMPT_COMMAND alone, which leaves PS1 to do everything.
    let bashrc_of_command = "PS1='> '; export PROMPT_COMMAND='history -a'\n";
    let home = Home::with(&[(".bashrc", bashrc_of_command)]);
    home.start("bash", &["--", "bash"]).at_prompt();
    is_captured(&home);
    assert_eq!(
        programs(Home::with(&[(".bashrc", bashrc_of_command)])),
        "PROMPT_COMMAND=history -a\nend\n"
    );
    // With both, the list is needed, and lists are in no environment.
    let home = Home::with(&[(".bashrc", bashrc)]);
    home.start("bash", &["--", "bash"]).at_prompt();
    is_captured(&home);
}

/// The files a shell opens in its home and in `/etc`, in their order.
fn opened(home: &Home, args: &[&str]) -> Vec<String> {
    let wrapper = "#!/bin/sh\nexec strace -qq -e trace=openat,open -o ~/opened bash \"$@\"\n";
    let wrapper = home.file("bin/bash", wrapper);
    std::fs::set_permissions(
        &wrapper,
        std::os::unix::fs::PermissionsExt::from_mode(0o700),
    )
    .unwrap();
    let command = [&["--", wrapper.to_str().unwrap()], args].concat();
    home.start("bash", &command);
    home.world.send("t", "exit");
    home.until(|status| status["lifecycle"]["state"] == "exited");
    let place = home.world.path().to_str().unwrap().to_owned();
    home.read("opened")
        .lines()
        .filter(|line| !line.contains("= -1 "))
        .filter_map(|line| line.split('"').nth(1))
        .map(|path| path.replace(&place, "WORLD"))
        .filter(|path| path.starts_with("WORLD/home") || path.starts_with("/etc/"))
        .filter(|path| !path.starts_with("/etc/ld.so") && !path.ends_with("/opened"))
        .collect()
}

#[test]
fn startup_files_are_read_as_without_wigwag_and_in_the_same_order() {
    which("strace");
    let all = [
        ".bash_profile",
        ".bash_login",
        ".profile",
        ".bashrc",
        ".bash_logout",
        ".inputrc",
    ];
    for args in [&[][..], &["-l"], &["--login", "-i"]] {
        for skipped in 0..4 {
            let home = |_: ()| {
                let home = Home::with(&[]);
                for name in &all[skipped..] {
                    home.file(name, &format!("# {name}\n"));
                }
                home
            };
            let with = opened(&home(()), args);
            let without = opened(&home(()).plainly(), args);
            assert_eq!(with, without, "{args:?} {skipped}");
            assert!(
                with.iter().any(|path| path.starts_with("/etc/")),
                "{with:?}"
            );
        }
    }
}

#[test]
fn startup_files_see_what_they_would_see_without_us() {
    let text = "{ echo ${BASH_SOURCE[0]} $0 $- $? $#; shopt login_shell inherit_errexit; set -o | grep posix
        echo ${ENV-none} $HISTFILE $MAILCHECK ${POSIXLY_CORRECT-none} ${PROMPT_COMMAND-none} \"$PS1\"; } >>~/seen\n";
    for way in WAYS {
        let home = |_: ()| {
            let home = Home::with(&[(".bashrc", text), (".bash_profile", text)]);
            home.file("seen", "");
            home.start("bash", way);
            home.world.send("t", "echo end >>~/seen");
            home.read_when_whole("seen")
        };
        let with = home(());
        let plain = {
            let home = Home::with(&[(".bashrc", text), (".bash_profile", text)]).plainly();
            home.start("bash", way);
            home.world.send("t", "echo end >>~/seen");
            home.read_when_whole("seen")
        };
        assert_eq!(with, plain);
    }
}

#[test]
fn a_startup_file_of_the_users_choice_is_read_in_place_of_bashrc() {
    let home = Home::with(&[
        (".bashrc", "echo wrong\n"),
        ("mine", "echo right; PS1='mine> '\n"),
    ]);
    let mine = home.path("mine");
    let command = ["--", "bash", "--rcfile", mine.to_str().unwrap()];
    home.start("bash", &command).at_prompt();
    is_captured(&home);
    let screen = home.screen();
    assert!(
        screen.contains("right") && !screen.contains("wrong"),
        "{screen}"
    );
}

#[test]
fn a_login_shell_ends_with_its_logout_file_and_its_code() {
    let home = Home::with(&[(".bash_logout", "echo end >~/left\n")]);
    home.start("bash", &[]).at_prompt();
    home.world.send("t", "exit 7");
    let status = home.until(|status| status["lifecycle"]["state"] == "exited");
    assert_eq!(status["lifecycle"]["code"], 7);
    home.read_when_whole("left");
}

#[test]
fn startup_files_that_return_exit_or_fail_do_what_they_would_do() {
    for (text, code) in [
        ("exit 5\necho no >~/no\n", 5),
        ("set -e\nfalse\necho no >~/no\n", 1),
    ] {
        for way in WAYS {
            let home = Home::with(&[(".bashrc", text), (".bash_profile", text)]);
            home.start("bash", way);
            let status = home.until(|status| status["lifecycle"]["state"] == "exited");
            assert_eq!(status["lifecycle"]["code"], code, "{text}");
            assert!(!home.path("no").exists());
        }
    }
    for text in [
        "return 0\necho no >~/no\n",
        "false\n",
        "set -e\n[ -f ~/nope ] && . ~/nope\n",
        "echo $((1/0))\n",
        "set -u\necho $nothing\nset +u\n",
        "if then\n",
        "trap 'echo error' ERR\n",
        "trap 'echo error' ERR; set -e\n[ -f ~/nope ] && . ~/nope\n",
    ] {
        for way in WAYS {
            let screens = [false, true].map(|plain| {
                let home = Home::with(&[(".bashrc", text), (".bash_profile", text)]);
                let home = if plain { home.plainly() } else { home };
                home.start("bash", way);
                home.world.send(
                    "t",
                    "echo code $? $- >~/code; trap -p >>~/code; echo end >>~/code",
                );
                let code = home.read_when_whole("code");
                assert!(!home.path("no").exists());
                let screen = home
                    .screen()
                    .replace(home.world.path().to_str().unwrap(), "WORLD");
                let errors: Vec<String> = screen
                    .lines()
                    .filter(|line| line.contains("WORLD/home/.bash") || line.starts_with("error"))
                    .map(Into::into)
                    .collect();
                if !plain {
                    home.at_prompt();
                    if !text.contains("set -e") {
                        is_captured(&home);
                    }
                }
                (code, errors)
            });
            assert_eq!(screens[0], screens[1], "{text}");
        }
    }
}

#[test]
fn a_startup_file_that_takes_its_time_can_be_interrupted() {
    let home = Home::with(&[(".bashrc", "read -r line <~/gate; echo opened\n")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        home.path("gate"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    home.start("bash", &["--", "bash"]);
    assert!(home.world.show("t")["command"].is_null());
    std::fs::write(home.path("gate"), "go\n").unwrap();
    home.world.until_shown("t", "opened");
    home.at_prompt();
    is_captured(&home);

    // Interrupted, it is left half-way; the next line brings the integration.
    let home = Home::with(&[(".bashrc", "echo waiting; cat ~/gate; echo no\n")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        home.path("gate"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    home.start("bash", &["--", "bash"]);
    home.world.until_shown("t", "waiting");
    home.world.ok(&["keys", "t", "C-c"]);
    home.world.send("t", "echo inter\"\"rupted");
    home.world.until_shown("t", "interrupted");
    home.at_prompt();
    is_captured(&home);
    home.run("trap -p >~/traps; declare -p PROMPT_COMMAND >>~/traps; echo end >>~/traps");
    let traps = home.read_when_whole("traps");
    assert!(!traps.contains("RETURN"), "{traps}");
}

#[test]
fn a_startup_file_that_becomes_another_shell_leaves_that_one_alone() {
    let home = Home::with(&[(".bashrc", "exec dash\n")]);
    home.start("bash", &["--", "bash"]);
    home.world.send(
        "t",
        "env | grep -c -e aid -e 'ENV=' -e '__wig'; echo look\"\"ed",
    );
    let screen = home.world.until_shown("t", "looked");
    assert!(screen.contains("\n0\n"), "{screen}");
    home.world.send("t", "sleep 1000");
    home.until(|status| status["title"] == "sleep" && status["title_source"] == "process");
}

#[test]
fn a_startup_file_that_prints_marks_and_escapes_is_believed_by_nobody() {
    let home = bash(
        "printf '\\033]133;A\\007\\033]133;C;cmdline_url=made%%20up\\007\\033]0;up\\007\\033['\n",
    );
    let status = home.at_prompt();
    assert!(status["command"].is_null());
    is_captured(&home);
}

#[test]
fn read_only_variables_of_ours_leave_the_shell_without_integration() {
    let names = [
        "__wigwag_told",
        "__wigwag_ready",
        "__wigwag_hook",
        "__wigwag_line",
    ];
    // Side by side: in each the integration is awaited in vain.
    std::thread::scope(|scope| {
        for name in names {
            scope.spawn(move || {
                let home = bash(&format!("PS1='> '; readonly {name}=x\n"));
                home.world.send("t", "sleep 1000");
                home.until(|status| {
                    status["title"] == "sleep" && status["title_source"] == "process"
                });
                home.interrupt();
                shows_nothing_of_ours(&home);
            });
        }
    });
}
