//! What crashed, hung or grew without bound in the emulator underneath, or would have.

use std::time::{Duration, Instant};

use screen::{Capture, Screen, Size, SnapshotExtras};

/// Far more than any of these needs, far less than a hang.
const LIMIT: Duration = Duration::from_secs(30);

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(Size::new(cols, rows), 1000)
}

fn fed(bytes: &[u8]) -> Screen {
    let mut screen = screen(80, 24);
    screen.feed(bytes);
    screen
}

fn snapshot(screen: &Screen) -> Vec<u8> {
    screen.snapshot(0, &SnapshotExtras::default()).bytes
}

fn contains(bytes: &[u8], what: &str) -> bool {
    bytes
        .windows(what.len())
        .any(|window| window == what.as_bytes())
}

#[test]
fn a_keyboard_stack_pushed_5000_times_keeps_16() {
    let screen = fed("\x1b[>1u".repeat(5000).as_bytes());
    let bytes = snapshot(&screen);
    let pushes = bytes.windows(5).filter(|w| w == b"\x1b[>1u").count();
    assert_eq!(pushes, 16);
}

#[test]
fn a_title_pushed_5000_times_keeps_10() {
    let screen = fed("\x1b]2;a title\x07\x1b[22t".repeat(5000).as_bytes());
    let bytes = snapshot(&screen);
    let pushes = bytes.windows(7).filter(|w| w == b"\x1b[22;2t").count();
    assert_eq!(pushes, 10);
}

#[test]
fn a_title_of_megabytes_is_cut_to_bounds() {
    let mut screen = fed(b"\x1b]2;kept\x07");
    screen.feed(format!("\x1b]2;{}\x07", "x".repeat(8000)).as_bytes());
    assert_eq!(screen.title().len(), 1024);
    // Beyond the limit of a control string it is skipped as a whole.
    screen.feed(format!("\x1b]2;{}\x07", "y".repeat(5_000_000)).as_bytes());
    assert!(screen.title().starts_with('x'));
    screen.feed(b"\x1b]2;next\x07");
    assert_eq!(screen.title(), "next");
}

#[test]
fn an_open_osc_of_50_megabytes_is_not_kept() {
    let mut screen = fed(b"\x1b]8;;http://");
    let part = vec![b'x'; 1 << 20];
    for _ in 0..50 {
        screen.feed(&part);
    }
    // Neither buffered, nor offered as an unfinished sequence, which ends at 4 KiB.
    assert!(snapshot(&screen).len() < 8192);
    screen.feed(b"\x07after");
    assert_eq!(screen.capture(Capture::default()), "after");
}

#[test]
fn an_aborted_osc_8_is_not_executed() {
    for abort in ["\x18", "\x1a", "\x1b[m", "\x1bc"] {
        let screen = fed(format!("\x1b]8;;http://evil{abort}text").as_bytes());
        assert!(!contains(&snapshot(&screen), "evil"), "{abort:?}");
    }
}

#[test]
fn a_cell_keeps_16_marks() {
    let screen = fed(format!("a{}", "\u{301}".repeat(100_000)).as_bytes());
    let text = screen.capture(Capture::default());
    assert_eq!(text.chars().filter(|&c| c == '\u{301}').count(), 16);
}

#[test]
fn distinct_hyperlinks_are_bounded_in_bytes() {
    let mut screen = screen(200, 60);
    // 24 MB of distinct targets, each on one cell.
    let target = "x".repeat(2000);
    let mut longest = 0;
    for n in 0..12_000 {
        screen.feed(format!("\x1b]8;;http://{n}/{target}\x07a\x1b]8;;\x07").as_bytes());
        if n % 2000 == 0 {
            longest = longest.max(snapshot(&screen).len());
        }
    }
    assert!(longest < 8 << 20, "{longest}");
}

#[test]
fn a_hyperlink_with_an_enormous_target_is_no_link() {
    let screen = fed(format!("\x1b]8;;http://{}\x07text", "x".repeat(4000)).as_bytes());
    assert!(!contains(&snapshot(&screen), "http://"));
}

#[test]
fn a_wide_character_at_one_column_is_safe() {
    let mut screen = screen(1, 3);
    screen.feed("世a世\u{301}".as_bytes());
    assert_eq!(screen.size(), Size { cols: 1, rows: 3 });
    screen.resize(Size::new(1, 1));
    screen.feed("世".as_bytes());
}

