//! `decode`: the lines of interfaces.md, exactly.

use crate::world::World;
use std::io::Write as _;
use std::process::Stdio;

fn decode(input: &[u8], args: &[&str]) -> String {
    let world = World::new();
    let mut command = world.wigwag(&["decode"]);
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_signal_has_the_line_of_the_interface() {
    for (bytes, line) in [
        (
            &b"\x1b]2;PR #123\x1b\\"[..],
            r#"{"at":0,"signal":"title","text":"PR #123"}"#,
        ),
        (b"\x07", r#"{"at":0,"signal":"bell"}"#),
        (
            b"\x1b]9;4;1;42\x07",
            r#"{"at":0,"signal":"progress","state":"normal","percent":42}"#,
        ),
        (
            b"\x1b]9;Build done\x07",
            r#"{"at":0,"signal":"notify","title":null,"body":"Build done","id":null}"#,
        ),
        (b"\x1b]133;A\x07", r#"{"at":0,"signal":"prompt"}"#),
        (b"\x1b]133;B\x07", r#"{"at":0,"signal":"input"}"#),
        (
            b"\x1b]133;C;cmdline_url=make%20-j8\x07",
            r#"{"at":0,"signal":"command","line":"make -j8"}"#,
        ),
        (
            b"\x1b]133;D;0\x07",
            r#"{"at":0,"signal":"command_done","exit_code":0}"#,
        ),
        (
            b"\x1b]7;file://box/src\x07",
            r#"{"at":0,"signal":"cwd","host":"box","path":"/src"}"#,
        ),
        (
            b"\x1b]7501;state=blocked:kind=permission:app=terraform:msg=QXBwbHk/\x07",
            concat!(
                r#"{"at":0,"signal":"report","id":"","state":"blocked","kind":"permission","#,
                r#""progress":null,"app":"terraform","title":null,"msg":"Apply?"}"#
            ),
        ),
        (
            b"\x1b]7501;state=clear\x07",
            r#"{"at":0,"signal":"clear","id":""}"#,
        ),
        (
            b"\x1b]7501;?\x07",
            r#"{"at":0,"signal":"query","what":"program_status"}"#,
        ),
        (b"\x1bc", r#"{"at":0,"signal":"reset"}"#),
        (
            b"\x1b]7501;state=done:id=\x07",
            r#"{"at":0,"signal":"rejected","protocol":"program_status","reason":"id"}"#,
        ),
        (
            b"\x1b]9;4;1;101\x07",
            r#"{"at":0,"signal":"rejected","protocol":"progress","reason":"frame"}"#,
        ),
        (b"\x1b[22;0t", r#"{"at":0,"signal":"title_push"}"#),
        (b"\x1b[23;0t", r#"{"at":0,"signal":"title_pop"}"#),
    ] {
        assert_eq!(
            decode(bytes, &[]),
            format!("{line}\n"),
            "{:?}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn other_questions_and_plain_text_give_no_line() {
    assert_eq!(
        decode(b"plain \x1b[31mtext\x1b[0m\x1b[c\x1b[6n\x1b]11;?\x07", &[]),
        ""
    );
}

#[test]
fn what_is_wrapped_for_tmux_is_read_only_where_it_is_asked_for() {
    let wrapped = b"\x1bPtmux;\x1b\x1b]2;title\x1b\x1b\\\x1b\\";
    assert_eq!(decode(wrapped, &[]), "");
    assert!(decode(wrapped, &["--tmux"]).contains("title"));
}

#[test]
fn ten_megabytes_without_an_end_are_skipped_and_what_follows_is_read() {
    let mut bytes = b"\x1b]2;".to_vec();
    bytes.resize(10_000_000, b'A');
    bytes.extend(b"\x1b\\\x1b]9;4;1;42\x07");
    let lines = decode(&bytes, &[]);
    let line = lines.lines().last().unwrap();
    assert_eq!(
        line,
        r#"{"at":10000002,"signal":"progress","state":"normal","percent":42}"#
    );
}

#[test]
fn a_file_is_read_and_a_missing_one_is_said() {
    let world = World::new();
    let file = world.file("bytes", b"\x07");
    assert!(
        world
            .ok(&["decode", file.to_str().unwrap()])
            .contains("bell")
    );
    let message = world.fails(&["decode", "/nowhere"], 1);
    assert!(message.contains("/nowhere"), "{message}");
}
