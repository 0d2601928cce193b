// SPDX-License-Identifier: MIT
//! What one run left behind: how it ended and what it wrote.
//!
//! Output goes to files without a name, which vanish with us however we end. Files rather than
//! pipes, so that no reader of ours runs beside the command while it is timed.

use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::AsRawFd;
use std::process::ExitStatus;

pub struct Streams {
    pub stdout: File,
    pub stderr: File,
}

impl Streams {
    pub fn new() -> io::Result<Self> {
        Ok(Streams { stdout: appending()?, stderr: appending()? })
    }

    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Streams { stdout: self.stdout.try_clone()?, stderr: self.stderr.try_clone()? })
    }

    /// Fails where output may be missing: two runs that were cut off alike are not proved alike.
    pub fn complete(&self) -> io::Result<()> {
        let limit = file_size_limit();
        for file in [&self.stdout, &self.stderr] {
            if file.metadata()?.len() >= limit {
                return Err(io::Error::from_raw_os_error(libc::EFBIG));
            }
        }
        match is_full(&self.stdout)? {
            true => Err(io::Error::from_raw_os_error(libc::ENOSPC)),
            false => Ok(()),
        }
    }
}

fn file_size_limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a live structure that getrlimit fills in.
    match unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } {
        0 => limit.rlim_cur,
        _ => u64::MAX,
    }
}

fn is_full(file: &File) -> io::Result<bool> {
    // SAFETY: a live descriptor, and a zeroed structure that fstatvfs fills in.
    unsafe {
        let mut room: libc::statvfs = mem::zeroed();
        if libc::fstatvfs(file.as_raw_fd(), &mut room) != 0 {
            return Err(io::Error::last_os_error());
        }
        let free = if libc::geteuid() == 0 { room.f_bfree } else { room.f_bavail };
        // Some file systems have no blocks to count.
        Ok(room.f_blocks > 0 && free == 0)
    }
}

/// Appending, so that a process left in the background cannot overwrite what others wrote.
fn appending() -> io::Result<File> {
    let file = tempfile::tempfile()?;
    // SAFETY: a live descriptor and plain flags.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_APPEND) } {
        0 => Ok(file),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A run that came to its end.
pub struct Ended {
    pub status: ExitStatus,
    pub streams: Streams,
}
