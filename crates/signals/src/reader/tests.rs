//! The rules of the stream: cuts, aborts, what is forwarded, drawn, held back and bounded.

use proptest::prelude::*;

use super::testing::{Record, only_signals, queries, record, record_cut, record_with};
use super::*;
use crate::{Progress, ProgressState, QueryKind};

fn title(text: &str) -> Signal {
    Signal::Title(text.into())
}

/// A reader that has read `bytes`, and what it said.
fn reader_after(bytes: &[u8]) -> (Reader, Record) {
    let mut reader = Reader::new(Options::default());
    let mut record = Record::default();
    reader.read(bytes, &mut record);
    (reader, record)
}

fn without_can(drawn: &[u8]) -> Vec<u8> {
    drawn.iter().copied().filter(|byte| *byte != CAN).collect()
}

/// One of everything that means the same in both streams.
const SAMPLE: &[u8] = "text äöü\r\n\x1b[1;31mred\x1b[0m\x07\x1b]2;tïtle \u{1f41c}\x07\x1b[6n\
    \x1b]7501;state=working:id=a/b:msg=aGk=\x1b\\\x1b]9;4;1;42\x07\x1b]9;note\x07\x1b]4;1;?;2;#fff\x07\
    \x1b]133;C;cmdline=ls\x07\x1b[22t\x1b[23;0t\x1b(0\x1b)B\x1b7\x05\x1bP$qm\x1b\\\x1b_Ga=q;\x1b\\\x1b]8;;u\x1b\\x\
    \x1b[3\n8;5\x07;1m\x1b]2;gone\x18\x1b]2;a\x1b[0m\x1b[?2026h\x1bP1$r0m\x1b\\\x1b^pm\x07\x1b\\\x1bXsos\x1b\\\
    \x1b]1337;File=:AAA\x07\x1bPq#0\x1b\\\x1b]52;c;?\x07\x1b]7;file:///a\x07\x1b]99;i=1:d=0;x\x1b\\\x1b]99;i=1:p=body;y\x07\
    \x1b[38;2;1;2;3;48;2;4;5;6;38;2;1;2;3;48;2;4;5;6;38;2;1;2;3;48;2;4;5;6m\x1bPtmux;\x1b\x1b]2;in\x07\x1b\\\x1bc\x1b[c"
    .as_bytes();

#[test]
fn a_stream_cut_after_every_single_byte_says_the_same() {
    for options in [
        Options::default(),
        Options {
            tmux_passthrough: true,
        },
    ] {
        let every: Vec<usize> = (0..SAMPLE.len()).collect();
        let whole = record_with(options, SAMPLE);
        assert!(whole.signals.len() > 10 && whole.queries.len() > 6);
        assert_eq!(record_cut(options, SAMPLE, &every), whole);
        for cut in every {
            assert_eq!(record_cut(options, SAMPLE, &[cut]), whole, "cut at {cut}");
        }
    }
}

