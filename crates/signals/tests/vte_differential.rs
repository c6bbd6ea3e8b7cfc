//! The tokenizer against `vte`: what the emulator is drawn means to `vte` what the whole
//! stream does, without what is removed. Each known difference is a named case.

use proptest::prelude::*;
use signals::{Options, Reader, Sink};
use vte::{Params, Parser, Perform};

/// What a parser dispatched.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Dispatch {
    Print(char),
    Execute(u8),
    Control {
        parameters: Vec<Vec<u16>>,
        intermediates: Vec<u8>,
        last: char,
    },
    Escape {
        intermediates: Vec<u8>,
        last: u8,
    },
    Osc(Vec<Vec<u8>>),
    Dcs,
}

#[derive(Default)]
struct Dispatches(Vec<Dispatch>);

impl Perform for Dispatches {
    fn print(&mut self, c: char) {
        self.0.push(Dispatch::Print(c));
    }
    fn execute(&mut self, byte: u8) {
        self.0.push(Dispatch::Execute(byte));
    }
    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, last: char) {
        // vte ignores what has too many parameters or intermediates.
        if !ignore {
            self.0.push(Dispatch::Control {
                parameters: params.iter().map(<[u16]>::to_vec).collect(),
                intermediates: intermediates.to_vec(),
                last,
            });
        }
    }
    fn esc_dispatch(&mut self, intermediates: &[u8], ignore: bool, last: u8) {
        if !ignore {
            self.0.push(Dispatch::Escape {
                intermediates: intermediates.to_vec(),
                last,
            });
        }
    }
    fn osc_dispatch(&mut self, params: &[&[u8]], _bell: bool) {
        self.0.push(Dispatch::Osc(
            params.iter().map(|param| param.to_vec()).collect(),
        ));
    }
    fn hook(&mut self, _: &Params, _: &[u8], _: bool, _: char) {
        self.0.push(Dispatch::Dcs);
    }
}

fn dispatches(bytes: &[u8]) -> Vec<Dispatch> {
    let mut dispatches = Dispatches::default();
    Parser::new().advance(&mut dispatches, bytes);
    dispatches.0
}

fn drawn(bytes: &[u8]) -> Vec<u8> {
    struct Drawn(Vec<u8>);
    impl Sink for Drawn {
        fn draw(&mut self, bytes: &[u8]) {
            self.0.extend_from_slice(bytes);
        }
    }
    let mut drawn = Drawn(Vec::new());
    Reader::new(Options::default()).read(bytes, &mut drawn);
    drawn.0
}

/// What of a whole stream is left for the emulator: no questions, BEL, ENQ and DCS; OSC are
/// compared apart, and so is the ST that ends a string (vte dispatches it as an escape).
fn is_for_the_emulator(dispatch: &Dispatch) -> bool {
    match dispatch {
        Dispatch::Print(_) => true,
        Dispatch::Execute(byte) => ![0x05, 0x07].contains(byte),
        Dispatch::Escape {
            intermediates,
            last,
        } => !(intermediates.is_empty() && *last == b'\\'),
        Dispatch::Osc(_) | Dispatch::Dcs => false,
        Dispatch::Control {
            parameters,
            intermediates,
            last,
        } => {
            let first = parameters.first().and_then(|parameter| parameter.first());
            let first = first.copied().unwrap_or_default();
            !match (&intermediates[..], last) {
                (b"" | b"?", 'n') | (b"", 'x') | (b"$" | b"?$", 'p') | (b"?", 'u' | 'm' | 'S') => {
                    true
                }
                (b"*", 'y') | (b"$", 'w') | (b"#", '|' | 'R') => true,
                (b"" | b">" | b"=", 'c') | (b">", 'q') => first == 0,
                (b"", 't') => [11, 13, 14, 15, 16, 18, 19, 20, 21].contains(&first),
                _ => false,
            }
        }
    }
}

fn for_the_emulator(bytes: &[u8]) -> Vec<Dispatch> {
    dispatches(bytes)
        .into_iter()
        .filter(is_for_the_emulator)
        .collect()
}

