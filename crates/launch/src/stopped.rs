// SPDX-License-Identifier: MIT
//! A program that stops itself at a terminal stops us too, or its shell would wait on.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

/// Stops us as the child is, and lets it go on when we may.
///
/// Only where a shell waits for us to stop: elsewhere nobody would wake us, though the child
/// may have someone that wakes it.
pub fn along_with(pid: i32) {
    // A SIGCONT for all of our group may have reached us first.
    thread::sleep(Duration::from_millis(20));
    if !is_stopped(pid) || !is_foreground_job() {
        return;
    }
    // SAFETY: plain calls; the child has not been waited for, so the number is still its own.
    unsafe {
        libc::raise(libc::SIGSTOP);
        libc::kill(pid, libc::SIGCONT);
    }
}

fn is_stopped(pid: i32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
}

/// We lead the group that has the terminal, as a shell with job control arranges it, and
/// its session has another leader: the shell.
fn is_foreground_job() -> bool {
    let Ok(terminal) = File::open("/dev/tty") else { return false };
    // SAFETY: plain calls on a live descriptor.
    unsafe {
        let ours = libc::getpid();
        libc::getpgrp() == ours
            && libc::getsid(0) != ours
            && libc::tcgetpgrp(terminal.as_raw_fd()) == ours
    }
}
