//! Real holders with real programs in private directories, by what they must show.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod attacks;
mod clients;
mod home;
mod lifecycle;
mod names;
mod people;
mod program;
mod protocol_v1;
