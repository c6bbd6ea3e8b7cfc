//! A server of tmux, and a watcher that notes what it is told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;
use tempfile::TempDir;
use tmux::id::PaneId;
use tmux::listing::{Pane, Viewer};
use tmux::server::{Identity, Server};
use tmux::watch::{Event, Options, watch};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Longer than anything takes on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A server with a socket of its own; it ends with the test.
pub(crate) struct Tmux {
    pub(crate) directory: TempDir,
}

impl Tmux {
    /// With one session `main` of 80×24 that runs `sh`, in the default configuration.
    pub(crate) fn start() -> Self {
        let tmux = Self::none();
        tmux.run(&["new-session", "-d", "-s", "main", "-x", "80", "-y", "24"]);
        tmux
    }

    pub(crate) fn none() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.directory.path().join("socket")
    }

    pub(crate) fn server(&self) -> Server {
        Server::new(self.socket())
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command
            .args(["-u", "-S"])
            .arg(self.socket())
            .args(arguments);
        command.env_remove("TMUX").env_remove("TMUX_PANE");
        command.env("HOME", self.directory.path());
        command
            .env("SHELL", "/bin/sh")
            .env("PS1", "$ ")
            .env_remove("ENV");
        command.current_dir(self.directory.path());
        command
    }

    pub(crate) fn try_run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What it printed, trimmed.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = self.try_run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    pub(crate) fn format(&self, target: &str, format: &str) -> String {
        self.run(&["display-message", "-p", "-t", target, format])
    }

    /// The pane that a target names.
    pub(crate) fn pane(&self, target: &str) -> PaneId {
        self.format(target, "#{pane_id}").parse().unwrap()
    }

    /// Types a line into a shell.
    pub(crate) fn type_line(&self, target: &str, line: &str) {
        self.run(&["send-keys", "-t", target, "-l", line]);
        self.run(&["send-keys", "-t", target, "Enter"]);
    }

    pub(crate) fn watch(&self) -> Watched {
        self.watch_with(Options::default())
    }

    pub(crate) fn watch_with(&self, options: Options) -> Watched {
        Watched::start(self.server(), options)
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.try_run(&["kill-server"]);
    }
}

/// A watcher, and what it told.
pub(crate) struct Watched {
    pub(crate) watching: JoinHandle<()>,
    pub(crate) events: mpsc::Receiver<Event>,
    pub(crate) seen: Seen,
}

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) appeared: Vec<Identity>,
    pub(crate) panes: BTreeMap<PaneId, Pane>,
    pub(crate) output: BTreeMap<PaneId, Vec<u8>>,
    pub(crate) gaps: Vec<PaneId>,
    pub(crate) viewers: Vec<Viewer>,
    pub(crate) unusable: Vec<String>,
    pub(crate) left: usize,
}

impl Seen {
    /// What a pane printed contains this.
    pub(crate) fn printed(&self, pane: PaneId, text: &str) -> bool {
        self.count(pane, text) > 0
    }

    pub(crate) fn count(&self, pane: PaneId, text: &str) -> usize {
        let output = self.output.get(&pane).map_or(&[][..], Vec::as_slice);
        String::from_utf8_lossy(output).matches(text).count()
    }

    /// `SESSION:WINDOW.PANE NAME` of each place of a pane.
    pub(crate) fn places(&self, pane: PaneId) -> Vec<String> {
        let pane = &self.panes[&pane];
        let place = |place: &tmux::listing::Place| {
            let (session, window, index) =
                (&place.session_name, place.window_index, place.pane_index);
            format!("{session}:{window}.{index} {}", pane.window_name)
        };
        pane.places.iter().map(place).collect()
    }

    fn note(&mut self, event: Event) {
        match event {
            Event::Appeared(identity) => self.appeared.push(identity),
            Event::Unusable(why) => self.unusable.push(why),
            Event::PaneAdded(pane) => {
                let before = self.panes.insert(pane.id, pane);
                assert_eq!(before, None, "added twice");
            }
            Event::PaneChanged(pane) => {
                let before = self.panes.insert(pane.id, pane.clone());
                assert!(
                    before.is_some_and(|before| before != pane),
                    "changed nothing"
                );
            }
            Event::PaneRemoved(pane) => assert!(self.panes.remove(&pane).is_some()),
            Event::Output { pane, bytes } => {
                assert!(self.panes.contains_key(&pane), "output before its pane");
                self.output.entry(pane).or_default().extend(bytes);
            }
            Event::Gap(pane) => self.gaps.push(pane),
            Event::Viewers(viewers) => {
                assert_ne!(self.viewers, viewers, "changed nothing");
                self.viewers = viewers;
            }
            Event::Left => {
                self.left += 1;
                self.panes.clear();
            }
        }
    }
}

impl Watched {
    pub(crate) fn start(server: Server, options: Options) -> Self {
        let (sender, events) = mpsc::channel(16);
        Self {
            watching: tokio::spawn(watch(server, options, sender)),
            events,
            seen: Seen::default(),
        }
    }

    /// Waits until something is true of what was told; says what is, if it never is.
    pub(crate) async fn until(&mut self, what: &str, is_true: impl Fn(&Seen) -> bool) {
        let wait = async {
            while !is_true(&self.seen) {
                match self.events.recv().await {
                    Some(event) => self.seen.note(event),
                    None => return false,
                }
            }
            true
        };
        let became = timeout(LIMIT, wait).await;
        assert!(
            became == Ok(true),
            "never {what} ({became:?}): {:#?}",
            self.seen
        );
    }

    /// Until all panes of these many are there and followed.
    pub(crate) async fn until_panes(&mut self, count: usize) {
        self.until("all panes", |seen| {
            seen.panes.len() == count && seen.panes.values().all(|pane| pane.watched)
        })
        .await;
    }

    /// Until nothing is told for so long; what is told is noted.
    pub(crate) async fn until_quiet(&mut self, quiet: Duration) {
        while let Ok(Some(event)) = timeout(quiet, self.events.recv()).await {
            self.seen.note(event);
        }
    }
}
