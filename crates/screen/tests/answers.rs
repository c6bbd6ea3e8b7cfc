//! Every question of signals.md and its answer.
#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

use screen::{Colors, Rgb, Screen, Size};
use signals::{ColorSlot, Query, QueryKind, Terminator};

fn answer_to(screen: &Screen, kind: QueryKind, terminator: Terminator) -> Option<String> {
    screen
        .answer(&Query { kind, terminator })
        .map(|bytes| String::from_utf8(bytes).unwrap())
}

fn answer(fed: &str, kind: QueryKind) -> String {
    let mut screen = Screen::new(Size::new(80, 24), 0);
    screen.feed(fed.as_bytes());
    answer_to(&screen, kind, Terminator::St).unwrap()
}

fn mode(fed: &str, mode: u16, private: bool) -> String {
    answer(fed, QueryKind::Mode { mode, private })
}

#[test]
fn da1_announces_no_graphics() {
    assert_eq!(answer("", QueryKind::PrimaryAttributes), "\x1b[?62;22c");
}

#[test]
fn da2_and_da3_are_answered() {
    assert!(answer("", QueryKind::SecondaryAttributes).starts_with("\x1b[>1;"));
    assert_eq!(
        answer("", QueryKind::TertiaryAttributes),
        "\x1bP!|00000000\x1b\\"
    );
}

#[test]
fn dsr_5_says_all_is_well() {
    assert_eq!(answer("", QueryKind::DeviceStatus), "\x1b[0n");
}

#[test]
fn dsr_6_says_where_the_cursor_is() {
    assert_eq!(answer("\x1b[5;7H", QueryKind::CursorPosition), "\x1b[5;7R");
    assert_eq!(
        answer("\x1b[5;7H", QueryKind::ExtendedCursorPosition),
        "\x1b[?5;7;1R"
    );
}

#[test]
fn dsr_6_counts_from_the_margin_in_origin_mode() {
    assert_eq!(
        answer("\x1b[5;10r\x1b[?6h\x1b[2;3H", QueryKind::CursorPosition),
        "\x1b[2;3R"
    );
}

#[test]
fn a_pending_wrap_is_reported_in_the_last_column() {
    assert_eq!(
        answer(&"x".repeat(80), QueryKind::CursorPosition),
        "\x1b[1;80R"
    );
}

#[test]
fn decrqm_knows_set_reset_and_unknown_modes() {
    assert_eq!(mode("", 2004, true), "\x1b[?2004;2$y");
    assert_eq!(mode("\x1b[?2004h", 2004, true), "\x1b[?2004;1$y");
    assert_eq!(mode("", 7, true), "\x1b[?7;1$y");
    assert_eq!(mode("", 4, false), "\x1b[4;2$y");
    assert_eq!(mode("\x1b[4h", 4, false), "\x1b[4;1$y");
    assert_eq!(mode("", 9999, true), "\x1b[?9999;0$y");
    assert_eq!(mode("", 2027, true), "\x1b[?2027;4$y");
    assert_eq!(mode("\x1b[?2026h", 2026, true), "\x1b[?2026;1$y");
    assert_eq!(mode("", 2031, true), "\x1b[?2031;2$y");
    assert_eq!(mode("\x1b[?2048h", 2048, true), "\x1b[?2048;1$y");
    assert_eq!(mode("\x1b[?1049h", 1049, true), "\x1b[?1049;1$y");
    assert_eq!(mode("\x1b[?1002h", 1000, true), "\x1b[?1000;2$y");
    assert_eq!(mode("\x1b[?1002h", 1002, true), "\x1b[?1002;1$y");
    assert_eq!(mode("\x1b[?6h", 6, true), "\x1b[?6;1$y");
}

#[test]
fn decrqss_says_pen_margins_and_cursor_style() {
    let setting = |fed: &str, name: &str| answer(fed, QueryKind::Setting(name.into()));
    assert_eq!(setting("", "m"), "\x1bP1$r0m\x1b\\");
    assert_eq!(
        setting("\x1b[1;4:3;31;48;5;9m", "m"),
        "\x1bP1$r0;1;4:3;31;48;5;9m\x1b\\"
    );
    assert_eq!(setting("\x1b[5;10r", "r"), "\x1bP1$r5;10r\x1b\\");
    assert_eq!(setting("\x1b[3 q", " q"), "\x1bP1$r3 q\x1b\\");
    assert_eq!(setting("\x1b[6 q", " q"), "\x1bP1$r6 q\x1b\\");
    assert_eq!(setting("", "zz"), "\x1bP0$r\x1b\\");
}

#[test]
fn the_version_names_the_project() {
    let answer = answer("", QueryKind::Version);
    assert!(answer.starts_with("\x1bP>|wigwag "));
    assert!(answer.ends_with("\x1b\\"));
}

#[test]
fn xtgettcap_answers_what_is_known_and_echoes_nothing_else() {
    let termcap = |names: &str| answer("", QueryKind::Termcap(names.into()));
    assert_eq!(termcap("436F"), "\x1bP1+r436F=323536\x1b\\");
    assert_eq!(
        termcap("544e"),
        "\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\"
    );
    assert_eq!(termcap("4142"), "\x1bP0+r\x1b\\");
    assert_eq!(termcap("zz"), "\x1bP0+r\x1b\\");
    assert_eq!(
        termcap("436F;4142"),
        "\x1bP1+r436F=323536\x1b\\\x1bP0+r\x1b\\"
    );
}

