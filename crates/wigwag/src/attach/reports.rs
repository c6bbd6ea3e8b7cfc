//! Program status (OSC 7501) passed on to an outer terminal that understands it.
//!
//! A report is passed at most once per [`INTERVAL`] and record, the latest one wins. When the client
//! leaves, each record is cleared by its name and a root replaced by `state=idle`: a bare `clear` would
//! take other programs' records along.

use signals::{Clear, Report, ReportState, Signal, Terminator, program_status, signals_of};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// At most one report per record within this time (signals.md, Program status).
const INTERVAL: Duration = Duration::from_millis(250);

/// Records of one terminal (signals.md, limits). More are not passed on.
const MAX_RECORDS: usize = 256;

/// What one record of the outer terminal is.
#[derive(Debug, Default)]
struct Forwarded {
    /// The outer terminal has it.
    shown: bool,
    sent_at: Option<Instant>,
    /// Not sent yet.
    waiting: Option<String>,
    /// Named by the snapshot that is being read.
    stands: bool,
}

/// The records of one attached terminal.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// Whether the outer terminal understands them; until that is known, they wait.
    understood: Option<bool>,
    records: BTreeMap<String, Forwarded>,
}

impl Reports {
    /// The outer terminal answered, or did not.
    pub(crate) fn set_understood(&mut self, understood: bool) {
        self.understood = Some(understood);
        if !understood {
            self.records.clear();
        }
    }

    /// A snapshot begins: what it does not name does not stand.
    pub(crate) fn begin_snapshot(&mut self) {
        self.records.values_mut().for_each(|record| {
            record.stands = false;
            record.waiting = None;
        });
    }

    /// The snapshot named all that stands.
    pub(crate) fn end_snapshot(&mut self, out: &mut Vec<u8>) {
        let gone: Vec<String> = self
            .records
            .iter()
            .filter(|(_, record)| !record.stands)
            .map(|(id, _)| id.clone())
            .collect();
        for id in gone {
            self.clear_one(&id, out);
        }
    }

    /// The program reported or cleared.
    pub(crate) fn take(&mut self, sequence: String, now: Instant, out: &mut Vec<u8>) {
        if self.understood == Some(false) {
            return;
        }
        match signals_of(sequence.as_bytes()).into_iter().next() {
            Some((_, Signal::Report(Report { id, .. }))) => {
                if self.records.len() == MAX_RECORDS && !self.records.contains_key(&id) {
                    return;
                }
                let record = self.records.entry(id).or_default();
                record.stands = true;
                record.waiting = Some(sequence);
                self.send_due(now, out);
            }
            Some((_, Signal::Clear(Clear { id }))) => {
                let beneath = format!("{id}/");
                let cleared: Vec<String> = self
                    .records
                    .keys()
                    .filter(|known| id.is_empty() || **known == id || known.starts_with(&beneath))
                    .cloned()
                    .collect();
                for id in cleared {
                    self.clear_one(&id, out);
                }
            }
            _ => {}
        }
    }

    /// Sends what may be sent by now.
    pub(crate) fn send_due(&mut self, now: Instant, out: &mut Vec<u8>) {
        if self.understood != Some(true) {
            return;
        }
        for record in self.records.values_mut() {
            let due = record.sent_at.is_none_or(|at| at + INTERVAL <= now);
            if due && let Some(sequence) = record.waiting.take() {
                out.extend_from_slice(sequence.as_bytes());
                record.shown = true;
                record.sent_at = Some(now);
            }
        }
    }

    /// When something is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let waiting = self
            .records
            .values()
            .filter(|record| record.waiting.is_some());
        let due = waiting
            .filter_map(|record| record.sent_at.map(|at| at + INTERVAL))
            .min();
        due.filter(|_| self.understood == Some(true))
    }

    /// The client leaves.
    pub(crate) fn clear_all(&mut self, out: &mut Vec<u8>) {
        for id in self.records.keys().cloned().collect::<Vec<_>>() {
            self.clear_one(&id, out);
        }
    }

    fn clear_one(&mut self, id: &str, out: &mut Vec<u8>) {
        if !self.records.remove(id).is_some_and(|record| record.shown) {
            return;
        }
        let sequence = if id.is_empty() {
            program_status::encode(&idle_root(), Terminator::St)
        } else {
            let clear = Clear { id: id.to_owned() };
            program_status::encode_clear(&clear, Terminator::St)
        };
        // Its id was read from a valid report, so it can be written.
        out.extend(sequence.unwrap_or_default());
    }
}

