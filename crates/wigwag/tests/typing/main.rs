//! Typing into terminals and waiting for what comes of it, from the outside. Each test has
//! directories and processes of its own, and waits for events.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

mod send;
mod wait;
#[path = "../stories/window.rs"]
#[allow(dead_code, reason = "the stories use all of it")]
mod window;
#[path = "../stories/world.rs"]
#[allow(dead_code, reason = "the stories use all of it")]
mod world;
