//! One process per terminal: PTY, signals, status and screen behind one socket.
//!
//! This library is both ends of the holder protocol: what `wigwag-holder` (the executable of
//! this crate) speaks, and what the daemon and the command line use to find, start and
//! talk to holders.

pub mod connection;
pub mod frame;
mod lossless;
mod passwd;
pub mod paths;
mod peer;
pub mod protocol;
pub mod runtime_record;
pub mod shell_integration;
pub mod socket_address;
pub mod spawn;
#[doc(hidden)]
pub mod terminal;
