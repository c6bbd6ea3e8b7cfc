//! Short commands, from the start of their process to its end.

use crate::Scale;
use crate::samples::Samples;
use crate::sandbox::Sandbox;
use crate::table::{Reach, Row, number};
use anyhow::Result;
use std::time::Instant;

/// How many terminals there are to list.
const TERMINALS: usize = 10;

pub(crate) fn measure(sandbox: &Sandbox, scale: &Scale) -> Result<Vec<Row>> {
    sandbox.run_wigwag(&["daemon", "start"])?;
    let mut new = Samples::default();
    let mut list = Samples::default();
    for number in 0..TERMINALS {
        create(sandbox, &format!("listed{number}"))?;
    }
    for round in 0..scale.samples / 10 {
        let name = format!("new{round}");
        let start = Instant::now();
        create(sandbox, &name)?;
        new.push(start.elapsed().as_secs_f64() * 1e3);
        sandbox.run_wigwag(&["remove", &name, "--force"])?;

        let start = Instant::now();
        sandbox.run_wigwag(&["list"])?;
        list.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let say = |samples: &Samples| {
        format!(
            "{} / {} ms",
            number(samples.median()),
            number(samples.percentile(99.0))
        )
    };
    Ok(vec![
        Row::new(
            "`wigwag list` warm, whole process, p50 / p99",
            say(&list),
            format!("{TERMINALS} terminals"),
        )
        .target("p50 (ms)", Reach::AtMost, list.median(), 15.0),
        Row::new(
            "`wigwag new -d`, whole process, p50 / p99",
            say(&new),
            String::new(),
        )
        .target("p50 (ms)", Reach::AtMost, new.median(), 50.0),
    ])
}

fn create(sandbox: &Sandbox, name: &str) -> Result<String> {
    sandbox.run_wigwag(&["new", name, "-d", "--", "sleep", "1000000"])
}
