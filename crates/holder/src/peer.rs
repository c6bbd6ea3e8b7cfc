//! Who is at the other end of a unix socket.
//!
//! The directories let nobody else in; this is the second lock, on both sides: a holder serves its
//! own user only, and a client speaks to processes of its own user only, since anybody may create
//! a directory in `/tmp` before we do.

use std::io;
use std::os::unix::net::UnixStream;

/// The user who connected, or who listens.
#[cfg(target_os = "linux")]
pub(crate) fn uid(stream: &UnixStream) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw())
}

/// The user who connected, or who listens.
#[cfg(not(target_os = "linux"))]
#[allow(unsafe_code)]
pub(crate) fn uid(stream: &UnixStream) -> io::Result<u32> {
    use std::os::fd::AsRawFd;
    let (mut uid, mut gid) = (0, 0);
    // SAFETY: the descriptor is open and both pointers are valid for the call.
    match unsafe { libc::getpeereid(stream.as_raw_fd(), &mut uid, &mut gid) } {
        0 => Ok(uid),
        _ => Err(io::Error::last_os_error()),
    }
}

/// This process's user.
pub(crate) fn own_uid() -> u32 {
    rustix::process::getuid().as_raw()
}
