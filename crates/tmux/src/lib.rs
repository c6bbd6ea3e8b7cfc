//! tmux as it is: every pane of every server of the user, watched, read and typed into.
#![forbid(unsafe_code)]

pub mod discover;
pub mod id;
pub mod listing;
pub mod notification;
mod octal;
pub mod pane;
pub mod protocol;
pub mod quote;
pub mod server;
pub mod status;
pub mod version;
pub mod watch;

mod client;
