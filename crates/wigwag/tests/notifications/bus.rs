//! A session bus of a test's own, and on it a notification server that notes what it is asked.

use crate::world::LIMIT;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;
use tokio_stream::StreamExt;
use zbus::message::{Message, Type};
use zbus::{Connection, MessageStream, OwnedVariant};

const SERVER: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// `dbus-daemon` on a socket of its own.
pub(crate) struct Bus {
    child: Child,
    pub(crate) address: String,
}

impl Bus {
    pub(crate) fn start(directory: &Path) -> Self {
        let socket: PathBuf = directory.join("bus");
        // The bus of an earlier one of this test.
        let _ = std::fs::remove_file(&socket);
        let address = format!("unix:path={}", socket.display());
        let mut child = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--nopidfile", "--print-address=1"])
            .arg(format!("--address={address}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon starts: scripts/setup-test-programs installs it");
        // It prints its address once it listens.
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        assert!(line.starts_with("unix:"), "{line:?}");
        Self { child, address }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A call of `Notify`.
#[derive(Debug, Clone)]
pub(crate) struct Notified {
    pub(crate) id: u32,
    pub(crate) app: String,
    pub(crate) replaces: u32,
    pub(crate) summary: String,
    pub(crate) body: String,
    pub(crate) actions: Vec<String>,
    pub(crate) urgency: u8,
    pub(crate) silent: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Call {
    Notify(Notified),
    Close(u32),
}

#[derive(Default)]
struct Seen {
    calls: Vec<Call>,
    last_id: u32,
    /// `Notify` is noted, and not answered yet.
    hangs: bool,
    unanswered: Vec<(Message, u32)>,
}

/// The notification server.
pub(crate) struct Server {
    seen: Arc<(Mutex<Seen>, Condvar)>,
    runtime: tokio::runtime::Handle,
    bus: Connection,
    /// Dropped: the server leaves the bus.
    _lives: tokio::sync::oneshot::Sender<()>,
}

impl Server {
    pub(crate) fn start(bus: &Bus) -> Self {
        Self::able(bus, &["actions", "body", "body-markup"])
    }

    pub(crate) fn able(bus: &Bus, able: &[&str]) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
        let able: Vec<String> = able.iter().map(|able| (*able).to_owned()).collect();
        let address = bus.address.clone();
        let noted = Arc::clone(&seen);
        let bus = runtime.block_on(async move {
            let builder = zbus::connection::Builder::address(address.as_str());
            let bus = builder.build().await.unwrap();
            // Before the name is taken: no call is missed.
            let calls = MessageStream::from(&bus);
            tokio::spawn(serve(bus.clone(), calls, noted, able));
            bus.request_name(SERVER).await.unwrap();
            bus
        });
        let handle = runtime.handle().clone();
        let (lives, ends) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || runtime.block_on(ends));
        Self {
            seen,
            runtime: handle,
            bus,
            _lives: lives,
        }
    }

    /// From now on `Notify` is noted and not answered.
    pub(crate) fn hang(&self) {
        self.seen.0.lock().unwrap().hangs = true;
    }

    /// Answers all that were not, and hangs no longer.
    pub(crate) fn go_on(&self) {
        let unanswered = {
            let mut seen = self.seen.0.lock().unwrap();
            seen.hangs = false;
            std::mem::take(&mut seen.unanswered)
        };
        for (call, id) in unanswered {
            let answer = async { self.bus.reply(&call.header(), &id).await };
            self.runtime.block_on(answer).unwrap();
        }
    }

    /// A person clicks.
    pub(crate) fn choose(&self, id: u32) {
        self.signal("ActionInvoked", &(id, "default"));
    }

    /// A person takes it away.
    pub(crate) fn dismiss(&self, id: u32) {
        self.signal("NotificationClosed", &(id, 2u32));
    }

    fn signal<B: serde::Serialize + zbus::DynamicType>(&self, name: &str, body: &B) {
        let signal = self.bus.emit_signal(None::<&str>, PATH, SERVER, name, body);
        self.runtime.block_on(signal).unwrap();
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.seen.0.lock().unwrap().calls.clone()
    }

    /// Waits until the calls are as asked.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, fits: impl Fn(&[Call]) -> bool) -> Vec<Call> {
        let deadline = Instant::now() + LIMIT;
        let mut seen = self.seen.0.lock().unwrap();
        while !fits(&seen.calls) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what}: {:#?}", seen.calls);
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
        seen.calls.clone()
    }

    /// Waits for the notification of this number, counted from 0; all that came before it too.
    #[track_caller]
    pub(crate) fn notified(&self, number: usize) -> Notified {
        let calls = self.until("a notification", |calls| notified(calls).len() > number);
        notified(&calls)[number].clone()
    }

    /// Waits until this one is taken away.
    #[track_caller]
    pub(crate) fn until_closed(&self, id: u32) {
        self.until("it is taken away", |calls| {
            calls
                .iter()
                .any(|call| matches!(call, Call::Close(closed) if *closed == id))
        });
    }
}

pub(crate) fn notified(calls: &[Call]) -> Vec<Notified> {
    let notified = calls.iter().filter_map(|call| match call {
        Call::Notify(notified) => Some(notified.clone()),
        Call::Close(_) => None,
    });
    notified.collect()
}

async fn serve(
    bus: Connection,
    mut calls: MessageStream,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    able: Vec<String>,
) {
    while let Some(Ok(call)) = calls.next().await {
        if call.message_type() != Type::MethodCall {
            continue;
        }
        let header = call.header();
        let member = header.member().map(ToString::to_string);
        match member.as_deref() {
            Some("GetCapabilities") => bus.reply(&header, &able).await.unwrap(),
            Some("CloseNotification") => {
                let id: u32 = call.body().deserialize().unwrap();
                note(&seen, Call::Close(id));
                bus.reply(&header, &()).await.unwrap();
            }
            Some("Notify") => {
                let answer = {
                    let mut state = seen.0.lock().unwrap();
                    let notified = read(&call, &mut state.last_id);
                    let id = notified.id;
                    state.calls.push(Call::Notify(notified));
                    if state.hangs {
                        state.unanswered.push((call.clone(), id));
                    }
                    (!state.hangs).then_some(id)
                };
                seen.1.notify_all();
                if let Some(id) = answer {
                    bus.reply(&header, &id).await.unwrap();
                }
            }
            _ => {}
        }
    }
}

fn note(seen: &(Mutex<Seen>, Condvar), call: Call) {
    seen.0.lock().unwrap().calls.push(call);
    seen.1.notify_all();
}

type Arguments = (
    String,
    u32,
    String,
    String,
    String,
    Vec<String>,
    HashMap<String, OwnedVariant>,
    i32,
);

fn read(call: &Message, last_id: &mut u32) -> Notified {
    let (app, replaces, _, summary, body, actions, mut hints, _): Arguments =
        call.body().deserialize().unwrap();
    let id = match replaces {
        0 => {
            *last_id += 1;
            *last_id
        }
        replaced => replaced,
    };
    Notified {
        id,
        app,
        replaces,
        summary,
        body,
        actions,
        urgency: u8::try_from(hints.remove("urgency").unwrap()).unwrap(),
        silent: hints.contains_key("suppress-sound"),
    }
}
