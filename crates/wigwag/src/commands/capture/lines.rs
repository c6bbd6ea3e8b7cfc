//! A raw stream as lines of text, as they would stand on paper.
//!
//! A line is given when it ends. What the program writes over within the line (a progress bar, an
//! edited command) is written over here too; a jump elsewhere on the screen ends the line.

use signals::{Options, Reader, Sink};

/// A line without an end is given in pieces of that many characters.
const LONGEST: usize = 64 * 1024;
const TAB: usize = 8;

/// The stream so far.
pub(super) struct Lines {
    reader: Reader,
    paper: Paper,
}

#[derive(Default)]
struct Paper {
    /// Lines that ended and were not taken yet.
    ended: Vec<String>,
    line: Vec<char>,
    /// Where the next character goes.
    column: usize,
    /// The beginning of a character.
    cut: Vec<u8>,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self {
            reader: Reader::new(Options::default()),
            paper: Paper::default(),
        }
    }

    /// Takes a piece of the stream; the lines that ended in it.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        self.reader.read(bytes, &mut self.paper);
        std::mem::take(&mut self.paper.ended)
    }

    /// The end of the stream: what stands without a line feed.
    pub(super) fn rest(&mut self) -> Vec<String> {
        self.paper.jump();
        std::mem::take(&mut self.paper.ended)
    }
}

impl Paper {
    fn end_line(&mut self) {
        self.ended.push(self.line.drain(..).collect());
        self.column = 0;
    }

    /// The cursor goes elsewhere.
    fn jump(&mut self) {
        if self.line.iter().any(|c| *c != ' ') {
            self.end_line();
        }
        self.line.clear();
        self.column = 0;
    }

    fn put(&mut self, character: char) {
        if self.column >= LONGEST {
            self.end_line();
        }
        if self.column >= self.line.len() {
            self.line.resize(self.column, ' ');
            self.line.push(character);
        } else {
            self.line[self.column] = character;
        }
        self.column += 1;
    }

    fn control(&mut self, byte: u8) {
        match byte {
            b'\n' | 0x0b | 0x0c => self.end_line(),
            b'\r' => self.column = 0,
            0x08 => self.column = self.column.saturating_sub(1),
            b'\t' => self.column = (self.column / TAB + 1) * TAB,
            _ => {}
        }
    }

    fn characters(&mut self, bytes: &[u8]) {
        self.cut.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.cut);
        for chunk in bytes.utf8_chunks() {
            chunk.valid().chars().for_each(|c| self.put(c));
            let invalid = chunk.invalid();
            let is_cut = bytes.ends_with(invalid)
                && std::str::from_utf8(invalid).is_err_and(|e| e.error_len().is_none());
            if is_cut {
                self.cut = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.put(char::REPLACEMENT_CHARACTER);
            }
        }
    }

    /// A control sequence: what it does to the line.
    fn control_sequence(&mut self, parameters: &[u8], last: u8) {
        let digits = parameters.iter().take_while(|byte| byte.is_ascii_digit());
        let number = digits.fold(0_usize, |number, digit| {
            (number * 10 + usize::from(digit - b'0')).min(LONGEST)
        });
        let times = number.max(1);
        let length = self.line.len();
        match last {
            b'C' => self.column = (self.column + times).min(LONGEST),
            b'D' => self.column = self.column.saturating_sub(times),
            b'G' | b'`' => self.column = times - 1,
            b'K' if number == 0 => self.line.truncate(self.column),
            b'K' if number == 1 => {
                let end = (self.column + 1).min(length);
                self.line[..end].fill(' ');
            }
            b'K' => self.line.clear(),
            b'P' if self.column < length => {
                drop(
                    self.line
                        .drain(self.column..(self.column + times).min(length)),
                );
            }
            b'@' if self.column < length => {
                let blanks = std::iter::repeat_n(' ', times.min(LONGEST - length.min(LONGEST)));
                self.line.splice(self.column..self.column, blanks);
            }
            b'X' => {
                let end = (self.column + times).min(length);
                self.line[self.column.min(end)..end].fill(' ');
            }
            b'A' | b'B' | b'E' | b'F' | b'H' | b'f' | b'd' => self.jump(),
            b'J' if number > 1 => self.jump(),
            _ => {}
        }
    }
}

impl Sink for Paper {
    fn text(&mut self, bytes: &[u8]) {
        for run in bytes.chunk_by(|a, b| is_control(*a) == is_control(*b)) {
            if is_control(run[0]) {
                self.cut.clear();
                run.iter().for_each(|byte| self.control(*byte));
            } else {
                self.characters(run);
            }
        }
    }

    fn sequence(&mut self, bytes: &[u8]) {
        self.draw(bytes);
    }

    fn draw(&mut self, bytes: &[u8]) {
        match bytes {
            [0x1b, b'[', parameters @ .., last] => self.control_sequence(parameters, *last),
            [0x1b, ..] => {}
            _ => self.text(bytes),
        }
    }
}

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(stream: &[u8]) -> Vec<String> {
        let mut lines = Lines::new();
        let mut all = lines.take(stream);
        all.extend(lines.rest());
        // The same, however the stream is cut.
        let mut one_by_one = Lines::new();
        let mut same: Vec<String> = stream
            .iter()
            .flat_map(|byte| one_by_one.take(&[*byte]))
            .collect();
        same.extend(one_by_one.rest());
        assert_eq!(all, same);
        all
    }

    #[test]
    fn lines_have_no_control_sequences() {
        assert_eq!(
            lines(b"a\x1b[31mred\x1b[0m\x1b]2;title\x07 b\r\nc\x1b[32m\xc3\xa9\r\n"),
            ["ared b", "c\u{e9}"]
        );
    }

    #[test]
    fn what_is_written_over_counts_as_it_stands_at_last() {
        assert_eq!(lines(b" 10%\r 50%\r100%\r\n"), ["100%"]);
        assert_eq!(lines(b"building a thing\r\x1b[Kdone\n"), ["done"]);
        assert_eq!(lines(b"lx\x08s\r\n"), ["ls"]);
        assert_eq!(lines(b"abc\x1b[2D\x1b[P\r\n"), ["ac"]);
        assert_eq!(lines(b"ac\x08\x1b[@b\r\n"), ["abc"]);
        assert_eq!(lines(b"a\tb\x1b[2Cc\r\n"), ["a       b  c"]);
    }

    #[test]
    fn a_jump_on_the_screen_ends_the_line() {
        assert_eq!(lines(b"\x1b[2J\x1b[Hone\x1b[5;1Htwo"), ["one", "two"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(lines(b"a\xffb\xe2\x82\n"), ["a\u{fffd}b"]);
    }

    #[test]
    fn a_line_without_an_end_is_bounded() {
        let mut paper = Lines::new();
        let first = paper.take(&vec![b'x'; 3 * LONGEST]);
        assert_eq!(first.len(), 2);
        let far = paper.take(b"\x1b[99999999999999G\x1b[99999999@x\r\x1b[99999999@\n");
        assert!(far.iter().all(|line| line.len() <= 2 * LONGEST));
    }
}
