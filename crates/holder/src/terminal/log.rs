//! The log of one holder: errors only, bounded. A holder has no standard error of its own.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A log that has grown to this size begins anew: the latest errors count.
const MAX_LOG: u64 = 64 * 1024;

static PATH: OnceLock<PathBuf> = OnceLock::new();

/// Where errors go from here on; panics too.
pub(super) fn write_to(path: PathBuf) {
    let _ = PATH.set(path);
    std::panic::set_hook(Box::new(|info| error(&info.to_string())));
}

/// Writes one error. A log that cannot be written is nothing to fail for.
pub(super) fn error(message: &str) {
    let Some(path) = PATH.get() else { return };
    let full = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > MAX_LOG);
    let mut options = OpenOptions::new();
    options
        .create(true)
        .write(true)
        .append(!full)
        .truncate(full)
        .mode(0o600);
    if let Ok(mut file) = options.open(path) {
        let _ = writeln!(file, "{} {message}", jiff::Timestamp::now());
    }
}
