//! Completions: what real shells offer at a Tab.

use crate::world::World;

/// What a script says in a shell that has `wigwag` in its PATH.
fn offered(world: &World, shell: &str, script: &str) -> String {
    let wigwag = std::path::Path::new(env!("CARGO_BIN_EXE_wigwag"));
    let mut path = wigwag.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let output = world
        .command(shell)
        .env("PATH", path)
        .args(["-c", script])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn world() -> World {
    let world = World::new();
    for name in ["long-job", "other"] {
        world.ok(&["new", name, "-d", "--", "sleep", "1000"]);
    }
    world.list();
    world
}

#[test]
fn bash_offers_terminals_states_and_keys() {
    let world = world();
    let complete = |line: &str| {
        let script = format!(
            "source <(wigwag completions bash); COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _clap_complete_wigwag wigwag \"${{COMP_WORDS[COMP_CWORD]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        offered(&world, "bash", &script)
    };
    assert_eq!(complete("wigwag attach lo"), "long-job\n");
    assert_eq!(complete("wigwag wait other lo"), "long-job\n");
    assert_eq!(
        complete("wigwag wait other --until finished,fa"),
        "finished,failed\n"
    );
    assert_eq!(complete("wigwag keys other PageU"), "PageUp\n");
    assert_eq!(complete("wigwag att"), "attach\n");
}

#[test]
fn fish_offers_terminals_with_their_labels() {
    let world = world();
    let script = "wigwag completions fish | source; complete -C 'wigwag attach lo'";
    let said = offered(&world, "fish", script);
    assert_eq!(said, "long-job\tlong-job — sleep 1000\n");
}

#[test]
fn zsh_asks_wigwag_for_terminals() {
    let world = world();
    // What the shell would show is told instead.
    let script = "compdef() { }; _describe() { print -l ${(P)${@[-1]}}; }; \
                  source <(wigwag completions zsh); \
                  words=(wigwag attach lo); CURRENT=3; _clap_dynamic_completer_wigwag";
    assert_eq!(
        offered(&world, "zsh", script),
        "long-job:long-job — sleep 1000\n"
    );
}
