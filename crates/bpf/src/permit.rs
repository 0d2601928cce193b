// SPDX-License-Identifier: MIT
//! Whether the kernel lets us trace, told before anything is started.

use std::fs;
use std::path::Path;
use std::process::id;

use crate::{Error, processes};

const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// The first kernel with bpf_loop and bpf_find_vma.
const OLDEST: (u32, u32) = (5, 17);

pub fn check() -> Result<(), Error> {
    if cfg!(not(target_arch = "x86_64")) {
        return Err(Error::Processor);
    }
    let release = release();
    if version(&release).is_some_and(|found| found < OLDEST) {
        return Err(Error::Old { found: release });
    }
    if !Path::new("/sys/kernel").exists() {
        return Err(Error::NoSys);
    }
    if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        return Err(Error::NoTypes);
    }
    let status = fs::read_to_string("/proc/self/status").map_err(|_| Error::NoProc)?;
    if !permitted(effective(&status)) {
        return Err(Error::Privilege { program: program() });
    }
    if !processes::in_first_user_namespace() {
        return Err(Error::UserNamespace);
    }
    let (limit, needed) = files();
    if limit < needed {
        return Err(Error::FewFiles { limit, needed });
    }
    if fs::read_link("/proc/self").is_ok_and(|own| own != Path::new(&id().to_string())) {
        return Err(Error::OtherProc);
    }
    if fs::read_to_string("/sys/kernel/security/lockdown")
        .is_ok_and(|text| text.contains("[confidentiality]"))
    {
        return Err(Error::Lockdown);
    }
    Ok(())
}

pub(crate) fn at_least(oldest: (u32, u32)) -> bool {
    version(&release()).is_some_and(|found| found >= oldest)
}

fn permitted(capabilities: u64) -> bool {
    let has = |capability: u32| capabilities & (1 << capability) != 0;
    has(CAP_SYS_ADMIN) || (has(CAP_BPF) && has(CAP_PERFMON))
}

fn effective(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0)
}

pub(crate) fn program() -> String {
    std::env::current_exe().map_or("sigzero".into(), |path| path.display().to_string())
}

/// How many may be open, and how many are needed: for maps and programs, and one for each processor.
fn files() -> (u64, u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a live structure that the call fills in.
    let processors = unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        libc::sysconf(libc::_SC_NPROCESSORS_ONLN).max(1)
    };
    (limit.rlim_cur, 46 + processors as u64)
}

fn release() -> String {
    // SAFETY: the structure is plain bytes, filled in by the call, with NUL at the end.
    unsafe {
        let mut name: libc::utsname = std::mem::zeroed();
        libc::uname(&mut name);
        std::ffi::CStr::from_ptr(name.release.as_ptr()).to_string_lossy().into_owned()
    }
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_both_capabilities_or_the_old_one_will_do() {
        let of = |capabilities: &[u32]| capabilities.iter().fold(0, |all, one| all | 1u64 << one);
        assert!(permitted(of(&[CAP_BPF, CAP_PERFMON])) && permitted(of(&[CAP_SYS_ADMIN])));
        assert!(!permitted(of(&[CAP_BPF])) && !permitted(of(&[CAP_PERFMON])) && !permitted(0));
        assert_eq!(effective("Name:\tx\nCapEff:\t000001ffffffffff\n"), 0x1ff_ffff_ffff);
        assert_eq!(effective(""), 0);
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(version("6.1.0-18-amd64"), Some((6, 1)));
        assert!(version("5.4.0").unwrap() < OLDEST && version("5.17-rc1").unwrap() >= OLDEST);
        assert_eq!(version("odd"), None);
    }
}