/// Streams of valid UTF-8 out of text, controls and sequences, whole and torn. No character
/// holds the byte 0x9C: a DCS may be open anywhere, and `vte` would end it there.
fn stream() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[ -~äü\u{1f419}]{0,8}",
        2 => "[\\x00-\\x1f]{0,3}",
        4 => "\x1b\\[[?>=<]?[0-9;:]{0,8}[ -/]{0,2}[@-~]",
        2 => "\x1b\\[[0-?]{0,6}[ -/]{0,2}[0-9]{0,2}",
        2 => "\x1b[ -/]{0,2}[0-~]",
        1 => "\x1b\\[[0-9\\n\\r\\x07\\x7fä;]{0,6}[A-Z]",
        2 => "\x1b\\](0|2|4|8|10|52|133|7501|9|777);[ -~ä]{0,10}(\\x07|\x1b\\\\)",
        1 => "\x1b\\][0-9;a-z]{0,6}[\\x18\\x1a\\x1b]",
        1 => "\x1bP[0-9;]{0,3}[ -/]{0,1}[@-~][ -~\\n\\x07]{0,6}(\x1b\\\\|\\x18)",
        1 => "\x1b[_^X][ -~\\n\\x07ä]{0,6}(\x1b\\\\|\\x1a|\x1b)",
    ];
    proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_drawn_stream_means_what_the_whole_stream_does(stream in stream()) {
        let drawn = drawn(stream.as_bytes());
        prop_assert_eq!(for_the_emulator(&drawn), for_the_emulator(stream.as_bytes()));
    }

    #[test]
    fn nothing_that_is_removed_is_left_in_the_drawn_stream(stream in stream()) {
        for dispatch in dispatches(&drawn(stream.as_bytes())) {
            match dispatch {
                Dispatch::Osc(fields) => prop_assert!(
                    [&b"0"[..], b"2", b"4", b"8", b"10"].contains(&&fields[0][..])
                        && !fields[1..].iter().any(|field| matches!(&fields[0][..], b"4" | b"10") && field == b"?"),
                    "{:?}", fields
                ),
                Dispatch::Escape { .. } => {}
                other => prop_assert!(is_for_the_emulator(&other), "{:?}", other),
            }
        }
    }

    #[test]
    fn whole_strings_for_the_emulator_are_dispatched_alike(
        strings in proptest::collection::vec("\x1b\\](0|2|8|22|104|112);[ -~äü]{0,12}(\\x07|\x1b\\\\)", 0..5)
    ) {
        let stream = strings.concat();
        prop_assert_eq!(dispatches(&drawn(stream.as_bytes())), dispatches(stream.as_bytes()));
    }
}

fn osc(dispatches: &[Dispatch]) -> usize {
    dispatches
        .iter()
        .filter(|dispatch| matches!(dispatch, Dispatch::Osc(_)))
        .count()
}

#[test]
fn an_aborted_osc_is_executed_by_vte_and_not_drawn_here() {
    // A title that lost its end must not be taken for a title that was said.
    for stream in ["\x1b]2;x\x18", "\x1b]2;x\x1a", "\x1b]8;;u\x1b[m"] {
        assert_eq!(osc(&dispatches(stream.as_bytes())), 1, "{stream:?}");
        assert_eq!(osc(&dispatches(&drawn(stream.as_bytes()))), 0);
    }
}

#[test]
fn a_dcs_ends_at_0x9c_for_vte_and_never_here() {
    // The last byte of U+071C is 0x9C; vte prints the rest of the string.
    let stream = "\x1bP1$rm\u{71c}leak\x1b\\";
    assert_eq!(for_the_emulator(stream.as_bytes()).len(), 4);
    assert_eq!(for_the_emulator(&drawn(stream.as_bytes())), []);
}

#[test]
fn a_character_around_a_removed_byte_is_whole_here_and_broken_for_vte() {
    // The byte leaves both streams, so clients and emulator agree; no program sends it.
    assert_eq!(
        for_the_emulator(&drawn(b"\xc3\x07\xa9")),
        [Dispatch::Print('é')]
    );
    assert_ne!(for_the_emulator(b"\xc3\x07\xa9"), [Dispatch::Print('é')]);
}

#[test]
fn a_control_sequence_of_more_than_4_kib_is_dispatched_by_vte_and_not_drawn_here() {
    let stream = format!("\x1b[{}m", "0".repeat(5000));
    assert_eq!(for_the_emulator(stream.as_bytes()).len(), 1);
    assert_eq!(drawn(stream.as_bytes()), b"");
}