fn idle_root() -> Report {
    Report {
        id: String::new(),
        state: ReportState::Idle,
        kind: None,
        progress: None,
        app: None,
        title: None,
        msg: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(id: &str, state: &str) -> String {
        match id {
            "" => format!("\x1b]7501;state={state}\x1b\\"),
            _ => format!("\x1b]7501;state={state}:id={id}\x1b\\"),
        }
    }

    fn said(out: &mut Vec<u8>) -> Vec<Signal> {
        let said = signals_of(out).into_iter().map(|(_, signal)| signal);
        let said = said.collect();
        out.clear();
        said
    }

    fn cleared(id: &str) -> Signal {
        Signal::Clear(Clear { id: id.to_owned() })
    }

    fn understood() -> Reports {
        let mut reports = Reports::default();
        reports.set_understood(true);
        reports
    }

    #[test]
    fn a_terminal_that_does_not_understand_gets_nothing() {
        let mut reports = Reports::default();
        let mut out = Vec::new();
        reports.take(report("", "working"), Instant::now(), &mut out);
        assert!(out.is_empty(), "not known yet");
        reports.set_understood(false);
        reports.take(report("", "done"), Instant::now(), &mut out);
        reports.clear_all(&mut out);
        assert!(out.is_empty());
        assert_eq!(reports.deadline(), None);
    }

    #[test]
    fn what_came_before_the_answer_is_sent_after_it() {
        let mut reports = Reports::default();
        let mut out = Vec::new();
        reports.take(report("", "working"), Instant::now(), &mut out);
        reports.set_understood(true);
        reports.send_due(Instant::now(), &mut out);
        assert!(matches!(said(&mut out)[..], [Signal::Report(_)]));
    }

    #[test]
    fn a_record_is_passed_once_in_250_ms_and_the_latest_wins() {
        let mut reports = understood();
        let mut out = Vec::new();
        let start = Instant::now();
        reports.take(report("", "working"), start, &mut out);
        assert_eq!(said(&mut out).len(), 1);
        reports.take(
            report("", "blocked"),
            start + Duration::from_millis(10),
            &mut out,
        );
        reports.take(
            report("", "done"),
            start + Duration::from_millis(20),
            &mut out,
        );
        reports.take(
            report("a", "working"),
            start + Duration::from_millis(20),
            &mut out,
        );
        assert_eq!(said(&mut out).len(), 1, "only the other record");
        assert_eq!(reports.deadline(), Some(start + INTERVAL));
        reports.send_due(start + INTERVAL, &mut out);
        let sent = said(&mut out);
        assert!(
            matches!(&sent[..], [Signal::Report(report)] if report.state == ReportState::Done),
            "{sent:?}"
        );
        assert_eq!(reports.deadline(), None);
    }

    #[test]
    fn on_leaving_each_record_is_cleared_by_name_and_the_root_is_idle() {
        let mut reports = understood();
        let mut out = Vec::new();
        for id in ["", "a", "a/b"] {
            reports.take(report(id, "working"), Instant::now(), &mut out);
        }
        out.clear();
        reports.clear_all(&mut out);
        assert_eq!(
            said(&mut out),
            [Signal::Report(idle_root()), cleared("a"), cleared("a/b")]
        );
    }

    #[test]
    fn a_bare_clear_is_never_passed_on() {
        let mut reports = understood();
        let mut out = Vec::new();
        reports.take(report("", "working"), Instant::now(), &mut out);
        reports.take(report("a", "working"), Instant::now(), &mut out);
        out.clear();
        reports.take(report("", "clear"), Instant::now(), &mut out);
        assert_eq!(said(&mut out), [Signal::Report(idle_root()), cleared("a")]);
    }

    #[test]
    fn what_a_snapshot_does_not_name_is_cleared() {
        let mut reports = understood();
        let mut out = Vec::new();
        for id in ["a", "b"] {
            reports.take(report(id, "working"), Instant::now(), &mut out);
        }
        out.clear();
        reports.begin_snapshot();
        reports.take(report("b", "working"), Instant::now(), &mut out);
        reports.end_snapshot(&mut out);
        assert_eq!(said(&mut out), [cleared("a")]);
    }
}
