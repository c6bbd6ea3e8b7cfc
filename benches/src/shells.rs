//! What the shell integration costs: the start of a shell to its first prompt, and from Enter to the
//! next prompt, each beside the same shell without it, in turn.

use crate::Scale;
use crate::outer::Outer;
use crate::peer::LIMIT;
use crate::processes::now;
use crate::samples::Samples;
use crate::sandbox::Sandbox;
use crate::table::{Reach, Row, number};
use anyhow::{Context as _, Result};
use std::time::Duration;

/// The end of every prompt here.
const PROMPT: &[u8] = b"ready> ";

/// Between two commands: the line editor is back in its wait.
const PAUSE: Duration = Duration::from_millis(10);

/// A shell, its startup file in the home, and how its prompt is set.
struct Shell {
    name: &'static str,
    startup: &'static str,
    prompt: &'static str,
}

const SHELLS: [Shell; 3] = [
    Shell {
        name: "zsh",
        startup: ".zshrc",
        prompt: "PS1='ready> '\n",
    },
    Shell {
        name: "bash",
        startup: ".bashrc",
        prompt: "PS1='ready> '\n",
    },
    Shell {
        name: "fish",
        startup: ".config/fish/config.fish",
        prompt: "function fish_prompt; echo -n 'ready> '; end\n",
    },
];

pub(crate) fn measure(sandbox: &Sandbox, scale: &Scale) -> Result<Vec<Row>> {
    // A fish that does not find it reads all manual pages of the machine, beside the measurement.
    let completions = ".local/share/fish/generated_completions";
    let mut rows = Vec::new();
    for shell in &SHELLS {
        let script = sandbox.run_wigwag(&["shell-integration", shell.name])?;
        let homes = ["without", "with"].map(|name| sandbox.path().join(shell.name).join(name));
        for (home, script) in homes.iter().zip(["", &script]) {
            std::fs::create_dir_all(home.join(completions))?;
            let startup = home.join(shell.startup);
            std::fs::create_dir_all(startup.parent().context("a file in the home")?)?;
            std::fs::write(startup, format!("{}{script}", shell.prompt))?;
        }
        let start = |home: &std::path::Path| {
            let mut command = sandbox.command(shell.name);
            command.arg("-i").env("HOME", home);
            command.env_remove("XDG_CONFIG_HOME");
            Outer::spawn(command, 80, 24)
        };
        let mut starts = [Samples::default(), Samples::default()];
        for _ in 0..scale.samples / 20 {
            for (home, samples) in homes.iter().zip(&mut starts) {
                let begin = now();
                let mut outer = start(home)?;
                outer.read_until(PROMPT, LIMIT)?;
                samples.push((now() - begin) as f64 / 1e6);
            }
        }
        let mut sessions = Vec::new();
        for home in &homes {
            let mut outer = start(home)?;
            outer.read_until(PROMPT, LIMIT)?;
            sessions.push((outer, Samples::default()));
        }
        for _ in 0..scale.samples / 5 {
            for (outer, samples) in &mut sessions {
                std::thread::sleep(PAUSE);
                outer.drain()?;
                let begin = now();
                outer.type_bytes(b"true\r")?;
                outer.read_until(PROMPT, LIMIT)?;
                samples.push((now() - begin) as f64 / 1e6);
            }
        }
        let [without, with] = starts.map(|samples| samples.median());
        rows.push(row(
            &format!("{}: start to the first prompt, p50", shell.name),
            (with, without),
            10.0,
        ));
        let [without, with] = [0, 1].map(|at: usize| sessions[at].1.median());
        rows.push(row(
            &format!("{}: Enter to the next prompt, p50", shell.name),
            (with, without),
            1.0,
        ));
    }
    Ok(rows)
}

fn row(what: &str, (with, without): (f64, f64), most: f64) -> Row {
    Row::new(
        what,
        format!(
            "{} ms: {} ms for the integration",
            number(with),
            number(with - without)
        ),
        format!("without it {} ms", number(without)),
    )
    .target("added p50 (ms)", Reach::AtMost, with - without, most)
}
