//! `name — context · state`, by what is known (status.md, Label).

use crate::command::Ended;
use crate::shown::{TITLE_CHARS, some_line};
use crate::state::Basis;
use crate::{
    LifecycleState, ProgressWord, Record, RecordKind, RecordState, State, Status, TitleSource,
};

/// The label. `status.state` is already decided.
pub(crate) fn label_of(status: &Status, basis: Basis<'_>) -> String {
    // The end of a command is told with the command, although the prompt's title is back.
    let ended = basis
        .unread_end
        .filter(|_| matches!(status.state, State::Failed | State::Finished))
        .filter(|_| !status.lifecycle.is_over());
    let line = ended.and_then(|ended| some_line(ended.line.as_deref()?, TITLE_CHARS));
    let reported = reported_title(status).filter(|_| ended.is_none());
    let context = line.as_deref().or(reported).or(status.title.as_deref());
    let words = words_of(status, basis);
    match (context, status.state) {
        (Some(context), State::Running | State::Idle) => format!("{} — {context}", status.name),
        (Some(context), _) => format!("{} — {context} · {words}", status.name),
        (None, _) => format!("{} — {words}", status.name),
    }
}

/// The state of the records that make a terminal what it is.
fn deciding(status: &Status) -> Option<RecordState> {
    match status.state {
        State::Waiting => Some(RecordState::Blocked),
        State::Failed => Some(RecordState::Error),
        State::Finished => Some(RecordState::Done),
        State::Working => Some(RecordState::Working),
        _ => None,
    }
}

/// What the records that make a terminal what it is say: the root first.
fn told<'a>(status: &'a Status, what: impl Fn(&'a Record) -> Option<&'a str>) -> Option<&'a str> {
    let state = deciding(status)?;
    let deciding = |record: &&Record| record.state == state && !record.seen;
    status.reports.iter().filter(deciding).find_map(what)
}

/// What the program says it works on. The title that an application gives its window is its own word,
/// too, and as good.
fn reported_title(status: &Status) -> Option<&str> {
    let title = told(status, |record| record.title.as_deref());
    title.filter(|_| status.title_source != Some(TitleSource::Application))
}

impl Status {
    /// One line for a person on why the terminal is as it is: the message of the report that makes it
    /// so, or the text of an unread notification.
    pub fn message(&self) -> Option<&str> {
        if self.state == State::Attention {
            let unread = self.attention.as_ref().filter(|entry| entry.unread)?;
            return unread.text.as_deref();
        }
        told(self, |record| record.msg.as_deref())
    }
}

/// The state in words, with what belongs to it.
fn words_of(status: &Status, basis: Basis<'_>) -> String {
    match status.state {
        State::Waiting => waiting(status).to_owned(),
        State::Failed if status.lifecycle.state == LifecycleState::Lost => {
            "failed (lost)".to_owned()
        }
        State::Failed => match basis.unread_end.filter(|end| end.is_failure()) {
            Some(end) => with_end("failed", end),
            None => "failed".to_owned(),
        },
        State::Attention => "needs attention".to_owned(),
        State::Working if status.is_paused() => with_percent("paused", percent(status)),
        State::Working => with_percent("working", percent(status)),
        State::Exited => match exit_of(status) {
            Some(end) if end.is_failure() => with_end("exited", &end),
            _ => "exited".to_owned(),
        },
        State::Finished | State::Running | State::Idle | State::Lost => {
            status.state.word().to_owned()
        }
    }
}

/// What a blocked record waits for.
pub(crate) fn waiting(status: &Status) -> &'static str {
    let blocked = || {
        status
            .reports
            .iter()
            .filter(|r| r.state == RecordState::Blocked)
    };
    // The root speaks for all, unless it says less than a child.
    match blocked().find_map(|record| record.kind) {
        Some(RecordKind::Permission) => "waiting for approval",
        Some(RecordKind::Question) => "waiting for an answer",
        Some(RecordKind::Auth) => "waiting for sign-in",
        None => "waiting",
    }
}

