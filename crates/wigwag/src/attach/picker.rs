//! The picker: all terminals by urgency, kept up to date by events, on the outer terminal's alternate
//! screen. Arrows, `Ctrl-P`, `Ctrl-N` and the wheel move; typing filters; `j` and `k` move until a
//! filter is typed; Enter chooses; Escape empties the filter, then leaves.

use super::input::Token;
use super::outer::{self, Outer};
use crate::failure::Failure;
use crate::output::Context;
use crate::rows::rows;
use client::{Client, Next, Since};
use jiff::Timestamp;
use rustix::event::PollFlags;
use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
use status::Status;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

/// Ages are shown in minutes, and younger ones in seconds: drawn again this often while it is shown.
const AGES: Duration = Duration::from_secs(10);

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Picked {
    /// The id of a terminal.
    Terminal(String),
    Nothing,
    /// The window was closed, or a signal asks this process to end.
    Asked(Option<i32>),
}

/// What a key does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Up,
    Down,
    First,
    Last,
    Choose,
    Back,
    Leave,
    Erase,
    Add(char),
}

/// The list and where one stands in it.
#[derive(Debug, Default)]
struct List {
    terminals: Vec<Status>,
    filter: String,
    /// The terminal under the cursor: it stays there when the order changes.
    cursor: Option<String>,
}

/// Lets a person choose a terminal.
pub(crate) fn pick(
    outer: &mut Outer,
    client: &Client,
    current: Option<&str>,
    context: &Context,
) -> Result<Picked, Failure> {
    let mut events = client.events(Since::Now, true)?;
    let mut list = List {
        terminals: client.list()?,
        filter: String::new(),
        cursor: None,
    };
    list.cursor = current.map(str::to_owned);
    outer::reset_modes(outer.out());
    outer
        .out()
        .extend_from_slice(b"\x1b[?1049h\x1b[?1004h\x1b[?25l");
    let picked = run(outer, client, &mut events, &mut list, context);
    outer::reset_modes(outer.out());
    outer.out().extend_from_slice(b"\x1b[?1004h");
    picked
}

fn run(
    outer: &mut Outer,
    client: &Client,
    events: &mut client::Events,
    list: &mut List,
    context: &Context,
) -> Result<Picked, Failure> {
    let mut tokens = Vec::new();
    loop {
        if outer.is_gone() {
            return Ok(Picked::Asked(None));
        }
        outer.flush();
        if outer.pending() == 0 {
            let size = outer.size();
            list.draw(size, context, outer.out());
        }
        let deadline = Some(Instant::now() + AGES);
        outer.flush();
        let ready = outer.wait(Some((events.as_fd(), PollFlags::IN)), true, deadline)?;
        if ready.signals {
            for signal in outer.signals.take() {
                match signal {
                    SIGWINCH => {}
                    SIGCONT => outer.take()?,
                    SIGTSTP => {
                        outer.give_back();
                        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
                        outer.take()?;
                    }
                    other => return Ok(Picked::Asked(Some(other))),
                }
                outer.out().extend_from_slice(b"\x1b[?1049h\x1b[?25l");
            }
        }
        if ready.socket {
            let mut changed = false;
            while let Next::Event(_) = events.ready()? {
                changed = true;
            }
            if changed {
                list.terminals = client.list()?;
            }
        }
        if ready.keys {
            outer.read(&mut tokens);
        }
        outer.pass_deadline(&mut tokens);
        let mut came = std::mem::take(&mut tokens).into_iter();
        while let Some(token) = came.next() {
            let (mut token, mut rest) = first_key(token);
            loop {
                let step = steps(token, list.filter.is_empty()).pop();
                let leaves = match &step {
                    Some(Step::Choose | Step::Leave) => true,
                    Some(Step::Back) => list.filter.is_empty(),
                    _ => false,
                };
                if leaves {
                    outer.unread(rest.into_iter().chain(came));
                    return Ok(match list.chosen().filter(|_| step == Some(Step::Choose)) {
                        Some(status) => Picked::Terminal(status.id.clone()),
                        None => Picked::Nothing,
                    });
                }
                if let Some(step) = step {
                    list.take(&step);
                }
                let Some(next) = rest else { break };
                (token, rest) = first_key(next);
            }
        }
    }
}

