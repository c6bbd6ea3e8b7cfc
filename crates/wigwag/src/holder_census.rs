//! What holders say of themselves, for `version` and `doctor`: also where one is stopped or dead.

use holder::connection::Connection;
use holder::protocol::Hello;
use holder::socket_address;
use std::io;
use std::path::Path;
use std::time::Duration;

/// A holder says hello in microseconds; one that is stopped never does.
const HELLO_WITHIN: Duration = Duration::from_secs(1);

/// How a holder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Holder {
    /// It answers: its name and version.
    Living(String),
    /// It is there, and does not answer.
    Silent,
    /// Nobody listens.
    Dead,
}

/// Asks the holder behind a socket.
pub(crate) fn ask(socket: &Path) -> Holder {
    match hello(socket) {
        Ok(program) => Holder::Living(program),
        Err(error) if is_timeout(&error) => Holder::Silent,
        Err(_) => Holder::Dead,
    }
}

fn hello(socket: &Path) -> io::Result<String> {
    let stream = socket_address::connect(socket)?;
    stream.set_read_timeout(Some(HELLO_WITHIN))?;
    stream.set_write_timeout(Some(HELLO_WITHIN))?;
    let connection = Connection::over(stream, &Hello::this_program())?;
    Ok(signals::text::clean(&connection.welcome.program))
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_socket_without_a_listener_is_dead_and_one_that_says_nothing_silent() {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("sock");
        assert_eq!(ask(&socket), Holder::Dead);
        let listener = UnixListener::bind(&socket).unwrap();
        assert_eq!(ask(&socket), Holder::Silent);
        drop(listener);
        assert_eq!(ask(&socket), Holder::Dead);
    }
}
