//! What there is on a server: sessions, attached clients and panes, as three listings in a row.
//!
//! A pane whose window is linked into several sessions is listed in each; here it is one pane with
//! several places.

use crate::id::{PaneId, SessionId, WindowId};
use crate::quote::Fields;
use rustix::process::Signal;
use std::collections::BTreeMap;

/// A session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Its name.
    pub name: String,
    /// When somebody last did something in it, in seconds.
    pub(crate) activity: u64,
    /// It goes, or its server, when its last client leaves.
    pub(crate) ends_unattached: bool,
}

/// Where a pane stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The session.
    pub session: SessionId,
    /// Its name.
    pub session_name: String,
    /// The index of the window in that session.
    pub window_index: u32,
    /// The index of the pane in its window.
    pub pane_index: u32,
}

/// How the program of a dead pane ended (`remain-on-exit`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    /// Its exit code.
    pub code: Option<i32>,
    /// The name of the signal that ended it, such as `KILL`. tmux 3.2 does not tell.
    pub signal: Option<String>,
}

/// A pane, as tmux shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// Its id.
    pub id: PaneId,
    /// Its window.
    pub window: WindowId,
    /// The name of that window.
    pub window_name: String,
    /// Where it stands: one place for each session its window is linked into, in the order of sessions.
    pub places: Vec<Place>,
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// The title, which is the name of the host where no program set it.
    pub title: String,
    /// The name of the host, as tmux knows it.
    pub host: String,
    /// The executable in the foreground.
    pub command: String,
    /// The working directory of that.
    pub cwd: String,
    /// The process that tmux started.
    pub pid: i32,
    /// The command it was started with; empty for a shell.
    pub start_command: String,
    /// Its program has ended.
    pub dead: Option<Death>,
    /// The alternate screen is active.
    pub alternate_screen: bool,
    /// A person scrolls or chooses in it (copy mode and others).
    pub in_mode: bool,
    /// `@wigwag_command`: the command that runs, as a shell's integration noted it.
    pub noted_command: Option<String>,
    /// Its output is followed.
    pub watched: bool,
}

/// An attached client of a person and what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    /// The client's name, such as `/dev/pts/3`.
    pub client: String,
    /// Its process.
    pub pid: i32,
    /// The session it is attached to.
    pub session: SessionId,
    /// The window on its screen.
    pub window: WindowId,
    /// The active pane of that.
    pub pane: PaneId,
    /// The panes on its screen: all of the window, or the active one where it is zoomed.
    pub shows: Vec<PaneId>,
    /// Its terminal has the focus, as far as that terminal tells.
    pub focused: bool,
    /// When a key was last pressed, in seconds of the clock.
    pub activity: i64,
}

/// A client as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) viewer: Viewer,
    /// A watcher as ours is: no person looks.
    pub(crate) watches: bool,
    zoomed: bool,
}

/// All that was listed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listing {
    pub(crate) sessions: Vec<Session>,
    pub(crate) clients: Vec<Client>,
    pub(crate) panes: BTreeMap<PaneId, Pane>,
    /// These panes only were asked for.
    pub(crate) partial: bool,
}

/// Each record begins with a letter of its own, which tells its fields.
const SESSION: (&str, &[&str]) = (
    "S",
    &[
        "session_id",
        "session_name",
        "session_activity",
        "destroy-unattached",
        "exit-unattached",
    ],
);

const CLIENT: (&str, &[&str]) = (
    "C",
    &[
        "client_name",
        "client_pid",
        "session_id",
        "window_id",
        "pane_id",
        "window_zoomed_flag",
        "client_flags",
        "client_activity",
    ],
);

const PANE: (&str, &[&str]) = (
    "P",
    &[
        "pane_id",
        "window_id",
        "window_name",
        "session_id",
        "session_name",
        "window_index",
        "pane_index",
        "pane_width",
        "pane_height",
        "pane_title",
        "host",
        "pane_current_command",
        "pane_current_path",
        "pane_pid",
        "pane_start_command",
        "pane_dead",
        "pane_dead_status",
        "pane_dead_signal",
        "alternate_on",
        "pane_in_mode",
        "@wigwag_command",
    ],
);

fn format_of((letter, fields): (&str, &[&str])) -> String {
    format!("{letter} {}", crate::quote::record(fields))
}

