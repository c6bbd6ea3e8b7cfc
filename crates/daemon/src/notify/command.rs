//! The command that a person set up: run for each notification, with all that is known of it as one
//! JSON object on its standard input. No shell is involved, and one runs at a time.
//!
//! A command that does not end is ended, with all that it started in its process group. What it
//! prints goes into the daemon's log, bounded.

use super::channel::{Channel, Delivered, Delivery, Place, Telling, Undelivered, body, title};
use super::kept::urgency_word;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use signals::text::{bounded, clean};
use status::Status;
use status::notifier::{Notice, Subject};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

/// A command that tells somebody something is done by then.
const LIMIT: Duration = Duration::from_secs(10);
/// Between TERM and KILL.
const GRACE: Duration = Duration::from_secs(2);
/// What its children still print after its end is not waited for any longer.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// Of its output, so much is logged; in bytes.
const OUTPUT: usize = 4096;

/// A program with its arguments.
#[derive(Debug)]
pub(crate) struct Program {
    words: Vec<String>,
    /// Held while it runs.
    turn: tokio::sync::Mutex<()>,
}

impl Program {
    pub(crate) fn new(words: Vec<String>) -> Self {
        Self {
            words,
            turn: tokio::sync::Mutex::default(),
        }
    }

    async fn run(&self, told: &Told<'_>) -> Result<Delivered, Undelivered> {
        let _turn = self.turn.lock().await;
        let (program, args) = self.words.split_first().ok_or_else(|| {
            // The configuration does not let it be empty.
            Undelivered::never("no program is set")
        })?;
        let mut command = Command::new(program);
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        for (name, value) in told.variables() {
            command.env(name, value);
        }
        let child = command
            .spawn()
            .map_err(|error| Undelivered::never(format!("cannot run {program}: {error}")))?;
        let (status, output) = attend(child, told.json()).await;
        let output = bounded(clean(&String::from_utf8_lossy(&output)), OUTPUT);
        if !output.is_empty() {
            tracing::info!("{program}: {output}");
        }
        let limit = LIMIT.as_secs();
        match status {
            Ok(Some(status)) if status.success() => {
                Ok(Delivered::said(format!("{program} ended well")))
            }
            Ok(Some(status)) => Err(Undelivered::never(format!("{program}: {status}"))),
            Ok(None) => Err(Undelivered::never(format!(
                "{program} did not end within {limit} s and was ended"
            ))),
            Err(error) => Err(Undelivered::never(format!("{program}: {error}"))),
        }
    }
}

impl Channel for Program {
    fn show<'a>(&'a self, telling: &'a Telling) -> Delivery<'a> {
        Box::pin(async move {
            let told = Told {
                action: match telling.silent {
                    true => "replace",
                    false => "raise",
                },
                subject: &telling.notice.subject,
                notice: Some(&telling.notice),
                status: telling.status.as_deref(),
            };
            self.run(&told).await
        })
    }

    fn withdraw<'a>(&'a self, place: &'a Place, _standing: Option<&'a str>) -> Delivery<'a> {
        Box::pin(async move {
            let told = Told {
                action: "withdraw",
                subject: &place.0,
                notice: None,
                status: None,
            };
            self.run(&told).await
        })
    }
}

/// What a command is told.
struct Told<'a> {
    action: &'static str,
    subject: &'a Subject,
    notice: Option<&'a Notice>,
    status: Option<&'a Status>,
}

impl Told<'_> {
    fn terminal(&self) -> Option<&str> {
        match self.subject {
            Subject::Terminal(id) => Some(id),
            Subject::Fold => None,
        }
    }

    fn json(&self) -> String {
        let notice = self.notice;
        let mut line = json!({
            "action": self.action,
            "terminal": self.terminal(),
            "seq": notice.map(|notice| notice.seq),
            "kind": notice.map(|notice| notice.kind),
            "urgency": notice.map(|notice| urgency_word(notice.urgency)),
            "title": notice.map(title),
            "body": notice.and_then(body),
            "status": self.status,
        })
        .to_string();
        line.push('\n');
        line
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            ("WIGWAG_NOTIFY_ACTION", self.action.to_owned()),
            (
                "WIGWAG_NOTIFY_TERMINAL",
                self.terminal().unwrap_or_default().to_owned(),
            ),
        ];
        if let Some(notice) = self.notice {
            let kind = serde_json::to_value(notice.kind).unwrap_or_default();
            variables.extend([
                (
                    "WIGWAG_NOTIFY_KIND",
                    kind.as_str().unwrap_or_default().to_owned(),
                ),
                (
                    "WIGWAG_NOTIFY_URGENCY",
                    urgency_word(notice.urgency).to_owned(),
                ),
                ("WIGWAG_NOTIFY_TITLE", title(notice)),
                ("WIGWAG_NOTIFY_BODY", body(notice).unwrap_or_default()),
            ]);
        }
        variables
    }
}

