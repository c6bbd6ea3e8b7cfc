//! The commands that look: what they print, in what shape, and how wrong usage is said. Each test
//! has directories and processes of its own, and waits for events.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]
#![allow(dead_code, reason = "the world offers more than these tests use")]

mod capture;
mod completing;
mod decode;
mod doctor;
mod events;
mod following;
mod list;
mod lost;
mod probe;
mod runtime_directories;
mod show;
mod usage;
mod watching;
#[path = "../stories/window.rs"]
mod window;
#[path = "../stories/world.rs"]
mod world;
mod wrong_arguments;
