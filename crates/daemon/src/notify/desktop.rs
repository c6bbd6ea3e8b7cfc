//! The desktop's notifications: `org.freedesktop.Notifications` on the session bus (Desktop
//! Notifications Specification 1.3).
//!
//! The bus may not be there, come later, or die; the server behind it may not answer. Nothing is waited
//! for longer than [`ANSWER`]. A request that was not answered in time is not made again while its
//! answer may still come: the person would see two notifications.
//!
//! A notification is found again by its number, by the server's name on the bus, and by the bus: a
//! number of another server is somebody else's notification.

use super::channel::{
    Channel, Delivered, Delivery, Handle, Place, Telling, Undelivered, body, title,
};
use super::open;
use crate::service::Service;
use rustix::process::getuid;
use status::notifier::{Notice, Subject, Urgency};
use std::collections::HashMap;
use std::env;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_stream::StreamExt;
use zbus::message::Type;
use zbus::{Connection, MatchRule, Message, MessageStream, OwnedVariant, Variant};

/// A bus and a server answer in milliseconds; one that hangs is not waited for.
const ANSWER: Duration = Duration::from_secs(5);

const SERVER: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
const BUS: &str = "org.freedesktop.DBus";

/// The server decides how long it shows.
const DEFAULT_EXPIRY: i32 = -1;

/// The desktop.
#[derive(Debug)]
pub(crate) struct Desktop(Arc<Inner>);

struct Inner {
    service: Weak<Service>,
    session: tokio::sync::Mutex<Option<Session>>,
    known: Mutex<HashMap<Number, Known>>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("desktop")
    }
}

/// A notification's number, and whose.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Number {
    bus: String,
    /// The server's unique name.
    server: String,
    id: u32,
}

/// What is known of a notification that stands, or stood.
#[derive(Debug)]
struct Known {
    subject: Subject,
    /// It is not shown any longer: a person took it away, or its time was over.
    closed: bool,
    /// With it a window may take the focus.
    token: Option<String>,
}

/// A connection to the bus.
struct Session {
    bus: Connection,
    guid: String,
    /// What the server of this name is able to do.
    able: Option<(String, Vec<String>)>,
    /// Requests whose answer did not come in time.
    unanswered: HashMap<Place, JoinHandle<zbus::Result<Message>>>,
    listener: JoinHandle<()>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.listener.abort();
        for request in self.unanswered.values() {
            request.abort();
        }
    }
}

impl Desktop {
    pub(crate) fn new(service: &Arc<Service>) -> Self {
        Self(Arc::new(Inner {
            service: Arc::downgrade(service),
            session: tokio::sync::Mutex::default(),
            known: Mutex::default(),
        }))
    }
}

impl Channel for Desktop {
    fn show<'a>(&'a self, telling: &'a Telling) -> Delivery<'a> {
        Box::pin(async move {
            let mut held = self.0.session.lock().await;
            let session = connected(&self.0, &mut held).await?;
            let shown = show(&self.0, session, telling).await;
            forget_broken(&mut held);
            shown
        })
    }

    fn withdraw<'a>(&'a self, place: &'a Place, standing: Option<&'a str>) -> Delivery<'a> {
        Box::pin(async move {
            let mut held = self.0.session.lock().await;
            let session = connected(&self.0, &mut held).await?;
            let withdrawn = withdraw(&self.0, session, place, standing).await;
            forget_broken(&mut held);
            withdrawn
        })
    }

    fn resume(&self, standing: &[(Place, Handle)]) {
        if standing.is_empty() {
            return;
        }
        for ((subject, _), handle) in standing {
            if let Some(number) = Number::read(handle) {
                self.0.know(number, subject);
            }
        }
        let inner = Arc::clone(&self.0);
        tokio::spawn(async move {
            // To hear what a person does with them.
            if let Err(error) = connected(&inner, &mut *inner.session.lock().await).await {
                tracing::info!("desktop: {}", error.reason);
            }
        });
    }
}

