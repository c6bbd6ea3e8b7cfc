//! The reader against what it is measured by: a bare `memchr` search for the same bytes on
//! plain text, `vte` with an empty performer on colour-dense text.
//!
//! `cargo bench -p signals`; the figures to reach stand in docs/performance.md.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use signals::{Options, Reader, Sink};

fn main() {
    divan::main();
}

/// As much as one read of a busy terminal brings.
const CHUNK: usize = 64 * 1024;

/// The whole of one measured pass.
const SIZE: usize = 4 * 1024 * 1024;

fn plain() -> Vec<u8> {
    let line =
        "2026-11-30 22:00:00 INFO  request served in 12 ms path=/v1/terminals status=200\r\n";
    line.bytes().cycle().take(SIZE).collect()
}

/// A listing in which nearly every word has its colour.
fn coloured() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SIZE + 256);
    let mut number = 0u32;
    while bytes.len() < SIZE {
        number = number.wrapping_add(1);
        let color = number % 256;
        bytes.extend_from_slice(
            format!(
                "\x1b[38;5;{color}mdrwxr-xr-x\x1b[0m \x1b[1;33m{number}\x1b[0m \x1b[38;2;{color};10;200mroot\x1b[39m \
                 \x1b[01;34mdirectory\x1b[0m\x1b[K\r\n"
            )
            .as_bytes(),
        );
    }
    bytes
}

/// Looks at what comes, in as few pieces as a holder does, and does nothing with it.
struct Nothing;

impl Sink for Nothing {
    fn stretch(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }
    fn sequence(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }
    fn forward(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }
}

struct Empty;

impl vte::Perform for Empty {}

fn read(bencher: Bencher<'_, '_>, bytes: Vec<u8>) {
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| {
            let mut reader = Reader::new(Options::default());
            for chunk in black_box(&bytes).chunks(CHUNK) {
                reader.read(chunk, &mut Nothing);
            }
            reader.offset()
        });
}

fn search(bencher: Bencher<'_, '_>, bytes: Vec<u8>) {
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| {
            let mut found = 0;
            for chunk in black_box(&bytes).chunks(CHUNK) {
                found += memchr::memchr3_iter(0x1b, 0x07, 0x05, chunk).count();
            }
            found
        });
}

fn parse(bencher: Bencher<'_, '_>, bytes: Vec<u8>) {
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| {
            let mut parser = vte::Parser::new();
            for chunk in black_box(&bytes).chunks(CHUNK) {
                parser.advance(&mut Empty, chunk);
            }
        });
}

#[divan::bench]
fn plain_reader(bencher: Bencher<'_, '_>) {
    read(bencher, plain());
}

#[divan::bench]
fn plain_memchr(bencher: Bencher<'_, '_>) {
    search(bencher, plain());
}

#[divan::bench]
fn plain_vte(bencher: Bencher<'_, '_>) {
    parse(bencher, plain());
}

#[divan::bench]
fn coloured_reader(bencher: Bencher<'_, '_>) {
    read(bencher, coloured());
}

#[divan::bench]
fn coloured_memchr(bencher: Bencher<'_, '_>) {
    search(bencher, coloured());
}

#[divan::bench]
fn coloured_vte(bencher: Bencher<'_, '_>) {
    parse(bencher, coloured());
}
