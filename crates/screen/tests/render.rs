//! Drawing into a window of another size, and undoing modes in the outer terminal.

use screen::{Capture, Screen, Size, SnapshotExtras};

fn screen(cols: u16, rows: u16, bytes: &str) -> Screen {
    let mut screen = Screen::new(Size::new(cols, rows), 1000);
    screen.feed(bytes.as_bytes());
    screen
}

/// What a window of that size shows after a rendering over garbage.
fn window(screen: &Screen, cols: u16, rows: u16) -> Screen {
    let mut window = Screen::new(Size::new(cols, rows), 0);
    window.feed("garbage ".repeat(200).as_bytes());
    let mut bytes = Vec::new();
    screen.render(Size::new(cols, rows), &mut bytes);
    window.feed(&bytes);
    window
}

fn text(screen: &Screen) -> String {
    screen.capture(Capture::default())
}

#[test]
fn a_larger_window_shows_all_and_nothing_else() {
    let screen = screen(10, 3, "one\r\ntwo\r\nthree");
    assert_eq!(text(&window(&screen, 40, 10)), "one\ntwo\nthree");
}

#[test]
fn a_smaller_window_keeps_the_cursor_in_view() {
    let screen = screen(20, 4, "1111\r\n2222\r\n3333\r\n0123456789abc");
    let mut window = window(&screen, 6, 2);
    assert_eq!(text(&window), "\n89abc");
    window.feed(b"X");
    assert_eq!(text(&window), "\n89abcX");
}

#[test]
fn the_cursor_at_the_top_shows_the_top() {
    let screen = screen(20, 4, "1111\r\n2222\r\n3333\r\n4444\x1b[H");
    assert_eq!(text(&window(&screen, 3, 2)), "111\n222");
}

#[test]
fn half_a_wide_character_at_an_edge_is_blank() {
    let screen = screen(20, 1, "a世b\x1b[H");
    assert_eq!(text(&window(&screen, 2, 1)), "a");
    assert_eq!(text(&window(&screen, 3, 1)), "a世");
}

#[test]
fn colours_are_kept() {
    let screen = screen(20, 2, "\x1b[31mred\x1b[44m blue");
    let ansi = window(&screen, 30, 3).capture(Capture {
        ansi: true,
        ..Capture::default()
    });
    assert_eq!(ansi, "\x1b[0;31mred\x1b[0;31;44m blue\x1b[0m");
}

#[test]
fn the_reset_sequence_undoes_every_mode() {
    let everything = "\x1b[?1;5;6;9;12;66;1000;1002;1003;1004;1005;1006;1015;1042;2004;2026;2031;2048h\
                      \x1b[?7;25;1007l\x1b[4;20h\x1b[3;10r\x1b)0\x0e\x1b[1;3;31m\x1b]8;;http://a\x07\x1b[>4;2m\
                      \x1b[5 q\x1b[>5u\x1b[>7u\x1b[=3u\x1b]4;1;#123456\x07\x1b]11;#111111\x07";
    for alternate in ["", "\x1b[?1049h\x1b[>9u", "\x1b[?1049h\x1b[?25l\x1b7"] {
        let mut screen = screen(20, 12, "");
        screen.feed(everything.as_bytes());
        screen.feed(alternate.as_bytes());
        screen.feed(Screen::reset_sequence());
        let after = screen.snapshot(0, &SnapshotExtras::default()).bytes;
        // Nothing is left to say but where cursor and saved cursor are.
        let text = String::from_utf8(after).unwrap();
        let left: String = text.replace("\r\n", "");
        assert!(
            !left.contains(['m', 'h', 'l', 'q', 'u', 'r', ']', '(', ')']),
            "{left:?}"
        );
        assert!(!screen.modes().alternate_screen);
    }
}

#[test]
fn the_reset_sequence_keeps_text_and_position() {
    let mut screen = screen(20, 5, "one\r\ntwo\x1b[2;4r\x1b[?6h\x1b[1;3H");
    screen.feed(Screen::reset_sequence());
    screen.feed(b"X");
    assert!(text(&screen).starts_with("one\n"), "{:?}", text(&screen));
}
