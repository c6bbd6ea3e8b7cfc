//! The contract of snapshots as a property: for any stream cut anywhere, also after resizes,
//! a fresh screen that is fed the snapshot and then the rest is in the same state as one that
//! was fed the whole stream.

use alacritty_terminal::grid::Grid;
use alacritty_terminal::term::cell::{Cell, Flags};
use proptest::prelude::*;

use crate::keyboard::KeyboardStack;
use crate::modes::ModeSet;
use crate::packed::is_blank;
use crate::palette::Palette;
use crate::terminal::{Cursor, row};
use crate::titles::Titles;
use crate::{Screen, Size, SnapshotExtras};

/// All seven points of architecture.md, comparable and printable.
#[derive(Debug, PartialEq, Eq)]
struct State {
    primary: Vec<String>,
    alternate: Option<Vec<String>>,
    cursor: Cursor,
    saved: [Cursor; 2],
    repeatable: bool,
    margins: (usize, usize),
    tabs: Vec<bool>,
    modes: ModeSet,
    keyboard: [KeyboardStack; 2],
    titles: Titles,
    palette: Palette,
    history: Vec<String>,
    unfinished: Vec<u8>,
}

fn cells(row: &[Cell]) -> String {
    let end = row
        .iter()
        .rposition(|cell| !is_blank(cell))
        .map_or(0, |n| n + 1);
    let mut text = String::new();
    for cell in &row[..end] {
        let kind = cell.flags
            & (Flags::WIDE_CHAR
                | Flags::WIDE_CHAR_SPACER
                | Flags::WRAPLINE
                | Flags::LEADING_WIDE_CHAR_SPACER);
        let style = crate::sgr::Style::of(cell);
        text.push(cell.c);
        text.extend(cell.zerowidth().into_iter().flatten());
        if !kind.is_empty() || style != crate::sgr::Style::default() {
            text += &format!("{{{:x}", cell.flags.bits());
            text += &format!(",{:?},{:?}", style.fg, style.bg);
            if cell.extra.is_some() {
                text += &format!(",{:?},{:?}", style.underline, style.link);
            }
            text.push('}');
        }
    }
    text
}

fn grid(grid: &Grid<Cell>, rows: usize) -> Vec<String> {
    (0..rows).map(|line| cells(row(grid, line))).collect()
}

impl State {
    fn of(screen: &Screen) -> Self {
        let terminal = &screen.terminal;
        let mut line = Vec::new();
        Self {
            primary: grid(&terminal.primary, terminal.rows),
            alternate: terminal.alternate.as_ref().map(|g| grid(g, terminal.rows)),
            cursor: terminal.cursor.clone(),
            saved: terminal.saved.clone(),
            repeatable: terminal.repeatable,
            margins: (terminal.top, terminal.bottom),
            tabs: terminal.tabs.clone(),
            modes: terminal.modes.clone(),
            keyboard: terminal.keyboard.clone(),
            titles: terminal.titles.clone(),
            palette: terminal.palette.clone(),
            history: (terminal.history.first()..terminal.history.end())
                .map(|number| {
                    terminal.history.line(number, &mut line);
                    cells(&line)
                })
                .collect(),
            unfinished: screen.parser.unfinished().unwrap_or_default().to_vec(),
        }
    }
}

/// What happens to a screen.
#[derive(Debug, Clone)]
enum Step {
    Feed(Vec<u8>),
    Resize(u16, u16),
}

fn play(screen: &mut Screen, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Feed(bytes) => screen.feed(bytes),
            Step::Resize(cols, rows) => screen.resize(Size::new(*cols, *rows)),
        }
    }
}

/// Snapshot of `screen`, then `rest`, on a fresh screen, against `rest` on `screen`.
fn check(screen: &mut Screen, scrollback: usize, rest: &[u8]) -> Result<(), TestCaseError> {
    invariants(screen)?;
    let snapshot = screen.snapshot(0, &SnapshotExtras::default());
    let mut fresh = Screen::new(snapshot.size, scrollback);
    fresh.feed(&snapshot.bytes);
    let shown = String::from_utf8_lossy(&snapshot.bytes).into_owned();
    prop_assert_eq!(
        State::of(&fresh),
        State::of(screen),
        "at the cut: {:?}",
        shown
    );
    screen.feed(rest);
    fresh.feed(rest);
    prop_assert_eq!(
        State::of(&fresh),
        State::of(screen),
        "after the rest: {:?}",
        shown
    );
    invariants(screen)
}

