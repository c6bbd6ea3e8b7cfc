//! Changing the size: what reflows, what is kept, how lines are numbered.

use screen::{Capture, Screen, Size, SnapshotExtras};

fn screen(cols: u16, rows: u16, bytes: &str) -> Screen {
    let mut screen = Screen::new(Size::new(cols, rows), 1000);
    screen.feed(bytes.as_bytes());
    screen
}

fn text(screen: &Screen) -> String {
    screen.capture(Capture::default())
}

fn all(screen: &Screen) -> String {
    screen.capture(Capture {
        scrollback: true,
        ..Capture::default()
    })
}

#[test]
fn a_line_wraps_anew_and_comes_back() {
    let mut screen = screen(20, 6, "one two three four five six\r\n$ ");
    for cols in [7, 50, 2, 20] {
        screen.resize(Size::new(cols, 6));
        assert_eq!(
            all(&screen).trim_end(),
            "one two three four five six\n$",
            "{cols}"
        );
    }
}

#[test]
fn typing_goes_on_where_the_cursor_was() {
    let mut screen = screen(20, 6, "a long line that wraps here\r\n$ ls");
    screen.resize(Size::new(9, 6));
    screen.feed(b" -l");
    screen.resize(Size::new(40, 6));
    assert_eq!(text(&screen), "a long line that wraps here\n$ ls -l");
}

#[test]
fn wide_characters_survive_a_resize_at_the_margin() {
    let mut screen = screen(10, 5, "世界世界世界世界");
    for cols in [9, 3, 11, 10] {
        screen.resize(Size::new(cols, 5));
        assert_eq!(all(&screen), "世界世界世界世界", "{cols}");
    }
}

#[test]
fn a_full_screen_gives_lines_to_history_and_takes_them_back() {
    let mut screen = screen(20, 4, "1\r\n2\r\n3\r\n4\r\n5");
    assert_eq!(screen.history_end(), 1);
    screen.resize(Size::new(20, 2));
    assert_eq!(text(&screen), "4\n5");
    assert_eq!(screen.history_end(), 3);
    screen.resize(Size::new(20, 5));
    assert_eq!(text(&screen), "1\n2\n3\n4\n5");
    // Numbers are used once.
    assert_eq!(screen.history_end(), 3);
}

#[test]
fn a_cleared_screen_takes_nothing_back_from_history() {
    let mut screen = screen(20, 3, "1\r\n2\r\n3\r\n4\r\n\x1b[H\x1b[2J$ ");
    screen.resize(Size::new(20, 6));
    assert_eq!(text(&screen), "$");
    screen.resize(Size::new(30, 2));
    assert_eq!(text(&screen), "$");
}

#[test]
fn the_primary_screen_beneath_keeps_its_history() {
    let mut screen = screen(
        10,
        3,
        "0123456789abcdef\r\nsecond\r\nthird\r\nfourth\x1b[?1049hfull screen",
    );
    screen.resize(Size::new(5, 2));
    screen.resize(Size::new(10, 3));
    screen.feed(b"\x1b[?1049l");
    assert_eq!(all(&screen), "0123456789abcdef\nsecond\nthird\nfourth");
}

#[test]
fn the_last_of_many_sizes_wins() {
    let mut screen = screen(80, 24, "text");
    for n in 1..100 {
        screen.resize(Size::new(n, n % 30 + 1));
    }
    screen.resize(Size::new(80, 24));
    assert_eq!(screen.size(), Size { cols: 80, rows: 24 });
    assert_eq!(text(&screen), "text");
}

#[test]
fn numbers_of_history_lines_never_decrease() {
    let mut screen = screen(10, 3, "");
    let mut last = 0;
    for n in 0..50u16 {
        screen.feed(format!("line {n} {}\r\n", "x".repeat(usize::from(n))).as_bytes());
        screen.resize(Size::new(3 + n * 7 % 40, 1 + n * 3 % 10));
        let snapshot = screen.snapshot(0, &SnapshotExtras::default());
        assert!(snapshot.history_end >= last);
        assert!(snapshot.history_first <= snapshot.history_end);
        last = snapshot.history_end;
    }
}

#[test]
fn margins_are_reset_and_tab_stops_kept() {
    let mut screen = screen(20, 5, "\x1b[3g\x1b[5G\x1bH\x1b[2;3r");
    screen.resize(Size::new(40, 5));
    screen.feed(b"\r\x1b[5;1Ha\tb\tc\n");
    assert_eq!(text(&screen), "\n\n\na   b                   c");
}
