//! What the program prints: read, forwarded, drawn, answered and understood, in that order.

use super::clock;
use super::holder::Holder;
use super::output::{Batch, Cut, Recorder, Step};
use crate::frame::{HEADER, header};
use crate::protocol::{Moment, kind};
use signals::{Mark, Query, QueryKind, Signal, notification, program_status};
use status::Event;

impl Holder {
    /// Reads the PTY once; how much there was.
    pub(super) fn read_pty(&mut self) -> usize {
        let mut buffer = std::mem::take(&mut self.buffer);
        let length = self.program.read(&mut buffer);
        if length > 0 {
            self.take_output(&buffer[..length]);
        }
        self.buffer = buffer;
        if self.program.pty().is_none() && self.leaves_by_itself {
            // The last child that was left behind has closed the terminal.
            self.leave_by_itself();
        }
        length
    }

    /// What the program printed: to the clients first, then on the screen, questions answered and
    /// signals applied in their order.
    fn take_output(&mut self, read: &[u8]) {
        let mut batch = std::mem::take(&mut self.batch);
        batch.begin();
        self.reader.read(
            read,
            &mut Recorder {
                batch: &mut batch,
                read,
            },
        );
        self.forward(&mut batch);
        let steps = std::mem::take(&mut batch.steps);
        for step in &steps {
            match step {
                Step::Draw(place) => self.screen.feed(batch.bytes(read, *place)),
                Step::Signal(signal) => self.take_signal(signal.clone()),
                Step::Query(query) => self.answer(query),
            }
        }
        batch.steps = steps;
        self.batch = batch;
        self.mark_history();
        self.watch_synchronized(read);
        self.watch_modes();
        self.expect_activity();
        self.write_input();
    }

    fn forward(&mut self, batch: &mut Batch) {
        let cuts = std::mem::take(&mut batch.cuts);
        if cuts.is_empty() {
            self.forward_frame(&mut batch.forward);
            return;
        }
        let bytes = &batch.forward[HEADER..];
        let mut start = 0;
        for (position, cut) in cuts {
            let end = position - HEADER;
            self.forward_frame(&mut [&[0; HEADER], &bytes[start..end]].concat());
            start = end;
            let now = clock::mono();
            for client in self.clients.iter_mut().filter(|client| client.streams()) {
                let sees = client
                    .attached
                    .as_ref()
                    .is_some_and(|attached| attached.is_present(now));
                match &cut {
                    Cut::Bell if sees => client.send_moment(&Moment::Bell),
                    Cut::Bell => {}
                    Cut::Report(sequence) => {
                        client.send_moment(&Moment::Report {
                            sequence: sequence.clone(),
                        });
                    }
                }
            }
        }
        self.forward_frame(&mut [&[0; HEADER], &bytes[start..]].concat());
    }

    /// Sends bytes after room for a header to everybody who gets the stream.
    pub(super) fn forward_frame(&mut self, frame: &mut [u8]) {
        if frame.len() <= HEADER {
            return;
        }
        let length = frame.len() - HEADER;
        frame[..HEADER].copy_from_slice(&header(kind::OUTPUT, length));
        self.send_output(frame);
    }

    fn take_signal(&mut self, signal: Signal) {
        if self.carries() {
            // They are another terminal's, which counts them itself.
            return;
        }
        self.look_before(&signal);
        let ended = matches!(
            signal,
            Signal::Mark {
                mark: Mark::Prompt | Mark::NewPrompt,
                ..
            }
        );
        let alternate_screen = self.screen.modes().alternate_screen;
        self.apply(Event::Signal {
            signal,
            alternate_screen,
        });
        if ended {
            self.state.change();
        }
    }

    /// Answers one question of the program.
    fn answer(&mut self, query: &Query) {
        let end = query.terminator;
        let answer = match &query.kind {
            QueryKind::ProgramStatus => Some(program_status::answer(end).to_vec()),
            QueryKind::NotificationSupport(id) => Some(notification::answer_support(id, end)),
            QueryKind::NotificationsAlive(id) => {
                let alive = self.terminal.notifications_alive();
                let alive = alive.iter().map(String::as_str);
                Some(notification::answer_alive(id, alive, end))
            }
            _ => self.screen.answer(query),
        };
        if let Some(answer) = answer {
            self.input.answer(&answer);
        }
    }
}
