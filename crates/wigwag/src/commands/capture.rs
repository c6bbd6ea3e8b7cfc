//! `wigwag capture`: the screen of a terminal as text; or everything new that it prints.

use super::Outcome;
use crate::daemon_client::{connect, find};
use crate::failure::Failure;
use crate::holder_stream::{HolderStream, Piece};
use crate::output::Context;
use client::{CaptureQuery, Match};
use std::process::ExitCode;

/// Arguments of `capture`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The terminal, also a unique prefix
    terminal: String,
    /// Only the last N lines
    #[arg(long, short = 'n', value_name = "N")]
    lines: Option<usize>,
    /// With the history above the screen
    #[arg(long, short)]
    scrollback: bool,
    /// With colours and attributes
    #[arg(long)]
    ansi: bool,
    /// Then everything new, as the program prints it, until it ends
    #[arg(long, short)]
    follow: bool,
}

/// Runs `capture`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let client = connect()?;
    let status = find(&client, &args.terminal, Match::Prefix)?;
    if args.follow && context.json {
        return Err(Failure::usage(
            "--follow prints bytes as they come: leave --json out",
        ));
    }
    let query = CaptureQuery {
        lines: args.lines,
        scrollback: args.scrollback,
        ansi: args.ansi,
    };
    if args.follow {
        return follow(&client, &status, &query, context);
    }
    let text = client.capture(&status.id, &query)?;
    if context.json {
        let (id, name) = (&status.id, &status.name);
        context.say_json(&serde_json::json!({"id": id, "name": name, "text": text}))?;
    } else {
        show(&text, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(text: &str, context: &Context) -> Result<(), Failure> {
    if text.is_empty() || text.ends_with('\n') {
        return context.write(text.as_bytes());
    }
    context.say(text)
}

/// The screen as it is, then the raw stream from that point; text only unless `--ansi`.
fn follow(
    client: &client::Client,
    status: &status::Status,
    query: &CaptureQuery,
    context: &Context,
) -> Outcome {
    let Some(mut stream) = HolderStream::open(status, 0)? else {
        show(&client.capture(&status.id, query)?, context)?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut filter = Filter {
        reader: signals::Reader::new(signals::Options::default()),
        plain: Plain::default(),
        ansi: query.ansi,
    };
    let mut snapshots = 0;
    let mut in_snapshot = false;
    loop {
        match stream.next()? {
            Piece::SnapshotStart(start) => {
                in_snapshot = true;
                snapshots += 1;
                if snapshots == 1 {
                    // What follows the snapshot is what is new after this capture, give or take
                    // what is printed in this moment.
                    show(&client.capture(&status.id, query)?, context)?;
                } else if start.skipped > 0 {
                    context.say(format!("[{} lines were skipped]", start.skipped))?;
                }
            }
            Piece::SnapshotEnd => in_snapshot = false,
            Piece::Output(bytes) if !in_snapshot => context.write(&filter.pass(&bytes))?,
            Piece::Exited | Piece::End => return Ok(ExitCode::SUCCESS),
            Piece::Output(_) | Piece::Other => {}
        }
    }
}

/// What of the stream is printed.
struct Filter {
    reader: signals::Reader,
    plain: Plain,
    ansi: bool,
}

impl Filter {
    fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.ansi {
            return bytes.to_vec();
        }
        self.reader.read(bytes, &mut self.plain);
        std::mem::take(&mut self.plain.text)
    }
}

/// Text without control sequences: what `draw` gets whole, minus everything that begins with ESC.
#[derive(Debug, Default)]
struct Plain {
    text: Vec<u8>,
}

impl signals::Sink for Plain {
    fn text(&mut self, bytes: &[u8]) {
        let kept = bytes
            .iter()
            .filter(|b| matches!(**b, b'\n' | b'\t') || **b >= 0x20);
        self.text.extend(kept.filter(|byte| **byte != 0x7f));
    }
    fn forward(&mut self, _bytes: &[u8]) {}
    fn draw(&mut self, bytes: &[u8]) {
        if !bytes.starts_with(b"\x1b") {
            self.text(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn followed_text_has_no_control_sequences() {
        let mut filter = Filter {
            reader: signals::Reader::new(signals::Options::default()),
            plain: Plain::default(),
            ansi: false,
        };
        let mut text = filter.pass(b"a\x1b[31mred\x1b[0m\x1b]2;title\x07 b\r\nc\x08\x1b[3");
        text.extend(filter.pass(b"2m\xc3\xa9\n"));
        assert_eq!(String::from_utf8(text).unwrap(), "ared b\nc\u{e9}\n");
    }
}
