//! A home with startup files, and one shell in a terminal called `t`.

use crate::world::{LIMIT, World};
use serde_json::Value;
use std::path::PathBuf;

pub(crate) struct Home {
    pub(crate) world: World,
}

impl Home {
    /// A home with these files: name and text.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let world = World::new();
        let home = Self { world };
        // A fish that does not find it reads all manual pages of the machine.
        let completions = home.path(".local/share/fish/generated_completions");
        std::fs::create_dir_all(completions).unwrap();
        for (name, text) in files {
            home.file(name, text);
        }
        home
    }

    /// A file in the home, with the directories it needs.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Where a file of the home is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.world.path().join("home").join(name)
    }

    /// Starts `new t -d`, as the arguments say, with `SHELL` naming a login shell.
    pub(crate) fn start(&self, shell: &str, args: &[&str]) -> &Self {
        let args = [&["new", "t", "-d"], args].concat();
        let shell = which(shell);
        let output = self.world.wigwag(&args).env("SHELL", shell).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        self
    }

    /// The same user without our integration.
    pub(crate) fn plainly(self) -> Self {
        let directory = self.world.path().join("config/wigwag");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("config.toml"), "shell_integration = false\n").unwrap();
        self
    }

    /// What a file of the home says, with what differs from one home to the next taken out.
    pub(crate) fn read(&self, name: &str) -> String {
        let text = String::from_utf8_lossy(&std::fs::read(self.path(name)).unwrap()).into_owned();
        let id = self.world.show("t")["id"].as_str().unwrap().to_owned();
        let place = self.world.path().to_str().unwrap().to_owned();
        text.replace(&place, "WORLD").replace(&id, "ID")
    }

    /// Waits until a file of the home is there and whole: its last line is `end`.
    pub(crate) fn read_when_whole(&self, name: &str) -> String {
        let deadline = std::time::Instant::now() + LIMIT;
        // An indented `end` may stand where a write stopped.
        let is_whole = |text: &str| text == "end\n" || text.ends_with("\nend\n");
        while !std::fs::read_to_string(self.path(name)).is_ok_and(|text| is_whole(&text)) {
            assert!(
                std::time::Instant::now() < deadline,
                "{name} is not written"
            );
            std::thread::yield_now();
        }
        self.read(name)
    }

    /// What the terminal shows, with its history.
    pub(crate) fn screen(&self) -> String {
        self.world.ok(&["capture", "t", "--scrollback"])
    }

    /// Types a line and waits until the command is over; the status after it.
    pub(crate) fn run(&self, line: &str) -> Value {
        let before = self.world.show("t")["last_command"].clone();
        self.world.send("t", line);
        self.until(|status| status["command"].is_null() && status["last_command"] != before)
    }

    /// Types a line and waits until a command with this text runs.
    pub(crate) fn runs(&self, line: &str) -> Value {
        self.world.send("t", line);
        self.until(|status| status["command"]["line"] == line)
    }

    /// Interrupts what runs, and waits for the prompt. A command is shown before it runs, so the
    /// first Ctrl-C may find nobody.
    pub(crate) fn interrupt(&self) -> Value {
        loop {
            self.world.ok(&["keys", "t", "C-c"]);
            let wait = ["wait", "t", "--until", "prompt", "--timeout", "2s"];
            if self.world.run(&wait).status.success() {
                return self.at_prompt();
            }
        }
    }

    /// Waits until the shell is at its prompt.
    pub(crate) fn at_prompt(&self) -> Value {
        self.until(|status| status["state"] == "idle" && status["command"].is_null())
    }

    pub(crate) fn until(&self, fits: impl Fn(&Value) -> bool) -> Value {
        self.world.until("t", fits)
    }
}

/// Where a program is.
pub(crate) fn which(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path)
        .map(|directory| directory.join(program))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{program} is not here: scripts/setup-test-programs"))
}