/// Streams out of the pieces that matter, complete, cut off and mixed up.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => (0..SAMPLE.len(), 0..60usize).prop_map(|(from, length)| {
            SAMPLE[from..(from + length).min(SAMPLE.len())].to_vec()
        }),
        2 => proptest::collection::vec(any::<u8>(), 0..8),
        1 => proptest::sample::select(vec![
            "\x1b", "\x1b\\", "\x07", "\x18", "\x1a", "\x1b]", "\x1bP", "\x1b_", "\x1b[", "\x1bP$q", "\x1b]4;1;",
            "\x1b]9;", "\x1b]777;notify;", "\x1b]1337;File", "\x1bPtmux;", "?", ";", "6n", "\u{e9}", "\x05", "\x7f",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => (proptest::sample::select(vec!["\x1b]4;1;", "\x1b]2;", "\x1b[", "\x1b]99;", "\x1b]52;c;", "\x1bP+q"]), 50..700usize)
            .prop_map(|(start, length)| [start.as_bytes(), &b"1".repeat(length)].concat()),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_stream_cut_anywhere_says_the_same(
        bytes in stream(),
        mut cuts in proptest::collection::vec(0..800usize, 0..12),
        tmux_passthrough in any::<bool>(),
    ) {
        let options = Options { tmux_passthrough };
        cuts.sort_unstable();
        let whole = record_with(options, &bytes);
        prop_assert_eq!(&record_cut(options, &bytes, &cuts), &whole);
        let every: Vec<usize> = (0..bytes.len()).collect();
        prop_assert_eq!(&record_cut(options, &bytes, &every), &whole);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let (reader, record) = reader_after(&bytes);
        prop_assert_eq!(reader.offset(), bytes.len() as u64);
        prop_assert!(record.order.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    }

    #[test]
    fn the_forwarded_stream_asks_nothing_and_means_the_same(bytes in stream()) {
        let first = record(&bytes);
        let again = record(&first.forwarded);
        prop_assert_eq!(&again.queries, &[]);
        prop_assert_eq!(&again.forwarded, &first.forwarded);
        prop_assert_eq!(without_can(&again.drawn), without_can(&first.drawn));
    }

    #[test]
    fn a_client_that_joins_anywhere_sees_what_the_others_see(bytes in stream(), cut in 0..800usize) {
        // What was forwarded ends with the unfinished bytes; the rest goes on from there.
        let (before, after) = bytes.split_at(cut.min(bytes.len()));
        let (mut reader, mut record) = reader_after(before);
        let unfinished = reader.unfinished().map(<[u8]>::to_vec);
        if let Some(unfinished) = &unfinished {
            // Controls inside a sequence took effect already and are not part of it.
            let without_controls = |bytes: &[u8]| -> Vec<u8> {
                bytes.iter().copied().filter(|byte| *byte >= 0x20 || *byte == ESC).collect()
            };
            prop_assert!(without_controls(&record.forwarded).ends_with(&without_controls(unfinished)));
        }
        record.forwarded.clear();
        reader.read(after, &mut record);
        let whole = super::testing::record(&bytes).forwarded;
        prop_assert!(whole.ends_with(&record.forwarded));
    }
}

#[test]
fn plain_text_is_never_copied() {
    struct Same(*const u8, usize);
    impl Sink for Same {
        fn text(&mut self, bytes: &[u8]) {
            assert_eq!(bytes.as_ptr(), self.0);
            self.1 += 1;
        }
    }
    let text = "line\r\n\tüber\x08\x0e\n".repeat(100);
    let mut sink = Same(text.as_ptr(), 0);
    Reader::new(Options::default()).read(text.as_bytes(), &mut sink);
    assert_eq!(sink.1, 1);
}

#[test]
fn bytes_0x80_to_0x9f_are_never_c1() {
    // As C1 these would be CSI, OSC, DCS and ST.
    let bytes = b"\x9b6n\x9d2;x\x9c\x90q\x9c \xc2\x9b6n";
    let seen = record(bytes);
    assert_eq!(
        (&seen.forwarded[..], seen.signals.len(), seen.queries.len()),
        (&bytes[..], 0, 0)
    );
}

#[test]
fn dcs_apc_pm_and_sos_end_with_st_only_and_osc_also_with_bel() {
    for introducer in ["P1$r", "_x", "^", "X"] {
        let bytes = format!("\x1b{introducer}a\x07\x1b\\\x1b]2;t\x07");
        assert_eq!(only_signals(bytes.as_bytes()), [title("t")], "{introducer}");
    }
}

#[test]
fn can_and_sub_abort_a_string() {
    for abort in ["\x18", "\x1a"] {
        for introducer in ["]2;", "P1$r", "_x", "^x", "Xx", "]7501;state=idle"] {
            let bytes = format!("\x1b{introducer}gone{abort}\x07\x1b]2;next\x07");
            assert_eq!(
                only_signals(bytes.as_bytes()),
                [Signal::Bell, title("next")],
                "{introducer}"
            );
        }
    }
}

#[test]
fn escape_before_any_other_byte_aborts_a_string_and_starts_a_sequence() {
    for introducer in ["]2;", "P1$r", "_x", "^x", "Xx", "]7501;state=idle"] {
        let bytes = format!("\x1b{introducer}gone\x1b]2;next\x07");
        assert_eq!(
            only_signals(bytes.as_bytes()),
            [title("next")],
            "{introducer}"
        );
        let bytes = format!("\x1b{introducer}gone\x1b\x1b\x1b[6nx");
        assert_eq!(queries(bytes.as_bytes()), [QueryKind::CursorPosition]);
        assert_eq!(record(bytes.as_bytes()).drawn, b"x");
    }
}

#[test]
fn a_malformed_string_never_swallows_the_titles_after_it() {
    let bytes = b"\x1b]2;one\x1b[31m\x1bP+qzz\x1b]2;two\x07\x1b_x\x18\x1b]2;three\x1b\\";
    assert_eq!(only_signals(bytes), [title("two"), title("three")]);
}

#[test]
fn an_aborted_string_is_ended_for_clients_that_saw_its_start() {
    let seen = record(b"\x1b]8;;u\x1b[0m");
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (&b"\x1b]8;;u\x18\x1b[0m"[..], &b"\x1b[0m"[..])
    );
    let long = format!("\x1b[{}", "1".repeat(70));
    let seen = record(format!("{long}\x1b]7501;state=idle\x076n").as_bytes());
    assert_eq!(seen.forwarded, format!("{long}\x186n").as_bytes());
    // Held back to its end: nobody saw it.
    let seen = record(b"\x1b]10;?\x1b[0m");
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (&b"\x1b[0m"[..], &b"\x1b[0m"[..])
    );
}