impl Number {
    fn handle(&self) -> Handle {
        format!("{} {} {}", self.bus, self.server, self.id)
    }

    fn read(handle: &str) -> Option<Self> {
        let mut words = handle.split(' ');
        Some(Self {
            bus: words.next()?.to_owned(),
            server: words.next()?.to_owned(),
            id: words.next()?.parse().ok()?,
        })
    }
}

impl Inner {
    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<Number, Known>> {
        // Entries are changed in single steps: a panic elsewhere leaves them whole.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn know(&self, number: Number, subject: &Subject) {
        let known = Known {
            subject: subject.clone(),
            closed: false,
            token: None,
        };
        self.known().insert(number, known);
    }

    /// A person chose a notification.
    async fn open(&self, bus: &Connection, subject: &Subject, token: Option<String>) {
        let Some(service) = self.service.upgrade() else {
            return;
        };
        let id = match subject {
            Subject::Terminal(id) => Some(id),
            Subject::Fold => None,
        };
        let status = id.and_then(|id| Some(service.registry.get(id)?.status));
        let name = status.as_ref().map(|status| status.name.as_str());
        let config = service.config().notify.desktop;
        let chosen = env::var("TERMINAL").ok();
        let words = open::words(
            config.open.as_deref(),
            name,
            chosen.as_deref(),
            open::is_installed,
            &open::own(),
        );
        let mut variables = display(bus).await;
        if let Some(token) = token {
            variables.push(("XDG_ACTIVATION_TOKEN".to_owned(), token.clone()));
            variables.push(("DESKTOP_STARTUP_ID".to_owned(), token));
        }
        if let Err(error) = words.and_then(|words| open::start(&words, &variables)) {
            tracing::warn!("desktop: {error}");
        }
    }
}

/// The connection, made where there is none.
async fn connected<'a>(
    inner: &Arc<Inner>,
    held: &'a mut Option<Session>,
) -> Result<&'a mut Session, Undelivered> {
    forget_broken(held);
    if held.is_none() {
        *held = Some(connect(inner).await?);
    }
    held.as_mut()
        // It was made above.
        .ok_or_else(|| Undelivered::later("no session bus"))
}

fn forget_broken(held: &mut Option<Session>) {
    if held.as_ref().is_some_and(|session| session.bus.is_closed()) {
        *held = None;
    }
}

async fn connect(inner: &Arc<Inner>) -> Result<Session, Undelivered> {
    let address = address()?;
    let no_bus = |error: &dyn fmt::Display| {
        Undelivered::later(format!("the session bus does not answer: {error}"))
    };
    let building = zbus::connection::Builder::address(address.as_str()).build();
    let bus = timeout(ANSWER, building)
        .await
        .map_err(|error| no_bus(&error))?
        .map_err(|error| no_bus(&error))?;
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .interface(SERVER)
        .path(PATH)
        .build()
        .map_err(Undelivered::never)?;
    let listening = MessageStream::for_match_rule(rule, &bus, None);
    let signals = timeout(ANSWER, listening)
        .await
        .map_err(|error| no_bus(&error))?
        .map_err(|error| no_bus(&error))?;
    let guid = bus.server_guid().to_string();
    let listener = tokio::spawn(listen(
        Arc::downgrade(inner),
        bus.clone(),
        guid.clone(),
        signals,
    ));
    Ok(Session {
        bus,
        guid,
        able: None,
        unanswered: HashMap::new(),
        listener,
    })
}

/// Where the session bus is: as the environment says, or at its usual place. A private runtime
/// directory has a bus of its own, or none.
fn address() -> Result<String, Undelivered> {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(address) = set("DBUS_SESSION_BUS_ADDRESS") {
        return Ok(address);
    }
    let runtime = set("XDG_RUNTIME_DIR");
    let runtime = runtime.unwrap_or_else(|| format!("/run/user/{}", getuid().as_raw()));
    let path = format!("{runtime}/bus");
    match std::path::Path::new(&path).exists() {
        true => Ok(format!("unix:path={path}")),
        false => Err(Undelivered::later(format!(
            "there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and {path} is not there"
        ))),
    }
}

