//! All channels: which there are, how the settings set them up, which surface is whose.

use super::channel::Channel;
use super::command::Program;
use super::desktop::Desktop;
use super::kept::Kept;
use super::ntfy::Topic;
use super::outbox::{Order, Outbox, Report, Setup};
use super::window::Windows;
use crate::config;
use crate::service::Service;
use status::AttentionKind;
use status::notifier::{Notice, Subject, Surface, Urgency};
use std::sync::{Arc, Mutex, PoisonError};

/// The outboxes of all channels.
#[derive(Debug)]
pub(crate) struct Channels {
    window: Arc<Outbox>,
    desktop: Arc<Outbox>,
    ntfy: Arc<Outbox>,
    command: Arc<Outbox>,
    /// The settings that they were set up with.
    with: Mutex<Option<config::Notify>>,
}

impl Channels {
    /// With what an earlier daemon left; each begins to work once it is set up.
    pub(crate) async fn restore(service: &Arc<Service>) -> Self {
        let outbox = async |name, kept_as| {
            let kept = service.journal.kept(kept_as).await;
            let kept = Kept::read(kept.as_deref());
            let (registry, journal) = (Arc::clone(&service.registry), service.journal.clone());
            let outbox = Outbox::new(name, kept_as, kept, registry, journal);
            tokio::spawn(Arc::clone(&outbox).work());
            outbox
        };
        Self {
            window: outbox("window", "notifications.window").await,
            desktop: outbox("desktop", "notifications.desktop").await,
            ntfy: outbox("ntfy", "notifications.ntfy").await,
            command: outbox("command", "notifications.command").await,
            with: Mutex::default(),
        }
    }

    fn all(&self) -> [&Arc<Outbox>; 4] {
        [&self.window, &self.desktop, &self.ntfy, &self.command]
    }

    fn of(&self, surface: &Surface) -> &Arc<Outbox> {
        match surface {
            Surface::Window { .. } => &self.window,
            Surface::Desktop => &self.desktop,
            Surface::Phone => &self.ntfy,
            Surface::Command => &self.command,
        }
    }

    /// Sets up what these settings change.
    pub(crate) fn set_up(&self, service: &Arc<Service>, settings: &config::Notify) {
        let mut with = self.with.lock().unwrap_or_else(PoisonError::into_inner);
        let before = with.replace(settings.clone());
        let changed = |differs: fn(&config::Notify, &config::Notify) -> bool| {
            before
                .as_ref()
                .is_none_or(|before| differs(before, settings))
        };
        if before.is_none() {
            self.window
                .set_up(Setup::On(Arc::new(Windows::new(service))));
        }
        // What opens a terminal is looked up when it is needed.
        if changed(|a, b| a.desktop.enabled != b.desktop.enabled) {
            self.desktop.set_up(match settings.desktop.enabled {
                true => Setup::On(Arc::new(Desktop::new(service))),
                false => off("desktop"),
            });
        }
        if changed(|a, b| a.ntfy != b.ntfy) {
            let how = "`wigwag notify set ntfy.topic TOPIC`";
            let topic = Topic::new(&settings.ntfy);
            self.ntfy
                .set_up(set_up("ntfy", settings.ntfy.enabled, topic, how));
        }
        if changed(|a, b| a.command != b.command) {
            let how = "`run = [\"program\", \"argument\"]` under [notify.command] in config.toml";
            let program = settings.command.run.clone().map(Program::new);
            self.command
                .set_up(set_up("command", settings.command.enabled, program, how));
        }
    }

    pub(crate) fn push(&self, order: Order) {
        let (_, surface) = order.place();
        self.of(&surface).push(order);
    }

    /// What the next daemon must know, with the names it is kept under.
    pub(crate) fn kept(&self) -> Vec<(&'static str, String)> {
        self.all()
            .map(|outbox| (outbox.kept_as, outbox.kept()))
            .into()
    }

    /// There may be something to do.
    pub(crate) fn go(&self) {
        self.all().iter().for_each(|outbox| outbox.go());
    }

    /// How each is.
    pub(crate) fn reports(&self) -> Vec<Report> {
        self.all().map(|outbox| outbox.report()).into()
    }

    /// The channels that a test of all tries: those that are set up, and that reach anybody now.
    pub(crate) fn testable(&self, service: &Service) -> Vec<&'static str> {
        let used = self.reports().into_iter().filter(|report| {
            report.off.is_none() && (report.name != self.window.name || nearest(service).is_some())
        });
        used.map(|report| report.name).collect()
    }

    /// Shows a test on this channel and says what came of it; `None`: there is no such channel.
    pub(crate) async fn test(
        &self,
        service: &Service,
        name: &str,
    ) -> Option<Result<String, String>> {
        let surface = match name {
            "window" => match nearest(service) {
                Some(window) => window,
                None => {
                    let nobody =
                        "nobody is present in a window: attach to a terminal, then try again";
                    return Some(Err(nobody.to_owned()));
                }
            },
            "desktop" => Surface::Desktop,
            "ntfy" => Surface::Phone,
            "command" => Surface::Command,
            _ => return None,
        };
        Some(self.of(&surface).test(test_notice(), surface).await)
    }
}

/// The window of whoever was active last.
fn nearest(service: &Service) -> Option<Surface> {
    let people = service.everybody.present(service.epoch).0;
    let nearest = people.into_iter().max_by_key(|person| person.active);
    nearest.map(|person| person.at)
}

/// What a test shows. It is of no terminal; opening it gives the picker.
fn test_notice() -> Notice {
    Notice {
        subject: Subject::Terminal("test".to_owned()),
        seq: 0,
        kind: AttentionKind::Notify,
        urgency: Urgency::Normal,
        title: "Wigwag: a test".to_owned(),
        body: Some("This is what a notification looks like here.".to_owned()),
    }
}

fn set_up<C: Channel + 'static>(name: &str, enabled: bool, channel: Option<C>, how: &str) -> Setup {
    match channel {
        None => Setup::Off(format!("not set up; {how} does it")),
        Some(_) if !enabled => off(name),
        Some(channel) => Setup::On(Arc::new(channel)),
    }
}

fn off(name: &str) -> Setup {
    Setup::Off(format!(
        "off; `wigwag notify set {name}.enabled true` switches it on"
    ))
}
