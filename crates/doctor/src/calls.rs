// SPDX-License-Identifier: MIT
//! System calls in which threads are found waiting.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Call(pub i64);

macro_rules! names {
    ($($call:ident $constant:ident,)*) => {
        fn name(number: i64) -> Option<&'static str> {
            $(if number == libc::$constant { return Some(stringify!($call)); })*
            None
        }
    };
}

names! {
    read SYS_read, write SYS_write, readv SYS_readv, writev SYS_writev, pread64 SYS_pread64,
    pwrite64 SYS_pwrite64, open SYS_open, openat SYS_openat, close SYS_close, ioctl SYS_ioctl,
    fcntl SYS_fcntl, flock SYS_flock, fsync SYS_fsync, fdatasync SYS_fdatasync,
    poll SYS_poll, ppoll SYS_ppoll, select SYS_select, pselect6 SYS_pselect6,
    epoll_wait SYS_epoll_wait, epoll_pwait SYS_epoll_pwait, epoll_pwait2 SYS_epoll_pwait2,
    io_getevents SYS_io_getevents, io_uring_enter SYS_io_uring_enter,
    nanosleep SYS_nanosleep, clock_nanosleep SYS_clock_nanosleep, pause SYS_pause,
    rt_sigsuspend SYS_rt_sigsuspend, rt_sigtimedwait SYS_rt_sigtimedwait,
    rt_sigprocmask SYS_rt_sigprocmask, rt_sigaction SYS_rt_sigaction, kill SYS_kill,
    tgkill SYS_tgkill, restart_syscall SYS_restart_syscall,
    wait4 SYS_wait4, waitid SYS_waitid, vfork SYS_vfork, clone SYS_clone, clone3 SYS_clone3,
    execve SYS_execve, futex SYS_futex,
    accept SYS_accept, accept4 SYS_accept4, connect SYS_connect, recvfrom SYS_recvfrom,
    recvmsg SYS_recvmsg, recvmmsg SYS_recvmmsg, sendto SYS_sendto, sendmsg SYS_sendmsg,
    sendfile SYS_sendfile, splice SYS_splice,
    msgrcv SYS_msgrcv, msgsnd SYS_msgsnd, semop SYS_semop, semtimedop SYS_semtimedop,
    mq_timedreceive SYS_mq_timedreceive, mq_timedsend SYS_mq_timedsend,
}

impl Call {
    pub fn name(self) -> String {
        name(self.0).map_or_else(|| format!("system call {}", self.0), String::from)
    }

    /// The kernel's mask may be another one while the call waits.
    pub fn swaps_mask(self) -> bool {
        let swapping = [
            libc::SYS_rt_sigsuspend,
            libc::SYS_rt_sigtimedwait,
            libc::SYS_pselect6,
            libc::SYS_ppoll,
            libc::SYS_epoll_pwait,
            libc::SYS_epoll_pwait2,
            libc::SYS_io_uring_enter,
        ];
        swapping.contains(&self.0)
    }

    /// libc blocks everything while it waits for a child to exec.
    pub fn starts_others(self) -> bool {
        [libc::SYS_clone, libc::SYS_clone3, libc::SYS_vfork].contains(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_their_names() {
        assert_eq!(Call(libc::SYS_ppoll).name(), "ppoll");
        assert_eq!(Call(9999).name(), "system call 9999");
        assert!(Call(libc::SYS_rt_sigsuspend).swaps_mask() && !Call(libc::SYS_read).swaps_mask());
    }
}
