//! Runs a target on its seeds and on random mutations of them.
//!
//! The generator is xorshift64*, seeded by a constant: a run is the same everywhere, and a
//! failure names the input that caused it.
#![cfg(test)]

use std::path::{Path, PathBuf};

/// Mutations a target is run on; a few seconds in a debug build.
pub(crate) const RUNS: u64 = 10_000;

/// Longest input, in bytes: over every limit but that of command texts.
const LENGTH_LIMIT: usize = 20_000;

/// Runs `target` on the seeds of `corpus/name` and on mutations of them that splice in
/// pieces of `dictionary`.
pub(crate) fn run(name: &str, dictionary: &[&[u8]], target: fn(&[u8])) {
    let seeds = seeds(name);
    for seed in &seeds {
        check(target, seed);
    }
    let mut random = Random(number("FUZZ_SEED", 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..number("FUZZ_RUNS", RUNS) {
        let mut input = random.of(&seeds).clone();
        for _ in 0..=random.below(6) {
            mutate(&mut input, &seeds, dictionary, &mut random);
        }
        input.truncate(LENGTH_LIMIT);
        check(target, &input);
    }
}

fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(value) => value
            .parse()
            .unwrap_or_else(|_| panic!("{variable} must be a number")),
        Err(_) => default,
    }
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no seeds in {}", folder.display());
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

/// Runs the target; on a panic, the input is said before the panic goes on.
fn check(target: fn(&[u8]), input: &[u8]) {
    if let Err(panic) = std::panic::catch_unwind(|| target(input)) {
        eprintln!("the input was b\"{}\"", input.escape_ascii());
        std::panic::resume_unwind(panic);
    }
}

fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], dictionary: &[&[u8]], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let end = (at + random.below(16)).min(input.len());
    match random.below(9) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => input[at] = random.below(256) as u8,
        2 => drop(input.drain(at..end)),
        3 => drop(input.splice(at..at, input[at..end].to_vec())),
        4 => {
            let other = random.of(seeds);
            let from = random.below(other.len() + 1);
            let to = (from + random.below(64)).min(other.len());
            drop(input.splice(at..at, other[from..to].iter().copied()));
        }
        5 => input.truncate(at),
        6 => {
            let byte = random.below(256) as u8;
            let count = [1, 60, 64, 70, 511, 600, 4096, 9000][random.below(8)];
            drop(input.splice(at..at, std::iter::repeat_n(byte, count)));
        }
        _ => drop(input.splice(at..end, random.of(dictionary).iter().copied())),
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