impl List {
    fn shown(&self) -> Vec<&Status> {
        let wanted = self.filter.to_lowercase();
        let fits =
            |status: &&Status| status.label.to_lowercase().contains(&wanted) || status.id == wanted;
        self.terminals.iter().filter(fits).collect()
    }

    fn position(&self) -> usize {
        let shown = self.shown();
        let at = shown
            .iter()
            .position(|status| self.cursor.as_ref() == Some(&status.id));
        at.unwrap_or(0)
    }

    fn chosen(&self) -> Option<&Status> {
        self.shown().get(self.position()).copied()
    }

    fn take(&mut self, step: &Step) {
        let count = self.shown().len();
        let at = self.position();
        let to = match step {
            Step::Up => at.saturating_sub(1),
            Step::Down => at + 1,
            Step::First => 0,
            Step::Last => count,
            Step::Back => {
                self.filter.clear();
                return;
            }
            Step::Erase => {
                self.filter.pop();
                return;
            }
            Step::Add(c) => {
                self.filter.push(*c);
                self.cursor = None;
                return;
            }
            Step::Choose | Step::Leave => return,
        };
        let to = to.min(count.saturating_sub(1));
        self.cursor = self.shown().get(to).map(|status| status.id.clone());
    }

    fn draw(&self, (cols, rows_shown): (u16, u16), context: &Context, out: &mut Vec<u8>) {
        let (cols, height) = (usize::from(cols), usize::from(rows_shown));
        let head = if self.filter.is_empty() {
            "Attach to: arrows, Enter; type to filter; Esc leaves".to_owned()
        } else {
            format!("Attach to: {}", self.filter)
        };
        let shown: Vec<Status> = self.shown().into_iter().cloned().collect();
        let at = self.position();
        // The first row belongs to the head, where there is more than one.
        let room = height.saturating_sub(1).max(1);
        let first = (at + 1).saturating_sub(room);
        let mark = 2.min(cols.saturating_sub(1));
        let mut lines: Vec<String> = Vec::new();
        if height > 1 {
            lines.push(context.fit(&head, cols));
        }
        if shown.is_empty() {
            let none = if self.terminals.is_empty() {
                "No terminals. `wigwag new` starts one."
            } else {
                "None fits."
            };
            lines.push(context.fit(none, cols));
        }
        let texts = rows(&shown, Timestamp::now(), cols - mark, context);
        for (index, text) in texts.into_iter().enumerate().skip(first).take(room) {
            let pointer = if index == at { "> " } else { "  " };
            lines.push(format!("{}{text}", &pointer[..mark]));
        }
        out.extend_from_slice(b"\x1b[?7l");
        for row in 0..height {
            out.extend_from_slice(format!("\x1b[{};1H\x1b[0m", row + 1).as_bytes());
            if let Some(line) = lines.get(row) {
                out.extend_from_slice(line.as_bytes());
            }
            out.extend_from_slice(b"\x1b[0m\x1b[K");
        }
        out.extend_from_slice(b"\x1b[?7h");
    }
}

