//! The wigwag executable.
fn main() {}
