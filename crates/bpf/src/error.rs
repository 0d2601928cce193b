// SPDX-License-Identifier: MIT
//! Why nothing can be traced, and what to do about it.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "eBPF needs CAP_BPF and CAP_PERFMON: run as root, or grant them once: sudo setcap cap_bpf,cap_perfmon+ep {program}"
    )]
    Privilege { program: String },

    #[error(
        "eBPF does not go by capabilities that hold in a user namespace only: run sigzero in the first one (for a rootless container: its host's)"
    )]
    UserNamespace,

    #[error(
        "eBPF needs {needed} open files, and {limit} are allowed: raise the limit (ulimit -n 1024)"
    )]
    FewFiles { limit: u64, needed: u64 },

    #[error(
        "the kernel has no type information (/sys/kernel/btf/vmlinux), which eBPF needs: use a kernel with CONFIG_DEBUG_INFO_BTF"
    )]
    NoTypes,

    #[error("the kernel is {found}, and eBPF stacks need 5.17 or newer: use a newer kernel")]
    Old { found: String },

    #[error(
        "the kernel is locked down (confidentiality), so eBPF may not read it: lift the lockdown, which is set on the kernel's command line"
    )]
    Lockdown,

    #[error(
        "/proc shows another PID namespace, so processes cannot be told: mount it anew (mount -t proc proc /proc)"
    )]
    OtherProc,

    #[error(
        "/proc is not mounted, so processes cannot be told: mount it (mount -t proc proc /proc)"
    )]
    NoProc,

    #[error(
        "/sys is not mounted, so eBPF has no type information: mount it (mount -t sysfs sysfs /sys)"
    )]
    NoSys,

    #[error("there is no process {0}: check the number with `ps`")]
    NoProcess(i32),

    #[error(
        "the mappings of process {process} may not be read, as of another user's or a guarded one: run as root with all capabilities, grant CAP_SYS_PTRACE too (sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep {program}), or count with --no-stacks"
    )]
    Foreign { process: i32, program: String },

    #[error("sigzero's eBPF programs are made for x86-64 only")]
    #[cfg_attr(target_arch = "x86_64", allow(dead_code))]
    Processor,

    #[error("SIGZERO_ATTACH={0}: it is one of kprobe.multi, tp_btf and raw_tp, or not set")]
    Attach(String),

    #[error("this kernel does not let the eBPF programs be attached by {0}: unset SIGZERO_ATTACH")]
    Place(crate::Attach),

    #[error("the kernel refused the eBPF programs: {0}")]
    Refused(#[from] libbpf_rs::Error),

    #[error("the mappings of processes cannot be followed (perf_event_open): {0}")]
    Records(io::Error),

    #[error(transparent)]
    Count(#[from] sigzero_count::Error),

    #[error("tracing failed: {0}")]
    Io(#[from] io::Error),
}

impl Error {
    /// The tracer does not work on this machine or for this user; nothing was started.
    pub fn is_unavailable(&self) -> bool {
        !matches!(
            self,
            Self::Attach(_)
                | Self::NoProcess(_)
                | Self::Foreign { .. }
                | Self::Count(_)
                | Self::Io(_)
        )
    }
}
