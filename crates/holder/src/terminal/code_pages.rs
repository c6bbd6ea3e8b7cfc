//! Code that was used and that waiting does not need, given back.
//!
//! With each page of an executable that is used, the kernel maps those around it: after its start, or
//! a conversation, a holder has all of its code resident, and much of the C library's, while waiting
//! needs a small part of both. A thousand holders wait. The pages belong to files; one that is needed
//! again comes back from the page cache, without a read from the disk. That costs a fraction
//! of a millisecond, so it is done only where nobody is attached, and only after something rare:
//! the start, a client's request, a client that left.

/// Gives back the pages of all code. Where that cannot be, nothing changes.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub(super) fn give_back() {
    let maps = std::fs::read("/proc/self/maps").unwrap_or_default();
    for (start, end) in String::from_utf8_lossy(&maps).lines().filter_map(code) {
        // SAFETY: the range is one private mapping of a file that can be executed and not written;
        // its pages are the file's, and are mapped again from there at their next use.
        unsafe {
            libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_DONTNEED);
        }
    }
}

/// Elsewhere nothing is given back.
#[cfg(not(target_os = "linux"))]
pub(super) fn give_back() {}

/// The range of a line of `/proc/PID/maps` that is code of a file:
/// `start-end permissions offset device inode path`.
#[cfg(target_os = "linux")]
fn code(line: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    if fields.next()? != "r-xp" || fields.nth(2)? == "0" {
        return None;
    }
    let address = |digits| usize::from_str_radix(digits, 16).ok();
    Some((address(start)?, address(end)?))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_code_of_files_is_given_back() {
        let code_of_a_file = "55e1913e9000-55e19153e000 r-xp 0005e000 fe:01 1234 /opt/a b/holder";
        assert_eq!(
            code(code_of_a_file),
            Some((0x55e1_913e_9000, 0x55e1_9153_e000))
        );
        for other in [
            "55e19138a000-55e1913e9000 r--p 00000000 fe:01 1234 /opt/holder",
            "55e191549000-55e19154a000 rw-p 001be000 fe:01 1234 /opt/holder",
            "55e19a7af000-55e19a7d0000 rw-p 00000000 00:00 0 [heap]",
            "7ff1f1dc8000-7ff1f1dca000 r-xp 00000000 00:00 0 [vdso]",
            "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]",
            "",
        ] {
            assert_eq!(code(other), None, "{other}");
        }
    }

    #[test]
    fn a_process_goes_on_after_its_code_was_given_back() {
        give_back();
        assert_eq!(format!("{:?}", code("nothing")), "None");
    }
}
