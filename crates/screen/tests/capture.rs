//! The screen as text.

use screen::{Capture, Screen, Size};

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
fn a_wrapped_line_is_one_line() {
    assert_eq!(text(&screen(5, 4, "abcdefghijkl\r\nx")), "abcdefghijkl\nx");
}

#[test]
fn a_line_that_ends_exactly_at_the_margin_gains_no_empty_one() {
    assert_eq!(text(&screen(5, 4, "abcde\r\nx")), "abcde\nx");
    assert_eq!(text(&screen(5, 4, "abcdefghij\r\nx")), "abcdefghij\nx");
}

#[test]
fn a_line_wrapped_into_history_is_one_line() {
    assert_eq!(
        all(&screen(5, 2, "abcdefghijkl\r\nx\r\ny")),
        "abcdefghijkl\nx\ny"
    );
}

#[test]
fn blanks_at_line_ends_and_empty_lines_at_the_end_are_left_out() {
    assert_eq!(text(&screen(20, 5, "a   \r\n\r\nb  \r\n\r\n")), "a\n\nb");
    assert_eq!(text(&screen(20, 5, "")), "");
}

#[test]
fn only_the_last_lines_are_given_where_a_number_is_asked_for() {
    let screen = screen(20, 3, "1\r\n2\r\n3\r\n4\r\n5");
    let last = |lines, scrollback| {
        screen.capture(Capture {
            lines: Some(lines),
            scrollback,
            ansi: false,
        })
    };
    assert_eq!(last(2, false), "4\n5");
    assert_eq!(last(4, true), "2\n3\n4\n5");
    assert_eq!(last(4, false), "3\n4\n5");
    assert_eq!(last(0, true), "");
}

#[test]
fn the_ansi_form_keeps_colours_and_ends_plain() {
    let screen = screen(20, 3, "\x1b[1;31mred\x1b[0m plain \x1b[4:3;58:5:9mcurly");
    let text = screen.capture(Capture {
        ansi: true,
        ..Capture::default()
    });
    assert_eq!(
        text,
        "\x1b[0;1;31mred\x1b[0m plain \x1b[0;4:3;58:5:9mcurly\x1b[0m"
    );
}

#[test]
fn wide_and_combined_characters_are_whole() {
    let mixed = "世界 e\u{301} 👩\u{200d}👧 🇩🇪 ❤\u{fe0f}";
    assert_eq!(text(&screen(40, 3, mixed)), mixed);
    // Also where a wide character does not fit into the last column.
    assert_eq!(text(&screen(5, 6, "世世世世世")), "世世世世世");
}

#[test]
fn the_alternate_screen_is_captured_while_it_is_in_view() {
    let screen = screen(20, 3, "below\x1b[?1049h\x1b[Habove");
    assert_eq!(text(&screen), "above");
}

#[test]
fn text_since_a_line_begins_at_that_line() {
    let screen = screen(20, 3, "1\r\n2\r\n\x1b[31m3\x1b[m\r\n4\r\n5\r\n6");
    assert_eq!(screen.history_end(), 3);
    assert_eq!(screen.text_since(0), "1\n2\n3\n4\n5\n6");
    assert_eq!(screen.text_since(1), "2\n3\n4\n5\n6");
    assert_eq!(screen.text_since(3), "4\n5\n6");
    assert_eq!(screen.text_since(u64::MAX), "4\n5\n6");
}

#[test]
fn text_since_the_middle_of_a_wrapped_line_has_the_whole_line() {
    let screen = screen(5, 2, "x\r\nabcdefghijklmnop\r\ny");
    assert_eq!(screen.text_since(2), "abcdefghijklmnop\ny");
    assert_eq!(screen.text_since(3), "abcdefghijklmnop\ny");
}

#[test]
fn text_since_the_first_line_is_a_capture_with_scrollback() {
    for bytes in [
        "plain  \r\n世界 e\u{301} 👩\u{200d}👧\r\n\r\n\x1b[1mbold  \x1b[m\r\nabcdefghijklmnopqrstuvwxyz\r\n\r\nend\r\n",
        "世世世世世世世世世世\r\n\x1b[44m     \x1b[m\r\n1\r\n2\r\n3\r\n4\r\n",
        "abcdefghijklmnopqrstuvwxyz0123456789\x1b[?1049hnew",
    ] {
        let screen = screen(9, 3, bytes);
        assert_eq!(screen.text_since(0), all(&screen), "{bytes:?}");
    }
}

#[test]
fn a_line_that_goes_on_beneath_the_alternate_screen_does_not_go_on_in_it() {
    let screen = screen(5, 2, "abcdefghijkl\x1b[?1049h\x1b[Hnew");
    assert_eq!(all(&screen), "abcde\nnew");
}
