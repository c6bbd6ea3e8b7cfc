//! What `wait` waits for, evaluated on statuses alone.
//!
//! A condition is a state that holds, or something that happens. What happens while a person
//! looks on is consumed and never becomes a state; a [`Wait`] counts it nevertheless.

use crate::{AttentionKind, Command, LastCommand, LifecycleState, State, Status};
use core::str::FromStr;

/// One condition by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// It needs somebody or has ended: `waiting`, `finished`, `failed`, `attention` or exit.
    Settled,
    /// The shell is at its prompt.
    Prompt,
    /// A command ends.
    Command,
    /// The program of the terminal has ended.
    Exit,
    /// A word of the state.
    State(State),
}

/// No such condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown condition \"{0}\"; use settled, prompt, command, exit, waiting, failed, attention, \
     finished, working, running, idle, exited or lost"
)]
pub struct UnknownCondition(pub String);

impl FromStr for Condition {
    type Err = UnknownCondition;

    /// Reads a word of `--until`; the words of OSC 7501 (`blocked`, `done`, `error`) too.
    fn from_str(word: &str) -> Result<Self, UnknownCondition> {
        match word {
            "settled" => Ok(Self::Settled),
            "prompt" => Ok(Self::Prompt),
            "command" => Ok(Self::Command),
            "exit" => Ok(Self::Exit),
            "blocked" => Ok(Self::State(State::Waiting)),
            "done" => Ok(Self::State(State::Finished)),
            "error" => Ok(Self::State(State::Failed)),
            _ => State::ALL
                .into_iter()
                .find(|state| state.word() == word)
                .map(Self::State)
                .ok_or_else(|| UnknownCondition(word.to_owned())),
        }
    }
}

impl Status {
    /// It needs somebody or has ended.
    pub fn is_settled(&self) -> bool {
        settled(self).is_some()
    }

    /// The shell is at its prompt: it runs, and no command does.
    pub fn at_prompt(&self) -> bool {
        // Where the shell was not heard of yet, the state is `running` without a command.
        self.lifecycle.state == LifecycleState::Running
            && self.command.is_none()
            && self.state != State::Running
    }
}

/// Waits for the first of several conditions of one terminal.
///
/// Show it every status in order; it answers with the word that ended the wait.
#[derive(Debug, Clone)]
pub struct Wait {
    conditions: Vec<Armed>,
    last: Option<Last>,
    only_changes: bool,
}

#[derive(Debug, Clone)]
struct Armed {
    condition: Condition,
    /// It did not hold at some moment, or need not have: its holding counts.
    armed: bool,
}

/// What is compared with the next status.
#[derive(Debug, Clone)]
struct Last {
    seq: u64,
    command: Option<Command>,
    last_command: Option<LastCommand>,
}

impl Wait {
    /// What holds at once counts.
    pub fn new(conditions: &[Condition]) -> Self {
        let arm = |&condition| Armed {
            condition,
            armed: true,
        };
        Self {
            conditions: conditions.iter().map(arm).collect(),
            last: None,
            only_changes: false,
        }
    }

    /// Only what changes after `before` counts, as for `send --wait`: what held before must
    /// end first, or happen again. The end of a command then settles a terminal also when it
    /// was short.
    pub fn after(conditions: &[Condition], before: &Status) -> Self {
        let arm = |&condition| Armed {
            condition,
            armed: holds(condition, before).is_none(),
        };
        Self {
            conditions: conditions.iter().map(arm).collect(),
            last: Some(Last::of(before)),
            only_changes: true,
        }
    }

    /// The next status of the terminal. `Some`: the word that ended the wait.
    pub fn observe(&mut self, status: &Status) -> Option<&'static str> {
        let last = self.last.replace(Last::of(status));
        let command_ended = last.as_ref().is_some_and(|last| last.command_ended(status));
        let raised = last.and_then(|last| last.raised(status));
        let only_changes = self.only_changes;
        self.conditions.iter_mut().find_map(|armed| {
            let held = holds(armed.condition, status);
            let counts = armed.armed;
            armed.armed |= held.is_none();
            held.filter(|_| counts).or_else(|| match armed.condition {
                Condition::State(state) => raised.filter(|&r| r == state).map(State::word),
                Condition::Settled if only_changes && command_ended => {
                    Some(raised.unwrap_or_else(|| outcome(status)).word())
                }
                Condition::Settled => raised.map(State::word),
                Condition::Command if command_ended => Some("command"),
                Condition::Prompt if command_ended && status.at_prompt() => Some("prompt"),
                _ => None,
            })
        })
    }
}

