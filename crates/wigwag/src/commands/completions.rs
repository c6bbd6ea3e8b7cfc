//! `wigwag completions`: what a shell needs to complete the command line. The shell asks `wigwag` itself at
//! each Tab (through `WIGWAG_COMPLETE`), so that terminals are offered by name.

use super::Outcome;
use crate::failure::Failure;
use crate::output::Context;
use clap_complete::env::Shells;
use std::process::ExitCode;

/// The variable that makes `wigwag` complete instead of run.
pub(crate) const VARIABLE: &str = "WIGWAG_COMPLETE";

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Runs `completions`.
pub(crate) fn run(args: Args, context: &Context) -> Outcome {
    let script = script(args.shell)?;
    context.write(&script)?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> Result<Vec<u8>, Failure> {
    let name = match shell {
        Shell::Bash => "bash",
        Shell::Elvish => "elvish",
        Shell::Fish => "fish",
        Shell::Powershell => "powershell",
        Shell::Zsh => "zsh",
    };
    let mut script = Vec::new();
    if shell == Shell::Zsh {
        // As a file in $fpath it is for both names.
        script.extend_from_slice(b"#compdef wigwag ww\n");
    }
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(name) else {
        return Err(Failure::failed(format!(
            "there are no completions for {name}"
        )));
    };
    for bin in ["wigwag", "ww"] {
        completer.write_registration(VARIABLE, bin, bin, bin, &mut script)?;
    }
    if shell == Shell::Zsh {
        // Such a file is run at the first Tab, which has to complete already.
        script.extend_from_slice(
            b"if [[ $funcstack[1] == _wigwag ]]; then _clap_dynamic_completer_wigwag; fi\n",
        );
    }
    Ok(script)
}
