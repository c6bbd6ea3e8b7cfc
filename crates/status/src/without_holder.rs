//! A terminal without a living holder: its last status, and what a person still does to it.
//!
//! The holder's state file keeps a [`Status`]; when the holder is gone, that is all there is.
//! What was known is kept; what went on goes on no longer.

use crate::command::Ended;
use crate::label::{exit_of, label_of};
use crate::records::{is_running, is_within};
use crate::shown::{TITLE_CHARS, one_line};
use crate::state::{Basis, state_of};
use crate::{Attention, AttentionKind, RecordState, Status};
use jiff::Timestamp;

impl Status {
    /// The status once nobody holds the terminal any longer: `lost`, or `exited` if an exit
    /// was recorded. Nothing in it runs, works or waits. `at`: when it was lost, or the last sign of
    /// life.
    pub fn into_lost(mut self, at: Timestamp) -> Self {
        self.lifecycle.lose(at);
        self.clients = 0;
        self.progress = None;
        self.command = None;
        self.reports.retain(|record| !is_running(record.state));
        self.withdraw();
        self.decide();
        self
    }

    /// The same for a holder that died while somebody watched it, and the machine goes on: what ran in
    /// it ended in a way that nobody ordered, so the terminal asks for attention.
    pub fn into_crashed(self, at: Timestamp) -> Self {
        if self.lifecycle.is_over() {
            return self.into_lost(at);
        }
        let mut lost = self.into_lost(at);
        let last = lost.attention.as_ref().map_or(0, |entry| entry.seq);
        lost.attention = Some(Attention {
            seq: last.saturating_add(1),
            kind: AttentionKind::Exit,
            text: Some("lost: its holder was killed".to_owned()),
            at,
            unread: true,
        });
        lost.decide();
        lost
    }

    /// A person acknowledged: entries up to `seq` (`None`: the present one), and records. An
    /// older number never clears a newer entry. Says whether something changed.
    pub fn acknowledge(&mut self, seq: Option<u64>) -> bool {
        let entry = self.attention.as_mut();
        if entry.is_some_and(|entry| seq.is_some_and(|seq| entry.seq > seq)) {
            return false;
        }
        let mut news = false;
        for record in &mut self.reports {
            let asks = matches!(record.state, RecordState::Done | RecordState::Error);
            news |= asks && !record.seen;
            record.seen |= asks;
        }
        if let Some(entry) = self.attention.as_mut().filter(|entry| entry.unread) {
            entry.unread = false;
            news = true;
        }
        self.decide();
        news
    }

    /// Brings the read entry back under a new number. Says whether there was one.
    pub fn bring_back(&mut self) -> bool {
        let Some(entry) = self.attention.as_mut().filter(|entry| !entry.unread) else {
            return false;
        };
        entry.seq = entry.seq.saturating_add(1);
        entry.unread = true;
        let state = match entry.kind {
            AttentionKind::Failed => RecordState::Error,
            _ => RecordState::Done,
        };
        let tells_of_record = matches!(entry.kind, AttentionKind::Failed | AttentionKind::Finished);
        let latest = self
            .reports
            .iter_mut()
            .filter(|record| record.state == state);
        if let Some(record) = latest.max_by_key(|record| record.updated_at)
            && tells_of_record
        {
            record.seen = false;
        }
        self.withdraw();
        self.decide();
        self.attention.as_ref().is_some_and(|entry| entry.unread)
    }

    /// A person clears finished and failed records: all, or one with all beneath it.
    pub fn clear_ended(&mut self, id: Option<&str>) -> bool {
        let before = self.reports.len();
        let top = id.unwrap_or_default();
        self.reports
            .retain(|record| is_running(record.state) || !is_within(&record.id, top));
        self.withdraw();
        self.decide();
        self.reports.len() != before
    }

    /// Another name.
    pub fn rename(&mut self, name: &str) {
        self.name = one_line(name, TITLE_CHARS);
        self.decide();
    }

    /// An unread entry whose record is gone tells of nothing.
    fn withdraw(&mut self) {
        let has = |state| self.reports.iter().any(|record| record.state == state);
        let stands = match self.attention.as_ref().map(|entry| entry.kind) {
            Some(AttentionKind::Waiting) => has(RecordState::Blocked),
            Some(AttentionKind::Finished) => has(RecordState::Done),
            Some(AttentionKind::Failed) => has(RecordState::Error),
            _ => true,
        };
        if let Some(entry) = self.attention.as_mut().filter(|_| !stands) {
            entry.unread = false;
        }
    }

    /// State and label from what the status shows.
    fn decide(&mut self) {
        let end = self.unread_end();
        let basis = Basis {
            progress_decides: self.reports.is_empty(),
            shell_is_there: true,
            unread_end: end.as_ref(),
        };
        self.state = state_of(self, basis);
        self.label = label_of(self, basis);
    }

