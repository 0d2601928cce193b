// SPDX-License-Identifier: MIT
//! Where the programs stand: at the functions of the signal system calls, so that nobody else
//! pays, or at the one tracepoint that every system call of every process passes.
//!
//! Not by fentry, though it is cheaper a call: each function takes a program and a trampoline of its
//! own, which the kernel needs two seconds to take away, and one that is preempted in a program keeps
//! it from all others on that processor.

use std::collections::HashSet;
use std::fmt;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::undisturbed::Undisturbed;
use crate::{Error, calls, permit};

/// Takes the place of the choice, for tests.
pub const VARIABLE: &str = "SIGZERO_ATTACH";

/// The best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attach {
    /// The functions, by one link.
    KprobeMulti,
    /// The tracepoint, with the kernel's types.
    TpBtf,
    /// The tracepoint, where the kernel refuses that.
    RawTp,
}

impl Attach {
    pub const ALL: [Self; 3] = [Self::KprobeMulti, Self::TpBtf, Self::RawTp];

    /// The kernel's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::KprobeMulti => "kprobe.multi",
            Self::TpBtf => "tp_btf",
            Self::RawTp => "raw_tp",
        }
    }

    /// Only those who call what is counted take longer.
    pub fn at_functions(self) -> bool {
        self == Self::KprobeMulti
    }

    /// As far as it lies with us: at functions, somebody else's map operations may still cost calls,
    /// which the kernel counts.
    pub(crate) fn is_exact(&self) -> bool {
        !self.at_functions() || Undisturbed::possible()
    }

    /// The programs that are loaded for it, by name.
    pub(crate) fn wants(self, program: &str) -> bool {
        match self {
            Self::KprobeMulti => program == "function_enter" || of_processes(program),
            Self::TpBtf => program == "typed_enter" || of_processes(program),
            Self::RawTp => program.starts_with("raw_"),
        }
    }

    /// What the user asks for.
    pub(crate) fn forced() -> Result<Option<Self>, Error> {
        let Some(word) = std::env::var_os(VARIABLE) else { return Ok(None) };
        let named = |attach: &&Self| word.to_str() == Some(attach.name());
        let found = Self::ALL.iter().find(named).copied();
        found.map(Some).ok_or_else(|| Error::Attach(word.to_string_lossy().into_owned()))
    }
}