/// The first key of a token, and the others.
fn first_key(token: Token) -> (Token, Option<Token>) {
    let Token::Keys(bytes) = token else {
        return (token, None);
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut chars = text.chars();
    let first = chars.next().map(String::from).unwrap_or_default();
    let rest = chars.as_str();
    let rest = (!rest.is_empty()).then(|| Token::Keys(rest.into()));
    (Token::Keys(first.into_bytes()), rest)
}

/// What a token means; `moves`: `j` and `k` move.
fn steps(token: Token, moves: bool) -> Vec<Step> {
    match token {
        Token::Sequence(bytes) => match bytes.as_slice() {
            b"\x1b[A" | b"\x1bOA" => vec![Step::Up],
            b"\x1b[B" | b"\x1bOB" => vec![Step::Down],
            b"\x1b[H" | b"\x1b[1~" | b"\x1b[5~" => vec![Step::First],
            b"\x1b[F" | b"\x1b[4~" | b"\x1b[6~" => vec![Step::Last],
            _ => Vec::new(),
        },
        Token::Keys(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let step = |c: char| match c {
                '\r' | '\n' => Some(Step::Choose),
                '\u{1b}' => Some(Step::Back),
                '\u{3}' | '\u{4}' | '\u{1c}' => Some(Step::Leave),
                '\u{10}' => Some(Step::Up),
                '\u{e}' => Some(Step::Down),
                '\u{7f}' | '\u{8}' => Some(Step::Erase),
                'k' if moves => Some(Step::Up),
                'j' if moves => Some(Step::Down),
                c if !c.is_control() => Some(Step::Add(c)),
                _ => None,
            };
            text.chars().filter_map(step).collect()
        }
        Token::Paste(_) | Token::Focus(_) | Token::Answer(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::{context, status};

    fn list() -> List {
        let terminals = ["waiting", "failed", "idle"].into_iter().enumerate();
        let terminals = terminals.map(|(n, state)| Status {
            id: format!("aaaaaaa{n}"),
            size: status::Size {
                cols: 100,
                rows: 30,
            },
            ..status(&format!("name{n}"), &format!("name{n} — {state}"), state)
        });
        List {
            terminals: terminals.collect(),
            ..List::default()
        }
    }

    fn press(list: &mut List, keys: &str) {
        for step in steps(Token::Keys(keys.into()), list.filter.is_empty()) {
            list.take(&step);
        }
    }

    fn chosen(list: &List) -> &str {
        &list.chosen().unwrap().name
    }

    #[test]
    fn the_cursor_begins_at_the_most_urgent_and_stays_within_the_list() {
        let mut list = list();
        assert_eq!(chosen(&list), "name0");
        press(&mut list, "k");
        assert_eq!(chosen(&list), "name0");
        press(&mut list, "jjjjj");
        assert_eq!(chosen(&list), "name2");
        for step in steps(Token::Sequence(b"\x1b[A".into()), true) {
            list.take(&step);
        }
        assert_eq!(chosen(&list), "name1");
    }

    #[test]
    fn typing_filters_and_then_j_and_k_are_letters() {
        let mut list = list();
        press(&mut list, "FAIL");
        assert_eq!(chosen(&list), "name1");
        press(&mut list, "j");
        assert_eq!(list.filter, "FAILj");
        assert!(list.chosen().is_none());
        press(&mut list, "\u{7f}");
        assert_eq!(chosen(&list), "name1");
        press(&mut list, "\u{1b}");
        assert_eq!(list.shown().len(), 3);
    }

    #[test]
    fn the_cursor_stays_on_its_terminal_when_the_order_changes() {
        let mut list = list();
        press(&mut list, "j");
        let before = chosen(&list).to_owned();
        list.terminals.reverse();
        assert_eq!(chosen(&list), before);
    }

    #[test]
    fn it_is_drawn_in_any_window() {
        let list = list();
        for size in [
            (1, 1),
            (2, 2),
            (80, 1),
            (1, 24),
            (40, 24),
            (60, 24),
            (80, 24),
        ] {
            let mut out = Vec::new();
            list.draw(size, &context(true, true), &mut out);
            let mut screen = screen::Screen::new(screen::Size::new(size.0, size.1), 0);
            screen.feed(&out);
            if size.0 >= 40 {
                let text = screen.capture(screen::Capture::default());
                assert!(text.contains("> ") && text.contains("name0"), "{text}");
                for line in text.lines().skip(1) {
                    let ends = ["3 m", "100×30", "1 client"].iter();
                    assert!(
                        ends.clone().any(|end| line.ends_with(end)),
                        "{size:?} {line}"
                    );
                }
            }
        }
    }
}