#[test]
fn sizes_are_answered_in_cells_and_pixels() {
    assert_eq!(answer("", QueryKind::WindowCells), "\x1b[8;24;80t");
    assert_eq!(answer("", QueryKind::CellPixels), "\x1b[6;16;8t");
    assert_eq!(answer("", QueryKind::WindowPixels), "\x1b[4;384;640t");
    let mut screen = Screen::new(Size::new(80, 24), 0);
    screen.set_colors(Colors {
        cell_pixels: (10, 20),
        ..Colors::default()
    });
    assert_eq!(screen.size_report(), b"\x1b[48;24;80;480;800t");
}

#[test]
fn a_size_of_one_column_is_reported_as_it_is() {
    let screen = Screen::new(Size::new(1, 5), 0);
    assert_eq!(
        answer_to(&screen, QueryKind::WindowCells, Terminator::St).unwrap(),
        "\x1b[8;5;1t"
    );
}

#[test]
fn keyboard_flags_are_those_of_the_screen_in_view() {
    let flags = |fed: &str| answer(fed, QueryKind::KeyboardFlags);
    assert_eq!(flags(""), "\x1b[?0u");
    assert_eq!(flags("\x1b[>5u"), "\x1b[?5u");
    assert_eq!(flags("\x1b[>5u\x1b[>1u\x1b[<u"), "\x1b[?5u");
    assert_eq!(flags("\x1b[>5u\x1b[?1049h"), "\x1b[?0u");
    assert_eq!(flags("\x1b[>5u\x1b[?1049h\x1b[>1u\x1b[?1049l"), "\x1b[?5u");
    assert_eq!(flags("\x1b[=3u\x1b[=4;2u\x1b[=1;3u"), "\x1b[?6u");
    assert_eq!(flags("\x1b[>5u\x1b[<9u"), "\x1b[?0u");
}

#[test]
fn colours_are_learned_set_or_default() {
    let mut screen = Screen::new(Size::new(80, 24), 0);
    let color = |screen: &Screen, slot| {
        answer_to(screen, QueryKind::Color(slot), Terminator::Bell).unwrap()
    };
    assert_eq!(
        color(&screen, ColorSlot::Palette(196)),
        "\x1b]4;196;rgb:ffff/0000/0000\x07"
    );
    assert_eq!(
        color(&screen, ColorSlot::Dynamic(11)),
        "\x1b]11;rgb:0000/0000/0000\x07"
    );
    screen.set_colors(Colors {
        background: Some(Rgb {
            r: 255,
            g: 254,
            b: 1,
        }),
        ..Colors::default()
    });
    assert_eq!(
        color(&screen, ColorSlot::Dynamic(11)),
        "\x1b]11;rgb:ffff/fefe/0101\x07"
    );
    screen.feed(b"\x1b]11;#102030\x07\x1b]4;1;rgb:a/b/c\x1b\\");
    assert_eq!(
        color(&screen, ColorSlot::Dynamic(11)),
        "\x1b]11;rgb:1010/2020/3030\x07"
    );
    assert_eq!(
        color(&screen, ColorSlot::Palette(1)),
        "\x1b]4;1;rgb:aaaa/bbbb/cccc\x07"
    );
    screen.feed(b"\x1b]111\x07");
    assert_eq!(
        color(&screen, ColorSlot::Dynamic(11)),
        "\x1b]11;rgb:ffff/fefe/0101\x07"
    );
}

#[test]
fn light_or_dark_follows_the_background() {
    let mut screen = Screen::new(Size::new(80, 24), 0);
    let scheme =
        |screen: &Screen| answer_to(screen, QueryKind::ColorScheme, Terminator::St).unwrap();
    assert_eq!(scheme(&screen), "\x1b[?997;1n");
    screen.set_colors(Colors {
        background: Some(Rgb {
            r: 255,
            g: 255,
            b: 240,
        }),
        ..Colors::default()
    });
    assert_eq!(scheme(&screen), "\x1b[?997;2n");
    assert_eq!(screen.scheme_report(), b"\x1b[?997;2n");
}

#[test]
fn an_answer_ends_as_its_question_did() {
    let screen = Screen::new(Size::new(80, 24), 0);
    for kind in [
        QueryKind::Color(ColorSlot::Dynamic(10)),
        QueryKind::Color(ColorSlot::Palette(0)),
        QueryKind::Setting(b"m".to_vec()),
        QueryKind::Termcap(b"544E".to_vec()),
    ] {
        let bell = answer_to(&screen, kind.clone(), Terminator::Bell).unwrap();
        assert!(
            bell.ends_with('\x07') && !bell.contains("\x1b\\"),
            "{bell:?}"
        );
        let st = answer_to(&screen, kind, Terminator::St).unwrap();
        assert!(st.ends_with("\x1b\\"), "{st:?}");
    }
}

#[test]
fn questions_with_protocols_of_their_own_are_left_to_them() {
    let screen = Screen::new(Size::new(80, 24), 0);
    for kind in [
        QueryKind::ProgramStatus,
        QueryKind::NotificationSupport("0".into()),
        QueryKind::NotificationsAlive("0".into()),
        QueryKind::Unanswered,
    ] {
        assert_eq!(answer_to(&screen, kind, Terminator::St), None);
    }
}