/// The commands that list all, or of the panes only these.
pub(crate) fn commands(panes: Option<&[PaneId]>) -> [Vec<String>; 3] {
    let command = |words: &[&str], fields| {
        let words = words.iter().map(|&word| word.to_owned());
        words.chain(["-F".to_owned(), format_of(fields)]).collect()
    };
    let mut list_panes: Vec<String> = command(&["list-panes", "-a"], PANE);
    if let Some(panes) = panes {
        let ids: Vec<String> = panes.iter().map(ToString::to_string).collect();
        let filter = format!("#{{m/r:^({})$,#{{pane_id}}}}", ids.join("|"));
        list_panes.extend(["-f".to_owned(), filter]);
    }
    [
        command(&["list-sessions"], SESSION),
        command(&["list-clients"], CLIENT),
        list_panes,
    ]
}

impl Listing {
    /// Reads what the commands printed. A record that makes no sense is left out.
    pub(crate) fn parse(listing: &[u8], partial: bool) -> Self {
        let mut fields = Fields::new(listing);
        let mut listing = Self {
            partial,
            ..Self::default()
        };
        while let Some(letter) = fields.next() {
            let of = |kind: (&str, &[&str])| (kind.0 == letter).then_some(kind.1.len());
            let Some(length) = of(SESSION).or(of(CLIENT)).or(of(PANE)) else {
                break;
            };
            let Some(record) = fields.record(length) else {
                break;
            };
            match letter.as_str() {
                "S" => listing.sessions.extend(session(&record)),
                "C" => listing.clients.extend(client(&record)),
                _ => listing.add_pane(&record),
            }
        }
        for pane in listing.panes.values_mut() {
            pane.places.sort();
            pane.places.dedup();
        }
        let panes: Vec<_> = listing
            .panes
            .values()
            .map(|pane| (pane.window, pane.id))
            .collect();
        for client in &mut listing.clients {
            let viewer = &mut client.viewer;
            let on_screen = |&&(window, pane): &&(WindowId, PaneId)| {
                window == viewer.window && (!client.zoomed || pane == viewer.pane)
            };
            viewer.shows = panes
                .iter()
                .filter(on_screen)
                .map(|(_, pane)| *pane)
                .collect();
        }
        listing
    }

    fn add_pane(&mut self, record: &[String]) {
        let Some((pane, place)) = pane(record) else {
            return;
        };
        self.panes.entry(pane.id).or_insert(pane).places.push(place);
    }
}

fn session(record: &[String]) -> Option<Session> {
    let [id, name, activity, destroy, exit] = record else {
        return None;
    };
    let is_on = |option: &str| !matches!(option, "" | "0" | "off");
    Some(Session {
        id: id.parse().ok()?,
        name: name.clone(),
        activity: activity.parse().unwrap_or(0),
        ends_unattached: is_on(destroy) || is_on(exit),
    })
}

fn client(record: &[String]) -> Option<Client> {
    let [client, pid, session, window, pane, zoomed, flags, activity] = record else {
        return None;
    };
    let has = |flag: &str| flags.split(',').any(|word| word == flag);
    Some(Client {
        viewer: Viewer {
            client: client.clone(),
            pid: pid.parse().ok()?,
            session: session.parse().ok()?,
            window: window.parse().ok()?,
            pane: pane.parse().ok()?,
            shows: Vec::new(),
            focused: has("focused"),
            activity: activity.parse().unwrap_or(0),
        },
        watches: has("control-mode") && has("read-only") && has("ignore-size"),
        zoomed: zoomed == "1",
    })
}

fn pane(record: &[String]) -> Option<(Pane, Place)> {
    let [
        id,
        window,
        window_name,
        session,
        session_name,
        window_index,
        pane_index,
        cols,
        rows,
        title,
        host,
        command,
        cwd,
        pid,
        start_command,
        dead,
        status,
        signal,
        alternate,
        in_mode,
        noted,
    ] = record
    else {
        return None;
    };
    let place = Place {
        session: session.parse().ok()?,
        session_name: session_name.clone(),
        window_index: window_index.parse().ok()?,
        pane_index: pane_index.parse().ok()?,
    };
    let pane = Pane {
        id: id.parse().ok()?,
        window: window.parse().ok()?,
        window_name: window_name.clone(),
        places: Vec::new(),
        cols: cols.parse().ok()?,
        rows: rows.parse().ok()?,
        title: title.clone(),
        host: host.clone(),
        command: command.clone(),
        cwd: cwd.clone(),
        pid: pid.parse().unwrap_or(0),
        start_command: start_command.clone(),
        dead: (dead == "1").then(|| Death {
            code: status.parse().ok(),
            signal: signal_name(signal),
        }),
        alternate_screen: alternate == "1",
        in_mode: !matches!(in_mode.as_str(), "" | "0"),
        noted_command: Some(noted.clone()).filter(|line| !line.is_empty()),
        watched: false,
    };
    Some((pane, place))
}

