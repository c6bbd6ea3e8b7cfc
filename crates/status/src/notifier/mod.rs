//! Who is told, when, and where (status.md, Presence and Notifications).
//!
//! [`Notifier`] takes every change of every terminal, the people who are present, the settings
//! and the time, and answers with [`Decision`]s. It reads no clock and reaches no channel: what
//! it decides is written down in the table of cases at its end.
//!
//! The attention of a terminal is decided elsewhere, by its owner; an entry that is read is
//! nobody's business here. What this adds: an entry settles for a second, one that was told is
//! not told again, texts are replaced in silence, and what would be too much becomes one line.

mod ended;
mod fold;
mod notice;
mod rates;
mod surface;
mod terminal;

#[cfg(test)]
mod cases;

pub use notice::{Notice, Subject, Urgency};
pub use surface::{People, Person, Surface};

use crate::{AttentionKind, Duration, EventKind, LifecycleState, Status};
use fold::Fold;
use notice::{notice_of, notice_of_end};
use rates::{Budget, FOLD_FROM};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use terminal::{Shown, Terminal};

/// What a person chose (interfaces.md, `[notify]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The master switch.
    pub enabled: bool,
    /// Which entries are told.
    pub kinds: Vec<AttentionKind>,
    /// From here on the end of a command that went well is worth telling.
    pub long_command: Duration,
    /// How long the phone waits for somebody nearer.
    pub phone_after: Duration,
    /// `false`: state words only, nothing that a program said.
    pub text: bool,
}

impl Default for Settings {
    fn default() -> Self {
        use AttentionKind::{Bell, Command, Exit, Failed, Finished, Notify, Waiting};
        Self {
            enabled: true,
            kinds: vec![Waiting, Failed, Finished, Command, Bell, Notify, Exit],
            long_command: crate::command::LONG,
            phone_after: Duration::from_secs(30),
            text: true,
        }
    }
}

/// What a channel is to do. Nothing is the absence of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Show it there, so that a person notices.
    Raise {
        /// What.
        notice: Notice,
        /// Where.
        on: Vec<Surface>,
    },
    /// It stands there; show this in its place, in silence.
    Replace {
        /// What.
        notice: Notice,
        /// Where.
        on: Vec<Surface>,
    },
    /// Take it away. It beats a raise that is still under way.
    Withdraw {
        /// Whose.
        subject: Subject,
        /// From where.
        on: Vec<Surface>,
    },
}

/// What the next daemon must know, so that it neither tells twice nor leaves anything standing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    terminals: BTreeMap<String, SavedEntry>,
    fold: Vec<Surface>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedEntry {
    seq: u64,
    kind: AttentionKind,
    on: Vec<Surface>,
    folded: bool,
}

/// The notification decision. Times are monotonic.
#[derive(Debug, Clone, Default)]
pub struct Notifier {
    terminals: BTreeMap<String, Terminal>,
    budget: Budget,
    fold: Fold,
    settings: Settings,
    people: People,
}

impl Notifier {
    /// Nothing known, beyond what an earlier one told.
    pub fn restore(saved: Saved) -> Self {
        let mut notifier = Self::default();
        for (id, entry) in saved.terminals {
            let shown = Shown {
                seq: entry.seq,
                kind: entry.kind,
                on: entry.on,
                // Whether it was seen meanwhile is not known: what was not told there is not now.
                phone: None,
            };
            let terminal = Terminal {
                shown: (!entry.folded).then(|| shown.clone()),
                notice: Some(Notice::told_before(&id, shown.seq, shown.kind)),
                folded: entry.folded,
                ..Terminal::default()
            };
            notifier.terminals.insert(id, terminal);
        }
        notifier.fold = Fold::restore(saved.fold);
        notifier
    }

    /// What stands, for [`Notifier::restore`].
    pub fn saved(&self) -> Saved {
        let entry = |(id, terminal): (&String, &Terminal)| {
            let told = terminal.shown.as_ref();
            let (seq, kind) = match (told, &terminal.notice) {
                (Some(shown), _) => (shown.seq, shown.kind),
                (None, Some(notice)) if terminal.folded => (notice.seq, notice.kind),
                _ => return None,
            };
            let on = told.map(|shown| shown.on.clone()).unwrap_or_default();
            let folded = terminal.folded;
            Some((
                id.clone(),
                SavedEntry {
                    seq,
                    kind,
                    on,
                    folded,
                },
            ))
        };
        Saved {
            terminals: self.terminals.iter().filter_map(entry).collect(),
            fold: self.fold.stands_on().to_vec(),
        }
    }

