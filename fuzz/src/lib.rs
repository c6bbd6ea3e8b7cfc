//! Fuzz targets: functions of bytes that panic when a promise is broken.
//!
//! A target is one file with `pub fn name(data: &[u8])`, a test that runs it, one line
//! here, and seeds in `corpus/name/` (one input a file). `cargo test -p fuzz` runs each on
//! its seeds and on [`mutation::RUNS`] mutations of them, always the same ones;
//! `FUZZ_RUNS=1000000 FUZZ_SEED=2 cargo test --release -p fuzz` goes on from there. The
//! functions also fit any coverage-guided fuzzer.
#![forbid(unsafe_code)]

mod mutation;

pub mod control_mode;
pub mod holder_frames;
pub mod osc_bodies;
pub mod snapshot;
pub mod tokenizer;