/// What write.rs promises of every row.
fn invariants(screen: &Screen) -> Result<(), TestCaseError> {
    let terminal = &screen.terminal;
    for grid in std::iter::once(&terminal.primary).chain(&terminal.alternate) {
        for line in 0..terminal.rows {
            let cells = row(grid, line);
            for (at, cell) in cells.iter().enumerate() {
                let last = at + 1 == cells.len();
                let wraps = Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER;
                prop_assert!(last || !cell.flags.intersects(wraps));
                prop_assert!(!(last && line + 1 == terminal.rows && cell.flags.intersects(wraps)));
                if cell.flags.contains(Flags::WIDE_CHAR) {
                    prop_assert!(!last && cells[at + 1].flags.contains(Flags::WIDE_CHAR_SPACER));
                }
                if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
                    prop_assert!(at > 0 && cells[at - 1].flags.contains(Flags::WIDE_CHAR));
                }
            }
        }
    }
    Ok(())
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[ -~]{1,30}".prop_map(String::into_bytes),
        "[a-c]{1,3}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "世界",
            "世",
            "e\u{301}",
            "\u{301}",
            "a\u{300}\u{301}\u{302}",
            "👩\u{200d}👩\u{200d}👧",
            "🇩🇪",
            "❤\u{fe0f}",
            "한글",
            "ñ",
            "─│",
            "\u{ad}",
            "\u{85}",
            "\u{200b}",
        ])
        .prop_map(|s| s.as_bytes().to_vec()),
    ]
}

fn control() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![
        "\n", "\r\n", "\r", "\x08", "\t", "\x0e", "\x0f", "\x0b", "\x00", "\x7f", "\x18",
    ])
    .prop_map(|s| s.as_bytes().to_vec())
}

fn escape() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![
        "\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bH", "\x1bM", "\x1b=", "\x1b>", "\x1b(0", "\x1b(B",
        "\x1b)0", "\x1b)B", "\x1b*0", "\x1bn", "\x1bo", "\x1b#8", "\x1bc", "\x1b[!p",
    ])
    .prop_map(|s| s.as_bytes().to_vec())
}

fn csi() -> impl Strategy<Value = Vec<u8>> {
    (
        prop::collection::vec(0u16..12, 0..3),
        prop::sample::select(b"@ABCDEFGHIJKLMPSTXZ`abdefgrsu".to_vec()),
    )
        .prop_map(|(params, last)| {
            let params: Vec<String> = params.iter().map(u16::to_string).collect();
            format!("\x1b[{}{}", params.join(";"), last as char).into_bytes()
        })
}

fn sgr() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(
        prop::sample::select(vec![
            "0",
            "1",
            "2",
            "3",
            "4",
            "5",
            "7",
            "8",
            "9",
            "21",
            "22",
            "23",
            "24",
            "25",
            "27",
            "28",
            "29",
            "31",
            "39",
            "42",
            "49",
            "91",
            "104",
            "4:0",
            "4:1",
            "4:2",
            "4:3",
            "4:4",
            "4:5",
            "38;5;1",
            "38;5;200",
            "48;5;9",
            "38;2;1;2;3",
            "48;2;9;8;7",
            "38:2::4:5:6",
            "48:5:7",
            "58:5:3",
            "58:2::1:2:3",
            "58;2;3;2;1",
            "59",
            "38",
            "38;5",
            "",
        ]),
        0..4,
    )
    .prop_map(|params| format!("\x1b[{}m", params.join(";")).into_bytes())
}

fn mode() -> impl Strategy<Value = Vec<u8>> {
    (
        prop::sample::select(vec![
            "4", "20", "?1", "?5", "?6", "?6", "?7", "?7", "?9", "?12", "?25", "?47", "?1047",
            "?1048", "?1049", "?1049", "?1000", "?1002", "?1003", "?1004", "?1005", "?1006",
            "?1007", "?1015", "?1042", "?2004", "?2026", "?2031", "?2048", "?66", "?1;25",
        ]),
        prop::sample::select(vec!['h', 'l']),
    )
        .prop_map(|(number, last)| format!("\x1b[{number}{last}").into_bytes())
}

