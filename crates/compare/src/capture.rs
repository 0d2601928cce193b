// SPDX-License-Identifier: MIT
//! What one run left behind: how it ended and what it wrote.
//!
//! Output goes to files without a name, which vanish with us however we end. Files rather than
//! pipes, so that no reader of ours runs beside the command while it is timed.

use std::fs::File;
use std::io;
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
}

/// Appending, so that a process left in the background cannot overwrite what others wrote.
fn appending() -> io::Result<File> {
    use std::os::fd::AsRawFd;
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