/// A working record's own percentage, else that of progress.
fn percent(status: &Status) -> Option<u8> {
    let working = || {
        status
            .reports
            .iter()
            .filter(|r| r.state == RecordState::Working)
    };
    if let Some(percent) = working().find_map(|record| record.progress) {
        return Some(percent);
    }
    let progress = status.progress?;
    let beside = working().next().is_some();
    // Beside a record that works, only progress that goes on says how far it is.
    let counts = !beside || progress.state == ProgressWord::Normal;
    progress.percent.filter(|_| counts)
}

fn with_percent(word: &str, percent: Option<u8>) -> String {
    match percent {
        Some(percent) => format!("{word} {percent}%"),
        None => word.to_owned(),
    }
}

pub(crate) fn with_end(word: &str, end: &Ended) -> String {
    match end.how() {
        Some(how) => format!("{word} ({how})"),
        None => word.to_owned(),
    }
}

/// How the program of an exited terminal ended.
pub(crate) fn exit_of(status: &Status) -> Option<Ended> {
    let lifecycle = &status.lifecycle;
    (lifecycle.state == LifecycleState::Exited).then(|| Ended {
        line: None,
        code: lifecycle.code,
        signal: lifecycle.signal.clone(),
    })
}

#[cfg(test)]
mod tests {
    use crate::Event;
    use crate::testing::{Tried, report};
    use signals::ProgressState::{Busy, Normal, Paused};
    use signals::ReportState::{Blocked, Done, Working};
    use signals::{Kind, Mark, Report, Signal};

    fn pi() -> Tried {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell.title("PR #123");
        shell
    }

    fn blocked(id: &str, kind: Option<Kind>) -> Signal {
        Signal::Report(Report {
            kind,
            ..report(id, Blocked)
        })
    }

    #[test]
    fn the_levels_of_status_md() {
        let mut bare = Tried::of(crate::testing::facts());
        bare.mark(Mark::Prompt);
        bare.mark(Mark::Command(None));
        assert_eq!(bare.label(), "Pi — running");

        let mut pi = pi();
        assert_eq!(pi.label(), "Pi — PR #123");
        pi.progress(Busy, None);
        assert_eq!(pi.label(), "Pi — PR #123 · working");
        pi.progress(Normal, Some(42));
        assert_eq!(pi.label(), "Pi — PR #123 · working 42%");
        pi.progress(Paused, Some(7));
        assert_eq!(pi.label(), "Pi — PR #123 · paused 7%");
        pi.progress(Paused, None);
        assert_eq!(pi.label(), "Pi — PR #123 · paused");
        pi.bell();
        assert_eq!(pi.label(), "Pi — PR #123 · needs attention");
        pi.report("", Done);
        assert_eq!(pi.label(), "Pi — PR #123 · finished");
    }

    #[test]
    fn waiting_says_for_what() {
        let mut pi = pi();
        for (kind, words) in [
            (Some(Kind::Permission), "waiting for approval"),
            (Some(Kind::Question), "waiting for an answer"),
            (Some(Kind::Auth), "waiting for sign-in"),
            (None, "waiting"),
        ] {
            pi.signal(blocked("", kind));
            assert_eq!(pi.label(), format!("Pi — PR #123 · {words}"));
        }
        pi.report("", Working);
        pi.signal(blocked("task", Some(Kind::Question)));
        assert_eq!(pi.label(), "Pi — PR #123 · waiting for an answer");
    }

    #[test]
    fn a_failed_command_is_told_with_its_line_and_code() {
        let mut shell = Tried::shell();
        shell.command("cargo test");
        shell.wait(60).done(101);
        shell.prompt();
        shell.title("~/src");
        assert_eq!(shell.label(), "Pi — cargo test · failed (exit 101)");
        shell.ack(None);
        assert_eq!(shell.label(), "Pi — ~/src");
    }

    #[test]
    fn a_finished_command_is_told_with_its_line() {
        let mut shell = Tried::shell();
        shell.command("cargo test");
        shell.wait(60).done(0);
        shell.prompt();
        assert_eq!(shell.label(), "Pi — cargo test · finished");
    }

