//! The wigwag-holder executable.
fn main() {}
