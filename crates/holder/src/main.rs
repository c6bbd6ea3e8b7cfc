//! The wigwag-holder executable: reads what to start on standard input, becomes the holder of
//! that terminal, and says so on standard output.

fn main() -> std::process::ExitCode {
    holder::terminal::main()
}
