//! How fast the emulator takes output, against `alacritty_terminal`'s own `Term` in the same
//! run: 80×24, 10,000 lines of history, 16 KiB at a time as a holder reads.

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::term::test::TermSize;
use alacritty_terminal::term::{Config, Term};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use screen::{Screen, Size, SnapshotExtras};
use vte::ansi::Processor;

/// Enough to fill the history and go on.
const BYTES: usize = 8 * 1024 * 1024;
/// What one read from a PTY gives at most.
const CHUNK: usize = 16 * 1024;
const SCROLLBACK: usize = 10_000;

/// Kinds of output.
#[derive(Debug, Clone, Copy)]
enum Output {
    /// Lines of words, 20 to 100 columns.
    Plain,
    /// A few coloured words in each line.
    Coloured,
    /// Cursor movement and short writes, as a full-screen program.
    FullScreen,
    /// East Asian text.
    Wide,
}

const ALL: [Output; 4] = [
    Output::Plain,
    Output::Coloured,
    Output::FullScreen,
    Output::Wide,
];

fn output(kind: Output) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BYTES + 256);
    let mut n = 0usize;
    while bytes.len() < BYTES {
        n = n
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let r = n >> 33;
        match kind {
            Output::Plain => {
                let words = 3 + r % 14;
                for word in 0..words {
                    bytes.extend_from_slice(&b"abcdefghijkl"[..2 + (r >> word) % 9]);
                    bytes.push(b' ');
                }
                bytes.extend_from_slice(b"\r\n");
            }
            Output::Coloured => {
                for word in 0..5 + r % 4 {
                    let color = 30 + (r >> word) % 8;
                    bytes
                        .extend_from_slice(format!("\x1b[1;{color}mword{word}\x1b[0m ").as_bytes());
                }
                bytes.extend_from_slice(b"\r\n");
            }
            Output::FullScreen => bytes.extend_from_slice(
                format!("\x1b[{};{}Htext\x1b[K", 1 + r % 24, 1 + (r >> 8) % 70).as_bytes(),
            ),
            Output::Wide => {
                for _ in 0..10 + r % 20 {
                    bytes.extend_from_slice("世界".as_bytes());
                }
                bytes.extend_from_slice(b"\r\n");
            }
        }
    }
    bytes
}

#[divan::bench(args = ALL, sample_count = 5)]
fn screen(bencher: Bencher<'_, '_>, kind: Output) {
    let bytes = output(kind);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let mut screen = Screen::new(Size::new(80, 24), SCROLLBACK);
            for chunk in bytes.chunks(CHUNK) {
                screen.feed(black_box(chunk));
            }
            screen
        });
}

#[divan::bench(args = ALL, sample_count = 5)]
fn alacritty(bencher: Bencher<'_, '_>, kind: Output) {
    let bytes = output(kind);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let config = Config {
                scrolling_history: SCROLLBACK,
                ..Config::default()
            };
            let mut term = Term::new(config, &TermSize::new(80, 24), VoidListener);
            let mut processor: Processor = Processor::new();
            for chunk in bytes.chunks(CHUNK) {
                processor.advance(&mut term, black_box(chunk));
            }
            term
        });
}

/// Joining: a snapshot with the whole history.
#[divan::bench(args = ALL, sample_count = 20)]
fn snapshot(bencher: Bencher<'_, '_>, kind: Output) {
    let mut screen = Screen::new(Size::new(80, 24), SCROLLBACK);
    screen.feed(&output(kind));
    bencher.bench_local(|| screen.snapshot(0, &SnapshotExtras::default()));
}

/// A resize that wraps the whole history anew.
#[divan::bench(args = ALL, sample_count = 20)]
fn reflow(bencher: Bencher<'_, '_>, kind: Output) {
    let mut screen = Screen::new(Size::new(80, 24), SCROLLBACK);
    screen.feed(&output(kind));
    let mut cols = 80;
    bencher.bench_local(|| {
        cols = 140 - cols;
        screen.resize(Size::new(cols, 24));
    });
}

fn main() {
    divan::main();
}
