//! What a screen costs. Alone in its process, so that resident memory is this test's.
#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

use screen::{Screen, Size};

/// Resident bytes of this process.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

/// What each of `count` screens costs after `bytes`.
fn cost(count: usize, bytes: &[u8]) -> usize {
    let before = resident();
    let screens: Vec<Screen> = (0..count)
        .map(|_| {
            let mut screen = Screen::new(Size::new(80, 24), 10_000);
            screen.feed(bytes);
            screen
        })
        .collect();
    let cost = resident().saturating_sub(before) / count;
    drop(screens);
    cost
}

#[test]
fn a_screen_costs_little_idle_with_history_and_in_an_open_string() {
    let idle = cost(300, b"$ ");
    assert!(idle < 100_000, "idle: {idle} bytes");
    let scrolled = cost(300, "line\r\n".repeat(30).as_bytes());
    assert!(
        scrolled < 100_000,
        "after the first lines scrolled away: {scrolled} bytes"
    );
    let line = format!("{}\r\n", "x".repeat(70));
    let full = cost(20, line.repeat(10_100).as_bytes());
    assert!(full < 1_500_000, "10,000 lines of 70 columns: {full} bytes");
    let mut open = b"\x1b]8;;".to_vec();
    open.resize(20_000_000, b'x');
    let string = cost(2, &open);
    assert!(
        string < 200_000,
        "an OSC of 20 MB without an end: {string} bytes"
    );
}
