// SPDX-License-Identifier: MIT
//! What can go wrong, and what to do then.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}: no such process: find the number of a running one with `pgrep NAME`")]
    NoSuchProcess(i32),

    #[error(
        "{0}: the process exists, but /proc does not show it to you: run sigzero as its user or as root"
    )]
    Hidden(i32),

    #[error("{0}: the process ended while it was examined: give the number of a running one")]
    Ended(i32),

    #[error(
        "{pid}: the process has ended already; its parent {parent} has yet to collect its status: examine the parent, or start the program again"
    )]
    Zombie { pid: i32, parent: i32 },

    #[error("/proc/{pid}: cannot be read: {source}: check that /proc is mounted")]
    Proc { pid: i32, source: io::Error },
}

impl Error {
    /// What a failure to read below /proc/PID means.
    pub(crate) fn of_proc(pid: i32, source: io::Error) -> Self {
        match source.raw_os_error() {
            Some(libc::ENOENT | libc::ESRCH) => Self::Ended(pid),
            _ => Self::Proc { pid, source },
        }
    }
}
