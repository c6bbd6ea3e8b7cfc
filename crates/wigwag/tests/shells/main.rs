//! Real shells with real startup files, in homes of their own: what a person sees of the commands
//! they type, and that nothing else is different.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]
#![allow(dead_code, reason = "the world offers more than these tests use")]

mod bash;
mod fish;
mod home;
mod marks;
mod other_shells;
mod processes;
mod then_shell;
mod tmux;
#[path = "../stories/window.rs"]
mod window;
#[path = "../stories/world.rs"]
mod world;
mod zsh;
