//! Stories of a person with real programs, from the outside: the installed commands, windows on
//! real PTYs, processes that are killed. Each test has directories and processes of its own.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

mod story_bad_input;
mod story_exit;
mod story_flood;
mod story_focus;
mod story_reattach;
mod story_reboot;
mod story_report;
mod story_status;
mod story_wait;
mod window;
mod world;
