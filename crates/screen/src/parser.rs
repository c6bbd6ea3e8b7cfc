//! Bytes to controls, text and sequences, in bounded memory.
//!
//! The emulator is fed whole sequences by `signals`, but it must survive any bytes in any
//! chunks, so it has a tokenizer of its own. `vte::ansi::Processor` is not used: it buffers
//! all output of a synchronized update, executes an OSC that CAN or ESC aborted, lets an open
//! OSC grow without bound, and hands out text one character at a time, which is what makes a
//! plain `cat` slow. Here a run of printable ASCII in ground state is one call.
//!
//! Rules (signals.md, Stream rules): 7-bit controls only; bytes 0x80–0x9F are UTF-8; CAN and
//! SUB abort a sequence; ESC aborts one and starts the next; a control string ends with
//! ESC `\`, an OSC also with BEL.

use crate::bulk::Bulk;

/// Parameters of one CSI sequence; a longer list makes the sequence unknown and ignored.
const MAX_PARAMS: usize = 32;
/// An OSC body that is longer is skipped to its end (signals.md, Stream rules).
const MAX_OSC: usize = 8 * 1024;
/// Bytes of an unfinished sequence that a snapshot repeats (architecture.md, Snapshot, 5).
const MAX_UNFINISHED: usize = 4 * 1024;

/// What the parser calls, in stream order.
pub(crate) trait Actions {
    /// Printable ASCII, 0x20–0x7E, never empty.
    fn ascii(&mut self, run: &[u8]);
    /// Offers the rest of a chunk in ground state, at the start of a line: many lines at once.
    fn lines(&mut self, bytes: &[u8]) -> Bulk;
    /// One character outside ASCII, U+FFFD for invalid bytes.
    fn character(&mut self, c: char);
    /// A C0 control other than ESC, CAN and SUB.
    fn control(&mut self, byte: u8);
    /// ESC, intermediates, final byte.
    fn escape(&mut self, intermediates: &[u8], last: u8);
    /// A control sequence.
    fn csi(&mut self, csi: &Csi);
    /// The body of a complete OSC.
    fn osc(&mut self, body: &[u8]);
}

/// A complete control sequence.
#[derive(Debug, Clone)]
pub(crate) struct Csi {
    /// `<`, `=`, `>` or `?`, or 0.
    pub(crate) prefix: u8,
    /// At most two intermediate bytes, 0 where there are none.
    pub(crate) intermediates: [u8; 2],
    /// The final byte.
    pub(crate) last: u8,
    params: [u16; MAX_PARAMS],
    /// Bit n: parameter n follows a colon.
    subparams: u32,
    len: usize,
    intermediate_len: usize,
    /// More parameters or intermediates than are kept.
    overflow: bool,
}

impl Csi {
    pub(crate) fn new() -> Self {
        Self {
            prefix: 0,
            intermediates: [0; 2],
            last: 0,
            params: [0; MAX_PARAMS],
            subparams: 0,
            len: 0,
            intermediate_len: 0,
            overflow: false,
        }
    }

    fn clear(&mut self) {
        self.prefix = 0;
        self.intermediates = [0; 2];
        self.params[0] = 0;
        self.subparams = 0;
        self.len = 0;
        self.intermediate_len = 0;
        self.overflow = false;
    }

    /// Reads a sequence of parameters only that is whole: says how many bytes it is, 0 for
    /// everything else.
    #[inline]
    pub(crate) fn read(&mut self, bytes: &[u8]) -> usize {
        let [0x1B, b'[', rest @ ..] = bytes else {
            return 0;
        };
        self.clear();
        // The parameter that is being read stays in registers.
        let mut param = 0u32;
        let mut any = false;
        for (at, &byte) in rest.iter().enumerate() {
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 {
                param = (param * 10 + u32::from(digit)).min(u16::MAX.into());
                any = true;
                continue;
            }
            match byte {
                b';' | b':' => {
                    self.keep(param);
                    self.separator(byte == b':');
                    param = 0;
                    any = true;
                }
                b'<'..=b'?' if at == 0 => self.prefix = byte,
                0x40..=0x7E => {
                    if any {
                        self.keep(param);
                    }
                    self.last = byte;
                    return at + 3;
                }
                _ => return 0,
            }
        }
        0
    }

    /// The value of the last parameter; a list that is too long keeps what it has.
    #[inline]
    fn keep(&mut self, param: u32) {
        if !self.overflow {
            self.len = self.len.max(1);
            self.params[self.len - 1] = param as u16;
        }
    }

