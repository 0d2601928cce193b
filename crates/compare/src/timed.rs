// SPDX-License-Identifier: MIT
//! One timed run.

use std::fs::File;
use std::io;
use std::mem;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::time::Instant;

use serde::Serialize;

use crate::capture::{Ended, Streams};
use crate::interrupt;

/// Seconds that a run took: on the clock, and of the processor in the program and in the kernel,
/// children that were waited for included.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Times {
    pub wall_s: f64,
    pub user_s: f64,
    pub system_s: f64,
}

pub fn run(command: &mut Command, input: File, streams: Streams) -> io::Result<(Ended, Times)> {
    let kept = streams.try_clone()?;
    command.stdin(input).stdout(streams.stdout).stderr(streams.stderr);
    let start = Instant::now();
    let child = command.spawn()?;
    let pid = child.id() as libc::pid_t;
    interrupt::running(pid);
    let waited = wait(pid);
    let wall_s = start.elapsed().as_secs_f64();
    interrupt::running(0);
    let (status, usage) = waited?;
    let times =
        Times { wall_s, user_s: seconds(usage.ru_utime), system_s: seconds(usage.ru_stime) };
    Ok((Ended { status, streams: kept }, times))
}

fn wait(pid: libc::pid_t) -> io::Result<(ExitStatus, libc::rusage)> {
    loop {
        let mut status = 0;
        // SAFETY: a live integer, and a structure that wait4 fills in.
        let mut usage: libc::rusage = unsafe { mem::zeroed() };
        if unsafe { libc::wait4(pid, &mut status, 0, &mut usage) } == pid {
            return Ok((ExitStatus::from_raw(status), usage));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}