fn rest() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![
        "\x1b[>1u",
        "\x1b[>31u",
        "\x1b[<u",
        "\x1b[<3u",
        "\x1b[=5u",
        "\x1b[=2;2u",
        "\x1b[=1;3u",
        "\x1b[>4;2m",
        "\x1b[>4m",
        "\x1b[ q",
        "\x1b[3 q",
        "\x1b[4 q",
        "\x1b[22t",
        "\x1b[23t",
        "\x1b[22;2t",
        "\x1b[22;1t",
        "\x1b[3g",
        "\x1b[?5W",
        "\x1b[3J",
        "\x1b]2;title\x07",
        "\x1b]0;söme\x1b\\",
        "\x1b]2;\x07",
        "\x1b]4;1;#ff0000\x07",
        "\x1b]104\x07",
        "\x1b]11;rgb:12/34/56\x1b\\",
        "\x1b]111\x07",
        "\x1b]8;;http://a\x1b\\",
        "\x1b]8;id=x;http://b\x07",
        "\x1b]8;;\x1b\\",
        "\x1b]8;;http://aborted\x18",
        "\x1b]2;aborted\x1b[1m",
        "\x1bPq#0\x1b\\",
        "\x1b_Gx\x1b\\",
        "\x1b[2;5r",
        "\x1b[3;4r",
        "\x1b[r",
        "\x1b[1;99r",
    ])
    .prop_map(|s| s.as_bytes().to_vec())
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => text(),
        3 => control(),
        1 => escape(),
        4 => csi(),
        2 => sgr(),
        2 => mode(),
        2 => rest(),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ]
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}

/// A line of output as programs print it: mostly text and colours, sometimes something else.
fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => "[ -~]{0,100}".prop_map(String::into_bytes),
        1 => "[a-z\t ]{0,40}".prop_map(String::into_bytes),
        6 => prop::collection::vec(
            prop_oneof![
                8 => "[ -~]{1,12}".prop_map(String::into_bytes),
                2 => " {1,9}".prop_map(String::into_bytes),
                1 => Just(b"\t".to_vec()),
                8 => sgr(),
                4 => Just(b"\x1b[m".to_vec()),
                2 => Just(b"\x1b[K".to_vec()),
            ],
            0..20,
        )
        .prop_map(|pieces| pieces.concat()),
        1 => prop::collection::vec(text(), 0..6).prop_map(|pieces| pieces.concat()),
        1 => piece(),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(
        prop_oneof![
            4 => stream().prop_map(Step::Feed),
            1 => (1u16..30, 1u16..9).prop_map(|(cols, rows)| Step::Resize(cols, rows)),
        ],
        0..5,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(800)))]

    #[test]
    fn snapshot_and_rest_equal_the_whole_stream(
        cols in 2u16..20,
        rows in 1u16..7,
        scrollback in prop::sample::select(vec![0usize, 3, 1000]),
        before in steps(),
        cut in stream(),
        at in any::<prop::sample::Index>(),
    ) {
        let mut screen = Screen::new(Size::new(cols, rows), scrollback);
        play(&mut screen, &before);
        let (now, rest) = cut.split_at(at.index(cut.len() + 1));
        screen.feed(now);
        check(&mut screen, scrollback, rest)?;
    }

    #[test]
    fn the_state_does_not_depend_on_how_the_stream_is_cut(
        cols in 2u16..20,
        rows in 1u16..7,
        bytes in stream(),
        size in 1usize..5,
    ) {
        let mut whole = Screen::new(Size::new(cols, rows), 100);
        whole.feed(&bytes);
        let mut parts = Screen::new(Size::new(cols, rows), 100);
        bytes.chunks(size).for_each(|chunk| parts.feed(chunk));
        prop_assert_eq!(State::of(&parts), State::of(&whole));
    }

    #[test]
    fn many_lines_at_once_are_as_one_by_one(
        cols in 2u16..90,
        rows in 1u16..30,
        scrollback in prop::sample::select(vec![0usize, 10, 1000]),
        before in stream(),
        lines in prop::collection::vec(line(), 0..150),
        end in prop::sample::select(vec!["\r\n", "\r\n", "\n"]),
    ) {
        let mut whole = Screen::new(Size::new(cols, rows), scrollback);
        whole.feed(&before);
        whole.feed(b"\x1b[0m\x1b[r\x1b[999;1H\r\n");
        let mut parts = Screen::new(Size::new(cols, rows), scrollback);
        parts.feed(&before);
        parts.feed(b"\x1b[0m\x1b[r\x1b[999;1H\r\n");
        let text = lines.join(end.as_bytes());
        whole.feed(&text);
        // Too short for more than one.
        text.chunks(100).for_each(|chunk| parts.feed(chunk));
        prop_assert_eq!(State::of(&parts), State::of(&whole));
        prop_assert_eq!(parts.history_end(), whole.history_end());
        check(&mut whole, scrollback, b"x")?;
    }

    #[test]
    fn any_bytes_and_sizes_are_safe(
        steps in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..200).prop_map(Step::Feed),
                stream().prop_map(Step::Feed),
                (0u16..60, 0u16..20).prop_map(|(cols, rows)| Step::Resize(cols, rows)),
            ],
            0..12,
        ),
    ) {
        let mut screen = Screen::new(Size::new(10, 4), 50);
        let mut numbers = 0;
        for step in &steps {
            play(&mut screen, std::slice::from_ref(step));
            invariants(&screen)?;
            prop_assert!(screen.history_end() >= numbers);
            numbers = screen.history_end();
        }
        check(&mut screen, 50, b"x")?;
    }
}

