//! What a snapshot says beyond the property in `contract.rs`: numbers, extras, manners.

use screen::{Capture, Screen, Size, SnapshotExtras};
use signals::{Options, Reader, Sink};

fn screen(bytes: &[u8]) -> Screen {
    let mut screen = Screen::new(Size::new(20, 5), 1000);
    screen.feed(bytes);
    screen
}

fn lines(range: std::ops::Range<u32>) -> Vec<u8> {
    range
        .map(|n| format!("line {n}\r\n"))
        .collect::<String>()
        .into_bytes()
}

fn all(screen: &Screen) -> String {
    screen.capture(Capture {
        scrollback: true,
        ..Capture::default()
    })
}

#[test]
fn history_is_sent_from_the_number_asked_for() {
    let screen = screen(&lines(0..100));
    assert_eq!(screen.history_end(), 96);
    let snapshot = screen.snapshot(90, &SnapshotExtras::default());
    assert_eq!((snapshot.history_first, snapshot.history_end), (90, 96));
    let mut fresh = Screen::new(snapshot.size, 1000);
    fresh.feed(&snapshot.bytes);
    assert!(all(&fresh).starts_with("line 90\nline 91\n"));
    assert_eq!(fresh.history_end(), 6);
}

#[test]
fn no_history_is_sent_where_none_is_asked_for() {
    let screen = screen(&lines(0..100));
    let snapshot = screen.snapshot(u64::MAX, &SnapshotExtras::default());
    assert_eq!((snapshot.history_first, snapshot.history_end), (96, 96));
    let mut fresh = Screen::new(snapshot.size, 1000);
    fresh.feed(&snapshot.bytes);
    assert_eq!(all(&fresh), "line 96\nline 97\nline 98\nline 99");
}

#[test]
fn two_snapshots_in_a_row_never_send_a_line_twice() {
    let mut screen = screen(&lines(0..50));
    let first = screen.snapshot(0, &SnapshotExtras::default());
    screen.feed(&lines(50..80));
    let second = screen.snapshot(first.history_end, &SnapshotExtras::default());
    assert_eq!(second.history_first, first.history_end);
    let text = String::from_utf8(second.bytes).unwrap();
    assert!(!text.contains("line 45\r"));
    assert!(text.contains("line 46\r"));
}

#[test]
fn cleared_history_is_not_sent_and_numbers_go_on() {
    let mut screen = screen(&lines(0..50));
    screen.feed(b"\x1b[3J");
    let snapshot = screen.snapshot(0, &SnapshotExtras::default());
    assert_eq!((snapshot.history_first, snapshot.history_end), (46, 46));
    screen.feed(&lines(50..52));
    assert_eq!(screen.history_end(), 48);
}

#[test]
fn a_snapshot_never_rings_and_never_notifies() {
    let screen =
        screen(b"\x07\x1b]2;t\x07\x1b]9;hello\x07\x1b]777;notify;a;b\x07\x1b]8;;http://a\x07x\x07");
    let bytes = screen.snapshot(0, &SnapshotExtras::default()).bytes;
    assert!(!bytes.contains(&7));
    let signals = signals::signals_of(&bytes);
    for (_, signal) in signals {
        assert!(
            matches!(signal, signals::Signal::Title(_)),
            "{signal:?} in a snapshot"
        );
    }
}

#[test]
fn status_comes_after_the_screen_and_unfinished_bytes_at_the_very_end() {
    let screen = screen(b"text\x1b[?2026h");
    let extras = SnapshotExtras {
        status: b"\x1b]9;4;1;42\x1b\\",
        unfinished: b"\x1b[3",
    };
    let bytes = screen.snapshot(0, &extras).bytes;
    assert!(bytes.ends_with(b"\x1b]9;4;1;42\x1b\\\x1b[?2026h\x1b[3"));
}

#[test]
fn a_wrapped_line_stays_one_line() {
    let long = "x".repeat(95);
    let screen = screen(format!("{long}\r\n{long}\r\n{long}\r\nend").as_bytes());
    let snapshot = screen.snapshot(0, &SnapshotExtras::default());
    let mut fresh = Screen::new(snapshot.size, 1000);
    fresh.feed(&snapshot.bytes);
    assert_eq!(all(&fresh), format!("{long}\n{long}\n{long}\nend"));
    fresh.resize(Size::new(100, 10));
    assert_eq!(all(&fresh), format!("{long}\n{long}\n{long}\nend"));
}

/// Feeds the emulator as a holder does.
struct Draw<'a>(&'a mut Screen);

impl Sink for Draw<'_> {
    fn draw(&mut self, bytes: &[u8]) {
        self.0.feed(bytes);
    }
}

#[test]
fn behind_the_signal_reader_a_client_continues_at_any_byte() {
    let stream = "plain \x1b[1;31mred\x1b[0m \u{4e16}\u{754c} e\u{301}\r\n\x1b]2;title\x1b\\\
                  \x1b]8;id=a;http://x\x07link\x1b]8;;\x07\x1b(0lqk\x1b(B\x1b[?1049h\x1b[5;5Halt\x1b[>5u\
                  \x1bPq#0~\x1b\\\x1b[6n\x1b]4;1;#123456\x07\x1b[?1049lback"
        .as_bytes();
    for cut in 0..=stream.len() {
        let mut whole = Screen::new(Size::new(20, 5), 100);
        let mut reader = Reader::new(Options::default());
        reader.read(&stream[..cut], &mut Draw(&mut whole));
        let Some(unfinished) = reader.unfinished() else {
            continue;
        };
        let extras = SnapshotExtras {
            status: b"",
            unfinished,
        };
        // The client's emulator reads what is forwarded: the snapshot, then the raw stream.
        let snapshot = whole.snapshot(0, &extras);
        let mut client = Screen::new(snapshot.size, 100);
        client.feed(&snapshot.bytes);
        struct Forward<'a>(&'a mut Screen, &'a mut Screen);
        impl Sink for Forward<'_> {
            fn forward(&mut self, bytes: &[u8]) {
                self.0.feed(bytes);
            }
            fn draw(&mut self, bytes: &[u8]) {
                self.1.feed(bytes);
            }
        }
        reader.read(&stream[cut..], &mut Forward(&mut client, &mut whole));
        let end = |screen: &Screen| screen.snapshot(0, &SnapshotExtras::default()).bytes;
        assert_eq!(
            String::from_utf8_lossy(&end(&client)),
            String::from_utf8_lossy(&end(&whole)),
            "cut at {cut}"
        );
    }
}