#[test]
fn a_resize_to_one_column_with_wide_characters_returns() {
    let start = Instant::now();
    let mut screen = fed("世界 world ".repeat(500).as_bytes());
    for cols in [1, 3, 1, 2, 1000, 1, 80] {
        screen.resize(Size::new(cols, 24));
    }
    assert!(start.elapsed() < LIMIT);
}

#[test]
fn sizes_are_clamped_to_1000_by_500() {
    let mut screen = screen(u16::MAX, u16::MAX);
    assert_eq!(
        screen.size(),
        Size {
            cols: 1000,
            rows: 500
        }
    );
    screen.resize(Size { cols: 0, rows: 0 });
    assert_eq!(screen.size(), Size { cols: 1, rows: 1 });
}

#[test]
fn enormous_counts_return_at_once() {
    let start = Instant::now();
    let mut screen = screen(1000, 500);
    for last in "@ABCDEFGHIJKLMPSTXZ`abdefgr".chars() {
        for _ in 0..20 {
            screen.feed(format!("x\x1b[65535;65535{last}").as_bytes());
            screen.feed(format!("x\x1b[99999999999999999999{last}").as_bytes());
        }
    }
    assert!(start.elapsed() < LIMIT);
}

#[test]
fn a_synchronized_update_is_never_buffered() {
    let mut screen = fed(b"\x1b[?2026h");
    screen.feed(b"seen at once");
    assert_eq!(screen.capture(Capture::default()), "seen at once");
    assert!(screen.modes().synchronized);
    assert!(snapshot(&screen).ends_with(b"\x1b[?2026h"));
    screen.end_synchronized();
    assert!(!screen.modes().synchronized);
    assert!(!contains(&snapshot(&screen), "2026"));
}

#[test]
fn an_icon_title_is_not_pushed() {
    let mut screen = fed(b"\x1b]2;one\x07\x1b[22;1t\x1b]2;two\x07\x1b[23;1t");
    assert_eq!(screen.title(), "two");
    screen.feed(b"\x1b[23t");
    assert_eq!(screen.title(), "two");
    screen.feed(b"\x1b[22;0t\x1b]0;three\x07\x1b[23;2t");
    assert_eq!(screen.title(), "two");
}

#[test]
fn modes_47_1047_and_1048_work() {
    for mode in [47, 1047, 1049] {
        let mut screen = fed(format!("primary\x1b[?{mode}h").as_bytes());
        assert!(screen.modes().alternate_screen);
        assert_eq!(screen.capture(Capture::default()), "");
        screen.feed(format!("alternate\x1b[?{mode}l").as_bytes());
        assert_eq!(screen.capture(Capture::default()), "primary");
    }
    let screen = fed(b"ab\x1b[?1048h\x1b[9;9Hx\x1b[?1048lc");
    assert!(screen.capture(Capture::default()).starts_with("abc\n"));
}

#[test]
fn history_costs_nothing_for_empty_cells() {
    // 10,000 lines of 1000 columns would be 240 MB of cells.
    let mut screen = Screen::new(Size::new(1000, 24), 10_000);
    screen.feed("short\r\n".repeat(10_023).as_bytes());
    screen.feed(b"end");
    assert_eq!(screen.history_end(), 10_000);
    let all = Capture {
        scrollback: true,
        ..Capture::default()
    };
    assert_eq!(screen.capture(all).lines().count(), 10_024);
}

#[test]
fn history_is_bounded_in_bytes() {
    // Every line is full of changes of colour: 12 times its text.
    let mut screen = Screen::new(Size::new(1000, 2), usize::MAX);
    let mut line = String::new();
    for col in 0..1000 {
        line += &format!("\x1b[38;2;1;2;{};48;2;3;4;{}mx", col % 256, col % 255);
    }
    line += "\x1b[m\r\n";
    for _ in 0..3000 {
        screen.feed(line.as_bytes());
    }
    let snapshot = screen.snapshot(0, &SnapshotExtras::default());
    assert_eq!(snapshot.history_end, 2999);
    let held = snapshot.history_end - snapshot.history_first;
    assert!((1000..2900).contains(&held), "{held}");
}

#[test]
fn history_keeps_as_many_lines_as_asked_for() {
    let mut screen = Screen::new(Size::new(80, 5), 100);
    for n in 0..1000 {
        screen.feed(format!("line {n}\r\n").as_bytes());
    }
    let snapshot = screen.snapshot(0, &SnapshotExtras::default());
    assert_eq!((snapshot.history_first, snapshot.history_end), (896, 996));
}
