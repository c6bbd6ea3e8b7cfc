//! zsh.

use crate::home::Home;
use serde_json::json;

/// A zsh at its prompt, with this `.zshrc`.
fn zsh(zshrc: &str) -> Home {
    let home = Home::with(&[(".zshrc", zshrc)]);
    home.start("zsh", &[]).at_prompt();
    home
}

#[test]
fn a_command_is_shown_as_it_was_typed_while_it_runs_and_gone_at_the_prompt() {
    let home = zsh("");
    let status = home.runs("sleep 1000 | cat");
    assert_eq!(status["title"], "sleep 1000 | cat");
    assert_eq!(status["title_source"], "command");
    assert_eq!(status["state"], "running");
    let status = home.interrupt();
    assert_eq!(status["last_command"]["line"], "sleep 1000 | cat");
    assert_eq!(status["last_command"]["exit_code"], 130);
    assert_eq!(status["title"], "zsh");
    assert_eq!(status["title_source"], "process");
}

#[test]
fn exit_codes_are_told() {
    let home = zsh("");
    for (line, code) in [
        ("true", 0),
        ("false", 1),
        ("no-such-command", 127),
        ("sh -c 'kill -INT $$'", 130),
        ("sh -c 'kill -KILL $$'", 137),
    ] {
        let last = &home.run(line)["last_command"];
        assert_eq!(
            (&last["line"], &last["exit_code"]),
            (&json!(line), &json!(code))
        );
    }
}

#[test]
fn the_working_directory_is_told_whatever_its_name() {
    let home = zsh("");
    let name = "a b;c%é";
    std::fs::create_dir(home.path(name)).unwrap();
    home.run(&format!("cd ~/'{name}'"));
    let path = home.path(name);
    home.until(|status| status["cwd"] == path.to_str().unwrap());
}

/// Startup files that say that they were read, and what `ZDOTDIR` was.
fn startup(files: &[&str], zshenv: &str) -> Vec<(String, String)> {
    let text = |name: &str| {
        format!("print -r -- {name} ${{ZDOTDIR-unset}} ${{(%):-%x}} $-:$options[login] >>~/order\n")
    };
    let with = |name: &&str| {
        let more = if name.ends_with(".zshenv") {
            zshenv
        } else {
            ""
        };
        let end = if name.ends_with(".zlogin") {
            "print end >>~/order\n"
        } else {
            ""
        };
        ((*name).to_owned(), text(name) + more + end)
    };
    files.iter().map(with).collect()
}

#[test]
fn startup_files_are_read_as_without_wigwag_and_in_the_same_order() {
    let own = [".zshenv", ".zprofile", ".zshrc", ".zlogin"];
    let elsewhere = ["z/.zshenv", "z/.zprofile", "z/.zshrc", "z/.zlogin"];
    let all = [own, elsewhere].concat();
    for (args, zdotdir, zshenv) in [
        (&[][..], None, ""),
        (&[], Some("z"), ""),
        (&[], None, "ZDOTDIR=~/z\n"),
        (&[], None, "export ZDOTDIR=~/z; setopt no_global_rcs\n"),
        (&[], None, "return 3\n"),
        (&[], None, "if then fi (\n"),
        (&["--", "zsh", "-il"], None, ""),
    ] {
        let files = startup(&all, zshenv);
        let files: Vec<_> = files
            .iter()
            .map(|(n, t)| (n.as_str(), t.as_str()))
            .collect();
        let order = |home: Home| {
            let args = [&["--env=KEPT=1"], args].concat();
            let zdotdir = zdotdir.map(|name| home.path(name));
            let set = zdotdir.map(|path| format!("--env=ZDOTDIR={}", path.display()));
            home.start(
                "zsh",
                &[set.as_deref().into_iter().collect(), args].concat(),
            );
            home.read_when_whole("order")
        };
        let with = order(Home::with(&files));
        assert_eq!(
            with,
            order(Home::with(&files).plainly()),
            "{zdotdir:?} {zshenv:?}"
        );
        assert!(with.contains(".zshrc"), "{with}");
    }
}