impl fmt::Display for Attach {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// With the kernel's types.
fn of_processes(program: &str) -> bool {
    program.starts_with("typed_") && program != "typed_enter"
}

/// The first kernel that counts what it kept from the programs.
const COUNTS_MISSES: (u32, u32) = (6, 7);
const FUNCTION: &str = "__x64_sys_";
/// Of calls that only 32-bit programs make.
const FOREIGN: &[&str] = &[
    "signal",
    "sigaction",
    "sigprocmask",
    "sigsuspend",
    "sigpending",
    "sigreturn",
    "sgetmask",
    "ssetmask",
    "rt_sigtimedwait_time32",
    "rt_sigtimedwait_time64",
];

/// The functions to stand at; none if that cannot be.
pub(crate) fn functions() -> Vec<String> {
    match permit::at_least(COUNTS_MISSES) && has_kprobe_multi() {
        true => chosen(&std::fs::read("/sys/kernel/btf/vmlinux").unwrap_or_default()),
        false => Vec::new(),
    }
}

/// All of the calls that are counted, or nothing; and as many of 32-bit programs as there are.
fn chosen(types: &[u8]) -> Vec<String> {
    let there: HashSet<&[u8]> =
        types.split(|byte| *byte == 0).filter(|name| name.starts_with(b"__")).collect();
    let is_there = |name: String| there.contains(name.as_bytes());
    let plain = |name: &&str| is_there(format!("{FUNCTION}{name}"));
    // Without arguments: one function of several names, of which the types have this.
    let bare = |name: &&str| is_there(format!("__do_sys_{name}"));
    let ours = calls::functions();
    if !ours.iter().all(|name| plain(name) || bare(name)) {
        return Vec::new();
    }
    let foreign = calls::names().into_iter().chain(FOREIGN.iter().copied());
    let foreign = foreign.flat_map(|name| {
        let compat = format!("__ia32_compat_sys_{name}");
        let bare_compat = is_there(format!("__do_compat_sys_{name}"));
        let same = format!("__ia32_sys_{name}");
        let one = (is_there(compat.clone()) || bare_compat).then_some(compat);
        let other = is_there(same.clone()).then_some(same);
        one.into_iter().chain(other)
    });
    ours.iter().map(|name| format!("{FUNCTION}{name}")).chain(foreign).collect()
}

/// Asked with a program that does nothing, at no function: where there is kprobe.multi, that is a
/// wrong argument.
fn has_kprobe_multi() -> bool {
    const EXIT_0: [u64; 2] = [0xb7, 0x95];
    // SAFETY: all that is pointed to outlives the calls, and the descriptor is fresh.
    unsafe {
        let mut options = libbpf_sys::bpf_prog_load_opts {
            sz: size_of::<libbpf_sys::bpf_prog_load_opts>() as u64,
            expected_attach_type: libbpf_sys::BPF_TRACE_KPROBE_MULTI,
            ..std::mem::zeroed()
        };
        let fd = libbpf_sys::bpf_prog_load(
            libbpf_sys::BPF_PROG_TYPE_KPROBE,
            c"sigzero_asks".as_ptr(),
            c"GPL".as_ptr(),
            EXIT_0.as_ptr().cast(),
            EXIT_0.len() as u64,
            &mut options,
        );
        if fd < 0 {
            return false;
        }
        let program = OwnedFd::from_raw_fd(fd);
        let attach = libbpf_sys::BPF_TRACE_KPROBE_MULTI;
        let error = libbpf_sys::bpf_link_create(program.as_raw_fd(), 0, attach, std::ptr::null());
        error == -libc::EINVAL
    }
}

/// How often the program was to run and did not.
pub(crate) fn missed_by_program(program: BorrowedFd) -> u64 {
    // SAFETY: of a program the kernel tells this.
    let info = unsafe { info::<libbpf_sys::bpf_prog_info>(program) };
    info.map_or(0, |info| info.recursion_misses)
}

/// The same, where it did not even come to the program.
pub(crate) fn missed_by_link(link: BorrowedFd) -> u64 {
    // SAFETY: of a link the kernel tells this; which part holds is told by the type.
    unsafe {
        info::<libbpf_sys::bpf_link_info>(link)
            .filter(|info| info.type_ == libbpf_sys::BPF_LINK_TYPE_KPROBE_MULTI)
            .map_or(0, |info| info.__bindgen_anon_1.kprobe_multi.missed)
    }
}

/// What the kernel tells of its object, as much as it knows; nothing that it would put elsewhere.
///
/// # Safety
/// `T` is plain data, and what is told of such an object.
unsafe fn info<T>(object: BorrowedFd) -> Option<T> {
    // SAFETY: the call fills in no more than there is.
    unsafe {
        let mut info: T = std::mem::zeroed();
        let mut size = size_of::<T>() as u32;
        let filled = (&raw mut info).cast();
        let got = libbpf_sys::bpf_obj_get_info_by_fd(object.as_raw_fd(), filled, &mut size);
        (got == 0).then_some(info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(names: &[&str]) -> Vec<u8> {
        names.iter().flat_map(|name| [name.as_bytes(), b"\0"].concat()).collect()
    }

    #[test]
    fn all_functions_are_there_or_none_is_used() {
        let mut names: Vec<String> =
            calls::functions().iter().map(|name| format!("__x64_sys_{name}")).collect();
        let of = |names: &[String]| chosen(&types(&names.iter().map(|n| &**n).collect::<Vec<_>>()));
        assert_eq!(of(&names), names);
        let last = names.pop().unwrap();
        assert!(of(&names).is_empty(), "without {last}");
        names.push(last.replace("__x64", "__do"));
        names.push("__ia32_sys_kill".into());
        names.push("__do_compat_sys_rt_sigreturn".into());
        let chosen = of(&names);
        assert!(chosen.contains(&last));
        assert_eq!(
            chosen[chosen.len() - 2..],
            ["__ia32_compat_sys_rt_sigreturn", "__ia32_sys_kill"]
        );
    }

    #[test]
    fn each_way_has_a_name_and_programs_of_its_own() {
        for attach in Attach::ALL {
            let programs = ["function_enter", "typed_enter", "raw_enter"];
            assert_eq!(programs.iter().filter(|name| attach.wants(name)).count(), 1, "{attach}");
            let others = ["typed_exec", "raw_exec"];
            assert_eq!(others.iter().filter(|name| attach.wants(name)).count(), 1, "{attach}");
        }
    }
}