    /// Colours and attributes, to be applied.
    #[inline]
    pub(crate) fn is_sgr(&self) -> bool {
        self.last == b'm' && self.prefix == 0 && self.intermediates == [0; 2] && !self.overflow
    }

    fn digit(&mut self, byte: u8) {
        if self.len == 0 {
            self.len = 1;
            self.params[0] = 0;
        }
        let param = &mut self.params[self.len - 1];
        *param = param
            .saturating_mul(10)
            .saturating_add(u16::from(byte - b'0'));
    }

    fn separator(&mut self, colon: bool) {
        if self.len == 0 {
            self.len = 1;
            self.params[0] = 0;
        }
        if self.len == MAX_PARAMS {
            self.overflow = true;
            return;
        }
        self.params[self.len] = 0;
        if colon {
            self.subparams |= 1 << self.len;
        }
        self.len += 1;
    }

    fn intermediate(&mut self, byte: u8) {
        if self.intermediate_len == self.intermediates.len() {
            self.overflow = true;
        } else {
            self.intermediates[self.intermediate_len] = byte;
            self.intermediate_len += 1;
        }
    }

    /// Parameter `index`; 0 where it is missing.
    pub(crate) fn param(&self, index: usize) -> u16 {
        if index < self.len {
            self.params[index]
        } else {
            0
        }
    }

    /// Parameter `index` as a count or position: missing and 0 are 1.
    pub(crate) fn count(&self, index: usize) -> usize {
        usize::from(self.param(index).max(1))
    }

    /// All parameters, colons ignored; an empty list where none were written.
    pub(crate) fn params(&self) -> &[u16] {
        &self.params[..self.len]
    }

