//! A sink that records everything, for the tests of this crate.

use crate::{Options, Query, QueryKind, Reader, Signal, Sink, signals_of};

/// What a reader said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) forwarded: Vec<u8>,
    pub(crate) drawn: Vec<u8>,
    pub(crate) signals: Vec<(u64, Signal)>,
    pub(crate) queries: Vec<(u64, Query)>,
    /// Signals and queries in order, with how much was forwarded and drawn before each.
    pub(crate) order: Vec<(u64, usize, usize)>,
}

impl Sink for Record {
    fn forward(&mut self, bytes: &[u8]) {
        self.forwarded.extend_from_slice(bytes);
    }
    fn draw(&mut self, bytes: &[u8]) {
        self.drawn.extend_from_slice(bytes);
    }
    fn signal(&mut self, at: u64, signal: Signal) {
        self.order
            .push((at, self.forwarded.len(), self.drawn.len()));
        self.signals.push((at, signal));
    }
    fn query(&mut self, at: u64, query: Query) {
        self.order
            .push((at, self.forwarded.len(), self.drawn.len()));
        self.queries.push((at, query));
    }
}

/// What a reader says of `bytes` in one piece.
pub(crate) fn record(bytes: &[u8]) -> Record {
    record_with(Options::default(), bytes)
}

/// The same with `options`.
pub(crate) fn record_with(options: Options, bytes: &[u8]) -> Record {
    record_cut(options, bytes, &[])
}

/// What a reader says of `bytes` cut at `cuts`.
pub(crate) fn record_cut(options: Options, bytes: &[u8], cuts: &[usize]) -> Record {
    let mut record = Record::default();
    let mut reader = Reader::new(options);
    let mut from = 0;
    for &cut in cuts {
        let cut = cut.clamp(from, bytes.len());
        reader.read(&bytes[from..cut], &mut record);
        from = cut;
    }
    reader.read(&bytes[from..], &mut record);
    record
}

/// The signals without their offsets.
pub(crate) fn only_signals(bytes: &[u8]) -> Vec<Signal> {
    signals_of(bytes)
        .into_iter()
        .map(|(_, signal)| signal)
        .collect()
}

/// The questions without offsets and terminators.
pub(crate) fn queries(bytes: &[u8]) -> Vec<QueryKind> {
    record(bytes)
        .queries
        .into_iter()
        .map(|(_, query)| query.kind)
        .collect()
}
