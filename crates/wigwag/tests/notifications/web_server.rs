//! A web server that notes requests and answers as told, or as ntfy does.

use crate::world::LIMIT;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
    pub(crate) at: Instant,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What is answered: status line, further headers, body.
#[derive(Debug, Clone)]
pub(crate) struct Answer(
    pub(crate) &'static str,
    pub(crate) &'static str,
    pub(crate) &'static str,
);

#[derive(Default)]
struct Noted {
    asked: Vec<Asked>,
    answers: VecDeque<Answer>,
}

pub(crate) struct WebServer {
    noted: Arc<(Mutex<Noted>, Condvar)>,
    pub(crate) url: String,
}

impl WebServer {
    /// Knows sequence ids, or (an older one) does not.
    pub(crate) fn start(knows_sequences: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let noted = Arc::new((Mutex::new(Noted::default()), Condvar::new()));
        let shared = Arc::clone(&noted);
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    let _ = serve(&stream, &shared, knows_sequences);
                });
            }
        });
        Self { noted, url }
    }

    /// The next request is answered so.
    pub(crate) fn answers(&self, answer: Answer) {
        self.noted.0.lock().unwrap().answers.push_back(answer);
    }

    pub(crate) fn count(&self) -> usize {
        self.noted.0.lock().unwrap().asked.len()
    }

    /// Waits for the request of this number, from 0.
    #[track_caller]
    pub(crate) fn asked(&self, number: usize) -> Asked {
        let deadline = Instant::now() + LIMIT;
        let mut noted = self.noted.0.lock().unwrap();
        while noted.asked.len() <= number {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "request {number}: {:#?}", noted.asked);
            noted = self.noted.1.wait_timeout(noted, left).unwrap().0;
        }
        noted.asked[number].clone()
    }
}

fn serve(
    stream: &TcpStream,
    noted: &(Mutex<Noted>, Condvar),
    knows_sequences: bool,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut headers = Vec::new();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let Some((name, value)) = header.trim_end().split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
        reader.read_exact(&mut body)?;
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let told = {
            let mut noted = noted.0.lock().unwrap();
            noted.asked.push(Asked {
                line: line.trim_end().to_owned(),
                headers,
                body: body.clone(),
                at: Instant::now(),
            });
            noted.answers.pop_front()
        };
        noted.1.notify_all();
        let (status, more, text) = match told {
            Some(Answer(status, more, text)) => (status, more, text.to_owned()),
            None => ("200 OK", "", message(&body, knows_sequences)),
        };
        let length = text.len();
        write!(
            &*stream,
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}Content-Length: {length}\r\n\r\n{text}"
        )?;
    }
}

/// As ntfy answers: the message.
fn message(body: &Value, knows_sequences: bool) -> String {
    let mut message = serde_json::json!({"id": "hwQ2YpKdmg", "time": 1, "event": "message",
        "topic": body["topic"], "message": body["message"]});
    if knows_sequences {
        message["sequence_id"] = body["sequence_id"].clone();
    }
    message.to_string()
}
