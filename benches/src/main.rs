//! Measures the figures Wigwag has to reach, beside `dtach`, `tmux` and a bare PTY in the same
//! run, prints them as a table and writes `docs/performance.md`.
//!
//! `make bench` runs it. One file per figure; what they share is the [`outer`] terminal that
//! plays the person's window, the [`peer`]s that can stand between window and program, and the
//! [`sandbox`] that keeps all of it away from the user's own terminals.
#![forbid(unsafe_code)]

mod commands;
mod idle;
mod join;
mod keys;
mod load;
mod machine;
mod memory;
mod outer;
mod peer;
mod processes;
mod reader;
mod samples;
mod sandbox;
mod shells;
mod signal;
mod table;
mod text;
mod throughput;

use anyhow::{Context as _, Result, bail};
use sandbox::Sandbox;
use std::path::PathBuf;
use table::Row;

/// How much is measured.
struct Scale {
    /// Interleaved rounds of the long measurements.
    rounds: usize,
    /// Samples of the short ones.
    samples: usize,
    /// Seconds for which idle terminals are observed.
    observed: u64,
}

const FULL: Scale = Scale {
    rounds: 5,
    samples: 1000,
    observed: 30,
};

/// For trying a change: says little, but says it within half a minute.
const QUICK: Scale = Scale {
    rounds: 1,
    samples: 100,
    observed: 5,
};

type Measure = fn(&Sandbox, &Scale) -> Result<Vec<Row>>;

/// In the order of the table.
const MEASURES: [(&str, Measure); 10] = [
    ("throughput", throughput::measure),
    ("keys", keys::measure),
    ("signal", signal::measure),
    ("reader", reader::measure),
    ("commands", commands::measure),
    ("shells", shells::measure),
    ("join", join::measure),
    ("memory", memory::measure),
    ("idle", idle::measure),
    ("load", load::measure),
];

const USAGE: &str = "usage: benches --bin-dir DIR [--quick] [--only NAME,...] [--out FILE]
names: throughput keys signal reader commands shells join memory idle load";

struct Arguments {
    bin_dir: PathBuf,
    quick: bool,
    only: Option<Vec<String>>,
    out: PathBuf,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // The programs that run inside the measured terminals are this executable, too.
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--be-echo"] => return keys::echo(),
        ["--be-signal-writer", socket] => return signal::writer(socket.as_ref()),
        ["--be-printer", gate] => return load::printer(gate.as_ref()),
        _ => {}
    }
    let arguments = parse(arguments)?;
    let scale = if arguments.quick { &QUICK } else { &FULL };

    let mut rows = Vec::new();
    for (name, measure) in MEASURES {
        if arguments
            .only
            .as_ref()
            .is_some_and(|only| !only.iter().any(|wanted| wanted == name))
        {
            continue;
        }
        eprintln!("measuring: {name}");
        let measured =
            Sandbox::new(&arguments.bin_dir).and_then(|sandbox| measure(&sandbox, scale));
        rows.extend(measured.unwrap_or_else(|error| vec![Row::failed(name, &error)]));
    }

    println!("{}", table::plain(&rows));
    if arguments.only.is_some() || arguments.quick {
        println!("Only a part, or a quick look: docs/performance.md stays as it is.");
        return Ok(());
    }
    let document = table::document(&rows, &arguments.out.with_file_name("performance-notes.md"))?;
    std::fs::write(&arguments.out, document)
        .with_context(|| format!("cannot write {}", arguments.out.display()))?;
    println!("Written to {}.", arguments.out.display());
    Ok(())
}

fn parse(arguments: Vec<String>) -> Result<Arguments> {
    let mut bin_dir = None;
    let mut parsed = Arguments {
        bin_dir: PathBuf::new(),
        quick: false,
        only: None,
        out: "docs/performance.md".into(),
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .with_context(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "--bin-dir" => bin_dir = Some(value()?),
            "--only" => parsed.only = Some(value()?.split(',').map(str::to_owned).collect()),
            "--out" => parsed.out = value()?.into(),
            "--quick" => parsed.quick = true,
            _ => bail!("{USAGE}"),
        }
    }
    let unknown = parsed
        .only
        .iter()
        .flatten()
        .find(|wanted| MEASURES.iter().all(|(name, _)| name != wanted));
    if let Some(unknown) = unknown {
        bail!("nothing is measured under the name {unknown}\n{USAGE}");
    }
    parsed.bin_dir = std::fs::canonicalize(bin_dir.context(USAGE)?)
        .context("--bin-dir must hold wigwag and wigwag-holder")?;
    Ok(parsed)
}
