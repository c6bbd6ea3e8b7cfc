//! A place of its own for one measurement: directories, environment, and an end for every
//! process that was started in it.

use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Marks every process that descends from a sandbox, whatever it detaches itself from.
const MARK: &str = "WIGWAG_BENCH_SANDBOX";

pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
    bin_dir: PathBuf,
}

impl Sandbox {
    pub(crate) fn new(bin_dir: &Path) -> Result<Self> {
        for program in ["wigwag", "wigwag-holder"] {
            if !bin_dir.join(program).exists() {
                bail!(
                    "{} is not in {}: build it first",
                    program,
                    bin_dir.display()
                );
            }
        }
        let dir = tempfile::Builder::new().prefix("wwbench").tempdir()?;
        for sub in ["run", "state", "config", "home"] {
            let path = dir.path().join(sub);
            std::fs::create_dir(&path)?;
            // A runtime directory that others may read would be refused.
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        }
        Ok(Self {
            dir,
            bin_dir: bin_dir.to_owned(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The program that holds this benchmark, to be started inside a terminal.
    pub(crate) fn own_executable() -> Result<String> {
        let path = std::env::current_exe()?;
        path.into_os_string()
            .into_string()
            .ok()
            .context("the path of the benchmark is not UTF-8")
    }

    /// A command in this sandbox's environment.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env(MARK, self.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path().join("home"))
            .env("XDG_RUNTIME_DIR", self.path().join("run"))
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .current_dir(self.path());
        command
    }

    pub(crate) fn wigwag(&self) -> Command {
        self.command(self.bin_dir.join("wigwag"))
    }

    /// Runs `wigwag` to its end; its output, or what it complained about.
    pub(crate) fn run_wigwag(&self, arguments: &[&str]) -> Result<String> {
        run(self.wigwag().args(arguments))
    }

    /// Where this sandbox's terminals are.
    pub(crate) fn paths(&self) -> holder::paths::Paths {
        holder::paths::Paths {
            runtime: vec![self.path().join("run/wigwag")],
            state: self.path().join("state/wigwag"),
            config: self.path().join("config/wigwag"),
        }
    }
}

/// Runs a command without a terminal to its end. One that never ends is ended, so that a broken
/// program costs its rows of the table and not the table.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let process = crate::processes::Process(child.id());
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || ended.send(child.wait_with_output()));
    let Ok(output) = end.recv_timeout(crate::peer::LIMIT) else {
        process.kill();
        bail!("{command:?} did not end within {:?}", crate::peer::LIMIT);
    };
    let output = output?;
    if !output.status.success() {
        bail!(
            "{command:?} ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

impl Drop for Sandbox {
    /// Ends what was started here: it is found by its mark, since holders, servers and daemons
    /// left our process tree.
    fn drop(&mut self) {
        let mark = format!("{MARK}={}\0", self.path().display());
        for process in crate::processes::all() {
            if process.environment_has(mark.as_bytes()) {
                process.kill();
            }
        }
    }
}