impl Last {
    fn of(status: &Status) -> Self {
        Self {
            seq: seq_of(status),
            command: status.command.clone(),
            last_command: status.last_command.clone(),
        }
    }

    fn command_ended(&self, status: &Status) -> bool {
        let started = |command: &Option<Command>| command.as_ref().map(|c| c.started_at);
        let gone = self.command.is_some() && started(&self.command) != started(&status.command);
        gone || self.last_command != status.last_command
    }

    /// What the new attention entry tells, read or not.
    fn raised(&self, status: &Status) -> Option<State> {
        let entry = status
            .attention
            .as_ref()
            .filter(|entry| entry.seq > self.seq)?;
        Some(match entry.kind {
            AttentionKind::Bell | AttentionKind::Notify => State::Attention,
            AttentionKind::Waiting => State::Waiting,
            AttentionKind::Finished => State::Finished,
            AttentionKind::Failed => State::Failed,
            AttentionKind::Command => outcome(status),
            AttentionKind::Exit if status.lifecycle.is_failure() => State::Failed,
            AttentionKind::Exit => State::Finished,
        })
    }
}

fn seq_of(status: &Status) -> u64 {
    status.attention.as_ref().map_or(0, |entry| entry.seq)
}

/// How the last command ended.
fn outcome(status: &Status) -> State {
    let code = status.last_command.as_ref().and_then(|last| last.exit_code);
    if code.is_some_and(|code| code != 0) {
        State::Failed
    } else {
        State::Finished
    }
}

/// The word, if the condition holds.
fn holds(condition: Condition, status: &Status) -> Option<&'static str> {
    let lifecycle = status.lifecycle.state;
    match condition {
        Condition::Settled => settled(status),
        Condition::Prompt => status.at_prompt().then_some("prompt"),
        Condition::Command => None,
        Condition::Exit => status.lifecycle.is_over().then_some("exit"),
        // An exited terminal may show a more urgent word and has exited all the same.
        Condition::State(State::Exited) => {
            (lifecycle == LifecycleState::Exited).then_some("exited")
        }
        Condition::State(state) => (status.state == state).then(|| state.word()),
    }
}