#[test]
fn c0_controls_except_tab_in_an_osc_are_dropped() {
    let seen = record(b"\x1b]8;;a\x00\r\n\tb\x07");
    assert_eq!(seen.forwarded, b"\x1b]8;;a\tb\x07");
    assert_eq!(seen.drawn, seen.forwarded);
    assert_eq!(
        queries(b"\x1b]1\n0;\x05?\x07"),
        [QueryKind::Color(crate::ColorSlot::Dynamic(10))]
    );
}

#[test]
fn controls_in_the_head_of_a_dcs_hide_no_question() {
    let seen = record(b"\x1bP\r$\n\x7fq\xe9m\x1b\\");
    assert_eq!(seen.queries.len(), 1);
    assert_eq!(seen.forwarded, b"");
}

#[test]
fn a_device_control_string_is_forwarded_with_its_controls_and_not_drawn() {
    let bytes = "\x1bP1000p%begin\r\nü\x07\x1b\\".as_bytes();
    let seen = record(bytes);
    assert_eq!((&seen.forwarded[..], &seen.drawn[..]), (bytes, &b""[..]));
}

#[test]
fn a_control_inside_a_control_sequence_takes_effect_at_once_in_both_streams() {
    let seen = record(b"a\x1b[3\r\n1mb");
    assert_eq!(seen.forwarded, b"a\r\n\x1b[31mb");
    assert_eq!(seen.drawn, seen.forwarded);
    let seen = record(b"a\x1b[6\nnb");
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (&b"a\nb"[..], &b"a\nb"[..])
    );
}

#[test]
fn del_and_bytes_from_0x80_on_inside_a_control_sequence_are_dropped_from_both_streams() {
    let seen = record(b"\x1b[3\x7f1\xc3m\x1b\xe9(0");
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (&b"\x1b[31m\x1b(0"[..], &b"\x1b[31m\x1b(0"[..])
    );
}

#[test]
fn can_sub_and_escape_abort_a_control_sequence() {
    let seen = record(b"\x1b[31\x18m\x1b[4\x1am\x1b[1\x1b[2m");
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (&b"\x18m\x1am\x1b[2m"[..], &b"\x18m\x1am\x1b[2m"[..])
    );
}

#[test]
fn bel_and_enq_are_forwarded_and_drawn_nowhere() {
    let seen = record(b"a\x07b\x05c\x1b[3\x071\x05m");
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (&b"abc\x1b[31m"[..], &b"abc\x1b[31m"[..])
    );
    assert_eq!((seen.signals.len(), seen.queries.len()), (2, 2));
}

#[test]
fn reset_is_said_and_decstr_and_screen_switches_are_not() {
    assert_eq!(only_signals(b"\x1bc"), [Signal::Reset]);
    assert_eq!(
        only_signals(b"\x1b[!p\x1b[?1049h\x1b[?1049l\x1b#8\x1b(c\x1b[c"),
        []
    );
}

