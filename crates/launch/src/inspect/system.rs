// SPDX-License-Identifier: MIT
//! What of this machine and this user bears on whether a program can be treated.

use std::env;
use std::ffi::CString;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Who would start the program, and on what.
#[derive(Clone, Copy, Debug)]
pub struct System {
    pub uid: u32,
    pub gid: u32,
    /// Set when exec grants nothing (prctl(PR_SET_NO_NEW_PRIVS)).
    pub no_new_privileges: bool,
    /// Shadow stacks are on for programs marked for them.
    pub shadow_stacks: bool,
}

impl System {
    pub fn present() -> Self {
        // SAFETY: these calls only read.
        let (uid, gid, bound) = unsafe {
            (libc::getuid(), libc::getgid(), libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0))
        };
        let tunables = env::var("GLIBC_TUNABLES").unwrap_or_default();
        let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let shadow_stacks = shadow_stacks(&tunables, &processor);
        Self { uid, gid, no_new_privileges: bound == 1, shadow_stacks }
    }

    /// What makes the kernel ask for secure execution, in which LD_PRELOAD is ignored.
    pub fn gains_privilege(&self, path: &Path, data: Option<&Metadata>) -> Option<&'static str> {
        let data = data?;
        if self.no_new_privileges || on_nosuid(path) {
            return None;
        }
        let group_execute = data.mode() & 0o010 != 0;
        if data.mode() & libc::S_ISUID != 0 && data.uid() != self.uid {
            Some("setuid")
        } else if data.mode() & libc::S_ISGID != 0 && group_execute && data.gid() != self.gid {
            Some("setgid")
        } else if self.uid != 0 && has_capabilities(path) {
            // Root has them all already, and gains none.
            Some("file capabilities")
        } else {
            None
        }
    }

    pub fn becomes_secure(&self, path: &Path, data: Option<&Metadata>) -> bool {
        self.gains_privilege(path, data).is_some()
    }
}

pub fn changes_identity(data: Option<&Metadata>) -> bool {
    data.is_some_and(|data| data.mode() & (libc::S_ISUID | libc::S_ISGID) != 0)
}

fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    let name = c"security.capability";
    // SAFETY: a size of 0 asks for the length only, so nothing is written.
    unsafe { libc::getxattr(path.as_ptr(), name.as_ptr(), std::ptr::null_mut(), 0) > 0 }
}

pub fn on_nosuid(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: statvfs fills in a local structure.
    unsafe {
        let mut system: libc::statvfs = std::mem::zeroed();
        libc::statvfs(path.as_ptr(), &mut system) == 0 && system.f_flag & libc::ST_NOSUID != 0
    }
}

/// glibc turns shadow stacks on only where it is told to and the kernel offers them.
fn shadow_stacks(tunables: &str, processor: &str) -> bool {
    let asked = tunables
        .split(':')
        .any(|word| matches!(word, "glibc.cpu.x86_shstk=on" | "glibc.cpu.x86_shstk=permissive"));
    asked && processor.split_ascii_whitespace().any(|flag| flag == "user_shstk")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadow_stacks_need_both_the_tunable_and_the_kernel() {
        let on = "glibc.malloc.check=1:glibc.cpu.x86_shstk=on";
        assert!(shadow_stacks(on, "flags : fpu user_shstk sse"));
        assert!(!shadow_stacks(on, "flags : fpu shstk sse"));
        assert!(!shadow_stacks("", "flags : user_shstk"));
        assert!(!shadow_stacks("glibc.cpu.x86_shstk=off", "flags : user_shstk"));
    }
}