fn settled(status: &Status) -> Option<&'static str> {
    match status.state {
        State::Waiting | State::Failed | State::Attention | State::Finished => {
            Some(status.state.word())
        }
        _ => status.lifecycle.is_over().then_some("exit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Tried;
    use signals::ReportState::{Blocked, Done, Idle, Working};

    fn conditions(words: &str) -> Vec<Condition> {
        words.split(',').map(|word| word.parse().unwrap()).collect()
    }

    fn now(words: &str, tried: &Tried) -> Option<&'static str> {
        Wait::new(&conditions(words)).observe(&tried.status())
    }

    #[test]
    fn every_word_is_understood_and_others_are_refused() {
        for state in State::ALL {
            assert_eq!(state.word().parse(), Ok(Condition::State(state)));
        }
        assert_eq!("blocked".parse(), Ok(Condition::State(State::Waiting)));
        assert_eq!("done".parse(), Ok(Condition::State(State::Finished)));
        assert_eq!("error".parse(), Ok(Condition::State(State::Failed)));
        let refused = "ready".parse::<Condition>().unwrap_err();
        assert!(
            refused
                .to_string()
                .starts_with("unknown condition \"ready\"; use settled")
        );
    }

    #[test]
    fn settled_is_waiting_finished_failed_attention_or_exit() {
        let mut pi = Tried::shell();
        pi.command("pi");
        assert_eq!(now("settled", &pi), None);
        pi.report("", Working);
        assert_eq!(now("settled", &pi), None);
        pi.report("", Blocked);
        assert_eq!(now("settled", &pi), Some("waiting"));
        pi.report("", Done);
        assert_eq!(now("settled", &pi), Some("finished"));
        pi.seen(true);
        assert_eq!(now("settled", &pi), None);
        pi.exit(0);
        assert_eq!(now("settled", &pi), Some("exit"));
    }

    #[test]
    fn an_exit_counts_also_while_it_is_failed() {
        let mut make = Tried::program("make");
        make.exit(2);
        assert_eq!(now("exit", &make), Some("exit"));
        assert_eq!(now("exited", &make), Some("exited"));
        assert_eq!(now("failed", &make), Some("failed"));
        assert_eq!(now("settled", &make), Some("failed"));
        assert_eq!(now("waiting", &make), None);
    }

    #[test]
    fn a_prompt_is_waited_for_until_the_command_ends() {
        let mut shell = Tried::shell();
        assert_eq!(now("prompt", &shell), Some("prompt"));
        shell.command("make");
        let mut wait = Wait::new(&conditions("prompt"));
        assert_eq!(wait.observe(&shell.status()), None);
        shell.done(0);
        shell.prompt();
        assert_eq!(wait.observe(&shell.status()), Some("prompt"));
    }

    #[test]
    fn a_command_counts_only_when_it_ends() {
        let mut shell = Tried::shell();
        shell.command("true");
        shell.done(0);
        let mut wait = Wait::new(&conditions("command"));
        assert_eq!(wait.observe(&shell.status()), None);
        shell.command("true");
        assert_eq!(wait.observe(&shell.status()), None);
        shell.done(0);
        assert_eq!(wait.observe(&shell.status()), Some("command"));
    }

    #[test]
    fn what_ends_before_a_person_s_eyes_counts_too() {
        let mut pi = Tried::shell();
        pi.seen(true);
        pi.report("", Working);
        let mut wait = Wait::new(&conditions("settled"));
        assert_eq!(wait.observe(&pi.status()), None);
        pi.report("", Done);
        assert_eq!(pi.state(), State::Idle);
        assert_eq!(wait.observe(&pi.status()), Some("finished"));
    }

    #[test]
    fn after_sending_only_changes_count() {
        let mut pi = Tried::shell();
        pi.command("pi");
        pi.report("", Blocked);
        let mut wait = Wait::after(&conditions("settled"), &pi.status());
        pi.title("still waiting");
        assert_eq!(wait.observe(&pi.status()), None);
        pi.report("", Working);
        assert_eq!(wait.observe(&pi.status()), None);
        pi.report("", Blocked);
        assert_eq!(wait.observe(&pi.status()), Some("waiting"));
    }

    #[test]
    fn after_sending_a_second_question_counts_although_it_waits_all_along() {
        let mut pi = Tried::shell();
        pi.report("", Blocked);
        let mut wait = Wait::after(&conditions("settled"), &pi.status());
        pi.report("child", Blocked);
        assert_eq!(wait.observe(&pi.status()), Some("waiting"));
    }

    #[test]
    fn after_sending_a_short_command_settles_by_its_code() {
        let mut shell = Tried::shell();
        let mut wait = Wait::after(&conditions("settled"), &shell.status());
        shell.command("make");
        assert_eq!(wait.observe(&shell.status()), None);
        shell.done(2);
        assert_eq!(wait.observe(&shell.status()), Some("failed"));
    }

    #[test]
    fn after_sending_a_prompt_must_come_anew() {
        let mut shell = Tried::shell();
        let mut wait = Wait::after(&conditions("prompt"), &shell.status());
        shell.title("typing");
        assert_eq!(wait.observe(&shell.status()), None);
        shell.command("true");
        shell.done(0);
        // Both in one observation, as after a gap.
        assert_eq!(wait.observe(&shell.status()), Some("prompt"));
    }

    #[test]
    fn an_idle_program_is_waited_for_by_its_word() {
        let mut pi = Tried::program("pi");
        pi.report("", Working);
        let mut wait = Wait::new(&conditions("idle"));
        assert_eq!(wait.observe(&pi.status()), None);
        pi.report("", Idle);
        assert_eq!(wait.observe(&pi.status()), Some("idle"));
    }
}
