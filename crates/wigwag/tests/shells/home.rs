//! A home with startup files, and one shell in a terminal called `t`.

use crate::world::World;
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

    /// Interrupts what runs, and waits for the prompt.
    pub(crate) fn interrupt(&self) -> Value {
        self.world.ok(&["keys", "t", "C-c"]);
        self.at_prompt()
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
