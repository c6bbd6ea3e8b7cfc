//! The one line for what would be too much: "5 terminals need you".

use super::rates::INTERVAL;
use super::terminal::{Shown, Terminal};
use super::{Decision, Notice, Subject, Surface, Urgency};
use crate::{AttentionKind, Duration};
use std::collections::BTreeMap;

/// The names in its body; more do not fit a notification.
const NAMES: usize = 8;

/// What is folded is marked so in its [`Terminal`]; this is what stands of it on surfaces.
#[derive(Debug, Clone, Default)]
pub(super) struct Fold {
    shown: Option<Shown>,
    /// It does not say what it should: when it is told again.
    due: Option<Duration>,
    /// When it was last told.
    told: Option<Duration>,
}

impl Fold {
    /// One that an earlier daemon told on these surfaces; on none: there is none.
    pub(super) fn restore(on: Vec<Surface>) -> Self {
        Self {
            shown: (!on.is_empty()).then(|| shown(on, None)),
            ..Self::default()
        }
    }

    pub(super) fn stands_on(&self) -> &[Surface] {
        self.shown.as_ref().map_or(&[], |shown| &shown.on)
    }

    /// A terminal joined or left it.
    pub(super) fn changed_if(&mut self, changed: bool, now: Duration) {
        if changed {
            let spaced = self.told.map_or(now, |told| now.max(told + INTERVAL));
            self.due.get_or_insert(spaced);
        }
    }

    pub(super) fn deadline(&self, terminals: &BTreeMap<String, Terminal>) -> Option<Duration> {
        let phone = self.shown.as_ref().and_then(|shown| shown.phone);
        let due = self.due.filter(|_| !others_follow(terminals));
        phone.into_iter().chain(due).min()
    }

    /// Tells it if it is due: it is as large as what is in it, and gone with the last.
    pub(super) fn tell(
        &mut self,
        terminals: &BTreeMap<String, Terminal>,
        first_surfaces: impl FnOnce() -> (Vec<Surface>, Option<Duration>),
        now: Duration,
        decisions: &mut Vec<Decision>,
    ) {
        let Some(due) = self.due else {
            return;
        };
        let folded = folded(terminals);
        if folded.is_empty() {
            self.due = None;
            if let Some(shown) = self.shown.take() {
                let (subject, on) = (Subject::Fold, shown.on);
                decisions.push(Decision::Withdraw { subject, on });
            }
            return;
        }
        if now < due || others_follow(terminals) {
            return;
        }
        (self.due, self.told) = (None, Some(now));
        let notice = notice_of(&folded);
        decisions.push(match &self.shown {
            Some(shown) => Decision::Replace {
                notice,
                on: shown.on.clone(),
            },
            None => {
                let (on, phone) = first_surfaces();
                self.shown = Some(shown(on.clone(), phone));
                Decision::Raise { notice, on }
            }
        });
    }

    /// Tells the phone of it where `tell` finds that time has come.
    pub(super) fn tell_phone(
        &mut self,
        terminals: &BTreeMap<String, Terminal>,
        mut tell: impl FnMut(&mut Shown, &dyn Fn() -> Notice),
    ) {
        if let Some(shown) = &mut self.shown {
            tell(shown, &|| notice_of(&folded(terminals)));
        }
    }
}

/// The entries that stand in it have their own numbers.
fn shown(on: Vec<Surface>, phone: Option<Duration>) -> Shown {
    Shown {
        seq: 0,
        kind: AttentionKind::Notify,
        on,
        phone,
    }
}

fn folded(terminals: &BTreeMap<String, Terminal>) -> Vec<&Notice> {
    let folded = terminals.values().filter(|terminal| terminal.folded);
    folded
        .filter_map(|terminal| terminal.notice.as_ref())
        .collect()
}

/// Some of those that asked at once have not settled yet: they are waited for, so that the
/// number is right when it is told.
fn others_follow(terminals: &BTreeMap<String, Terminal>) -> bool {
    let mut waits = terminals.values().filter_map(|terminal| terminal.waits);
    waits.any(|waits| waits.folds)
}

fn notice_of(folded: &[&Notice]) -> Notice {
    let count = folded.len();
    let names = folded
        .iter()
        .take(NAMES)
        .map(|notice| notice.title.as_str());
    let mut body = names.collect::<Vec<_>>().join(", ");
    if count > NAMES {
        body.push_str(&format!(", and {} more", count - NAMES));
    }
    let urgency = folded.iter().map(|notice| notice.urgency).min();
    Notice {
        subject: Subject::Fold,
        seq: 0,
        kind: AttentionKind::Notify,
        urgency: urgency.unwrap_or(Urgency::Normal),
        title: match count {
            1 => "1 terminal needs you".to_owned(),
            _ => format!("{count} terminals need you"),
        },
        body: Some(body),
    }
}
