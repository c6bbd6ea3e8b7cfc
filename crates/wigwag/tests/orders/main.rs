//! The commands that change something, as scripts and people run them. Each test has directories
//! and processes of its own, and waits for events.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]
#![allow(dead_code, reason = "the world offers more than these tests use")]

mod daemon;
mod doctor;
mod endings;
mod marks;
mod reports;
#[path = "../stories/window.rs"]
mod window;
#[path = "../stories/world.rs"]
mod world;

/// What `work` gives, which blocks until something happens; a test does not wait for ever.
fn within_limit<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || tell.send(work()));
    told.recv_timeout(world::LIMIT)
        .expect("what was waited for happens")
}
