//! Attaching from within a Wigwag terminal: the client that shows it is switched, or the other
//! terminal is shown within it (`--nest`), which the carrying terminal is told, so that nothing counts
//! twice.

use crate::daemon_client::own_terminal;
use crate::failure::Failure;
use holder::connection::Connection;
use holder::paths::Paths;
use holder::protocol::{Hello, Op, Outcome};
use std::time::Duration;

/// How a client says that a Wigwag terminal carries it.
const CARRIER: &str = "wigwag:";
/// Deeper nesting is not followed.
const MAX_LEVELS: usize = 16;
/// A holder that does not answer in that time is not asked further.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// The terminals that this process runs in.
#[derive(Debug)]
pub(crate) struct Inside {
    /// The one that carries this process.
    pub(crate) own: String,
    /// That, and the terminals that it is shown in, as far as can be seen; innermost first.
    pub(crate) chain: Vec<String>,
}

/// Where this process runs; `None`: in no Wigwag terminal.
pub(crate) fn inside(paths: &Paths) -> Option<Inside> {
    let own = own_terminal().ok()?;
    let mut chain = vec![own.clone()];
    let mut at = 0;
    while at < chain.len() && chain.len() < MAX_LEVELS {
        for carrier in carriers(paths, &chain[at]) {
            if !chain.contains(&carrier) {
                chain.push(carrier);
            }
        }
        at += 1;
    }
    Some(Inside { own, chain })
}

/// The terminals that carry a client of this one.
fn carriers(paths: &Paths, id: &str) -> Vec<String> {
    let clients = match ask(paths, id, Op::Clients) {
        Ok((Outcome::Clients { clients }, _)) => clients,
        _ => return Vec::new(),
    };
    let carriers = clients.into_iter().filter_map(|client| client.carrier);
    carriers
        .filter_map(|carrier| carrier.strip_prefix(CARRIER).map(str::to_owned))
        .collect()
}

impl Inside {
    /// `Attach.carrier`.
    pub(crate) fn carrier(&self) -> String {
        format!("{CARRIER}{}", self.own)
    }

    /// Whoever works at the carrying terminal sees the other one in its place.
    pub(crate) fn switch(&self, paths: &Paths, to: &str) -> Result<(), Failure> {
        let to = to.to_owned();
        let (outcome, _) = ask(paths, &self.own, Op::Switch { to })?;
        match outcome {
            Outcome::Error { message, .. } => {
                Err(Failure::refused(message)
                    .hint("`--nest` shows the other terminal within this one"))
            }
            _ => Ok(()),
        }
    }

    /// Tells the carrying terminal what is shown in it, until the connection is dropped.
    pub(crate) fn carry(&self, paths: &Paths, name: &str) -> Result<Connection, Failure> {
        let op = Op::Carry {
            name: Some(name.to_owned()),
        };
        let (outcome, connection) = ask(paths, &self.own, op)?;
        match outcome {
            Outcome::Error { message, .. } => Err(Failure::refused(message)),
            _ => Ok(connection),
        }
    }
}

fn ask(paths: &Paths, id: &str, op: Op) -> Result<(Outcome, Connection), Failure> {
    let unreachable = |error: std::io::Error| {
        Failure::unreachable(format!(
            "the carrying terminal {id} does not answer: {error}"
        ))
    };
    let socket = paths.holder_socket(id);
    let stream = holder::socket_address::connect(&socket).map_err(unreachable)?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    stream.set_write_timeout(Some(ANSWER_LIMIT))?;
    let mut connection = Connection::over(stream, &Hello::this_program()).map_err(unreachable)?;
    let (outcome, _) = connection.request(op).map_err(unreachable)?;
    Ok((outcome, connection))
}
