// SPDX-License-Identifier: MIT
//! What the kernel says of processes.

use std::fs;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use crate::Error;

// Of the kernel's user interface (include/linux/proc_ns.h).
const FIRST_PID_NAMESPACE: u64 = 0xefff_fffc;
const FIRST_USER_NAMESPACE: u64 = 0xefff_fffd;

/// The process that a thread belongs to; `None` if it is gone, or waits for its parent only.
pub fn process_of(thread: i32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let word = |key| {
        let mut lines = status.lines();
        lines.find_map(|line| line.strip_prefix(key)?.split_whitespace().next())
    };
    // Of a process whose first thread has ended, others may live.
    let ended = word("State:") == Some("Z") && word("Threads:")?.parse::<u32>().ok()? <= 1;
    if ended { None } else { word("Tgid:")?.parse().ok() }
}

/// The PID namespace that we see processes in; `None` if it is the first, which has all.
pub fn namespace() -> Option<u32> {
    beyond(FIRST_PID_NAMESPACE, "/proc/self/ns/pid")
}

/// Only there capabilities are those of the machine.
pub fn in_first_user_namespace() -> bool {
    beyond(FIRST_USER_NAMESPACE, "/proc/self/ns/user").is_none()
}

/// The namespace that we are in, if it is not the first; a kernel without such has only that one.
fn beyond(first: u64, path: &str) -> Option<u32> {
    let number = fs::metadata(path).ok()?.ino();
    (number != first).then_some(number as u32)
}

/// Can be polled for the process's end.
pub fn pidfd(process: i32) -> Result<OwnedFd, Error> {
    // SAFETY: a fresh descriptor, owned by nobody else.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, process, 0) {
            fd @ 0.. => Ok(OwnedFd::from_raw_fd(fd as i32)),
            _ => Err(std::io::Error::last_os_error().into()),
        }
    }
}

/// Processor time that this process has used.
pub fn own_time() -> Duration {
    // SAFETY: plain data that the call fills in.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        let seconds =
            |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
        seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
