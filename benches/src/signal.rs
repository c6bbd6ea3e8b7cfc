//! From the moment a program writes a signal to the event at a subscriber of the daemon.

use crate::Scale;
use crate::processes::now;
use crate::samples::Samples;
use crate::sandbox::Sandbox;
use crate::table::{Reach, Row, number};
use anyhow::{Context as _, Result, bail};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);

/// Between two signals: the machine is idle when the next one comes.
const PAUSE: Duration = Duration::from_millis(5);

pub(crate) fn measure(sandbox: &Sandbox, scale: &Scale) -> Result<Vec<Row>> {
    let socket = sandbox.path().join("orders");
    let listener = UnixListener::bind(&socket)?;
    let program = Sandbox::own_executable()?;
    let socket = socket.display().to_string();
    sandbox.run_wigwag(&[
        "new",
        "sig",
        "-d",
        "--",
        &program,
        "--be-signal-writer",
        &socket,
    ])?;
    let (orders, _) = listener.accept()?;
    orders.set_read_timeout(Some(LIMIT))?;
    let mut answers = BufReader::new(orders.try_clone()?);
    let mut orders = orders;

    sandbox.run_wigwag(&["daemon", "start"])?;
    let mut events = Subscriber::connect(sandbox)?;
    let mut samples = Samples::default();
    for round in 0..scale.samples {
        let percent = round % 101;
        std::thread::sleep(PAUSE);
        writeln!(orders, "{percent}")?;
        let seen = events.wait_for_percent(percent)?;
        let mut written = String::new();
        answers.read_line(&mut written)?;
        let written: u64 = written.trim().parse()?;
        samples.push(seen.saturating_sub(written) as f64 / 1e6);
    }
    let (median, worst) = (samples.median(), samples.percentile(99.0));
    Ok(vec![
        Row::new(
            "signal written to event at a subscriber, p50 / p99",
            format!("{} / {} ms", number(median), number(worst)),
            format!("{} signals, one at a time", samples.len()),
        )
        .target("p50 (ms)", Reach::AtMost, median, 1.0)
        .target("p99 (ms)", Reach::AtMost, worst, 5.0),
    ])
}

/// One reader of the daemon's stream of events.
pub(crate) struct Subscriber {
    stream: UnixStream,
    unread: Vec<u8>,
}

impl Subscriber {
    /// Returns when the daemon answered, so nothing that happens from now on is missed.
    pub(crate) fn connect(sandbox: &Sandbox) -> Result<Self> {
        let mut stream = UnixStream::connect(sandbox.paths().daemon_socket())?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.write_all(
            b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n",
        )?;
        let mut subscriber = Self {
            stream,
            unread: Vec::new(),
        };
        let head = subscriber.take_until(b"\r\n\r\n")?;
        if !head.starts_with(b"HTTP/1.1 200") {
            bail!("the daemon answered {:?}", String::from_utf8_lossy(&head));
        }
        Ok(subscriber)
    }

    /// When the event with this progress was here.
    fn wait_for_percent(&mut self, percent: usize) -> Result<u64> {
        self.take_until(format!("\"percent\":{percent}}}").as_bytes())?;
        Ok(now())
    }

    /// Everything up to the end of `pattern`.
    pub(crate) fn take_until(&mut self, pattern: &[u8]) -> Result<Vec<u8>> {
        let mut chunk = [0; 16 * 1024];
        loop {
            if let Some(at) = memchr::memmem::find(&self.unread, pattern) {
                let rest = self.unread.split_off(at + pattern.len());
                return Ok(std::mem::replace(&mut self.unread, rest));
            }
            let count = self
                .stream
                .read(&mut chunk)
                .with_context(|| format!("waiting for {:?}", String::from_utf8_lossy(pattern)))?;
            if count == 0 {
                bail!("the daemon closed the stream of events");
            }
            self.unread.extend_from_slice(&chunk[..count]);
        }
    }
}

/// The program: for each number that comes over the socket, writes progress and says when.
pub(crate) fn writer(socket: &Path) -> Result<()> {
    let orders = UnixStream::connect(socket)?;
    let mut answers = orders.try_clone()?;
    let mut terminal = std::io::stdout();
    for order in BufReader::new(orders).lines() {
        let signal = format!("\x1b]9;4;1;{}\x1b\\", order?);
        let written = now();
        terminal.write_all(signal.as_bytes())?;
        terminal.flush()?;
        writeln!(answers, "{written}")?;
    }
    Ok(())
}
