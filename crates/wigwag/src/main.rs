//! The executable `wigwag`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    wigwag::main()
}
