//! What the tests of notifications do with a world.

use crate::world::{LIMIT, World, kill};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Between two looks at something that gives no notice.
const LOOK: Duration = Duration::from_millis(20);

impl World {
    /// Writes config.toml.
    pub(crate) fn configure(&self, text: &str) {
        let directory = self.path().join("config/wigwag");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("config.toml"), text).unwrap();
    }

    /// `wigwag report`, by a program in that terminal that has no terminal of its own.
    pub(crate) fn report(&self, terminal: &str, args: &[&str]) {
        let id = self.show(terminal)["id"].as_str().unwrap().to_owned();
        let done = self
            .command("setsid")
            .args(["--wait", env!("CARGO_BIN_EXE_wigwag"), "report"])
            .args(args)
            .env("WIGWAG_TERMINAL", id)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    /// A command notes each notification; `more` stands under `[notify]`.
    pub(crate) fn record(&self, more: &str) {
        let path = self.path().join("told");
        self.configure(&format!(
            "[notify]\n{more}\n[notify.desktop]\nenabled = false\n\
             [notify.command]\nrun = ['sh', '-c', 'cat >> {}']\n",
            path.display()
        ));
    }

    /// What the command was told.
    pub(crate) fn told(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path().join("told")).unwrap_or_default();
        let lines = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Waits until the command was told what fits.
    #[track_caller]
    pub(crate) fn until_told(&self, what: &str, fits: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let mut told = Vec::new();
        self.look(what, || {
            told = self.told();
            fits(&told)
        });
        told
    }

    /// The titles of what a person was to notice, after all that settles now has settled.
    #[track_caller]
    pub(crate) fn raised(&self) -> Vec<String> {
        self.ok(&["new", "last", "-d", "--", "sh", "-c", "exit 99"]);
        let is_last = |told: &Value| told["title"] == "last: failed (exit 99)";
        let told = self.until_told("the last one", |told| told.iter().any(is_last));
        let raised = told
            .iter()
            .filter(|told| told["action"] == "raise" && !is_last(told));
        raised
            .map(|told| told["title"].as_str().unwrap().to_owned())
            .collect()
    }

    /// `notify list --json`, of one channel.
    pub(crate) fn channel(&self, name: &str) -> Value {
        let all: Value = serde_json::from_str(&self.ok(&["notify", "list", "--json"])).unwrap();
        let channels = all["channels"].as_array().unwrap();
        let found = channels.iter().find(|channel| channel["name"] == name);
        found.unwrap().clone()
    }

    /// Waits until a channel is as asked.
    #[track_caller]
    pub(crate) fn until_notify(&self, name: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        self.look(name, || {
            last = self.channel(name);
            fits(&last)
        });
        last
    }

    /// Waits until all that was to be told on a channel is delivered, and that is stored.
    #[track_caller]
    pub(crate) fn until_delivered(&self, name: &str) {
        self.until_notify(name, |channel| {
            channel["last"]["ok"] == true && channel["waiting"] == 0
        });
    }

    /// What is in a file, once it is there.
    #[track_caller]
    pub(crate) fn until_file(&self, path: &Path) -> String {
        self.look("the file", || path.exists());
        std::fs::read_to_string(path).unwrap()
    }

    #[track_caller]
    fn look(&self, what: &str, mut fits: impl FnMut() -> bool) {
        let deadline = Instant::now() + LIMIT;
        while !fits() {
            assert!(
                Instant::now() < deadline,
                "{what}: {:?}",
                self.run(&["notify", "list", "--json"])
            );
            std::thread::sleep(LOOK);
        }
    }

    pub(crate) fn client(&self) -> client::Client {
        let paths = holder::paths::Paths {
            runtime: vec![self.path().join("run/wigwag")],
            state: self.path().join("state/wigwag"),
            config: self.path().join("config/wigwag"),
        };
        client::Client::connect_existing(&paths).unwrap()
    }

    /// Kills the only holder, and takes away everything that tells of its terminal.
    pub(crate) fn vanish(&self) {
        for pid in self.processes("wigwag-holder") {
            kill(pid);
        }
        for directory in ["run/wigwag/terminals", "state/wigwag/terminals"] {
            let directory: PathBuf = self.path().join(directory);
            for entry in std::fs::read_dir(&directory)
                .into_iter()
                .flatten()
                .flatten()
            {
                let path = entry.path();
                let _ = std::fs::remove_dir_all(&path);
                let _ = std::fs::remove_file(&path);
            }
        }
    }
}
