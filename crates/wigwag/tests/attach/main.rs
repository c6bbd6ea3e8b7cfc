//! The attach client in a window of its own: the real executable in a PTY, an emulator as the outer
//! terminal.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

#[allow(dead_code, reason = "shared with the stories")]
#[path = "../stories/window.rs"]
mod window;
#[allow(dead_code, reason = "shared with the stories")]
#[path = "../stories/world.rs"]
mod world;

mod ended;
mod nesting;
mod notices;
mod outer_terminal;
mod restoring;
mod sizes;
mod switching;