async fn show(
    inner: &Inner,
    session: &mut Session,
    telling: &Telling,
) -> Result<Delivered, Undelivered> {
    let notice = &telling.notice;
    let place = (notice.subject.clone(), telling.on.clone());
    let server = server(session).await?;
    let standing = standing(inner, session, &place, telling.standing.as_deref(), &server).await?;
    if let Some(number) = &standing
        && telling.silent
        && inner.known().get(number).is_some_and(|known| known.closed)
    {
        return Ok(Delivered {
            handle: Some(number.handle()),
            said: "not shown again: it was closed".to_owned(),
        });
    }
    let able = able(session, server.as_deref()).await?;
    let replaces = standing.as_ref().map_or(0, |number| number.id);
    let bus = session.bus.clone();
    let arguments = Arguments::of(telling, &able, replaces);
    let request = tokio::spawn(async move { arguments.notify(&bus).await });
    let number = answered(session, &place, request).await?;
    if let Some(old) = standing.filter(|old| *old != number) {
        inner.known().remove(&old);
    }
    inner.know(number.clone(), &notice.subject);
    Ok(Delivered {
        handle: Some(number.handle()),
        said: match telling.silent {
            true => "replaced on the desktop".to_owned(),
            false => "shown on the desktop".to_owned(),
        },
    })
}

async fn withdraw(
    inner: &Inner,
    session: &mut Session,
    place: &Place,
    handle: Option<&str>,
) -> Result<Delivered, Undelivered> {
    let server = server(session).await?;
    let Some(number) = standing(inner, session, place, handle, &server).await? else {
        return Ok(Delivered::said("gone with the server that showed it"));
    };
    let closed = inner
        .known()
        .remove(&number)
        .is_some_and(|known| known.closed);
    if closed {
        return Ok(Delivered::said("it was closed already"));
    }
    let which = (number.id,);
    let bus = &session.bus;
    let close = bus.call_method(
        Some(SERVER),
        PATH,
        Some(SERVER),
        "CloseNotification",
        &which,
    );
    match timeout(ANSWER, close).await {
        Err(_) => Err(silent_server()),
        Ok(Err(zbus::Error::InputOutput(error))) => Err(Undelivered::later(error)),
        // An error says that there is none of this number any longer.
        Ok(_) => Ok(Delivered::said("taken away from the desktop")),
    }
}

/// The unique name of the server that runs; none may run until it is asked something.
async fn server(session: &Session) -> Result<Option<String>, Undelivered> {
    let asked = session.bus.call_method(
        Some(BUS),
        "/org/freedesktop/DBus",
        Some(BUS),
        "GetNameOwner",
        &(SERVER,),
    );
    match timeout(ANSWER, asked).await {
        Err(_) => Err(Undelivered::later("the session bus does not answer")),
        Ok(Ok(answer)) => {
            let name = answer.body().deserialize::<String>();
            Ok(Some(name.map_err(Undelivered::later)?))
        }
        Ok(Err(zbus::Error::InputOutput(error))) => Err(Undelivered::later(error)),
        Ok(Err(_)) => Ok(None),
    }
}

/// What stands there, if it is that server's; waits for an answer that is still to come.
async fn standing(
    inner: &Inner,
    session: &mut Session,
    place: &Place,
    handle: Option<&str>,
    server: &Option<String>,
) -> Result<Option<Number>, Undelivered> {
    if let Some(request) = session.unanswered.remove(place) {
        match answered(session, place, request).await {
            Ok(number) => {
                inner.know(number.clone(), &place.0);
                return Ok(Some(number));
            }
            Err(still) if session.unanswered.contains_key(place) => return Err(still),
            // It was refused, or the server is gone.
            Err(_) => {}
        }
    }
    let number = handle.and_then(Number::read);
    Ok(number
        .filter(|number| number.bus == session.guid && Some(&number.server) == server.as_ref()))
}

