//! The same executable under its short name, `ww`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    wigwag::main()
}
