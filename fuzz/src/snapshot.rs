//! A snapshot at any point of any stream.
//!
//! Promises: whatever the bytes, feeding a snapshot and then the rest to a fresh screen
//! shows what the whole stream shows; a snapshot rings no bell and asks nothing.

use screen::{Capture, Screen, Size, SnapshotExtras};
use signals::{Options, Query, Reader, Signal, Sink};

/// Small, so that lines wrap and scroll early.
const SIZE: (u16, u16) = (20, 6);

const SCROLLBACK: usize = 50;

/// What a holder does with output: everything is drawn, questions are answered.
struct Drawn<'a>(&'a mut Screen);

impl Sink for Drawn<'_> {
    fn draw(&mut self, bytes: &[u8]) {
        self.0.feed(bytes);
    }
    fn query(&mut self, _: u64, query: Query) {
        let _ = self.0.answer(&query);
    }
}

/// What a snapshot must not be.
struct Quiet;

impl Sink for Quiet {
    fn signal(&mut self, _: u64, signal: Signal) {
        assert!(
            !matches!(signal, Signal::Bell | Signal::Notify(_)),
            "a snapshot says {signal:?}"
        );
    }
    fn query(&mut self, _: u64, query: Query) {
        panic!("a snapshot asks {query:?}");
    }
}

fn screen() -> Screen {
    Screen::new(Size::new(SIZE.0, SIZE.1), SCROLLBACK)
}

/// The target: the first byte says where the stream is cut.
pub fn snapshot(data: &[u8]) {
    let Some((at, stream)) = data.split_first() else {
        return;
    };
    let cut = stream.len() * usize::from(*at) / 255;
    let mut reader = Reader::new(Options::default());
    let mut whole = screen();
    reader.read(&stream[..cut], &mut Drawn(&mut whole));
    // What is unfinished at the cut is the reader's; a stream that ends there has it in
    // neither screen.
    let bytes = whole.snapshot(0, &SnapshotExtras::default()).bytes;
    Reader::new(Options::default()).read(&bytes, &mut Quiet);
    let mut joined = screen();
    joined.feed(&bytes);
    assert_alike(&whole, &joined);

    let mut both = Both(&mut whole, &mut joined);
    reader.read(&stream[cut..], &mut both);
    assert_alike(&whole, &joined);
}

/// The rest of the stream, drawn on both screens.
struct Both<'a>(&'a mut Screen, &'a mut Screen);

impl Sink for Both<'_> {
    fn draw(&mut self, bytes: &[u8]) {
        self.0.feed(bytes);
        self.1.feed(bytes);
    }
}

fn assert_alike(whole: &Screen, joined: &Screen) {
    assert_eq!(whole.modes(), joined.modes());
    let what = Capture {
        ansi: true,
        ..Capture::default()
    };
    assert_eq!(whole.capture(what), joined.capture(what));
    // The snapshot is a function of the whole state: alike screens have the same one.
    let of = |screen: &Screen| screen.snapshot(u64::MAX, &SnapshotExtras::default()).bytes;
    assert_eq!(
        of(whole).escape_ascii().to_string(),
        of(joined).escape_ascii().to_string()
    );
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_snapshot_anywhere_keeps_its_promises() {
        let dictionary: &[&[u8]] = &[
            b"\x1b[?1049h",
            b"\x1b[?1049l",
            b"\x1b[2;4r",
            b"\x1b[?6h",
            b"\x1b[4h",
            b"\x1b[20G",
            b"\x1b[5b",
            b"\x1b[?7l",
            b"\x1b(0",
            b"\x0e",
            b"\x1b7",
            b"\x1b8",
            b"\x1bM",
            b"\x1b[L",
            b"\x1b[M",
            b"\x1b[2P",
            b"\x1b[3@",
            b"\x1b[38;2;1;2;3;4:3;58:5:9m",
            b"\x1b[3g",
            b"\x1bH",
            b"\x1b[>5u",
            b"\x1b[<u",
            b"\x1b[22t",
            b"\x1b]2;t\x07",
            b"\x1b]8;id=a;http://x\x1b\\",
            "\u{4e2d}\u{0301}".as_bytes(),
            "\u{1f468}\u{200d}\u{1f469}".as_bytes(),
            b"\r\n\r\n\r\n",
            b"\x1b[3J",
            b"\x1bc",
        ];
        crate::mutation::run("snapshot", dictionary, super::snapshot);
    }
}