    fn unread_end(&self) -> Option<Ended> {
        match self.attention.as_ref().filter(|entry| entry.unread)?.kind {
            AttentionKind::Exit => exit_of(self),
            AttentionKind::Command => self.last_command.as_ref().map(|last| Ended {
                line: last.line.clone(),
                code: last.exit_code,
                signal: None,
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Tried;
    use crate::{AttentionKind, Event, LifecycleState, State, Status};
    use signals::ReportState::{Blocked, Done, Error, Working};
    use signals::{ProgressState, Signal};

    /// As a state file does.
    fn stored(status: &Status) -> Status {
        serde_json::from_str(&serde_json::to_string(status).unwrap()).unwrap()
    }

    #[test]
    fn a_lost_terminal_keeps_what_was_known_and_runs_nothing() {
        let mut pi = Tried::shell();
        pi.command("pi");
        pi.title("PR #123");
        pi.report("", Blocked);
        pi.report("a", Working);
        pi.report("b", Done);
        pi.progress(ProgressState::Normal, Some(42));
        let lost = stored(&pi.status()).into_lost(pi.now().wall);
        assert_eq!(lost.lifecycle.state, LifecycleState::Lost);
        assert_eq!(lost.state, State::Lost);
        assert_eq!(lost.label, "Pi — PR #123 · lost");
        assert_eq!(lost.title.as_deref(), Some("PR #123"));
        assert_eq!(
            (lost.progress, lost.command.clone(), lost.clients),
            (None, None, 0)
        );
        assert_eq!(lost.reports.len(), 1);
        assert_eq!(lost.reports[0].id, "b");
    }

    #[test]
    fn a_holder_that_is_told_of_the_loss_says_the_same() {
        let mut pi = Tried::shell();
        pi.command("pi");
        pi.title("PR #123");
        pi.report("", Blocked);
        let from_file = pi.status().into_lost(pi.now().wall);
        pi.event(Event::Lost);
        assert_eq!(pi.status(), from_file);
    }

    #[test]
    fn a_recorded_exit_stays_an_exit_and_failed_until_acknowledged() {
        let mut make = Tried::program("make");
        make.exit(3);
        let mut exited = stored(&make.status()).into_lost(make.now().wall);
        assert_eq!(exited, make.status());
        assert_eq!(exited.state, State::Failed);
        assert!(exited.acknowledge(None));
        assert_eq!(exited.state, State::Exited);
        assert_eq!(exited.label, "Pi — make · exited (exit 3)");
        assert!(!exited.acknowledge(None));
    }

    #[test]
    fn waiting_ends_with_the_holder() {
        let mut pi = Tried::shell();
        pi.report("", Blocked);
        let lost = pi.status().into_lost(pi.now().wall);
        assert_eq!(
            lost.attention.map(|a| (a.kind, a.unread)),
            Some((AttentionKind::Waiting, false))
        );
    }

    #[test]
    fn an_older_acknowledgement_does_not_clear_a_newer_entry_of_a_lost_terminal() {
        let mut pi = Tried::shell();
        pi.report("", Error);
        let mut lost = pi.status().into_lost(pi.now().wall);
        let seq = lost.attention.as_ref().unwrap().seq;
        assert!(!lost.acknowledge(Some(seq - 1)));
        assert!(lost.attention.as_ref().unwrap().unread);
        assert!(lost.acknowledge(Some(seq)));
        assert!(lost.reports[0].seen);
        assert!(lost.bring_back());
        let back = lost.attention.clone().unwrap();
        assert_eq!(
            (back.seq, back.unread, lost.reports[0].seen),
            (seq + 1, true, false)
        );
    }

    #[test]
    fn a_lost_terminal_can_be_cleared_and_renamed() {
        let mut pi = Tried::shell();
        pi.signal(Signal::Bell);
        pi.wait(10);
        pi.report("a/b", Done);
        pi.report("c", Error);
        let mut lost = pi.status().into_lost(pi.now().wall);
        assert!(lost.clear_ended(Some("a")));
        assert_eq!(lost.reports.len(), 1);
        assert!(lost.clear_ended(None));
        assert!(lost.reports.is_empty());
        assert!(!lost.attention.clone().unwrap().unread);
        lost.rename("Pi 2");
        assert_eq!(lost.label, "Pi 2 — bash · lost");
    }

    #[test]
    fn a_terminal_whose_holder_was_killed_asks_for_attention_until_somebody_sees_it() {
        let mut make = Tried::program("make");
        make.bell();
        let seq = make.seq();
        let at = crate::testing::at(40).wall;
        let mut lost = stored(&make.status().into_crashed(at));
        assert_eq!(lost.lifecycle.state, LifecycleState::Lost);
        assert_eq!(lost.lifecycle.at, Some(at));
        assert_eq!(lost.state, State::Failed);
        assert_eq!(lost.label, "Pi — make · failed (lost)");
        let entry = lost.attention.clone().unwrap();
        assert_eq!((entry.seq, entry.unread, entry.at), (seq + 1, true, at));
        assert_eq!(lost.clone().into_crashed(crate::testing::at(50).wall), lost);
        assert!(lost.acknowledge(None));
        assert_eq!(
            (lost.state, lost.label.as_str()),
            (State::Lost, "Pi — make · lost")
        );
        assert!(lost.bring_back());
        assert_eq!(lost.state, State::Failed);

        make.exit(0);
        let exited = make.status();
        assert_eq!(exited.clone().into_crashed(at), exited);
    }
}
