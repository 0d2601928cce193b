// SPDX-License-Identifier: MIT
//! `sigzero run` under a seccomp filter, as in a container.

mod support;

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Output;

use support::{sigzero, skip_without_library, stderr, stdout};

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const FAIL: u32 = 0x0005_0000 | libc::EPERM as u32;

const fn op(code: u32, k: u32, jump: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: jump, jf: 0, k }
}

/// Answers rt_sigqueueinfo with `verdict` and lets all the rest pass.
fn confine(verdict: u32) -> io::Result<()> {
    let mut code = [
        op(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        op(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::SYS_rt_sigqueueinfo as u32, 1),
        op(libc::BPF_RET | libc::BPF_K, ALLOW, 0),
        op(libc::BPF_RET | libc::BPF_K, verdict, 0),
    ];
    let program = libc::sock_fprog { len: code.len() as u16, filter: code.as_mut_ptr() };
    // SAFETY: the program lives until the kernel has copied it.
    let refused = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) != 0
    };
    if refused { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn environment_under(verdict: u32) -> Output {
    let mut command = sigzero(&["run", "--follow", "*", "--", "env"]);
    // SAFETY: two system calls between fork and exec.
    unsafe { command.pre_exec(move || confine(verdict)) };
    command.output().unwrap()
}

fn count_told(output: &Output) -> Option<u32> {
    let text = stdout(output);
    text.lines().find_map(|line| line.strip_prefix("SIGZERO_FILTERS=")?.parse().ok())
}

#[test]
fn a_filter_that_lets_signals_be_sent_is_no_obstacle() {
    if skip_without_library() {
        return;
    }
    let output = environment_under(ALLOW);
    assert!(output.status.success());
    assert!(count_told(&output).is_some_and(|count| count >= 1), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_filter_that_does_not_is_named_and_the_command_runs() {
    if skip_without_library() {
        return;
    }
    for verdict in [FAIL, KILL] {
        let output = environment_under(verdict);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(count_told(&output), None);
        assert!(stderr(&output).contains("seccomp filter forbids"), "{}", stderr(&output));
    }
}