    /// Whether parameter `index` follows a colon.
    pub(crate) fn is_subparam(&self, index: usize) -> bool {
        index < self.len && self.subparams & (1 << index) != 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ground,
    Escape,
    EscapeIntermediate,
    CsiEntry,
    CsiParam,
    CsiIntermediate,
    CsiIgnore,
    Osc,
    OscEscape,
    /// DCS, APC, PM, SOS: nothing the emulator holds.
    String,
    StringEscape,
}

/// The tokenizer; one per screen.
#[derive(Debug)]
pub(crate) struct Parser {
    state: State,
    csi: Csi,
    escape_intermediates: [u8; 2],
    escape_intermediate_len: usize,
    osc: Vec<u8>,
    osc_overflow: bool,
    partial: [u8; 4],
    partial_len: usize,
    /// Bytes of the unfinished sequence at the end of the last chunk.
    unfinished: Vec<u8>,
    unfinished_overflow: bool,
}

impl Parser {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Ground,
            csi: Csi::new(),
            escape_intermediates: [0; 2],
            escape_intermediate_len: 0,
            osc: Vec::new(),
            osc_overflow: false,
            partial: [0; 4],
            partial_len: 0,
            unfinished: Vec::new(),
            unfinished_overflow: false,
        }
    }

    /// Reads the next bytes.
    pub(crate) fn advance(&mut self, bytes: &[u8], actions: &mut impl Actions) {
        let mut at = 0;
        // Where in this chunk the sequence in progress starts, `None` in ground state.
        let mut start = (self.state != State::Ground).then_some(0);
        let mut continued = start.is_some();
        while at < bytes.len() {
            if self.state == State::Ground {
                at += self.ground(&bytes[at..], actions);
                if self.state != State::Ground {
                    start = Some(at - 1);
                    continued = false;
                }
            } else {
                let byte = bytes[at];
                if byte == 0x1B && !matches!(self.state, State::Osc | State::String) {
                    // The sequence in progress is aborted here; `ground` never saw this one.
                    start = Some(at);
                    continued = false;
                }
                let restarted = self.step(byte, actions);
                if restarted {
                    // ESC and another byte inside a string: that pair starts a new sequence.
                    start = at.checked_sub(1).or(Some(0));
                    continued = false;
                    if at == 0 {
                        self.unfinished.clear();
                        self.unfinished.push(0x1B);
                        self.unfinished_overflow = false;
                        continued = true;
                        start = Some(0);
                    }
                }
                at += 1;
            }
        }
        self.keep_unfinished(bytes, start, continued);
    }

    /// The bytes that, written to a parser in ground state, bring it where this one is.
    /// `None` where they are more than [`MAX_UNFINISHED`].
    pub(crate) fn unfinished(&self) -> Option<&[u8]> {
        if self.state == State::Ground {
            return Some(&self.partial[..self.partial_len]);
        }
        (!self.unfinished_overflow).then_some(&self.unfinished[..])
    }

    fn keep_unfinished(&mut self, bytes: &[u8], start: Option<usize>, continued: bool) {
        let Some(start) = start.filter(|_| self.state != State::Ground) else {
            self.unfinished = Vec::new();
            self.unfinished_overflow = false;
            return;
        };
        if !continued {
            self.unfinished.clear();
            self.unfinished_overflow = false;
        }
        for &byte in &bytes[start.min(bytes.len())..] {
            // Controls inside a sequence have been executed and must not be again; in the body
            // of a string, behind its introducer, they are kept as they are.
            let in_string = matches!(
                self.unfinished.get(1),
                Some(b']' | b'P' | b'X' | b'^' | b'_')
            );
            if byte < 0x20 && byte != 0x1B && !in_string {
                continue;
            }
            if self.unfinished.len() == MAX_UNFINISHED {
                self.unfinished_overflow = true;
                break;
            }
            self.unfinished.push(byte);
        }
    }

    /// Text and controls up to the next ESC; says how many bytes it took.
    fn ground(&mut self, bytes: &[u8], actions: &mut impl Actions) -> usize {
        let mut at = self.finish_partial(bytes, actions);
        // Where the next attempt at many lines may be worth it.
        let mut bulk_from = at;
        while at < bytes.len() {
            if at >= bulk_from && (at == 0 || bytes[at - 1] == b'\n') {
                match actions.lines(&bytes[at..]) {
                    Bulk::Taken(taken) => {
                        at += taken;
                        bulk_from = at;
                        continue;
                    }
                    Bulk::Refused(skip) => bulk_from = at + skip,
                }
            }
            let byte = bytes[at];
            match byte {
                0x20..=0x7E => {
                    let run = printable_prefix(&bytes[at..]);
                    actions.ascii(&bytes[at..at + run]);
                    at += run;
                }
                0x1B => {
                    let taken = self.whole_csi(&bytes[at..], actions);
                    if taken == 0 {
                        self.begin_escape();
                        return at + 1;
                    }
                    at += taken;
                }
                0x00..=0x1F => {
                    if byte != 0x18 && byte != 0x1A {
                        actions.control(byte);
                    }
                    at += 1;
                }
                0x7F => at += 1,
                0x80.. => {
                    let end = bytes[at..]
                        .iter()
                        .position(|&b| b < 0x80)
                        .map_or(bytes.len(), |n| at + n);
                    self.utf8(&bytes[at..end], end == bytes.len(), actions);
                    at = end;
                }
            }
        }
        at
    }

    /// A control sequence of parameters only that is whole in the chunk, as nearly all are.
    /// Says how many bytes it took, 0 where the long way must decide.
    #[inline]
    fn whole_csi(&mut self, bytes: &[u8], actions: &mut impl Actions) -> usize {
        let taken = self.csi.read(bytes);
        if taken > 0 && !self.csi.overflow {
            actions.csi(&self.csi);
        }
        taken
    }

    /// Characters outside ASCII; `last` says that the chunk ends with them.
    fn utf8(&mut self, mut bytes: &[u8], last: bool, actions: &mut impl Actions) {
        while !bytes.is_empty() {
            match std::str::from_utf8(bytes) {
                Ok(text) => {
                    text.chars().for_each(|c| actions.character(c));
                    return;
                }
                Err(error) => {
                    let (valid, rest) = bytes.split_at(error.valid_up_to());
                    if let Ok(text) = std::str::from_utf8(valid) {
                        text.chars().for_each(|c| actions.character(c));
                    }
                    match error.error_len() {
                        Some(len) => {
                            actions.character(char::REPLACEMENT_CHARACTER);
                            bytes = &rest[len..];
                        }
                        None if last => {
                            self.partial[..rest.len()].copy_from_slice(rest);
                            self.partial_len = rest.len();
                            return;
                        }
                        None => {
                            actions.character(char::REPLACEMENT_CHARACTER);
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Completes a character that the last chunk ended in; says how many bytes that took.
    fn finish_partial(&mut self, bytes: &[u8], actions: &mut impl Actions) -> usize {
        let mut at = 0;
        while self.partial_len > 0 && at < bytes.len() {
            let byte = bytes[at];
            if !(0x80..0xC0).contains(&byte) {
                self.partial_len = 0;
                actions.character(char::REPLACEMENT_CHARACTER);
                break;
            }
            self.partial[self.partial_len] = byte;
            match std::str::from_utf8(&self.partial[..=self.partial_len]) {
                Ok(text) => {
                    text.chars().for_each(|c| actions.character(c));
                    self.partial_len = 0;
                    at += 1;
                }
                Err(error) if error.error_len().is_none() => {
                    self.partial_len += 1;
                    at += 1;
                }
                Err(_) => {
                    self.partial_len = 0;
                    actions.character(char::REPLACEMENT_CHARACTER);
                }
            }
        }
        at
    }

    fn begin_escape(&mut self) {
        self.state = State::Escape;
        self.escape_intermediate_len = 0;
        self.escape_intermediates = [0; 2];
    }

    /// One byte outside ground state. True if a string was aborted by ESC and this byte.
    fn step(&mut self, byte: u8, actions: &mut impl Actions) -> bool {
        match byte {
            0x18 | 0x1A => {
                self.drop_osc();
                self.state = State::Ground;
                return false;
            }
            0x1B => {
                self.state = match self.state {
                    State::Osc => State::OscEscape,
                    State::String => State::StringEscape,
                    _ => {
                        self.drop_osc();
                        self.begin_escape();
                        State::Escape
                    }
                };
                return false;
            }
            _ => {}
        }
        match self.state {
            State::Osc => self.osc_byte(byte, actions),
            State::OscEscape => {
                if byte == b'\\' {
                    self.end_osc(actions);
                    return false;
                }
                self.drop_osc();
                self.begin_escape();
                self.escape_byte(byte, actions);
                return true;
            }
            State::String => {}
            State::StringEscape => {
                if byte == b'\\' {
                    self.state = State::Ground;
                    return false;
                }
                self.begin_escape();
                self.escape_byte(byte, actions);
                return true;
            }
            _ if byte < 0x20 => actions.control(byte),
            _ if byte == 0x7F => {}
            State::Escape | State::EscapeIntermediate => self.escape_byte(byte, actions),
            State::CsiEntry | State::CsiParam | State::CsiIntermediate | State::CsiIgnore => {
                self.csi_byte(byte, actions);
            }
            State::Ground => {}
        }
        false
    }

    fn escape_byte(&mut self, byte: u8, actions: &mut impl Actions) {
        match byte {
            0x00..=0x1F => actions.control(byte),
            0x20..=0x2F => {
                if self.escape_intermediate_len < self.escape_intermediates.len() {
                    self.escape_intermediates[self.escape_intermediate_len] = byte;
                    self.escape_intermediate_len += 1;
                }
                self.state = State::EscapeIntermediate;
            }
            b'[' if self.state == State::Escape => {
                self.csi.clear();
                self.state = State::CsiEntry;
            }
            b']' if self.state == State::Escape => {
                self.osc.clear();
                self.osc_overflow = false;
                self.state = State::Osc;
            }
            b'P' | b'X' | b'^' | b'_' if self.state == State::Escape => {
                self.state = State::String;
            }
            0x30..=0x7E => {
                self.state = State::Ground;
                actions.escape(
                    &self.escape_intermediates[..self.escape_intermediate_len],
                    byte,
                );
            }
            // Not a 7-bit byte: no sequence.
            0x7F.. => self.state = State::Ground,
        }
    }

    fn csi_byte(&mut self, byte: u8, actions: &mut impl Actions) {
        match (self.state, byte) {
            (_, 0x40..=0x7E) => {
                let ignore = self.state == State::CsiIgnore || self.csi.overflow;
                self.state = State::Ground;
                if !ignore {
                    self.csi.last = byte;
                    actions.csi(&self.csi);
                }
            }
            (State::CsiIgnore, _) => {}
            (State::CsiEntry, b'<'..=b'?') => {
                self.csi.prefix = byte;
                self.state = State::CsiParam;
            }
            (State::CsiEntry | State::CsiParam, b'0'..=b'9') => {
                self.csi.digit(byte);
                self.state = State::CsiParam;
            }
            (State::CsiEntry | State::CsiParam, b':' | b';') => {
                self.csi.separator(byte == b':');
                self.state = State::CsiParam;
            }
            (_, 0x20..=0x2F) => {
                self.csi.intermediate(byte);
                self.state = State::CsiIntermediate;
            }
            _ => self.state = State::CsiIgnore,
        }
    }

    fn osc_byte(&mut self, byte: u8, actions: &mut impl Actions) {
        match byte {
            0x07 => self.end_osc(actions),
            0x09 | 0x20.. => {
                if self.osc.len() < MAX_OSC {
                    self.osc.push(byte);
                } else {
                    self.osc_overflow = true;
                }
            }
            _ => {}
        }
    }

    fn end_osc(&mut self, actions: &mut impl Actions) {
        self.state = State::Ground;
        if !self.osc_overflow {
            actions.osc(&self.osc);
        }
        self.drop_osc();
    }

    fn drop_osc(&mut self) {
        // A large body is not kept allocated: an idle terminal must stay small.
        if self.osc.capacity() > 512 {
            self.osc = Vec::new();
        }
        self.osc.clear();
        self.osc_overflow = false;
    }
}

/// How many bytes at the start are printable ASCII.
#[inline]
pub(crate) fn printable_prefix(bytes: &[u8]) -> usize {
    let mut at = 0;
    // In coloured output most runs are a word long: eight bytes in a register first.
    while at < SHORT_RUN {
        let Some(word) = bytes[at..].first_chunk() else {
            return at + printable_bytes(&bytes[at..]);
        };
        let others = not_printable(*word);
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += word.len();
    }
    // Then sixteen at a time: the compiler turns the inner test into vector instructions.
    for block in bytes[at..].chunks_exact(16) {
        if !block.iter().fold(true, |all, b| all & is_printable(b)) {
            break;
        }
        at += 16;
    }
    at + printable_bytes(&bytes[at..])
}

/// A longer run is worth the set-up of vectors. A multiple of eight.
const SHORT_RUN: usize = 16;

fn is_printable(byte: &u8) -> bool {
    (0x20..0x7F).contains(byte)
}

fn printable_bytes(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|byte| !is_printable(byte));
    end.unwrap_or(bytes.len())
}

/// The highest bit of each byte that is not printable ASCII, up to the first such byte; what is
/// carried out of that one makes the bits above it meaningless.
#[inline]
fn not_printable(word: [u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(word);
    let below_space = word.wrapping_sub(0x20 * ONES);
    let above_tilde = word.wrapping_add(ONES);
    (word | below_space | above_tilde) & (0x80 * ONES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_at_the_first_byte_that_is_not_printable_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            for beside in [0x00, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0xFF] {
                for length in [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40] {
                    let mut bytes = vec![b'~'; length];
                    bytes.extend([byte, beside, beside]);
                    let expected = bytes
                        .iter()
                        .position(|byte| !is_printable(byte))
                        .unwrap_or(bytes.len());
                    assert_eq!(printable_prefix(&bytes), expected, "{bytes:x?}");
                }
            }
        }
    }

    #[test]
    fn a_whole_sequence_is_read_as_byte_by_byte() {
        #[derive(Default)]
        struct Seen(Vec<String>);
        impl Actions for Seen {
            fn ascii(&mut self, _: &[u8]) {}
            fn lines(&mut self, _: &[u8]) -> Bulk {
                Bulk::Refused(usize::MAX)
            }
            fn character(&mut self, _: char) {}
            fn control(&mut self, _: u8) {}
            fn escape(&mut self, _: &[u8], _: u8) {}
            fn csi(&mut self, csi: &Csi) {
                let parts: Vec<_> = (0..csi.len).map(|n| csi.is_subparam(n)).collect();
                let seen = (csi.prefix, csi.last, csi.params(), parts);
                self.0.push(format!("{seen:?}"));
            }
            fn osc(&mut self, _: &[u8]) {}
        }
        let long = format!("\x1b[{}m", ";1".repeat(40));
        let full = format!("\x1b[1{}m", ";7".repeat(MAX_PARAMS - 1));
        for sequence in [
            "\x1b[m",
            "\x1b[0m",
            "\x1b[;m",
            "\x1b[;;5H",
            "\x1b[5;H",
            "\x1b[1;31m",
            "\x1b[38:2::4:5:6m",
            "\x1b[4:3;58:5:9m",
            "\x1b[:m",
            "\x1b[?25h",
            "\x1b[?h",
            "\x1b[?1;25l",
            "\x1b[>4;2m",
            "\x1b[99999999999999999999d",
            "\x1b[65536;65535m",
            "\x1b[?1>2h",
            "\x1b[1?2h",
            &long,
            &full,
        ] {
            let (mut whole, mut parts) = (Seen::default(), Seen::default());
            Parser::new().advance(sequence.as_bytes(), &mut whole);
            let mut parser = Parser::new();
            for byte in sequence.as_bytes() {
                parser.advance(&[*byte], &mut parts);
            }
            assert_eq!(whole.0, parts.0, "{sequence:?}");
        }
    }
}
