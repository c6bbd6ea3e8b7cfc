//! Memory of an idle terminal beyond its shell.

use crate::Scale;
use crate::idle::settle;
use crate::peer::tmux;
use crate::processes::{self, Memory, Process};
use crate::sandbox::{Sandbox, run};
use crate::table::{Reach, Row, number};
use anyhow::{Result, ensure};

const TERMINALS: usize = 100;

pub(crate) fn measure(sandbox: &Sandbox, _: &Scale) -> Result<Vec<Row>> {
    for number in 0..TERMINALS {
        sandbox.run_wigwag(&["new", &format!("idle{number}"), "-d"])?;
        run(sandbox
            .command("dtach")
            .arg("-n")
            .arg(sandbox.path().join(format!("d{number}")))
            .arg("sh"))?;
    }
    run(tmux(sandbox, "tmux")?.args(["new-session", "-d", "sh"]))?;
    for _ in 1..TERMINALS {
        run(tmux(sandbox, "tmux")?.args(["new-window", "-d", "sh"]))?;
    }

    // The daemon is connected to all of them.
    sandbox.run_wigwag(&["list"])?;
    let holders = processes::of(sandbox, "wigwag-holder");
    ensure!(
        holders.len() == TERMINALS,
        "{TERMINALS} terminals were started, {} holders are there",
        holders.len()
    );
    settle(&holders)?;
    let ours = each(&holders, TERMINALS)?;
    let daemon = each(&processes::of(sandbox, "wigwag"), 1)?;
    let dtach = each(&processes::of(sandbox, "dtach"), TERMINALS)?;
    let tmux = each(&processes::of(sandbox, "tmux: server"), TERMINALS)?;
    Ok(vec![
        Row::new(
            "memory per idle terminal beyond its shell, PSS / resident",
            say(ours),
            format!(
                "dtach {}, tmux {} (its server, shared by {TERMINALS}); our daemon for all of them {}",
                say(dtach),
                say(tmux),
                say(daemon)
            ),
        )
        .target("PSS (MB)", Reach::AtMost, ours.proportional / 1e6, 0.5)
        .target("resident (MB)", Reach::AtMost, ours.resident / 1e6, 2.5),
    ])
}

fn say(memory: Memory) -> String {
    format!(
        "{} / {} MB",
        number(memory.proportional / 1e6),
        number(memory.resident / 1e6)
    )
}

/// The sum over `processes` for each of `terminals`.
fn each(processes: &[Process], terminals: usize) -> Result<Memory> {
    let mut sum = Memory::default();
    for process in processes {
        let memory = process.memory()?;
        sum.proportional += memory.proportional;
        sum.resident += memory.resident;
    }
    Ok(Memory {
        proportional: sum.proportional / terminals as f64,
        resident: sum.resident / terminals as f64,
    })
}
