//! The text that is printed: the same on every run.

/// Words of ordinary length, so that lines differ in length as build output does.
const WORDS: [&str; 16] = [
    "checking",
    "the",
    "build",
    "of",
    "module",
    "src/reader.rs",
    "with",
    "warning:",
    "unused",
    "value",
    "in",
    "function",
    "at",
    "line",
    "finished",
    "ok",
];

/// A small generator of numbers that repeats itself on every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Lines of 3 to 14 words without any control sequence.
pub(crate) fn plain(bytes: usize) -> Vec<u8> {
    lines(bytes, |text, word, _| {
        text.extend_from_slice(word.as_bytes())
    })
}

/// The same with every word in another colour, as a listing or a test runner prints it.
pub(crate) fn coloured(bytes: usize) -> Vec<u8> {
    lines(bytes, |text, word, number| {
        let colour = 31 + number % 6;
        match number % 3 {
            0 => text.extend_from_slice(format!("\x1b[{colour}m{word}\x1b[0m").as_bytes()),
            1 => text.extend_from_slice(format!("\x1b[1;{colour}m{word}\x1b[m").as_bytes()),
            _ => text.extend_from_slice(format!("\x1b[38;5;{number}m{word}\x1b[39m").as_bytes()),
        }
    })
}

fn lines(bytes: usize, mut print: impl FnMut(&mut Vec<u8>, &str, usize)) -> Vec<u8> {
    let mut numbers = Numbers(0x7501);
    let mut text = Vec::with_capacity(bytes + 1024);
    while text.len() < bytes {
        for position in 0..3 + numbers.below(12) {
            if position > 0 {
                text.push(b' ');
            }
            print(
                &mut text,
                WORDS[numbers.below(WORDS.len())],
                numbers.below(256),
            );
        }
        text.push(b'\n');
    }
    text
}