/// tmux tells a number.
fn signal_name(number: &str) -> Option<String> {
    let raw: i32 = number.parse().ok()?;
    let named = Signal::from_named_raw(raw);
    let found = SIGNALS.iter().find(|(signal, _)| Some(*signal) == named);
    Some(found.map_or_else(|| number.to_owned(), |(_, name)| (*name).to_owned()))
}

/// Those that end programs.
const SIGNALS: &[(Signal, &str)] = &[
    (Signal::HUP, "HUP"),
    (Signal::INT, "INT"),
    (Signal::QUIT, "QUIT"),
    (Signal::ILL, "ILL"),
    (Signal::TRAP, "TRAP"),
    (Signal::ABORT, "ABRT"),
    (Signal::BUS, "BUS"),
    (Signal::FPE, "FPE"),
    (Signal::KILL, "KILL"),
    (Signal::USR1, "USR1"),
    (Signal::SEGV, "SEGV"),
    (Signal::USR2, "USR2"),
    (Signal::PIPE, "PIPE"),
    (Signal::ALARM, "ALRM"),
    (Signal::TERM, "TERM"),
    (Signal::XCPU, "XCPU"),
    (Signal::XFSZ, "XFSZ"),
    (Signal::SYS, "SYS"),
];

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "\
        S $0 a\\ b 100 0 0 \nS $1 c 200 1 off \nS $2 d 300 0 on \n\
        C /dev/pts/3 10 $0 @0 %1 1 attached,focused,UTF-8 170 \n\
        C client-11 11 $1 @1 %2 0 attached,focused,control-mode,ignore-size,pause-after=1,read-only,UTF-8 171 \n\
        P %1 @0 n\nw $0 a\\ b 3 0 80 24 t box vim /src 99  0   1 0  \n\
        P %1 @0 n\nw $1 c 1 0 80 24 t box vim /src 99  0   1 0  \n\
        P %3 @0 n\nw $0 a\\ b 3 1 80 24 t box sh /src 98  1  9 0 1 make\\ x \n\
        P %4 @1 w $1 c 3 1 80 24 t box sh /src 97 top 1 3  0 0  \n\
        P %x @1 w $1 c 3 1 80 24 t box sh /src 97 top 1 3  0 0  \n";

    fn listed() -> Listing {
        Listing::parse(LISTING.as_bytes(), false)
    }

    #[test]
    fn a_pane_of_a_linked_window_is_one_pane_with_several_places() {
        let listing = listed();
        assert_eq!(listing.panes.len(), 3);
        let pane = &listing.panes[&PaneId(1)];
        let places: Vec<_> = pane
            .places
            .iter()
            .map(|place| (place.session.0, place.window_index))
            .collect();
        assert_eq!(places, [(0, 3), (1, 1)]);
        assert_eq!(
            (pane.window_name.as_str(), pane.command.as_str()),
            ("n\nw", "vim")
        );
        assert!(pane.alternate_screen);
    }

    #[test]
    fn dead_panes_tell_code_or_signal() {
        let listing = listed();
        let death = |pane| listing.panes[&PaneId(pane)].dead.clone();
        assert_eq!(death(1), None);
        let killed = Death {
            code: None,
            signal: Some("KILL".into()),
        };
        assert_eq!(death(3), Some(killed));
        assert_eq!(
            death(4),
            Some(Death {
                code: Some(3),
                signal: None
            })
        );
        assert_eq!(
            listing.panes[&PaneId(3)].noted_command.as_deref(),
            Some("make x")
        );
    }

    #[test]
    fn sessions_that_end_unattached_are_told_by_either_option() {
        let ends: Vec<bool> = listed()
            .sessions
            .iter()
            .map(|session| session.ends_unattached)
            .collect();
        assert_eq!(ends, [false, true, true]);
    }

    #[test]
    fn a_person_is_told_from_a_watcher_and_a_zoomed_window_shows_one_pane() {
        let listing = listed();
        let watches: Vec<bool> = listing
            .clients
            .iter()
            .map(|client| client.watches)
            .collect();
        assert_eq!(watches, [false, true]);
        assert_eq!(listing.clients[0].viewer.shows, [PaneId(1)]);
        assert_eq!(listing.clients[1].viewer.shows, [PaneId(4)]);
    }
}