/// Programs as they are: vim, less, htop, fish, a shell with colours.
const RECORDINGS: [(&str, &[u8]); 5] = [
    ("vim", include_bytes!("../tests/recordings/vim.bin")),
    ("less", include_bytes!("../tests/recordings/less.bin")),
    ("htop", include_bytes!("../tests/recordings/htop.bin")),
    ("fish", include_bytes!("../tests/recordings/fish.bin")),
    ("shell", include_bytes!("../tests/recordings/shell.bin")),
];

/// Bytes from cut to cut.
const STEP: usize = 149;

#[test]
fn recorded_programs_continue_after_a_snapshot_at_any_cut() {
    for (name, bytes) in RECORDINGS {
        let mut screen = Screen::new(Size::new(80, 24), 1000);
        let mut whole = Screen::new(Size::new(80, 24), 1000);
        whole.feed(bytes);
        // A prime step reaches every phase of the sequences.
        for (nth, chunk) in bytes.chunks(STEP).enumerate() {
            screen.feed(chunk);
            let snapshot = screen.snapshot(0, &SnapshotExtras::default());
            let mut fresh = Screen::new(snapshot.size, 1000);
            fresh.feed(&snapshot.bytes);
            assert_eq!(
                State::of(&fresh),
                State::of(&screen),
                "{name} at {}",
                nth * STEP
            );
            if nth % 16 == 0 {
                let rest = &bytes[(nth * STEP + chunk.len())..];
                fresh.feed(rest);
                assert_eq!(
                    State::of(&fresh),
                    State::of(&whole),
                    "{name} cut at {}",
                    nth * STEP
                );
            }
        }
    }
}

#[test]
fn recorded_programs_survive_resizes_and_continue_after_a_snapshot() {
    for (name, bytes) in RECORDINGS {
        let mut screen = Screen::new(Size::new(80, 24), 1000);
        for (nth, chunk) in bytes.chunks(997).enumerate() {
            screen.feed(chunk);
            let (cols, rows) = [(80, 24), (40, 10), (133, 50), (79, 3), (2, 24)][nth % 5];
            screen.resize(Size::new(cols, rows));
            invariants(&screen).unwrap();
            let snapshot = screen.snapshot(0, &SnapshotExtras::default());
            let mut fresh = Screen::new(snapshot.size, 1000);
            fresh.feed(&snapshot.bytes);
            assert_eq!(
                State::of(&fresh),
                State::of(&screen),
                "{name} at {}",
                nth * 997
            );
        }
    }
}

/// `PROPTEST_CASES` decides where it is set.
fn cases(default: u32) -> u32 {
    std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(default)
}