    /// The terminals of which something is known: those that are no more are to be told of.
    pub fn terminals(&self) -> Vec<String> {
        self.terminals.keys().cloned().collect()
    }

    /// A terminal changed.
    pub fn changed(&mut self, event: EventKind, status: &Status, now: Duration) -> Vec<Decision> {
        let wanted = self.wanted(event, status);
        let terminal = self.terminals.entry(status.id.clone()).or_default();
        match wanted {
            Wanted::Nothing => {}
            Wanted::Gone => self.fold.changed_if(terminal.forget(), now),
            Wanted::Notice(notice) => terminal.want(notice, now),
        }
        let mut decisions = self.withdraw_ended(&status.id);
        decisions.extend(self.tick(now));
        decisions
    }

    /// A terminal is no more.
    pub fn removed(&mut self, id: &str, now: Duration) -> Vec<Decision> {
        let Some(terminal) = self.terminals.get_mut(id) else {
            return Vec::new();
        };
        self.fold.changed_if(terminal.forget(), now);
        let mut decisions = self.withdraw_ended(id);
        self.terminals.remove(id);
        decisions.extend(self.tick(now));
        decisions
    }

    /// The people changed: who is present, and what they have on screen.
    pub fn people(&mut self, people: People, now: Duration) -> Vec<Decision> {
        self.people = people;
        let seen = |id: &str| self.people.see(id);
        let looked_at: Vec<String> = self
            .terminals
            .iter()
            .filter(|(id, terminal)| terminal.notice.is_some() && seen(id))
            .map(|(id, _)| id.clone())
            .collect();
        let mut decisions = Vec::new();
        for id in looked_at {
            if let Some(terminal) = self.terminals.get_mut(&id) {
                self.fold.changed_if(terminal.forget(), now);
            }
            decisions.extend(self.withdraw_ended(&id));
        }
        decisions.extend(self.tick(now));
        decisions
    }

