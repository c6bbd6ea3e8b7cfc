//! The holder process: it owns one PTY and outlives everything else (architecture.md, Holder).
//!
//! One thread around `poll`. `holder::Holder` is the state, `round` the loop; every other file here
//! is one part of it.

mod claim;
mod client;
mod client_queue;
mod clock;
mod code_pages;
mod environment;
mod event_log;
mod exit;
mod focus;
mod foreground;
mod holder;
mod hooks;
mod input_filter;
mod input_queue;
mod integration;
mod keys;
mod log;
mod modes;
mod output;
mod own_signals;
mod people;
mod printed;
mod processes;
mod program;
mod publish;
mod removal;
mod requests;
mod round;
mod serve;
mod shell;
mod signal_names;
mod ssh_agent;
mod start;
mod state_file;
mod view;

pub use keys::names as key_names;
pub use start::main;
