//! Against real servers of tmux: each test has its own, with a private socket and an empty home.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails; helpers of tests are tests too"
)]

mod acting;
mod presence;
mod support;
mod trouble;
mod watching;
