// SPDX-License-Identifier: MIT
//! Seccomp filters that we were started under, and that the program will be. Mode `lazy` has to
//! send signals again; a filter may forbid that, and kill who tries. So a child tries.

use std::fs;
use std::mem;

/// What we were started under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filters {
    None,
    /// So many, and they let the runtime do its work.
    Allow(u32),
    /// They do not.
    Forbid,
}

impl Filters {
    /// A child is forked if there are any.
    pub fn tried() -> Self {
        match inherited() {
            None => Self::None,
            Some(count) if let_signals_be_sent() => Self::Allow(count),
            Some(_) => Self::Forbid,
        }
    }
}

fn inherited() -> Option<u32> {
    count(&fs::read_to_string("/proc/thread-self/status").ok()?)
}

fn count(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("Seccomp_filters:"))?;
    line.trim().parse().ok().filter(|count| *count > 0)
}

/// A child makes the calls with signal 0, which reaches nobody.
fn let_signals_be_sent() -> bool {
    // SAFETY: the child makes system calls only, and ends.
    unsafe {
        match libc::fork() {
            -1 => false,
            0 => libc::_exit(i32::from(!send_nothing())),
            child => ended_well(child),
        }
    }
}

unsafe fn send_nothing() -> bool {
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the arguments are ours and live; siginfo is plain data.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &no_core);
        let mut info: libc::siginfo_t = mem::zeroed();
        info.si_code = libc::SI_QUEUE;
        let (pid, tid) = (libc::getpid(), libc::syscall(libc::SYS_gettid));
        let here = &raw const info;
        libc::syscall(libc::SYS_rt_sigqueueinfo, tid, 0, here) == 0
            && libc::syscall(libc::SYS_rt_tgsigqueueinfo, pid, tid, 0, here) == 0
            && libc::syscall(libc::SYS_tgkill, pid, tid, 0) == 0
            && libc::kill(pid, 0) == 0
    }
}

fn ended_well(child: i32) -> bool {
    let mut status = 0;
    loop {
        // SAFETY: the child is ours, the status lives.
        let waited = unsafe { libc::waitpid(child, &mut status, 0) };
        if waited == child {
            return status == 0;
        }
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_counted_as_the_kernel_says() {
        assert_eq!(count("Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n"), None);
        assert_eq!(count("Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t3\n"), Some(3));
        assert_eq!(count("Name:\tx\n"), None);
    }

    #[test]
    fn without_a_filter_all_may_be_sent() {
        assert!(let_signals_be_sent());
    }
}
