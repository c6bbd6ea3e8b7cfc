//! Against real servers of tmux: each test has its own, with a private socket and an empty home.
#![forbid(unsafe_code)]

mod acting;
mod presence;
mod support;
mod trouble;
mod watching;