/// Feeds it, listens to it, and ends it where it does not end. `Ok(None)`: it was ended.
async fn attend(mut child: Child, input: String) -> (std::io::Result<Option<ExitStatus>>, Vec<u8>) {
    let group = child
        .id()
        .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let stdin = child.stdin.take();
    let feed = async move {
        if let Some(mut stdin) = stdin {
            // A command that reads nothing is right, too.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let out = hear(child.stdout.take(), Arc::clone(&heard));
    let errors = hear(child.stderr.take(), Arc::clone(&heard));
    let mut listen = Box::pin(async move {
        tokio::join!(feed, out, errors);
    });
    let mut listening = true;
    let wait = async {
        loop {
            tokio::select! {
                status = child.wait() => return status,
                () = &mut listen, if listening => listening = false,
            }
        }
    };
    let status = tokio::time::timeout(LIMIT, wait)
        .await
        .map_or(Ok(None), |status| status.map(Some));
    if matches!(status, Ok(None)) {
        end(group, &mut child).await;
    }
    if listening {
        let _ = tokio::time::timeout(LAST_WORDS, &mut listen).await;
    }
    drop(listen);
    let heard = heard.lock().map(|mut heard| std::mem::take(&mut *heard));
    (status, heard.unwrap_or_default())
}

/// TERM, and KILL for what does not mind it, to all of its process group.
async fn end(group: Option<Pid>, child: &mut Child) {
    let Some(group) = group else {
        return;
    };
    // The child is not reaped yet, so the number is still its own.
    let _ = kill_process_group(group, Signal::TERM);
    let ended = tokio::time::timeout(GRACE, child.wait()).await;
    if ended.is_err() {
        let _ = kill_process_group(group, Signal::KILL);
        let _ = child.wait().await;
    }
}

async fn hear(from: Option<impl AsyncRead + Unpin>, heard: Arc<Mutex<Vec<u8>>>) {
    let Some(mut from) = from else {
        return;
    };
    let mut chunk = [0; 1024];
    while let Ok(count @ 1..) = from.read(&mut chunk).await {
        // What is too much is read all the same, so that the command goes on.
        if let Ok(mut heard) = heard.lock() {
            let room = OUTPUT.saturating_sub(heard.len()).min(count);
            heard.extend_from_slice(&chunk[..room]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use status::AttentionKind;
    use status::notifier::{Surface, Urgency};

    fn telling() -> Telling {
        Telling {
            notice: Notice {
                subject: Subject::Terminal("k3vq7a2m".to_owned()),
                seq: 4,
                kind: AttentionKind::Exit,
                urgency: Urgency::High,
                title: "build: failed (exit 2)".to_owned(),
                body: None,
            },
            on: Surface::Command,
            status: None,
            silent: false,
            standing: None,
        }
    }

    fn words(words: &[&str]) -> Program {
        Program::new(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[tokio::test]
    async fn a_command_gets_json_and_variables() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out");
        let script = format!(
            "cat > {0}; env | grep ^WIGWAG_NOTIFY_ | sort >> {0}",
            out.display()
        );
        let said = words(&["sh", "-c", &script]).show(&telling()).await;
        assert_eq!(said.unwrap().said, "sh ended well");
        assert_eq!(
            std::fs::read_to_string(&out).unwrap(),
            "{\"action\":\"raise\",\"body\":null,\"kind\":\"exit\",\"seq\":4,\"status\":null,\
             \"terminal\":\"k3vq7a2m\",\"title\":\"build: failed (exit 2)\",\"urgency\":\"high\"}\n\
             WIGWAG_NOTIFY_ACTION=raise\nWIGWAG_NOTIFY_BODY=\nWIGWAG_NOTIFY_KIND=exit\n\
             WIGWAG_NOTIFY_TERMINAL=k3vq7a2m\nWIGWAG_NOTIFY_TITLE=build: failed (exit 2)\n\
             WIGWAG_NOTIFY_URGENCY=high\n"
        );
    }

    #[tokio::test]
    async fn a_command_that_fails_or_is_not_there_is_said_and_not_tried_again() {
        let failed = words(&["sh", "-c", "exit 3"]).show(&telling()).await;
        assert_eq!(failed, Err(Undelivered::never("sh: exit status: 3")));
        let missing = words(&["/nowhere/tell"])
            .show(&telling())
            .await
            .unwrap_err();
        assert!(missing.reason.starts_with("cannot run /nowhere/tell: "));
    }

    #[tokio::test]
    async fn a_command_that_reads_nothing_and_prints_much_is_no_trouble() {
        let script = "exec <&-; head -c 1000000 /dev/zero | tr '\\0' x; exit 0";
        let done = words(&["sh", "-c", script]).show(&telling()).await;
        assert!(done.is_ok(), "{done:?}");
    }

    #[tokio::test]
    async fn what_a_command_leaves_in_the_background_holds_nobody_up() {
        let began = std::time::Instant::now();
        let done = words(&["sh", "-c", "sleep 15 & exit 0"])
            .show(&telling())
            .await;
        assert!(done.is_ok());
        assert!(began.elapsed() < LIMIT);
    }
}
