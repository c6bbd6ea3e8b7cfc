//! The entry of the user in the system's user database: home directory and login shell, for
//! where the environment does not say them.

use std::ffi::{CStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// What the user database says of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    /// The login name.
    pub(crate) name: OsString,
    /// The home directory.
    pub(crate) home: PathBuf,
    /// The login shell; may be empty.
    pub(crate) shell: PathBuf,
}

/// The user this process runs as; `None` where the database does not know it (a container).
#[allow(unsafe_code)]
pub(crate) fn current_user() -> Option<User> {
    /// Entries are a few hundred bytes; this is what glibc recommends at most.
    const BUFFER: usize = 16 * 1024;
    let uid = rustix::process::getuid().as_raw();
    let mut entry = std::mem::MaybeUninit::<libc::passwd>::uninit();
    let mut buffer = vec![0 as libc::c_char; BUFFER];
    let mut found = std::ptr::null_mut();
    // SAFETY: all pointers are valid for the call, and the length is the buffer's.
    let code = unsafe {
        libc::getpwuid_r(
            uid,
            entry.as_mut_ptr(),
            buffer.as_mut_ptr(),
            buffer.len(),
            &mut found,
        )
    };
    if code != 0 || found.is_null() {
        return None;
    }
    // SAFETY: a non-null result means that the entry was filled in.
    let entry = unsafe { entry.assume_init() };
    let text = |field: *const libc::c_char| {
        if field.is_null() {
            return OsString::new();
        }
        // SAFETY: a field of a filled entry is a C string inside `buffer`, which still lives.
        OsString::from_vec(unsafe { CStr::from_ptr(field) }.to_bytes().to_vec())
    };
    Some(User {
        name: text(entry.pw_name),
        home: text(entry.pw_dir).into(),
        shell: text(entry.pw_shell).into(),
    })
}
