use super::*;
use proptest::prelude::*;

/// What was told, with output put together until something else is told.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    Block {
        own: bool,
        success: bool,
        body: String,
        cut: bool,
    },
    Output(u32, Vec<u8>),
    Notification(Notification),
}

fn told_of(start: Start, pieces: &[&[u8]]) -> Vec<Told> {
    let mut told = Vec::new();
    let mut sink = |event: Event<'_>| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let event = match event {
            Event::Block(block) => Told::Block {
                own: block.own,
                success: block.success,
                body: text(block.body),
                cut: block.cut,
            },
            Event::Output { pane, bytes } => {
                if let Some(Told::Output(last, so_far)) = told.last_mut()
                    && *last == pane.0
                {
                    so_far.extend(bytes);
                    return;
                }
                Told::Output(pane.0, bytes.to_vec())
            }
            Event::Notification(notification) => Told::Notification(notification),
        };
        told.push(event);
    };
    let mut reader = Reader::new(start);
    for piece in pieces {
        reader.read(piece, &mut sink);
    }
    reader.finish(&mut sink);
    told
}

fn told(stream: &str) -> Vec<Told> {
    told_of(Start::AtOnce, &[stream.as_bytes()])
}

fn block(success: bool, body: &str) -> Told {
    Told::Block {
        own: true,
        success,
        body: body.into(),
        cut: false,
    }
}

fn output(pane: u32, text: &str) -> Told {
    Told::Output(pane, text.into())
}

const EXIT: Told = Told::Notification(Notification::Exit { reason: None });
const SESSIONS: Told = Told::Notification(Notification::SessionsChanged);

/// A conversation with tmux 3.3a, of every kind of line.
const CONVERSATION: &str = "\
%begin 1796102460 268 0\n%end 1796102460 268 0\n%session-changed $1 two\n\
%begin 1796102462 276 1\n%end 1796102462 276 1\n\
%extended-output %1 0 : echo %end\\015\\012\n%extended-output %1 12 later : \\033]2;a\\007\n\
%output %12 a\\\\ b : c \\18 \u{e9}\n%output %1 \n%unknown-line 1 2\n\
%begin 1796102463 277 1\n%output %1 text\n%end 1796102463 276 1\n%end 1796102463 277 0\n \
%end 1796102463 277 1\n%end 1796102463 277 1 \n%begin 1796102463 277 1\n\n%end 1796102463 277 1\n\
%begin 1796102464 282 1\nparse error: unknown command: bogus\n%error 1796102464 282 1\n\
noise\n%sessions-changed\n%subscription-changed w $1 - - - : x y\n%pause %1\n%exit\n";

#[test]
fn a_conversation_is_read_in_order() {
    let notification = Told::Notification;
    assert_eq!(
        told(CONVERSATION),
        [
            Told::Block {
                own: false,
                success: true,
                body: String::new(),
                cut: false
            },
            notification(Notification::parse(b"%session-changed $1 two").unwrap()),
            block(true, ""),
            output(1, "echo %end\r\n\x1b]2;a\x07"),
            output(12, "a\\\\ b : c \\18 \u{e9}"),
            block(
                true,
                "%output %1 text\n%end 1796102463 276 1\n%end 1796102463 277 0\n %end 1796102463 277 1\n\
                 %end 1796102463 277 1 \n%begin 1796102463 277 1\n\n"
            ),
            block(false, "parse error: unknown command: bogus\n"),
            SESSIONS,
            notification(Notification::parse(b"%subscription-changed w $1 - - - : x y").unwrap()),
            notification(Notification::Paused { pane: PaneId(1) }),
            EXIT,
        ]
    );
}

