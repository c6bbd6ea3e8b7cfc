//! The tokenizer: any bytes, cut anywhere.
//!
//! The first byte chooses the options and how the rest is cut. Promises: the cut changes
//! nothing; what is forwarded asks no question and holds no status, bell or notification;
//! what is drawn is in ground state at its end but for an unfinished character; a client
//! that joins sees what the others see.

use signals::{Options, Query, Reader, Signal, Sink};

#[derive(Debug, Default, PartialEq)]
struct Record {
    forwarded: Vec<u8>,
    drawn: Vec<u8>,
    signals: Vec<(u64, Signal)>,
    queries: Vec<(u64, Query)>,
}

impl Sink for Record {
    fn forward(&mut self, bytes: &[u8]) {
        self.forwarded.extend_from_slice(bytes);
    }
    fn draw(&mut self, bytes: &[u8]) {
        self.drawn.extend_from_slice(bytes);
    }
    fn signal(&mut self, at: u64, signal: Signal) {
        self.signals.push((at, signal));
    }
    fn query(&mut self, at: u64, query: Query) {
        self.queries.push((at, query));
    }
}

fn read(options: Options, bytes: &[u8], chunk: usize) -> Record {
    let mut record = Record::default();
    let mut reader = Reader::new(options);
    for chunk in bytes.chunks(chunk) {
        reader.read(chunk, &mut record);
    }
    if let Some(unfinished) = reader.unfinished() {
        // Controls inside a sequence took effect already and are not part of it.
        assert!(without_controls(&record.forwarded).ends_with(&without_controls(unfinished)));
    }
    assert_eq!(reader.offset(), bytes.len() as u64);
    record
}

fn without_controls(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .copied()
        .filter(|byte| *byte >= 0x20 || *byte == 0x1b)
        .collect()
}

/// The target.
pub fn tokenizer(data: &[u8]) {
    let Some((&choice, bytes)) = data.split_first() else {
        return;
    };
    let options = Options {
        tmux_passthrough: choice & 1 == 1,
    };
    let whole = read(options, bytes, bytes.len().max(1));
    let cut = read(options, bytes, usize::from(choice >> 1) + 1);
    assert_eq!(cut, whole);

    assert!(whole.signals.iter().all(|(at, _)| *at < bytes.len() as u64));
    assert!(whole.queries.iter().all(|(at, _)| *at < bytes.len() as u64));

    let forwarded = read(options, &whole.forwarded, 4096);
    assert_eq!(forwarded.queries, []);
    assert_eq!(forwarded.forwarded, whole.forwarded);
    assert!(
        forwarded
            .signals
            .iter()
            .all(|(_, signal)| !is_removed(signal)),
        "{forwarded:?}"
    );

    let mut drawn = whole.drawn;
    drawn.extend_from_slice(b"\x1b]2;end\x07");
    let drawn = read(Options::default(), &drawn, 4096);
    assert_eq!(drawn.queries, []);
    let last = drawn.signals.last().map(|(_, signal)| signal);
    assert_eq!(last, Some(&Signal::Title("end".into())));
}

/// What says this is not forwarded.
fn is_removed(signal: &Signal) -> bool {
    matches!(
        signal,
        Signal::Bell
            | Signal::Notify(_)
            | Signal::NotifyClose(_)
            | Signal::Report(_)
            | Signal::Clear(_)
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tokenizer_keeps_its_promises_on_mutated_streams() {
        let dictionary: &[&[u8]] = &[
            b"\x1b",
            b"\x1b\\",
            b"\x07",
            b"\x18",
            b"\x1a",
            b"\x05",
            b"\x1b[",
            b"\x1b]",
            b"\x1bP",
            b"\x1b_",
            b"\x1b^",
            b"\x1bX",
            b"\x1bc",
            b"\x1b[6n",
            b"\x1b[?",
            b"$p",
            b"\x1bP$q",
            b"\x1bP+q",
            b"\x1bPtmux;",
            b"\x1b\x1b",
            b"\x1b]4;1;?;2;#fff\x07",
            b"\x1b]10;?",
            b"\x1b]52;c;?",
            b"\x1b]7501;",
            b"\x1b]99;i=1:d=0;",
            b"\x1b]9;4;1;",
            b"\x1b]777;notify;",
            b"\x1b]1337;File=",
            b"\x1b_Ga=q;",
            b"\x1b]133;C;cmdline=",
            b"\x1b]633;E;",
            b"\x1b[22t",
            b"\xc3",
            b"\xa9",
            b"\xf0\x9f\x90\x9c",
            b"\x9b",
            b"\x9c",
            b"\r\n",
            b"\x7f",
        ];
        crate::mutation::run("tokenizer", dictionary, super::tokenizer);
    }
}
