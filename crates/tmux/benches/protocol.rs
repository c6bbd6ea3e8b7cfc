//! What decoding the output of panes costs; the figure to reach is 300 MB/s of decoded output.
//!
//! `cargo bench -p tmux`

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use tmux::protocol::{Event, Reader, Start};

fn main() {
    divan::main();
}

/// As much as one read of a connection brings.
const CHUNK: usize = 64 * 1024;

/// The whole of one measured pass, decoded.
const SIZE: usize = 4 * 1024 * 1024;

/// How much of a pane tmux writes in one line.
const LINE: usize = 2048;

fn plain() -> Vec<u8> {
    let line =
        "2026-11-30 22:00:00 INFO  request served in 12 ms path=/v1/terminals status=200\r\n";
    line.bytes().cycle().take(SIZE).collect()
}

fn coloured() -> Vec<u8> {
    let line =
        "\x1b[38;5;12mdrwxr-xr-x\x1b[0m \x1b[1;33m17\x1b[0m \x1b[01;34mdirectory\x1b[0m\x1b[K\r\n";
    line.bytes().cycle().take(SIZE).collect()
}

/// As tmux writes it.
fn written(output: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    for piece in output.chunks(LINE) {
        stream.extend_from_slice(b"%extended-output %17 0 : ");
        for &byte in piece {
            if byte < b' ' || byte == b'\\' {
                stream.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            } else {
                stream.push(byte);
            }
        }
        stream.push(b'\n');
    }
    stream
}

fn read(bencher: Bencher<'_, '_>, output: &[u8]) {
    let stream = written(output);
    bencher
        .counter(BytesCount::of_slice(output))
        .bench_local(|| {
            let mut reader = Reader::new(Start::AtOnce);
            let mut bytes_read = 0;
            for chunk in black_box(&stream).chunks(CHUNK) {
                reader.read(chunk, &mut |event| {
                    if let Event::Output { bytes, .. } = event {
                        bytes_read += black_box(bytes).len();
                    }
                });
            }
            assert_eq!(bytes_read, output.len());
        });
}

#[divan::bench]
fn plain_output(bencher: Bencher<'_, '_>) {
    read(bencher, &plain());
}

#[divan::bench]
fn coloured_output(bencher: Bencher<'_, '_>) {
    read(bencher, &coloured());
}