    #[test]
    fn a_failed_record_does_not_borrow_the_code_of_a_command() {
        let mut shell = Tried::shell();
        shell.command("pi");
        shell.report("", signals::ReportState::Error);
        shell.done(1);
        shell.prompt();
        assert_eq!(shell.label(), "Pi — bash · failed");
    }

    #[test]
    fn an_exit_keeps_the_title_and_says_how() {
        let mut make = Tried::program("make");
        make.exit(2);
        assert_eq!(make.label(), "Pi — make · failed (exit 2)");
        make.ack(None);
        assert_eq!(make.label(), "Pi — make · exited (exit 2)");

        let mut make = Tried::program("make");
        make.event(Event::Exited {
            code: None,
            signal: Some("KILL".into()),
        });
        assert_eq!(make.label(), "Pi — make · failed (signal KILL)");

        let mut make = Tried::program("make");
        make.title("PR #123");
        make.exit(2);
        assert_eq!(make.label(), "Pi — PR #123 · failed (exit 2)");

        let mut make = Tried::program("true");
        make.exit(0);
        assert_eq!(make.label(), "Pi — true · exited");
        let mut make = Tried::program("sleep");
        make.event(Event::Lost);
        assert_eq!(make.label(), "Pi — sleep · lost");
    }

    #[test]
    fn a_record_s_own_percentage_comes_before_progress() {
        let mut pi = pi();
        pi.progress(Normal, Some(42));
        pi.report("", Working);
        assert_eq!(
            pi.label(),
            "Pi — PR #123 · working 42%",
            "progress is shown beside"
        );
        pi.signal(Signal::Report(Report {
            progress: Some(10),
            ..report("", Working)
        }));
        assert_eq!(pi.label(), "Pi — PR #123 · working 10%");
        pi.report("", Working);
        pi.progress(Paused, Some(7));
        assert_eq!(pi.label(), "Pi — PR #123 · working");
    }

    #[test]
    fn an_idle_shell_without_a_title_says_so() {
        let mut bare = Tried::of(crate::testing::facts());
        bare.mark(Mark::Prompt);
        assert_eq!(bare.label(), "Pi — idle");
    }

    #[test]
    fn what_a_report_works_on_is_the_context_unless_the_application_names_its_window() {
        let mut shell = Tried::shell();
        shell.foreground(7, "wigwag", false);
        let working = Signal::Report(Report {
            title: Some("make".into()),
            ..report("", Working)
        });
        shell.command("wigwag report -- make");
        shell.signal(working.clone());
        assert_eq!(shell.label(), "Pi — make · working");
        shell.title("its own window");
        assert_eq!(shell.label(), "Pi — its own window · working");

        let mut bare = Tried::bare_shell();
        bare.foreground(7, "wigwag", false);
        bare.signal(working);
        assert_eq!(bare.label(), "Pi — make · working");
    }

    #[test]
    fn the_message_is_that_of_the_report_that_decides_or_of_the_notification() {
        let says = |id: &str, state, msg: &str| {
            Signal::Report(Report {
                msg: Some(msg.into()),
                ..report(id, state)
            })
        };
        let mut pi = pi();
        assert_eq!(pi.status().message(), None);
        pi.signal(says("", Working, "thinking"));
        assert_eq!(pi.status().message(), Some("thinking"));
        pi.signal(says("task", Blocked, "Apply?"));
        assert_eq!(pi.status().message(), Some("Apply?"));
        pi.signal(says("task", Working, "applying"));
        pi.signal(says("", Done, "all good"));
        assert_eq!(pi.status().message(), Some("all good"));
        pi.ack(None);
        pi.clear("");
        pi.wait(10).notify("note here");
        assert_eq!(pi.status().message(), Some("note here"));
        pi.ack(None);
        assert_eq!(pi.status().message(), None);
    }

    #[test]
    fn another_name_is_another_label() {
        let mut pi = pi();
        pi.event(Event::Renamed("agent\u{7}\u{202e}".into()));
        assert_eq!(pi.label(), "agent — PR #123");
    }
}
