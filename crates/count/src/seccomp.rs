// SPDX-License-Identifier: MIT
//! A filter that stops the program at a counted call and lets every other pass.

use std::io;

use libc::{c_int, sock_filter};

use crate::calls::CALLS;

#[cfg(target_arch = "x86_64")]
const AUDIT_ARCH: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const AUDIT_ARCH: u32 = 0xC000_00B7;

const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCH: u32 = 4;
const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const JUMP_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// The stop's message is the call's index in [`CALLS`].
pub fn filter() -> Vec<sock_filter> {
    let allow = step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW);
    let mut program = vec![
        step(LOAD, 0, 0, OFFSET_ARCH),
        step(JUMP_EQUAL, 1, 0, AUDIT_ARCH),
        allow,
        step(LOAD, 0, 0, OFFSET_NUMBER),
    ];
    for (index, call) in CALLS.iter().enumerate() {
        program.push(step(JUMP_EQUAL, 0, 1, call.number as u32));
        program.push(step(RETURN, 0, 0, libc::SECCOMP_RET_TRACE | index as u32));
    }
    program.push(allow);
    program
}

fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// Installs the filter in the calling thread. Async-signal-safe.
pub fn install(filter: &[sock_filter]) -> Result<(), c_int> {
    if load(filter).is_ok() {
        return Ok(());
    }
    // Only without CAP_SYS_ADMIN: it takes setuid children their privilege.
    // SAFETY: no pointer is passed.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    load(filter)
}

fn load(filter: &[sock_filter]) -> Result<(), c_int> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the kernel copies the program, which lives until the call returns.
    let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the filter as the kernel would, for a call of this number and architecture.
    fn evaluate(arch: u32, number: u32) -> u32 {
        let program = filter();
        let (mut at, mut value) = (0, 0);
        loop {
            let s = program[at];
            at += 1;
            match s.code {
                LOAD if s.k == OFFSET_ARCH => value = arch,
                LOAD => value = number,
                JUMP_EQUAL => at += usize::from(if value == s.k { s.jt } else { s.jf }),
                _ => return s.k,
            }
        }
    }

    #[test]
    fn counted_calls_stop_with_their_index() {
        for (index, call) in CALLS.iter().enumerate() {
            let verdict = evaluate(AUDIT_ARCH, call.number as u32);
            assert_eq!(verdict, libc::SECCOMP_RET_TRACE | index as u32, "{}", call.name);
        }
    }

    #[test]
    fn everything_else_passes() {
        let other = libc::SYS_getppid as u32;
        assert_eq!(evaluate(AUDIT_ARCH, other), libc::SECCOMP_RET_ALLOW);
        let foreign = 0x4000_0003;
        assert_eq!(evaluate(foreign, CALLS[0].number as u32), libc::SECCOMP_RET_ALLOW);
    }
}