#[test]
fn the_same_is_told_wherever_the_stream_is_cut() {
    let bytes = CONVERSATION.as_bytes();
    let whole = told(CONVERSATION);
    for at in 0..=bytes.len() {
        let (before, after) = bytes.split_at(at);
        assert_eq!(
            told_of(Start::AtOnce, &[before, after]),
            whole,
            "cut at {at}"
        );
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(told_of(Start::AtOnce, &single), whole);
}

#[test]
fn only_the_exact_triple_ends_a_block() {
    let body =
        "%end 5 1 1\n%end 1 2 1\n%error 1 1 1\n%end 1 1\n%end 1 1 1 1\n%end +1 1 1\n%end  1 1 1\n";
    let stream = format!("%begin 1 1 0\n{body}%end 1 1 0\n");
    assert!(matches!(&told(&stream)[..], [Told::Block { body: told, .. }] if told == body));
}

#[test]
fn text_inside_a_block_is_never_a_notification() {
    let body = "%output %1 x\n%exit\n%sessions-changed\n%begin 9 9 1\n";
    let stream = format!("%begin 1 1 1\n{body}%end 1 1 1\n%sessions-changed\n");
    assert_eq!(told(&stream), [block(true, body), SESSIONS]);
}

#[test]
fn guards_that_a_program_prints_are_its_output() {
    let stream =
        "%output %1 %end 1 1 1\\015\\012%begin 1 1 1\\012%output %2 x\\012\n%output %1 %exit\n";
    assert_eq!(
        told(stream),
        [output(1, "%end 1 1 1\r\n%begin 1 1 1\n%output %2 x\n%exit")]
    );
}

#[test]
fn an_exit_before_the_last_end_is_a_success() {
    assert_eq!(told("%begin 1 1 1\n%exit\n"), [block(true, ""), EXIT]);
    assert_eq!(
        told("%begin 1 1 1\nkilled\n%exit"),
        [block(true, "killed\n"), EXIT]
    );
    let reason = Notification::Exit {
        reason: Some("server exited".into()),
    };
    assert_eq!(
        told("%begin 1 1 1\n%exit server exited\n"),
        [block(true, ""), Told::Notification(reason)]
    );
}

#[test]
fn an_end_in_the_middle_of_a_block_is_no_success() {
    assert_eq!(told("%begin 1 1 1\nhalf\n"), []);
    assert_eq!(told("%begin 1 1 1\n%exit\nhalf"), []);
    assert_eq!(told("%begin 1 1 1"), []);
}

#[test]
fn an_exit_without_a_line_feed_at_the_end_counts() {
    assert_eq!(told("%exit"), [EXIT]);
}

#[test]
fn the_preamble_is_skipped() {
    assert_eq!(
        told("\x1bP1000p%begin 1 1 1\n%end 1 1 1\n"),
        [block(true, "")]
    );
}

#[test]
fn a_banner_before_the_preamble_is_no_protocol() {
    let banner = "%begin 1 1 1\nWelcome \x1bP1000\x1b\x1bP100\n%exit\n";
    let stream = format!("{banner}\x1bP1000p%sessions-changed\n%exit\n\x1b\\");
    let whole = told_of(Start::AtPreamble, &[stream.as_bytes()]);
    assert_eq!(whole, [SESSIONS, EXIT]);
    for at in 0..=stream.len() {
        let (before, after) = stream.as_bytes().split_at(at);
        assert_eq!(
            told_of(Start::AtPreamble, &[before, after]),
            whole,
            "cut at {at}"
        );
    }
    let single: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
    assert_eq!(told_of(Start::AtPreamble, &single), whole);
    assert_eq!(told_of(Start::AtPreamble, &[banner.as_bytes()]), []);
}

#[test]
fn lines_that_a_pty_ended_with_two_bytes_are_read() {
    assert_eq!(
        told("%begin 1 1 1\r\n%end 1 1 1\r\n%sessions-changed\r\n%exit\r\n"),
        [block(true, ""), SESSIONS, EXIT]
    );
}

#[test]
fn output_of_a_megabyte_in_one_line_streams_through() {
    let text = "x\\033".repeat(200_000);
    let stream = format!("%output %1 {text}\n%sessions-changed\n");
    let mut sizes = Vec::new();
    let mut reader = Reader::new(Start::AtOnce);
    for piece in stream.as_bytes().chunks(4096) {
        reader.read(piece, &mut |event| {
            if let Event::Output { bytes, .. } = event {
                sizes.push(bytes.len());
            }
        });
        assert!(reader.line.len() <= HEAD_LIMIT);
    }
    assert_eq!(sizes.iter().sum::<usize>(), 400_000);
    assert!(sizes.iter().all(|&size| size <= 4096));
}

#[test]
fn a_line_beyond_the_limit_is_skipped_and_what_follows_is_read() {
    let long = format!("%window-renamed @1 {}\n", "x".repeat(LINE_LIMIT));
    assert_eq!(told(&format!("{long}%sessions-changed\n")), [SESSIONS]);
    let pieces: Vec<&[u8]> = long.as_bytes().chunks(1000).collect();
    assert_eq!(told_of(Start::AtOnce, &pieces), []);
}

#[test]
fn a_body_beyond_the_limit_is_cut_and_what_follows_is_read() {
    let line = "y".repeat(1 << 20);
    let mut stream = String::from("%begin 1 1 1\n");
    for _ in 0..17 {
        stream += &line;
        stream += "\n";
    }
    stream += "%end 1 1 1\n%sessions-changed\n";
    let told = told(&stream);
    assert!(
        matches!(&told[..], [Told::Block { success: true, cut: true, body, .. }, SESSIONS] if body.len() == BLOCK_LIMIT)
    );
}

#[test]
fn a_long_line_of_a_block_is_whole() {
    let body = format!(
        "{}\n{}\n",
        "z".repeat(GUARD_LIMIT),
        "z".repeat(10 * GUARD_LIMIT)
    );
    let stream = format!("%begin 1 1 1\n{body}%end 1 1 1\n");
    for size in [1, 7, 100, 1000, 10_000] {
        let pieces: Vec<&[u8]> = stream.as_bytes().chunks(size).collect();
        assert_eq!(told_of(Start::AtOnce, &pieces), [block(true, &body)]);
    }
}

#[test]
fn heads_of_output_that_are_none_are_skipped() {
    for line in [
        "%output 1 x",
        "%output %x y",
        "%output %1",
        "%outputs %1 x",
        "%extended-output %1 0 x",
        "%extended-output %1\n : x",
        "%output %99999999999 x",
    ] {
        assert_eq!(
            told(&format!("{line}\n%sessions-changed\n")),
            [SESSIONS],
            "{line}"
        );
    }
}

proptest! {
    #[test]
    fn any_bytes_cut_anywhere_tell_the_same(
        lines in prop::collection::vec(prop_oneof![
            Just("%begin 1 1 1".to_owned()), Just("%end 1 1 1".to_owned()), Just("%error 1 1 1".to_owned()),
            Just("%output %1 a\\033b".to_owned()), Just("%exit".to_owned()), Just("%sessions-changed".to_owned()),
            Just("%extended-output %1 0 : x\\".to_owned()), "[%\\\\ -~]{0,20}",
        ], 0..12),
        cuts in prop::collection::vec(0usize..200, 0..8),
    ) {
        let stream = lines.join("\n").into_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|ends| &stream[ends[0]..ends[1]]).collect();
        prop_assert_eq!(told_of(Start::AtOnce, &pieces), told_of(Start::AtOnce, &[&stream]));
    }
}
