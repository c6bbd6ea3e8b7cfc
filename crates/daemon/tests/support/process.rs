//! `daemon::run` as a process, for tests: `wigwag daemon run` without the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    let paths = match holder::paths::Paths::from_env() {
        Ok(paths) => paths,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [order, id] = words.as_slice()
        && order == "restart"
    {
        // As the command line does it, without the daemon.
        return match holder::spawn::restart(&paths, id) {
            Ok(_) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let ready = std::env::args().any(|word| word == "--ready");
    match daemon::run(&paths, daemon::Options { ready }) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
