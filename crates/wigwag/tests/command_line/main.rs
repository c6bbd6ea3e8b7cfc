//! The commands that look at terminals and type into them, from the outside: what they print, with
//! which exit code, and what they say to wrong input.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

mod capture;
mod decode;
mod events;
mod list;
mod send;
mod show;
mod wait;
#[path = "../stories/window.rs"]
#[allow(dead_code, reason = "the stories use all of it")]
mod window;
#[path = "../stories/world.rs"]
#[allow(dead_code, reason = "the stories use all of it")]
mod world;
mod wrong_usage;