/// The number that the server gives. Where it does not answer in time, the request is kept.
async fn answered(
    session: &mut Session,
    place: &Place,
    mut request: JoinHandle<zbus::Result<Message>>,
) -> Result<Number, Undelivered> {
    let Ok(answer) = timeout(ANSWER, &mut request).await else {
        session.unanswered.insert(place.clone(), request);
        return Err(silent_server());
    };
    let answer = answer.map_err(Undelivered::later)?.map_err(refused)?;
    let server = answer.header().sender().map(ToString::to_string);
    Ok(Number {
        bus: session.guid.clone(),
        server: server.unwrap_or_default(),
        id: answer.body().deserialize().map_err(Undelivered::later)?,
    })
}

fn silent_server() -> Undelivered {
    let limit = ANSWER.as_secs();
    Undelivered::later(format!(
        "the desktop's notification server does not answer within {limit} s"
    ))
}

fn refused(error: zbus::Error) -> Undelivered {
    match error {
        zbus::Error::FDO(_) | zbus::Error::MethodError(..) => Undelivered::later(format!(
            "no notification server answers on the session bus: {error}"
        )),
        other => Undelivered::later(other),
    }
}

/// What the server can do, asked once of each.
async fn able(session: &mut Session, server: Option<&str>) -> Result<Vec<String>, Undelivered> {
    if let Some((name, able)) = &session.able
        && Some(name.as_str()) == server
    {
        return Ok(able.clone());
    }
    let asked = session
        .bus
        .call_method(Some(SERVER), PATH, Some(SERVER), "GetCapabilities", &());
    let answer = timeout(ANSWER, asked).await.map_err(|_| silent_server())?;
    let answer = answer.map_err(refused)?;
    let able: Vec<String> = answer.body().deserialize().unwrap_or_default();
    if let Some(sender) = answer.header().sender() {
        session.able = Some((sender.to_string(), able.clone()));
    }
    Ok(able)
}

/// What `Notify` takes.
struct Arguments {
    replaces: u32,
    summary: String,
    body: String,
    actions: Vec<&'static str>,
    urgency: u8,
    silent: bool,
}

impl Arguments {
    fn of(telling: &Telling, able: &[String], replaces: u32) -> Self {
        let has = |name: &str| able.iter().any(|able| able == name);
        let body = body(&telling.notice).unwrap_or_default();
        Self {
            replaces,
            summary: title(&telling.notice),
            body: match has("body-markup") {
                true => escaped(&body),
                false => body,
            },
            actions: match has("actions") {
                true => vec!["default", "Open"],
                false => Vec::new(),
            },
            urgency: urgency(&telling.notice),
            silent: telling.silent,
        }
    }

    async fn notify(self, bus: &Connection) -> zbus::Result<Message> {
        let mut hints: HashMap<&str, Variant<'_>> = HashMap::new();
        hints.insert("urgency", self.urgency.into());
        if self.silent {
            hints.insert("suppress-sound", true.into());
        }
        let arguments = (
            "Wigwag",
            self.replaces,
            "utilities-terminal",
            self.summary.as_str(),
            self.body.as_str(),
            self.actions,
            hints,
            DEFAULT_EXPIRY,
        );
        bus.call_method(Some(SERVER), PATH, Some(SERVER), "Notify", &arguments)
            .await
    }
}