#[test]
fn an_interactive_shell_that_is_no_login_shell_is_integrated_too() {
    let home = Home::with(&[(".zshrc", ""), (".zprofile", "print profile")]);
    home.start("sh", &["--", "zsh"]).at_prompt();
    assert_eq!(home.run("true")["last_command"]["line"], "true");
    assert!(!home.screen().contains("profile"));
}

const DUMP: &str = r#"
{ env | grep -v '^_='; set -o; typeset +f | grep -v '^__wigwag_'; trap; bindkey; alias
  zle -l; print -r -- "$PS1|$PS2|$RPS1|$-|$?"
  print -rl -- ${precmd_functions:#__wigwag_*} ${preexec_functions:#__wigwag_*}
  typeset -x; umask; ulimit -a; hash -r; zstyle -L
  sh -c 'env | sort'; zsh -c 'print -r -- ${ZDOTDIR-unset}'
} >~/dump 2>&1; print end >>~/dump
"#;

#[test]
fn nothing_else_is_different_after_the_first_prompt() {
    let zshrc = "setopt hist_ignore_space prompt_subst; bindkey -v; alias ll='ls -l'; PS1='%~ %# '
        RPROMPT='%T'; export A=1; trap 'print usr1' USR1; f() { :; }
        zle -N zle-line-init f; autoload -Uz add-zsh-hook; add-zsh-hook precmd f
        HISTFILE=~/.hist; SAVEHIST=10";
    let dump = |home: Home| {
        home.start("zsh", &[]);
        home.until(|status| status["state"] == "idle");
        home.world.send("t", ". ~/dump.zsh");
        home.read_when_whole("dump")
    };
    let files = [(".zshrc", zshrc), ("dump.zsh", DUMP)];
    let with = dump(Home::with(&files));
    let without = dump(Home::with(&files).plainly());
    for (one, other) in with.lines().zip(without.lines()) {
        assert_eq!(one, other);
    }
    assert_eq!(with.lines().count(), without.lines().count());
}

#[test]
fn hooks_of_every_kind_keep_working_and_hide_nothing() {
    for zshrc in [
        "precmd_functions=(); preexec_functions=()",
        "precmd_functions=(p); p() { print -n '\\e]2;at prompt\\a'; }",
        // As plain zsh configurations do.
        "precmd() { print -n '\\e]2;at prompt\\a'; }; preexec() { print -n \"\\e]2;$1!\\a\"; }",
        // As frameworks do.
        "autoload -Uz add-zsh-hook; p() { print -n '\\e]2;at prompt\\a'; }
         x() { print -n \"\\e]2;$1!\\a\"; }; add-zsh-hook precmd p; add-zsh-hook preexec x",
        // As plugins do that are loaded late.
        "late() { precmd_functions+=(p); preexec_functions+=(x); unfunction late }
         p() { print -n '\\e]2;at prompt\\a'; }; x() { print -n \"\\e]2;$1!\\a\"; }
         late; precmd_functions+=(later); later() { precmd_functions=(p); preexec_functions=(x) }",
        "typeset -U precmd_functions; setopt warn_create_global",
    ] {
        let home = zsh(zshrc);
        home.run("true");
        let status = home.runs("sleep 1000");
        assert_eq!(status["title"], "sleep 1000", "{zshrc}");
        home.interrupt();
        if zshrc.contains("at prompt") {
            let status = home.until(|status| status["title"] == "at prompt");
            assert_eq!(status["title_source"], "shell", "{zshrc}");
        }
    }
}

#[test]
fn hooks_that_a_command_takes_away_are_back_at_the_next_prompt() {
    let home = zsh("precmd() { : }; precmd_functions=(mypre); mypre() { : }; PROMPT='%~ %# '");
    for line in [
        ". ~/.zshrc; (exit 3)",
        "precmd_functions=(); preexec_functions=(); (exit 4)",
        "unset precmd_functions preexec_functions; (exit 5)",
    ] {
        let last = &home.run(line)["last_command"];
        assert_eq!(last["line"], line);
        assert_eq!(last["exit_code"].to_string(), line[line.len() - 2..][..1]);
        home.at_prompt();
        assert_eq!(home.runs("sleep 1000")["title"], "sleep 1000", "{line}");
        assert_eq!(home.interrupt()["last_command"]["exit_code"], 130);
    }
}

#[test]
fn what_is_scheduled_is_what_a_person_scheduled() {
    let home = zsh("");
    home.run("true; sched +1:00 true; sched >~/scheduled; print end >>~/scheduled");
    let scheduled = home.read_when_whole("scheduled");
    assert!(!scheduled.contains("wigwag"), "{scheduled}");
    assert_eq!(scheduled.lines().count(), 2, "{scheduled}");
}

#[test]
fn a_command_that_edits_a_line_itself_is_not_over() {
    let home = zsh("");
    let line = "x=text; vared -p 'edit ' x; echo ed''ited; sleep 1000";
    home.runs(line);
    home.world.until_shown("t", "edit text");
    home.world.ok(&["keys", "t", "Enter"]);
    home.world.until_shown("t", "edited");
    assert_eq!(home.world.show("t")["command"]["line"], line);
    home.interrupt();
}

#[test]
fn an_application_s_title_wins_while_it_runs_and_is_gone_at_the_next_prompt() {
    let home = zsh("");
    home.world.send(
        "t",
        "sh -c 'printf \"\\033]2;PR #123\\007\"; exec sleep 1000'",
    );
    let status = home.until(|status| status["title"] == "PR #123");
    assert_eq!(status["title_source"], "application");
    assert_eq!(home.interrupt()["title"], "zsh");
}

#[test]
fn options_that_change_the_language_change_nothing() {
    for options in [
        "setopt ksh_arrays sh_word_split no_unset warn_create_global",
        "emulate ksh",
        "setopt xtrace",
        "setopt no_prompt_percent prompt_subst prompt_bang",
        "setopt err_return no_glob extended_glob null_glob glob_subst rc_quotes",
        "alias -g C='| wc' A='| cat' D='x'; alias local=false print=false",
    ] {
        let home = zsh(options);
        let screen = home.screen();
        assert!(!screen.contains("wigwag_"), "{options}: {screen}");
        home.run("echo it $[1+1]");
        let status = home.runs("sleep 1000; :");
        assert_eq!(status["title"], "sleep 1000; :", "{options}");
        home.interrupt();
        let screen = home.screen();
        assert!(
            !screen.contains("wigwag_") && screen.contains("it 2"),
            "{options}: {screen}"
        );
    }
}

#[test]
fn prompts_stay_as_they_were_set() {
    for (zshrc, shown) in [
        ("PS1='one> '", "one> "),
        ("setopt prompt_subst; PS1='$(print subst)> '", "subst> "),
        ("PS1=$'above\\n%# below> '; RPROMPT='right'", " below> "),
        (
            "bindkey -v; zle-keymap-select() { zle reset-prompt }; zle -N zle-keymap-select
          PS1='vi> '",
            "vi> ",
        ),
        ("precmd() { PS1='each> ' }", "each> "),
        ("precmd() { PS1=\"x$PS1\" }; PS1='grows> '", "xgrows> "),
        ("typeset -r PS1='fixed> '", "fixed> "),
        ("unsetopt prompt_percent; PS1='100% '", "100% "),
    ] {
        let home = zsh(zshrc);
        home.world.until_shown("t", shown.trim_end());
        home.run("print -r -- \"<$PS1>\" >~/ps1; true one");
        assert!(!home.read("ps1").contains("133"), "{zshrc}");
        home.world.ok(&["keys", "t", "Escape", "C-l"]);
        home.world.ok(&["keys", "t", "i", "C-u"]);
        home.run("true two");
        let screen = home.screen();
        assert!(
            !screen.contains("133") && !screen.contains("%{"),
            "{zshrc}: {screen}"
        );
    }
}

#[test]
fn a_line_that_is_kept_out_of_the_history_is_kept_out_of_the_title() {
    let home = zsh("setopt hist_ignore_space; alias hidden=' sleep'");
    home.run("echo before");
    for line in [" sleep 1000", "hidden 1000"] {
        home.world.send("t", line);
        let status = home.until(|status| !status["command"].is_null());
        assert_eq!(status["command"]["line"], json!(null), "{line}");
        home.until(|status| status["title"] == "sleep" && status["title_source"] == "process");
        assert_eq!(home.interrupt()["last_command"]["line"], json!(null));
    }
    home.run("unsetopt hist_ignore_space");
    assert_eq!(home.run(" true")["last_command"]["line"], "true");
}

#[test]
fn lines_of_every_kind_are_told_whole() {
    let home = zsh("next() { print -rz -- \"$line\" }");
    for (line, told) in [
        (
            "for i in 1 2\ndo true $i\ndone",
            "for i in 1 2\ndo true $i\ndone",
        ),
        ("true 'a;b' 100%;", "true 'a;b' 100%;"),
        ("true é 日本 ;", "true é 日本 ;"),
        ("true '\u{1b}]2;evil\u{7}'", "true ']2;evil'"),
    ] {
        home.file("line", line);
        home.run("line=$(<~/line)x; line=${line%x}; next");
        // The line stands at the prompt.
        home.world.ok(&["keys", "t", "Enter"]);
        let status = home.until(|status| status["last_command"]["line"] == told);
        assert_eq!(status["title"], "zsh");
    }
    // Invalid UTF-8.
    std::fs::write(home.path("line"), b"true '\xff\xc3'").unwrap();
    home.run("line=$(<~/line); next");
    home.world.ok(&["keys", "t", "Enter"]);
    home.until(|status| {
        let line = status["last_command"]["line"].as_str().unwrap_or_default();
        line.starts_with("true '\u{fffd}") && line.ends_with('\'')
    });
    // 100 kB: the beginning, in no time.
    home.file("line", &format!("true '{}'", "x;".repeat(50_000)));
    home.run("line=$(<~/line); next");
    home.world.ok(&["keys", "t", "Enter"]);
    let status = home.until(|status| {
        let line = status["last_command"]["line"].as_str().unwrap_or_default();
        line.starts_with("true 'x;x;x") && line.len() > 10_000
    });
    assert!(status["last_command"]["seconds"].as_f64().unwrap() < 5.0);
}

#[test]
fn startup_files_that_fail_leave_the_shell_as_it_would_be() {
    for zshrc in [
        "this is no command; return 1",
        "if then (",
        "typeset -r __wigwag_state=1",
        "__wigwag_done() { false }; typeset -ra precmd_functions=() preexec_functions=()",
        "print -n '\\e]133;C;cmdline=made up\\a\\e]2;made up\\a'",
        "PATH=; unset HOST PWD",
        "zmodload -ud zsh/sched; sched() { false }; disable zmodload",
    ] {
        let home = Home::with(&[(".zshrc", zshrc)]);
        home.start("zsh", &[]);
        home.world.send(
            "t",
            "echo ready $[1+1]; PATH=$(getconf PATH 2>/dev/null || echo /bin:/usr/bin)",
        );
        home.world.until_shown("t", "ready 2");
        home.world.send("t", "sleep 1000");
        let status = home.until(|status| {
            ["sleep 1000", "sleep"].contains(&status["title"].as_str().unwrap_or_default())
        });
        assert!(status["reports"].as_array().unwrap().is_empty());
        home.world.ok(&["keys", "t", "C-c"]);
        let status =
            home.until(|status| status["title_source"] != "command" && status["title"] != "sleep");
        assert_ne!(status["title"], "made up", "{zshrc}");
        let screen = home.screen();
        assert!(
            !screen.contains("__wigwag_done:") && !screen.contains("read-only"),
            "{zshrc}: {screen}"
        );
    }
}

#[test]
fn a_startup_file_that_takes_its_time_delays_nothing_else() {
    let home = Home::with(&[(".zshrc", "read -r line <~/gate; print started $line")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        home.path("gate"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    home.start("zsh", &[]);
    assert_eq!(home.world.show("t")["command"], json!(null));
    home.world.send("t", "sleep 1000");
    std::fs::write(home.path("gate"), "late\n").unwrap();
    home.world.until_shown("t", "started late");
    home.until(|status| status["title"] == "sleep 1000");
}

#[test]
fn what_a_startup_file_runs_is_no_command() {
    let home = Home::with(&[(".zshrc", "cat ~/gate; x=$(cat ~/gate)")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        home.path("gate"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    home.start("zsh", &[]);
    let status = home.until(|status| status["title"] == "cat");
    assert_eq!(status["command"], json!(null));
    assert_eq!(status["state"], "running");
    home.world.send("t", "sleep 1000");
    std::fs::write(home.path("gate"), "one\n").unwrap();
    home.world.until_shown("t", "one");
    std::fs::write(home.path("gate"), "two\n").unwrap();
    let status = home.until(|status| status["command"]["line"] == "sleep 1000");
    assert_eq!(status["last_command"], json!(null));
    home.interrupt();
}

#[test]
fn what_is_sent_to_a_shell_that_still_starts_is_waited_for() {
    for (shell, file) in [("zsh", ".zshrc"), ("bash", ".bashrc")] {
        let home = Home::with(&[(file, "/bin/sleep 0.4; x=$(/bin/sleep 0.4)\n")]);
        home.start("sh", &["--", shell]);
        let output = home
            .world
            .run(&["send", "t", "-e", "-w", "sleep 1; (exit 3)"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(said.trim(), "failed", "{shell}: {output:?}");
        home.until(|status| status["last_command"]["exit_code"] == 3);
    }
}

#[test]
fn a_shell_that_replaces_the_first_is_tracked_as_any_other() {
    // In a startup file: our integration never speaks.
    let home = Home::with(&[(".zshrc", "exec dash")]);
    home.start("zsh", &[]);
    home.until(|status| status["title"] == "dash");
    home.world.send("t", "sleep 1000");
    home.until(|status| status["title"] == "sleep" && status["state"] == "running");
    home.interrupt();
    // At the prompt, another shell or the same once more.
    for other in ["dash", "zsh", "zsh -f"] {
        let home = zsh("");
        home.world.send("t", &format!("exec {other}"));
        let name = &other[..other.find(' ').unwrap_or(other.len())];
        home.until(|status| {
            status["command"].is_null()
                && status["title"] == name
                && status["last_command"]["line"] == format!("exec {other}")
        });
        home.world.send("t", "sleep 1000");
        home.until(|status| status["title"] == "sleep" && status["state"] == "running");
        home.interrupt();
    }
    // A program.
    let home = zsh("");
    home.world.send("t", "exec sleep 1000");
    let status = home.until(|status| status["title"] == "exec sleep 1000");
    assert_eq!(status["state"], "running");
}

#[test]
fn a_shell_inside_the_shell_is_a_command_of_it() {
    let home = zsh("");
    home.runs("zsh -f");
    home.world.send("t", "echo inner $[1+1]");
    home.world.until_shown("t", "inner 2");
    assert_eq!(home.world.show("t")["title"], "zsh -f");
    home.world.ok(&["keys", "t", "C-d"]);
    assert_eq!(home.at_prompt()["last_command"]["line"], "zsh -f");
}

#[test]
fn a_zsh_that_is_asked_for_no_startup_files_is_left_alone() {
    let home = Home::with(&[]);
    home.start("sh", &["--", "zsh", "-f"]);
    home.until(|status| status["title"] == "zsh" && status["state"] == "idle");
    home.world
        .send("t", "print ${ZDOTDIR-unset} ${(k)functions}; sleep 1000");
    let status = home.until(|status| status["title"] == "sleep");
    assert_eq!(status["title_source"], "process");
    assert!(home.screen().contains("unset"));
    assert!(!home.screen().contains("wigwag"));
}