#[test]
fn text_that_looks_like_a_signal_inside_a_string_or_a_paste_is_none() {
    for bytes in [
        "\x1bP1$r]2;a\x07\x1b\\",
        "\x1b_]2;a\x07\x1b\\",
        "\x1b^\x07]9;4;1\x07\x1b\\",
    ] {
        assert_eq!(only_signals(bytes.as_bytes()), [], "{bytes:?}");
    }
    // The echo of a paste shows an escape as two characters.
    assert_eq!(only_signals(b"\x1b[200~^[]2;a^G]9;4;1;42\x1b[201~"), []);
}

#[test]
fn bell_title_and_progress_in_one_write_keep_their_order() {
    let half = Progress {
        state: ProgressState::Normal,
        percent: Some(50),
    };
    let bytes = b"\x07\x1b]2;t\x07\x1b]9;4;1;50\x07\x07";
    assert_eq!(
        only_signals(bytes),
        [
            Signal::Bell,
            title("t"),
            Signal::Progress(half),
            Signal::Bell
        ]
    );
}

#[test]
fn everything_before_a_signal_or_question_is_drawn_when_it_is_said() {
    let seen = record(b"one\x1b[6ntwo\x1b]2;t\x07three\x1b]7501;?\x07four\x07");
    let drawn: Vec<&[u8]> = seen
        .order
        .iter()
        .map(|(_, _, drawn)| &seen.drawn[..*drawn])
        .collect();
    let expected: [&[u8]; 4] = [
        b"one",
        b"onetwo\x1b]2;t\x07",
        b"onetwo\x1b]2;t\x07three",
        b"onetwo\x1b]2;t\x07threefour",
    ];
    assert_eq!(drawn, expected);
    let at: Vec<u64> = seen.order.iter().map(|(at, ..)| *at).collect();
    assert_eq!(at, [3, 10, 21, 34]);
}

#[test]
fn status_reports_and_questions_are_not_forwarded() {
    let bytes = b"a\x1b]7501;state=idle\x07b\x1b]7501;?\x1b\\c\x1b]7501;?:states=idle\x1b\\d\x1b]07501;junk\x07";
    let seen = record(bytes);
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (&b"abcd"[..], &b"abcd"[..])
    );
}

#[test]
fn a_removed_string_stays_removed_to_its_terminator_however_long() {
    for start in [
        "\x1b]7501;msg=",
        "\x1b]99;;",
        "\x1b]9;text",
        "\x1b]777;notify;",
        "\x1b_G",
        "\x1bPq",
        "\x1bP+q",
    ] {
        let bytes = format!("a{start}{}\x1b\\b", "A".repeat(20_000));
        let seen = record(bytes.as_bytes());
        assert_eq!(
            (&seen.forwarded[..], &seen.drawn[..]),
            (&b"ab"[..], &b"ab"[..]),
            "{start:?}"
        );
    }
}

#[test]
fn only_what_may_become_a_question_is_held_back() {
    for (bytes, forwarded) in [
        ("text\x1b", "text"),
        ("\x1b[6", ""),
        ("\x1b]", ""),
        ("\x1b]1", ""),
        ("\x1b]10;#f", ""),
        ("\x1b]2;ti", "\x1b]2;ti"),
        ("\x1b]2;ti\x1b", "\x1b]2;ti"),
        ("\x1b]52;c;", ""),
        ("\x1b]52;c;aG", "\x1b]52;c;aG"),
        ("\x1b]9;4", ""),
        ("\x1b]9;4;1", "\x1b]9;4;1"),
        ("\x1b]777;no", ""),
        ("\x1b]1337;Fi", ""),
        ("\x1b]1337;Set", "\x1b]1337;Set"),
        ("\x1bP1$", ""),
        ("\x1bP1$r", "\x1bP1$r"),
        ("\x1bX", ""),
        ("\x1bXa", "\x1bXa"),
    ] {
        assert_eq!(
            record(bytes.as_bytes()).forwarded,
            forwarded.as_bytes(),
            "{bytes:?}"
        );
    }
}

