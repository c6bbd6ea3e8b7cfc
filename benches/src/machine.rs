//! What the figures were measured on: enough to compare, no names.

use std::process::Command;

/// One line a fact.
pub(crate) fn describe() -> Vec<String> {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown", |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<f64>().ok())
        .map_or("unknown".into(), |kib| {
            format!("{:.0} GiB", kib / 1024.0 / 1024.0)
        });
    vec![
        format!("CPU: {model}, {cores} cores; memory: {memory}"),
        format!("Kernel: Linux {}", kernel()),
        format!(
            "Peers: {}, {}",
            version("dtach", "--version"),
            version("tmux", "-V")
        ),
    ]
}

/// The numbers of the release: what a distribution or a provider adds to them says nothing here.
fn kernel() -> String {
    let release = rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned();
    release.split('-').next().unwrap_or_default().to_owned()
}

fn version(program: &str, flag: &str) -> String {
    Command::new(program)
        .arg(flag)
        .output()
        .ok()
        .and_then(|output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Some(
                text.lines()
                    .next()?
                    .trim()
                    .replace(" - version", "")
                    .to_owned(),
            )
        })
        .unwrap_or_else(|| format!("{program} (not here)"))
}