/// Of the three levels, desktops show "low" in a list only, and "critical" until it is closed.
fn urgency(notice: &Notice) -> u8 {
    match notice.urgency {
        Urgency::High => 2,
        Urgency::Normal | Urgency::Low => 1,
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

/// Hears what people do with notifications, for as long as the connection lives.
async fn listen(inner: Weak<Inner>, bus: Connection, guid: String, mut signals: MessageStream) {
    while let Some(Ok(signal)) = signals.next().await {
        let Some(inner) = inner.upgrade() else {
            return;
        };
        let header = signal.header();
        let (Some(member), Some(sender)) = (header.member(), header.sender()) else {
            continue;
        };
        let number = |id| Number {
            bus: guid.clone(),
            server: sender.to_string(),
            id,
        };
        let body = signal.body();
        match member.as_str() {
            "ActionInvoked" => {
                let Ok((id, key)) = body.deserialize::<(u32, String)>() else {
                    continue;
                };
                let chosen = inner.known().get_mut(&number(id)).map(|known| {
                    let token = known.token.take();
                    (known.subject.clone(), token)
                });
                if let (Some((subject, token)), "default") = (chosen, key.as_str()) {
                    inner.open(&bus, &subject, token).await;
                }
            }
            "ActivationToken" => {
                if let Ok((id, token)) = body.deserialize::<(u32, String)>()
                    && let Some(known) = inner.known().get_mut(&number(id))
                {
                    known.token = Some(token);
                }
            }
            "NotificationClosed" => {
                if let Ok((id, _reason)) = body.deserialize::<(u32, u32)>()
                    && let Some(known) = inner.known().get_mut(&number(id))
                {
                    known.closed = true;
                }
            }
            _ => {}
        }
    }
}

/// The variables by which a program finds the screen, where the daemon was not started on it: the
/// user's service manager knows them.
async fn display(bus: &Connection) -> Vec<(String, String)> {
    const SCREEN: [&str; 3] = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"];
    if ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| env::var_os(name).is_some())
    {
        return Vec::new();
    }
    let asked = bus.call_method(
        Some("org.freedesktop.systemd1"),
        "/org/freedesktop/systemd1",
        Some("org.freedesktop.DBus.Properties"),
        "Get",
        &("org.freedesktop.systemd1.Manager", "Environment"),
    );
    let Ok(Ok(answer)) = timeout(ANSWER, asked).await else {
        return Vec::new();
    };
    let Ok(value) = answer.body().deserialize::<OwnedVariant>() else {
        return Vec::new();
    };
    let pairs = Vec::<String>::try_from(value).unwrap_or_default();
    pairs
        .iter()
        .filter_map(|pair| pair.split_once('='))
        .filter(|(name, _)| SCREEN.contains(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_for_servers_that_read_it_and_left_for_others() {
        let telling = |body: &str| Telling {
            notice: Notice {
                subject: Subject::Fold,
                seq: 0,
                kind: status::AttentionKind::Notify,
                urgency: Urgency::Normal,
                title: "a: needs attention".to_owned(),
                body: Some(body.to_owned()),
            },
            on: status::notifier::Surface::Desktop,
            status: None,
            silent: false,
            standing: None,
        };
        let of = |able: &[&str]| {
            let able: Vec<String> = able.iter().map(|able| (*able).to_owned()).collect();
            Arguments::of(&telling("<b>1</b> & 2"), &able, 0)
        };
        assert_eq!(
            of(&["body", "body-markup"]).body,
            "&lt;b&gt;1&lt;/b&gt; &amp; 2"
        );
        assert_eq!(of(&["body"]).body, "<b>1</b> & 2");
        assert_eq!(of(&["actions"]).actions, ["default", "Open"]);
        assert!(of(&[]).actions.is_empty());
    }

    #[test]
    fn a_number_is_found_again_by_what_is_kept() {
        let number = Number {
            bus: "0f".to_owned(),
            server: ":1.5".to_owned(),
            id: 7,
        };
        assert_eq!(Number::read(&number.handle()), Some(number));
        assert_eq!(Number::read("7"), None);
    }
}