#[test]
fn a_control_sequence_is_held_back_to_64_bytes_and_a_string_to_512() {
    let sequence = format!("\x1b[{}", "1".repeat(62));
    assert_eq!(record(sequence.as_bytes()).forwarded, b"");
    let longer = format!("{sequence}1");
    assert_eq!(record(longer.as_bytes()).forwarded, longer.as_bytes());

    let string = format!("\x1b]4;{}", "1".repeat(508));
    assert_eq!(record(string.as_bytes()).forwarded, b"");
    let longer = format!("{string}1");
    assert_eq!(record(longer.as_bytes()).forwarded, longer.as_bytes());
}

#[test]
fn what_is_too_long_for_a_question_is_forwarded_and_the_emulator_does_not_answer_it() {
    let long = format!("\x1b[{}6n", "0".repeat(80));
    let seen = record(long.as_bytes());
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..], seen.queries.len()),
        (long.as_bytes(), &b""[..], 0)
    );
    let long = format!("\x1b]4;1;{};2;?\x07", "x".repeat(600));
    let seen = record(long.as_bytes());
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..], seen.queries.len()),
        (long.as_bytes(), &b""[..], 0)
    );
}

#[test]
fn a_long_colour_sequence_is_drawn_whole() {
    let long = format!("\x1b[{}m", "38;2;255;255;255;".repeat(20));
    let seen = record(long.as_bytes());
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (long.as_bytes(), long.as_bytes())
    );
}

#[test]
fn an_overlong_sequence_or_string_is_forwarded_and_not_drawn() {
    for (start, end) in [
        ("\x1b[", "m"),
        ("\x1b]2;", "\x07"),
        ("\x1b]8;;", "\x1b\\"),
        ("\x1bP1$r", "\x1b\\"),
    ] {
        let bytes = format!("a{start}{}{end}b\x1b]2;next\x07", "1".repeat(10_000));
        let seen = record(bytes.as_bytes());
        assert_eq!(seen.forwarded, bytes.as_bytes(), "{start:?}");
        assert_eq!(seen.drawn, b"ab\x1b]2;next\x07", "{start:?}");
        assert_eq!(seen.signals.len(), 1);
    }
}

#[test]
fn memory_is_bounded_for_10_mb_without_an_end_and_a_valid_frame_after_it_is_read() {
    let block = [b'1'; 1 << 16];
    let starts: [&[u8]; 12] = [
        b"\x1b]2;",
        b"\x1b]",
        b"\x1b]7501;msg=",
        b"\x1b]133;C;cmdline=",
        b"\x1b]4;",
        b"\x1b]1337;File=",
        b"\x1bP1$r",
        b"\x1bP",
        b"\x1b_G",
        b"\x1b^",
        b"\x1b[",
        b"\x1b[1;",
    ];
    for tmux_passthrough in [false, true] {
        for start in starts {
            let mut reader = Reader::new(Options { tmux_passthrough });
            struct Last(Option<Signal>);
            impl Sink for Last {
                fn signal(&mut self, _: u64, signal: Signal) {
                    self.0 = Some(signal);
                }
            }
            let mut sink = Last(None);
            let prefix: &[u8] = if tmux_passthrough {
                b"\x1bPtmux;\x1b"
            } else {
                b""
            };
            reader.read(prefix, &mut sink);
            reader.read(start, &mut sink);
            for _ in 0..160 {
                reader.read(&block, &mut sink);
                let size = reader.buffer.capacity()
                    + reader
                        .inner
                        .as_ref()
                        .map_or(0, |inner| inner.buffer.capacity());
                assert!(size <= 1 << 20, "{start:?}: {size}");
            }
            reader.read(b"\x1b\\\x1b\\m\x1b]9;4;1;42\x1b\\", &mut sink);
            let progress = Progress {
                state: ProgressState::Normal,
                percent: Some(42),
            };
            assert_eq!(sink.0, Some(Signal::Progress(progress)), "{start:?}");
            assert!(reader.buffer.capacity() <= KEPT_CAPACITY);
        }
    }
}

