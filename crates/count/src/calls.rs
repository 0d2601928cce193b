// SPDX-License-Identifier: MIT
//! The system calls that are counted.

/// A system call: its name as in the kernel's tracepoints, its number on this processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub name: &'static str,
    pub number: i64,
}

macro_rules! calls {
    ($($name:ident $number:ident),* $(,)?) => {
        &[$(Call { name: stringify!($name), number: libc::$number }),*]
    };
}

/// Every counted call. [`Counts`](crate::Counts) keeps this order.
pub const CALLS: &[Call] = calls![
    rt_sigprocmask SYS_rt_sigprocmask,
    rt_sigaction SYS_rt_sigaction,
    rt_sigreturn SYS_rt_sigreturn,
    sigaltstack SYS_sigaltstack,
    rt_sigsuspend SYS_rt_sigsuspend,
    rt_sigpending SYS_rt_sigpending,
    rt_sigtimedwait SYS_rt_sigtimedwait,
    rt_sigqueueinfo SYS_rt_sigqueueinfo,
    rt_tgsigqueueinfo SYS_rt_tgsigqueueinfo,
    kill SYS_kill,
    tkill SYS_tkill,
    tgkill SYS_tgkill,
    signalfd4 SYS_signalfd4,
];
