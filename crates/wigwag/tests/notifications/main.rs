//! Notifications against the real things: a session bus with a notification server, a web server that
//! checks what ntfy documents, commands. Each test has directories and processes of its own.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]
#![allow(dead_code, reason = "the world offers more than these tests use")]

mod bad_input;
mod bus;
mod command;
mod desktop;
mod marks;
mod ntfy;
mod settings;
mod told;
mod web_server;
#[path = "../stories/window.rs"]
mod window;
#[path = "../stories/world.rs"]
mod world;