#[test]
fn a_frame_right_after_10_mb_of_title_without_an_end_is_read() {
    let mut reader = Reader::new(Options::default());
    let mut seen = Record::default();
    reader.read(b"\x1b]2;", &mut seen);
    for _ in 0..160 {
        seen.forwarded.clear();
        reader.read(&[b't'; 1 << 16], &mut seen);
        assert!(reader.buffer.capacity() <= KEPT_CAPACITY);
    }
    reader.read(b"\x1b]9;4;1;42\x07", &mut seen);
    let progress = Progress {
        state: ProgressState::Normal,
        percent: Some(42),
    };
    assert_eq!(
        seen.signals,
        [(4 + (160 << 16), Signal::Progress(progress))]
    );
    assert_eq!(seen.drawn, b"");
}

#[test]
fn every_other_control_is_text() {
    let bytes = b"\x00\x01\x02\x03\x04\x06\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x18\x1a\x1c\x1f\x7f";
    let seen = record(bytes);
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (&bytes[..], &bytes[..])
    );
}

#[test]
fn the_unfinished_bytes_are_those_already_forwarded() {
    for (bytes, unfinished) in [
        (&b"text"[..], &b""[..]),
        (b"t\xc3", b"\xc3"),
        (b"t\xf0\x9f\x90", b"\xf0\x9f\x90"),
        ("tä".as_bytes(), b""),
        (b"\xe2\x82", b"\xe2\x82"),
        (b"\xe2\x82\xac", b""),
        (b"\xc3\x1b", b"\xc3"),
        (b"\xc3\x07", b"\xc3"),
        (b"\xc3\x1b]2;", b"\x1b]2;"),
        (b"\xc3\x1b[m", b""),
        (b"a\xff", b""),
        (b"a\xe0\x80", b""),
        (b"\x1b[6", b""),
        (b"\x1b]2;ti", b"\x1b]2;ti"),
        (b"\x1b]2;ti\x1b", b"\x1b]2;ti"),
        (b"\x1b]7501;st", b""),
        (b"\x1b]2;t\x07", b""),
    ] {
        assert_eq!(
            reader_after(bytes).0.unfinished(),
            Some(unfinished),
            "{bytes:?}"
        );
    }
    let mut reader = Reader::new(Options::default());
    for byte in "\u{1f41c}".as_bytes() {
        reader.read(&[*byte], &mut Record::default());
    }
    assert_eq!(reader.unfinished(), Some(&b""[..]));
}

#[test]
fn an_unfinished_sequence_longer_than_4_kib_is_said_to_be_so() {
    let start = format!("\x1b]2;{}", "x".repeat(4092));
    assert_eq!(
        reader_after(start.as_bytes()).0.unfinished(),
        Some(start.as_bytes())
    );
    for length in [4093, 9000] {
        let start = format!("\x1b]2;{}", "x".repeat(length));
        assert_eq!(reader_after(start.as_bytes()).0.unfinished(), None);
        let ended = format!("{start}\x07");
        assert_eq!(
            reader_after(ended.as_bytes()).0.unfinished(),
            Some(&b""[..])
        );
        let start = format!("\x1b[{}", "1".repeat(length + 2));
        assert_eq!(reader_after(start.as_bytes()).0.unfinished(), None);
    }
    // Of a removed one, clients have nothing.
    let start = format!("\x1b]99;;{}", "x".repeat(9000));
    assert_eq!(
        reader_after(start.as_bytes()).0.unfinished(),
        Some(&b""[..])
    );
}

#[test]
fn a_character_broken_by_a_string_that_is_not_drawn_is_broken_for_the_emulator_too() {
    let seen = record(b"\xc3\x1b]133;A\x07\xa9");
    assert_eq!(seen.forwarded, b"\xc3\x1b]133;A\x07\xa9");
    assert_eq!(seen.drawn, b"\xc3\x1b\\\xa9");
    // Removed from both, it breaks it for neither.
    let seen = record(b"\xc3\x1b]7501;state=idle\x07\xa9");
    assert_eq!(
        (&seen.forwarded[..], &seen.drawn[..]),
        (&b"\xc3\xa9"[..], &b"\xc3\xa9"[..])
    );
}

#[test]
fn ten_thousand_bells_are_ten_thousand_signals() {
    assert_eq!(only_signals(&[BEL; 10_000]).len(), 10_000);
}