    /// The settings changed; `statuses`: all terminals, since another choice may silence some.
    pub fn settings<'a>(
        &mut self,
        settings: Settings,
        statuses: impl IntoIterator<Item = &'a Status>,
        now: Duration,
    ) -> Vec<Decision> {
        self.settings = settings;
        let mut decisions = Vec::new();
        for status in statuses {
            decisions.extend(self.changed(EventKind::Gap, status, now));
        }
        decisions
    }

    /// When [`Notifier::tick`] is due; `None`: nothing waits.
    pub fn deadline(&self) -> Option<Duration> {
        let waits = self
            .terminals
            .values()
            .filter_map(|terminal| Some(terminal.waits?.due));
        let phones = self
            .terminals
            .values()
            .filter_map(|terminal| terminal.shown.as_ref()?.phone);
        let fold = self.fold.deadline(&self.terminals);
        waits.chain(phones).chain(fold).min()
    }

    /// Time passed.
    pub fn tick(&mut self, now: Duration) -> Vec<Decision> {
        let mut decisions = Vec::new();
        self.tell_due(now, &mut decisions);
        let next = || self.people.first_surfaces(now, self.settings.phone_after);
        self.fold.tell(&self.terminals, next, now, &mut decisions);
        self.tell_phones(now, &mut decisions);
        // An interval that is over says nothing any longer.
        self.terminals.retain(|_, terminal| terminal.is_of_use(now));
        decisions
    }

    /// What a person should be told of this terminal at this moment.
    fn wanted(&self, event: EventKind, status: &Status) -> Wanted {
        let settings = &self.settings;
        if !settings.enabled || status.muted || status.lifecycle.state == LifecycleState::Lost {
            return Wanted::Gone;
        }
        let known = self
            .terminals
            .get(&status.id)
            .and_then(|terminal| terminal.notice.as_ref());
        let unread = status
            .attention
            .as_ref()
            .filter(|attention| attention.unread);
        if let Some(attention) = unread {
            let chosen = settings.kinds.contains(&attention.kind);
            let told = known.is_some_and(|notice| notice.seq == attention.seq);
            // Whether it ran long enough was decided when it ended; the next command is another.
            let long = told || ended::is_worth_telling(status, attention, settings.long_command);
            return match chosen && long {
                true => Wanted::Notice(notice_of(status, attention, settings.text)),
                false => Wanted::Gone,
            };
        }
        if ended::just_ended(event, status, settings) && !self.people.see(&status.id) {
            return Wanted::Notice(notice_of_end(status, settings.text));
        }
        match known {
            // The end of a command without an entry stands until somebody looks, or types again.
            Some(notice) if notice.is_without_entry() && status.command.is_none() => {
                Wanted::Nothing
            }
            Some(_) => Wanted::Gone,
            None => Wanted::Nothing,
        }
    }

    /// Takes away what stands of a terminal that nothing is to be told of.
    fn withdraw_ended(&mut self, id: &str) -> Vec<Decision> {
        let mut decisions = Vec::new();
        if let Some(terminal) = self.terminals.get_mut(id)
            && terminal.notice.is_none()
            && let Some(shown) = terminal.shown.take()
        {
            decisions.push(Decision::Withdraw {
                subject: Subject::Terminal(id.to_owned()),
                on: shown.on,
            });
        }
        decisions
    }

    /// Tells what has settled, most urgent first.
    fn tell_due(&mut self, now: Duration, decisions: &mut Vec<Decision>) {
        let new = self.terminals.values().filter(|terminal| terminal.is_new());
        if new.count() >= FOLD_FROM {
            let new = self.terminals.values_mut().filter(|t| t.is_new());
            new.filter_map(|terminal| terminal.waits.as_mut())
                .for_each(|waits| waits.folds = true);
        }
        let mut due: Vec<(Urgency, Duration, String)> = self
            .terminals
            .iter()
            .filter_map(|(id, terminal)| {
                let waits = terminal.waits.filter(|waits| waits.due <= now)?;
                Some((terminal.notice.as_ref()?.urgency, waits.due, id.clone()))
            })
            .collect();
        due.sort();
        for (_, _, id) in due {
            let Some(terminal) = self.terminals.get_mut(&id) else {
                continue;
            };
            let (Some(waits), Some(notice)) = (terminal.waits.take(), terminal.notice.clone())
            else {
                continue;
            };
            terminal.told = Some(now);
            match &mut terminal.shown {
                Some(shown) => {
                    shown.seq = notice.seq;
                    shown.kind = notice.kind;
                    let on = shown.on.clone();
                    let loud = waits.loud && self.budget.take(now);
                    decisions.push(match loud {
                        true => Decision::Raise { notice, on },
                        false => Decision::Replace { notice, on },
                    });
                }
                None if terminal.folded && !waits.loud => {}
                None if !waits.folds && self.budget.take(now) => {
                    let (on, phone) = self.people.first_surfaces(now, self.settings.phone_after);
                    let left = std::mem::take(&mut terminal.folded);
                    self.fold.changed_if(left, now);
                    terminal.shown = Some(Shown {
                        seq: notice.seq,
                        kind: notice.kind,
                        on: on.clone(),
                        phone,
                    });
                    decisions.push(Decision::Raise { notice, on });
                }
                None => {
                    let joined = !std::mem::replace(&mut terminal.folded, true);
                    self.fold.changed_if(joined, now);
                }
            }
        }
    }

    /// What nobody nearer has seen in time goes to the phone, as does all when nobody is there.
    fn tell_phones(&mut self, now: Duration, decisions: &mut Vec<Decision>) {
        let nobody = self.people.nobody_is_present();
        let mut tell = |shown: &mut Shown, notice: &dyn Fn() -> Notice| {
            if shown.phone.take_if(|due| *due <= now || nobody).is_some() {
                shown.on.push(Surface::Phone);
                decisions.push(Decision::Raise {
                    notice: notice(),
                    on: vec![Surface::Phone],
                });
            }
        };
        for terminal in self.terminals.values_mut() {
            if let (Some(shown), Some(notice)) = (&mut terminal.shown, &terminal.notice) {
                tell(shown, &|| notice.clone());
            }
        }
        self.fold.tell_phone(&self.terminals, tell);
    }
}

/// What a change asks for.
enum Wanted {
    /// As before.
    Nothing,
    /// There is nothing to tell (any longer).
    Gone,
    Notice(Notice),
}
