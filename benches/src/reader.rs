//! The signal reader and the emulator by themselves, without a PTY.

use crate::samples::Samples;
use crate::sandbox::Sandbox;
use crate::table::{Reach, Row, number};
use crate::{Scale, text};
use anyhow::Result;
use signals::{Options, Query, Reader, Signal, Sink};
use std::hint::black_box;
use std::time::Instant;

const SIZE: usize = 64_000_000;

/// What a holder reads from a PTY at once, at most.
const CHUNK: usize = 64 * 1024;

/// Takes everything, does nothing: what is left is the reader.
struct Nothing;

impl Sink for Nothing {
    fn stretch(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }
    fn forward(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }
    fn draw(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }
    fn signal(&mut self, at: u64, signal: Signal) {
        black_box((at, signal));
    }
    fn query(&mut self, at: u64, query: Query) {
        black_box((at, query));
    }
}

struct NoPerformer;

impl vte::Perform for NoPerformer {}

/// Collects what is to be drawn, as a holder does before it forwards and draws.
struct Drawn(Vec<u8>);

impl Sink for Drawn {
    fn stretch(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
    fn draw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

pub(crate) fn measure(_: &Sandbox, scale: &Scale) -> Result<Vec<Row>> {
    let (plain, coloured) = (text::plain(SIZE), text::coloured(SIZE));
    let mut found: [Samples; 4] = Default::default();
    for _ in 0..scale.rounds {
        found[0].push(speed(&plain, || {
            for chunk in plain.chunks(CHUNK) {
                black_box(memchr::memchr2_iter(0x1b, 0x07, chunk).count());
            }
        }));
        found[1].push(speed(&plain, || read(&plain)));
        found[2].push(speed(&coloured, || {
            let mut parser = vte::Parser::new();
            for chunk in coloured.chunks(CHUNK) {
                parser.advance(&mut NoPerformer, chunk);
            }
        }));
        found[3].push(speed(&coloured, || read(&coloured)));
    }
    let [memchr, reader_plain, vte, reader_coloured] = found.map(|samples| samples.median());

    let (plain, coloured) = (as_a_pty_gives(&plain), as_a_pty_gives(&coloured));
    let mut drawn = [Samples::default(), Samples::default()];
    for _ in 0..scale.rounds {
        drawn[0].push(speed(&plain, || draw(&plain)));
        drawn[1].push(speed(&coloured, || draw(&coloured)));
    }
    let [drawn_plain, drawn_coloured] = drawn.map(|samples| samples.median());

    Ok(vec![
        Row::new(
            "signal reader, plain text",
            format!("{} GB/s", number(reader_plain / 1e3)),
            format!("`memchr2` {} GB/s", number(memchr / 1e3)),
        )
        .target("× memchr", Reach::AtLeast, reader_plain / memchr, 0.7),
        Row::new(
            "signal reader, colour-dense text",
            format!("{} GB/s", number(reader_coloured / 1e3)),
            format!("`vte`, empty performer {} GB/s", number(vte / 1e3)),
        )
        .target("× vte", Reach::AtLeast, reader_coloured / vte, 3.0),
        Row::new(
            "reader and emulator, plain / coloured text",
            format!("{} / {} MB/s", number(drawn_plain), number(drawn_coloured)),
            "80×24, 10,000 lines of history".to_owned(),
        ),
    ])
}

fn read(text: &[u8]) {
    let mut reader = Reader::new(Options::default());
    for chunk in text.chunks(CHUNK) {
        reader.read(chunk, &mut Nothing);
    }
    black_box(reader.offset());
}

fn draw(text: &[u8]) {
    let mut reader = Reader::new(Options::default());
    let mut screen = screen::Screen::new(screen::Size::new(80, 24), 10_000);
    let mut drawn = Drawn(Vec::with_capacity(CHUNK));
    for chunk in text.chunks(CHUNK) {
        drawn.0.clear();
        reader.read(chunk, &mut drawn);
        screen.feed(&drawn.0);
    }
    black_box(screen.history_end());
}

/// A PTY writes a carriage return before every line feed.
fn as_a_pty_gives(text: &[u8]) -> Vec<u8> {
    let mut given = Vec::with_capacity(text.len() + text.len() / 32);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        given.extend_from_slice(&line[..line.len() - 1]);
        given.extend_from_slice(b"\r\n");
    }
    given
}

/// Megabytes a second.
fn speed(text: &[u8], work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    text.len() as f64 / 1e6 / start.elapsed().as_secs_f64()
}
